"""`init` writes what is missing and nothing else. Not: whether the starter suite is a good one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml

from driftproof_action.commands.init import WORKFLOW, run
from driftproof_action.errors import InputError
from driftproof_action.files_io import FilesIO
from driftproof_action.loading.suite_keys import SUITE_PLACES

SKILL = "---\nname: {name}\ndescription: Says hello.\n---\nBe kind.\n"
Lay = Callable[..., FilesIO]


@pytest.fixture
def lay(tmp_path: Path) -> Lay:
    """lay({"path": "text"}): the files below a new root."""

    def set_up(files: Mapping[str, str]) -> FilesIO:
        for name, text in files.items():
            place = tmp_path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        return FilesIO(str(tmp_path))

    return set_up


def _skill(name: str = "greeting") -> str:
    return SKILL.format(name=name)


def _all(files: FilesIO) -> dict[str, bytes]:
    root = Path(files.root)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_it_writes_a_workflow_and_a_starter_suite(lay: Lay) -> None:
    files = lay({"skills/greeting/SKILL.md": _skill()})
    text, code = run(files)
    assert code == 0
    assert set(_all(files)) == {"skills/greeting/SKILL.md", "skills/greeting/evals/evals.json", WORKFLOW}
    assert text.splitlines() == [
        f"wrote   {WORKFLOW}",
        "wrote   skills/greeting/evals/evals.json",
        "",
        "next:",
        (
            '  1. edit skills/greeting/evals/evals.json: write your own cases, then remove "example": true from each; '
            "until then run refuses them"
        ),
        "  2. driftproof lint skills/greeting",
        "  3. driftproof run skills/greeting --mode stub   (free, no model is asked)",
        "  4. give the repository the secret ANTHROPIC_API_KEY (Settings › Secrets and variables › Actions);",
        "     then pull requests are measured",
    ]


def test_the_starter_suite_bears_the_skills_name_and_only_examples(lay: Lay) -> None:
    files = lay({"greeting/SKILL.md": _skill("grüße")})
    run(files)
    suite = json.loads(_all(files)["greeting/evals/evals.json"])
    assert suite["skill_name"] == "grüße"
    assert len(suite["evals"]) == len({case["id"] for case in suite["evals"]}) >= 3
    assert all(case["example"] is True and case["prompt"] for case in suite["evals"])
    assert all(case.get("assertions") or case.get("expected_output") for case in suite["evals"])


def test_a_skill_at_the_root(lay: Lay) -> None:
    files = lay({"SKILL.md": _skill()})
    text, _ = run(files)
    assert "evals/evals.json" in _all(files)
    assert "driftproof lint .\n" in text


def test_a_second_time_changes_nothing(lay: Lay) -> None:
    files = lay({"a/SKILL.md": _skill("a")})
    run(files)
    before = _all(files)
    text, code = run(files)
    assert (_all(files), code) == (before, 0)
    assert "wrote" not in text
    assert f"kept    {WORKFLOW}" in text


@pytest.mark.parametrize("place", SUITE_PLACES)
def test_a_suite_that_is_there_is_kept_whatever_it_holds(place: str, lay: Lay) -> None:
    files = lay({"a/SKILL.md": _skill("a"), f"a/{place}": "not even JSON"})
    text, _ = run(files, no_workflow=True)
    assert _all(files) == {"a/SKILL.md": _skill("a").encode(), f"a/{place}": b"not even JSON"}
    assert f"kept    a/{place}" in text


def test_a_workflow_with_the_other_ending_is_kept(lay: Lay) -> None:
    files = lay({"a/SKILL.md": _skill("a"), ".github/workflows/driftproof.yaml": "name: mine"})
    run(files)
    assert WORKFLOW not in _all(files)


def test_no_workflow_when_none_is_wanted(lay: Lay) -> None:
    files = lay({"a/SKILL.md": _skill("a")})
    run(files, no_workflow=True)
    assert WORKFLOW not in _all(files)


def test_only_the_named_folder_is_looked_into(lay: Lay) -> None:
    files = lay({"a/SKILL.md": _skill("a"), "b/SKILL.md": _skill("b")})
    run(files, skill_dir="b")
    assert {name for name in _all(files) if name.endswith(".json")} == {"b/evals/evals.json"}
    assert WORKFLOW in _all(files)


def test_skills_in_hidden_folders_count_and_those_of_tools_do_not(lay: Lay) -> None:
    names = [".claude/skills/a", ".venv/lib/b", "node_modules/c", "driftproof-out/d", "plain/e"]
    files = lay({f"{name}/SKILL.md": _skill() for name in names})
    run(files)
    assert {name for name in _all(files) if name.endswith(".json")} == {
        ".claude/skills/a/evals/evals.json",
        "plain/e/evals/evals.json",
    }


def test_a_skill_inside_a_skill_belongs_to_it(lay: Lay) -> None:
    files = lay({"a/SKILL.md": _skill("a"), "a/references/b/SKILL.md": _skill("b")})
    run(files)
    assert "a/references/b/evals/evals.json" not in _all(files)


def test_a_glob_names_skills_too(lay: Lay) -> None:
    files = lay({"a/x/SKILL.md": _skill("x"), "b/x/SKILL.md": _skill("x")})
    run(files, skill_dir="a*")
    assert {name for name in _all(files) if name.endswith(".json")} == {"a/x/evals/evals.json"}


def test_no_skill_is_a_mistake_with_advice_and_writes_nothing(lay: Lay) -> None:
    files = lay({"README.md": "hello"})
    with pytest.raises(InputError) as caught:
        run(files)
    assert (caught.value.exit_code, caught.value.anchor) == (2, "no-skills")
    assert set(_all(files)) == {"README.md"}


@pytest.mark.parametrize("path", ["../elsewhere", "/etc", "absent"])
def test_a_folder_that_is_not_inside_is_refused(path: str, lay: Lay) -> None:
    with pytest.raises(InputError):
        run(lay({"a/SKILL.md": _skill("a")}), skill_dir=path)


def test_a_skill_that_cannot_be_read_is_named_and_the_others_are_served(lay: Lay) -> None:
    files = lay({"a/SKILL.md": "", "b/SKILL.md": _skill("b")})
    text, code = run(files)
    assert code == 0
    assert "skipped a: " in text
    assert {name for name in _all(files) if name.endswith(".json")} == {"b/evals/evals.json"}
    assert "driftproof lint b\n" in text


def test_nothing_is_written_through_a_link(lay: Lay, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    files = lay({"a/SKILL.md": _skill("a")})
    (Path(files.root) / "a" / "evals").symlink_to(elsewhere)
    text, _ = run(files, no_workflow=True)
    assert "skipped a: " in text
    assert not list(elsewhere.iterdir())


def test_a_hostile_folder_name_stays_text(lay: Lay) -> None:
    files = lay({"a;rm\n::error::b/SKILL.md": _skill()})
    text, _ = run(files)
    assert not any(line.strip().startswith("::") for line in text.splitlines())
    assert "driftproof lint 'a;rm" in text


def test_the_workflow_is_short_and_gives_the_key_to_nobody_else(lay: Lay) -> None:
    files = lay({"a/SKILL.md": _skill("a")})
    run(files)
    text = _all(files)[WORKFLOW].decode()
    workflow = yaml.safe_load(text)
    assert len(text.splitlines()) <= 11
    assert workflow["permissions"] == {"contents": "write", "pull-requests": "write"}
    checkout, ours = workflow["jobs"]["skills"]["steps"]
    assert ours["with"] == {"api-key": "${{ secrets.ANTHROPIC_API_KEY }}", "max-usd": 5}
    assert checkout["with"] == {"persist-credentials": False}


def test_the_workflow_is_one_that_github_takes(lay: Lay) -> None:
    files = lay({"a/SKILL.md": _skill("a")})
    run(files)
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(Path(files.root) / WORKFLOW)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
