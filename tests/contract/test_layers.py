"""Imports point down. Not: what the modules do."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.contract.package_source import PACKAGE, ROOT, imports, modules

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


def _lint(folder: Path) -> subprocess.CompletedProcess[str]:
    program = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    command = [sys.executable, "-c", program, "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_every_contract_is_kept() -> None:
    done = _lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_layers_are_strict_about_what_they_list() -> None:
    layers = next(contract for contract in CONTRACTS if contract["type"] == "layers")
    assert layers["exhaustive"] is True
    assert layers["exhaustive_ignores"] == ["__main__"]
    assert not any("ignore_imports" in contract for contract in CONTRACTS)


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("domain/arm.py", "from driftproof_action.receipts import view"),
        ("loading/__init__.py", "from driftproof_action.providers import __doc__ as _other"),
        ("execution/__init__.py", "from driftproof_action.decisions import __doc__ as _other"),
        ("new_room.py", ""),
    ],
    ids=["upwards", "sibling", "engine", "unlisted"],
)
def test_a_breach_is_found(tmp_path: Path, module: str, line: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "driftproof_action", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    broken = tmp_path / "driftproof_action" / module
    with broken.open("a", encoding="utf-8") as handle:
        handle.write(f"\n{line}\n")
    assert _lint(tmp_path).returncode != 0


def test_only_edges_and_doors_name_third_parties_that_talk_to_the_world() -> None:
    """requests, anthropic and GitHub clients belong to providers and github."""
    networked = {"requests", "anthropic", "openai", "github", "httpx", "urllib3", "aiohttp"}
    found = [
        f"{module.place}:{node.lineno} imports {name}"
        for module in modules()
        if module.room not in {"providers", "github"}
        for node, name, _ in imports(module.tree)
        if name.split(".")[0] in networked
    ]
    assert not found, "\n".join(found)
