"""What each verb may import: third parties, and what of the rest is slow. Not: how long that takes (benchmarks/startup.py)."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from driftproof_action.cli import VERBS

CLICK = frozenset({"click"})
CANONICAL = frozenset({"rfc8785"})
YAML = frozenset({"yaml", "_yaml"})
COMPILED = ("_cython_", "cython_runtime")
"""What a compiled extension such as PyYAML's enters by itself."""
PATTERNS = frozenset({"regex"})

ALLOWED: Mapping[str, frozenset[str]] = {
    "--help": CLICK,
    "--version": CLICK,
    "run --help": CLICK,
    "lint": CLICK | CANONICAL | YAML,
    "lint with a pattern": CLICK | CANONICAL | YAML | PATTERNS,
    "init": CLICK | CANONICAL | YAML,
    "run": CLICK | CANONICAL | YAML,
    "run --json": CLICK | CANONICAL | YAML,
    "measure": CLICK | CANONICAL | YAML | PATTERNS,
    "validate": CLICK | CANONICAL,
    "diff": CLICK | CANONICAL,
    "diff with the lift by case": CLICK | CANONICAL,
    "power": CLICK | CANONICAL,
    "badge": CLICK | CANONICAL,
}

SLOW = frozenset(
    {
        "asyncio",
        "difflib",
        "driftproof_action.reports.result",
        "email",
        "html",
        "http",
        "importlib.resources",
        "multiprocessing",
        "socket",
        "ssl",
        "statistics",
        "urllib.request",
        "zipfile",
    }
)
"""What takes its time to load and only some walks need: none of those a verb takes in these tests, but for NEEDS."""

NEEDS: Mapping[str, frozenset[str]] = {
    "init": frozenset({"importlib.resources", "zipfile"}),
    "run --json": frozenset({"driftproof_action.reports.result"}),
}

PROGRAM = """
import json, sys
before = set(sys.modules)
from driftproof_action.cli import main
code = main(sys.argv[1:])
sys.stderr.write("\\nIMPORTED " + json.dumps([code, sorted(set(sys.modules) - before)]) + "\\n")
"""


def _imported(folder: Path, *words: str) -> tuple[int, frozenset[str]]:
    """(exit code, the modules imported beyond the interpreter's own start)."""
    done = subprocess.run([sys.executable, "-I", "-c", PROGRAM, *words], cwd=folder, capture_output=True, check=False)
    line = done.stderr.decode().strip().splitlines()[-1]
    assert line.startswith("IMPORTED "), done.stderr.decode()
    code, names = json.loads(line.removeprefix("IMPORTED "))
    return code, frozenset(names)


def _third_parties(names: frozenset[str]) -> frozenset[str]:
    """The roots of what neither we nor the standard library are."""
    roots = {name.split(".")[0] for name in names if not name.startswith(COMPILED)}
    return frozenset(roots - sys.stdlib_module_names - {"driftproof_action", "__mp_main__"})


SUITE = {"skill_name": "greeting", "evals": [{"id": "hello", "prompt": "Say hello.", "expected_output": "Says hello."}]}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a skill `greeting`, a skill `patterned` whose suite holds a pattern, and the receipt of a stub run."""
    folder = tmp_path_factory.mktemp("place")
    check = {"kind": "regex", "name": "greets", "pattern": "^Hello"}
    for name, more in (("greeting", {}), ("patterned", {"checks": [check]})):
        suite = {**SUITE, "skill_name": name, "evals": [SUITE["evals"][0] | more]}  # type: ignore[dict-item]
        (folder / name / "evals").mkdir(parents=True)
        (folder / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Greets.\n---\nBe kind.\n", encoding="utf-8")
        (folder / name / "evals" / "evals.json").write_text(json.dumps(suite), encoding="utf-8")
    run = [sys.executable, "-I", "-m", "driftproof_action", "run", "greeting", "--mode", "stub", "--out", "made"]
    done = subprocess.run(run, cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    (receipt,) = (folder / "made" / "receipts").glob("*.json")
    (folder / "receipt.json").write_bytes(receipt.read_bytes())
    return folder


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("--help", ["--help"]),
        ("--version", ["--version"]),
        ("run --help", ["run", "--help"]),
        ("lint", ["lint", "greeting"]),
        ("lint with a pattern", ["lint", "patterned"]),
        ("init", ["init", "greeting"]),
        ("run", ["run", "greeting", "--mode", "stub", "--out", "again"]),
        ("run --json", ["run", "greeting", "--mode", "stub", "--out", "once-more", "--json"]),
        ("measure", ["measure", "patterned", "--mode", "stub", "--out", "measured"]),
        ("validate", ["validate", "receipt.json"]),
        ("diff", ["diff", "receipt.json", "receipt.json"]),
        ("diff with the lift by case", ["diff", "receipt.json", "receipt.json", "--lift-breakdown"]),
        ("power", ["power", "receipt.json"]),
        ("badge", ["badge", "receipt.json"]),
    ],
)
def test_a_verb_loads_only_what_it_may(place: Path, case: str, words: list[str]) -> None:
    code, names = _imported(place, *words)
    assert code == 0
    third = _third_parties(names)
    assert third <= ALLOWED[case], f"also imports {sorted(third - ALLOWED[case])}"
    slow = (names & SLOW) - NEEDS.get(case, frozenset())
    assert not slow, f"also imports {sorted(slow)}"


def test_no_verb_may_load_what_is_heavy() -> None:
    heavy = {"anthropic", "openai", "github", "requests", "pydantic", "jinja2", "rich", "cryptography", "jsonschema"}
    assert not heavy & frozenset().union(*ALLOWED.values())


def test_the_probe_sees_an_import(tmp_path: Path) -> None:
    program = PROGRAM.replace("code = main(sys.argv[1:])", "import yaml; code = 0")
    done = subprocess.run([sys.executable, "-I", "-c", program], cwd=tmp_path, capture_output=True, check=False)
    assert b'"yaml"' in done.stderr


@pytest.mark.parametrize("name", list(VERBS))
def test_every_verb_leads_to_a_function(name: str) -> None:
    module, _, function = VERBS[name].target.partition(":")
    assert callable(getattr(importlib.import_module(f"driftproof_action.{module}"), function))


def test_every_verb_is_in_the_table() -> None:
    """demo and action run the same walk as run, over other doors."""
    assert set(VERBS) - {"demo", "action"} <= {case.split()[0] for case in ALLOWED}
