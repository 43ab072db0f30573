"""loading/discover: auto, folders, globs, and what is never taken silently."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftproof_action.errors import InputError, SuiteError
from driftproof_action.files_io import FilesIO
from driftproof_action.loading.discover import discover
from tests.unit.loading.laying import SKILL, lay


def _workspace(root: Path) -> FilesIO:
    names = ["skills/b", "skills/a", "skills/Z", ".claude/skills/c", "deep/er/still/d"]
    left_alone = ["node_modules/x", ".venv/x", ".hidden/x", "driftproof-out/x", ".git/x"]
    laid: dict[str, str | bytes] = {"skills/nosuite/SKILL.md": SKILL, "skills/nothing/README.md": "x"}
    for name in (*names, *left_alone):
        laid |= {f"{name}/SKILL.md": SKILL, f"{name}/evals/evals.json": "[]"}
    return lay(root, laid)


ALL = (".claude/skills/c", "deep/er/still/d", "skills/Z", "skills/a", "skills/b")


@pytest.mark.parametrize("patterns", [["auto"], [], [" "], ["auto", "auto"]])
def test_auto_finds_skills_with_suites_in_byte_order(tmp_path: Path, patterns: list[str]) -> None:
    assert discover(_workspace(tmp_path), patterns) == ALL


def test_the_workspace_itself_may_be_the_skill(tmp_path: Path) -> None:
    files = lay(tmp_path, {"SKILL.md": SKILL, "evals.json": "[]"})
    assert discover(files, ["auto"]) == (".",)
    assert discover(files, ["."]) == (".",)
    assert discover(files, [str(tmp_path)]) == (".",)


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["skills/b"], ("skills/b",)),
        (["./skills/b/"], ("skills/b",)),
        (["skills/b/SKILL.md"], ("skills/b",)),
        (["skills/b", "skills/a"], ("skills/b", "skills/a")),
        (["skills/*"], ("skills/Z", "skills/a", "skills/b", "skills/nosuite")),
        (["skills/[ab]", "skills/a"], ("skills/a", "skills/b")),
        (["**/d"], ("deep/er/still/d",)),
        (["deep/**"], ("deep/er/still/d",)),
        (["deep/**/still/?"], ("deep/er/still/d",)),
        (["skills/nosuite"], ("skills/nosuite",)),
    ],
)
def test_folders_and_globs(tmp_path: Path, patterns: list[str], found: tuple[str, ...]) -> None:
    assert discover(_workspace(tmp_path), patterns) == found


def test_an_absolute_path_inside_is_the_same(tmp_path: Path) -> None:
    assert discover(_workspace(tmp_path), [f"{FilesIO(str(tmp_path)).root}/skills/a"]) == ("skills/a",)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("skills/absent", "matches no skill"),
        ("skills/x*", "matches no skill"),
        ("absent/*", "matches no skill"),
        ("skills/nothing", "holds no SKILL.md"),
        ("../elsewhere", "outside the workspace"),
        ("skills/../../x", "outside the workspace"),
        ("../**", "outside the workspace"),
        ("/etc", "outside the workspace"),
        ("~/skills", "outside the workspace"),
        ("a\\b", "backslash"),
        ("a\x1bb", "does not print"),
        ("skills/a/SKILL.md/x", "matches no skill"),
    ],
)
def test_wishes_that_cannot_be_met(tmp_path: Path, pattern: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        discover(_workspace(tmp_path), [pattern])
    assert caught.value.fix
    assert caught.value.exit_code == 2


def test_nothing_found_is_an_error_that_says_what_is_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no folder holds SKILL\.md"):
        discover(lay(tmp_path / "1", {"a.txt": "x"}), ["auto"])
    with pytest.raises(InputError, match="no skill with an eval suite") as caught:
        discover(lay(tmp_path / "2", {"s/SKILL.md": SKILL}), ["auto"])
    assert '"s"' in caught.value.detail
    assert discover(lay(tmp_path / "3", {"a.txt": "x"}), ["auto"], require=False) == ()


@pytest.mark.parametrize("target", ["../shared/SKILL.md", "nowhere", "../shared"])
def test_a_linked_skill_md_is_refused_aloud(tmp_path: Path, target: str) -> None:
    files = lay(tmp_path, {"shared/SKILL.md": SKILL, "shared/evals.json": "[]", "s/evals.json": "[]"})
    (tmp_path / "s/SKILL.md").symlink_to(target)
    for pattern in ("auto", "s", "*"):
        with pytest.raises(InputError, match="symbolic link") as caught:
            discover(files, [pattern])
        assert '"s/SKILL.md"' in caught.value.message
    assert discover(files, ["auto"], require=False) == ("shared",)


def test_linked_folders_are_refused_where_they_are_wished_for(tmp_path: Path) -> None:
    files = _workspace(tmp_path)
    (tmp_path / "linked").symlink_to("skills")
    (tmp_path / "loop").symlink_to(".")
    for pattern in ("linked/a", "linked", "linked/*", "loop/skills/a"):
        with pytest.raises(InputError, match="symbolic link"):
            discover(files, [pattern])
    assert discover(files, ["auto"]) == ALL, "a link met on the way is not followed, and not an error"


def test_a_linked_suite_is_refused_aloud(tmp_path: Path) -> None:
    files = lay(tmp_path, {"s/SKILL.md": SKILL, "real.json": "[]"})
    (tmp_path / "s/evals.json").symlink_to("../real.json")
    with pytest.raises(SuiteError, match="symbolic link"):
        discover(files, ["auto"])
    assert discover(files, ["auto"], require=False) == ()
