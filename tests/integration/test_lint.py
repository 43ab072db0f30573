"""`driftproof lint`: from words to text, JSON and exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driftproof_action.commands.lint import exit_code, lint, render_text, run
from driftproof_action.files_io import FilesIO
from driftproof_action.git_io import GitIO
from tests.conftest import ROOT, Repository

HEAD = "---\nname: naming\ndescription: Names things well.\n---\n# Naming\n"
UNSEEN = "1 file an API model will not see (references/): only SKILL.md is sent"
GOOD = {"id": "a", "prompt": "P", "expected_output": "R", "assertions": ["one", "two"]}


def _lay(root: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
    return root


def _json(*paths: Path) -> tuple[dict[str, Any], int]:
    text, code = run([str(path) for path in paths], True)
    return json.loads(text), code


@pytest.fixture
def naming(make_repository: Callable[..., Repository]) -> Path:
    files = {"naming/SKILL.md": HEAD, "naming/evals/evals.json": json.dumps({"evals": [GOOD]}), "naming/references/a.md": "x"}
    return make_repository(files=files).path / "naming"


def test_a_skill_in_words(naming: Path) -> None:
    text, code = run([str(naming)], False)
    assert code == 0
    assert text.split("\n") == [
        f"{naming}   1 case, 1 can run",
        "  read evals/evals.json as the agentskills.io shape: prompt ← prompt, context ← expected_output, 2 criteria ← assertions",
        f"  info    SKILL.md   {UNSEEN} → a case that needs them measures the model without them",
    ]


def test_a_skill_as_json(naming: Path) -> None:
    document, code = _json(naming)
    assert code == 0
    assert list(document) == ["path", "status", "cases", "runnable", "file", "shape", "mapping", "unmeasured", "findings"]
    assert (document["status"], document["cases"], document["runnable"], document["file"]) == ("runnable", 1, 1, "evals/evals.json")
    assert (
        document["mapping"][0] == {"target": "criteria", "source": "assertions", "count": 2}
        or {
            "target": "criteria",
            "source": "assertions",
            "count": 2,
        }
        in document["mapping"]
    )
    (finding,) = document["findings"]
    assert list(finding) == ["severity", "code", "file", "line", "message", "fix"]
    assert (finding["code"], finding["file"], finding["line"]) == ("unseen-files", f"{naming}/SKILL.md", None)


@pytest.mark.parametrize("name", ["evals/evals.json", "SKILL.md", ".", "evals/..", ""])
def test_the_same_skill_by_other_names(naming: Path, name: str) -> None:
    text, code = run([f"{naming}/{name}"], True)
    document = json.loads(text)
    assert (document["status"], document["runnable"], code) == ("runnable", 1, 0)


def test_a_skill_reached_by_a_link(naming: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(naming)
    assert _json(tmp_path / "link")[0]["status"] == "runnable"


def test_several_paths_are_reports_and_one_good_one_is_enough(naming: Path, tmp_path: Path) -> None:
    _lay(
        tmp_path,
        {"empty/SKILL.md": HEAD, "empty/evals/evals.json": {"evals": []}, "queries.json": [{"query": "q", "should_trigger": True}]},
    )
    document, code = _json(naming, tmp_path / "empty", tmp_path / "queries.json", tmp_path / "absent")
    assert [each["status"] for each in document["reports"]] == ["runnable", "unusable", "trigger_suite", "unusable"]
    assert code == 0
    assert _json(tmp_path / "empty", tmp_path / "absent")[1] == 2
    assert _json(tmp_path / "queries.json")[1] == 0


def test_what_cannot_run_is_said_in_the_first_line(tmp_path: Path) -> None:
    _lay(
        tmp_path,
        {
            "empty/SKILL.md": HEAD,
            "empty/evals/evals.json": {"evals": []},
            "queries.json": [{"query": "q", "should_trigger": True}] * 20,
            "partly/SKILL.md": HEAD,
            "partly/evals.json": [GOOD, {"id": "b", "prompt": "P"}, {**GOOD, "id": "c", "files": ["gone.txt"]}],
            "holes/SKILL.md": HEAD,
            "holes/evals.json": [{**GOOD, "files": ["gone.txt"]}],
        },
    )
    text, _ = run([str(tmp_path / name) for name in ("empty", "queries.json", "partly", "holes")], False)
    lines = text.replace(f"{tmp_path}/", "").split("\n")
    assert "empty   cannot run: see the errors below" in lines
    assert "queries.json   trigger suite (20 queries): not run by lift" in lines
    assert "partly   3 cases, 1 can run once the error is mended" in lines
    assert "  not run: 1 files_missing, 1 nothing_to_grade" in lines
    assert "holes   cannot run: none of its 1 cases can be asked of a model alone" in lines


def test_findings_of_one_code_are_cut_for_people_only(tmp_path: Path) -> None:
    _lay(tmp_path, {"SKILL.md": HEAD, "evals.json": [{"prompt": "P"} for _ in range(9)]})
    text, _ = run([str(tmp_path)], False)
    assert text.count("nothing to grade by") == 3
    assert "and 6 more nothing-to-grade" in text
    document, code = _json(tmp_path)
    assert sum(each["code"] == "nothing-to-grade" for each in document["findings"]) == 9
    assert code == 2


def test_errors_of_a_skill_are_findings(tmp_path: Path) -> None:
    _lay(tmp_path, {"s/evals.json": [GOOD]})
    (tmp_path / "s/SKILL.md").symlink_to("/etc/passwd")
    document, code = _json(tmp_path / "s")
    assert (document["status"], code) == ("unusable", 2)
    assert [(each["severity"], each["code"], each["file"]) for each in document["findings"]] == [
        ("error", "skill-link", f"{tmp_path}/s/SKILL.md")
    ]


def test_a_folder_of_skills_says_which(tmp_path: Path) -> None:
    _lay(tmp_path, {"a/SKILL.md": HEAD, "a/evals.json": [GOOD], "b/README.md": "x"})
    document, code = _json(tmp_path)
    assert code == 2
    assert f"{tmp_path}/a" in document["findings"][0]["fix"]


@pytest.mark.parametrize("path", ["", "absent", "absent/evals.json", "a\x00b", "\udcff", "/dev/null", "x" * 5000])
def test_paths_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(tmp_path)
    text, code = run([path], True)
    document = json.loads(text)
    assert (document["status"], code) == ("unusable", 2)
    assert document["findings"][0]["message"]
    assert run([path], False)[1] == 2


def test_hostile_text_does_not_act(tmp_path: Path) -> None:
    evil = "\x1b[2J\n::error::x##[group]\u202e"
    _lay(
        tmp_path,
        {
            "SKILL.md": HEAD,
            "evals.json": [{"id": "a", "prompt": evil, evil: 1}, {"id": "b", "prompt": "P", "files": [evil], "rubric": "R"}],
        },
    )
    text = render_text(lint([str(tmp_path)], files_for=FilesIO, git_for=GitIO.at))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "##[" not in text
    assert not any(line.startswith("::") for line in text.split("\n"))


def test_nothing_to_lint_is_not_a_success() -> None:
    assert exit_code(()) == 2


def test_it_works_where_the_locale_knows_no_unicode(tmp_path: Path) -> None:
    _lay(tmp_path, {"naming/SKILL.md": HEAD + "→ “quoted”\n", "naming/evals.json": [{**GOOD, "id": "ü→", "files": ["gone.txt"]}]})
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "driftproof_action.cli", "lint", "naming"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.stderr == b""
    assert done.returncode == 2
    assert 'case "ü→"' in done.stdout.decode("utf-8")
