"""loading/tree: tree_hash by its check values, and what moves it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.canonical import sha256_hex, tree_digest
from driftproof_action.errors import SkillError
from driftproof_action.files_io import FilesIO
from driftproof_action.git_io import GitIO
from driftproof_action.loading.tree import commit_tree_hash, read_tree, working_tree_hash
from tests.conftest import Repository
from tests.unit.loading.laying import lay

ONE = "e670849267a4ec70dd15e46a69386b2f0ef74d4f3c5ff016e04c8e2fbcff3e28"
THREE = "952eb0c2553641ffe1846425fbe57159a71c99dd7b03d7d1d91d21b2c824fe8f"

Make = Callable[..., Repository]


def _hash(repository: Repository, path: str = "s", left_out: tuple[str, ...] = ()) -> str:
    found, source = working_tree_hash(FilesIO(str(repository.path)), _git(repository), path, left_out=left_out)
    assert source == "git"
    return found


def _git(repository: Repository) -> GitIO:
    git = GitIO.at(str(repository.path))
    assert git is not None
    return git


def test_check_values_in_a_folder(tmp_path: Path) -> None:
    files = lay(tmp_path, {"s/SKILL.md": "# hi\n"})
    assert working_tree_hash(files, None, "s", left_out=()) == (ONE, "folder")
    lay(tmp_path, {"s/scripts/a.sh": "echo A\n", "s/refs/é.txt": "A"})
    (tmp_path / "s/scripts/a.sh").chmod(0o755)
    assert working_tree_hash(files, None, "s", left_out=()) == (THREE, "folder")


def test_check_values_in_git_and_in_its_commit(make_repository: Make) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n"})
    first = repository.git("rev-parse", "HEAD")
    assert _hash(repository) == ONE
    repository.write({"s/scripts/a.sh": "echo A\n", "s/refs/é.txt": "A"})
    (repository.path / "s/scripts/a.sh").chmod(0o755)
    second = repository.commit()
    assert _hash(repository) == THREE
    git = _git(repository)
    assert commit_tree_hash(git, first, "s", left_out=()) == ONE
    assert commit_tree_hash(git, second, "s", left_out=()) == THREE
    assert commit_tree_hash(git, second, "elsewhere", left_out=()) is None


def test_the_skill_may_be_the_whole_checkout(make_repository: Make) -> None:
    repository = make_repository(files={"SKILL.md": "# hi\n", ".driftproof/receipts/x.json": "{}", "evals/evals.json": "[]"})
    assert _hash(repository, ".") == ONE
    assert commit_tree_hash(_git(repository), repository.git("rev-parse", "HEAD"), ".", left_out=()) == ONE


def test_untracked_and_cached_files_move_nothing(make_repository: Make) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n"})
    repository.write({"s/__pycache__/a.pyc": b"\x00", "s/notes.txt": "x", "s/evals/evals.json": "[]", "s/driftproof-out/r.json": "{}"})
    assert _hash(repository) == ONE


def test_a_tracked_cache_counts(make_repository: Make) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n", "s/__pycache__/a.pyc": b"\x00"})
    assert _hash(repository) != ONE


@pytest.mark.parametrize("place", ["s/references/evals/x.md", "s/node_modules/x.js", "s/references/.driftproof/x", "s/.hidden"])
def test_no_hiding_place_below_the_top(make_repository: Make, place: str) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n", place: "one"})
    before = _hash(repository)
    assert before != ONE
    repository.write({place: "two"})
    assert _hash(repository) != before


def test_the_suite_file_is_left_out_wherever_it_lies(make_repository: Make) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n", "s/evals.json": "[]", "s/fixtures/in.txt": "x"})
    assert _hash(repository, left_out=("evals.json", "fixtures/in.txt")) == ONE
    commit = repository.git("rev-parse", "HEAD")
    assert commit_tree_hash(_git(repository), commit, "s", left_out=("evals.json", "fixtures/in.txt")) == ONE


def test_a_checkout_that_converts_line_ends_hashes_alike(make_repository: Make) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n", "s/a.md": "x\r\ny\r\n"})
    git_hash = _hash(repository)
    repository.write({"s/SKILL.md": "# hi\r\n"})
    tree = read_tree(FilesIO(str(repository.path)), _git(repository), "s", left_out=())
    assert tree.hash == git_hash
    assert tree.folded == ("SKILL.md",)
    repository.write({"s/a.md": "x\ny\n"})
    assert _hash(repository) != git_hash, "line ends that git itself stores as CRLF are content"


def test_an_edit_counts_before_it_is_committed_and_a_deletion_too(make_repository: Make) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n", "s/a.md": "x"})
    before = _hash(repository)
    repository.write({"s/a.md": "y"})
    assert _hash(repository) not in (before, ONE)
    (repository.path / "s/a.md").unlink()
    assert _hash(repository) == ONE


def test_the_mode_is_that_of_the_index(make_repository: Make) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n", "s/a.sh": "echo\n"})
    before = _hash(repository)
    repository.git("update-index", "--chmod=+x", "s/a.sh")
    assert _hash(repository) != before


def test_names_with_quotes_spaces_and_accents_are_read_as_they_are(make_repository: Make) -> None:
    names = ['s/references/résumé "x".md', "s/a b.md", "s/tab-less'.md", "s/-dash.md"]
    repository = make_repository(files={"s/SKILL.md": "# hi\n", **dict.fromkeys(names, "one")})
    before = _hash(repository)
    tree = read_tree(FilesIO(str(repository.path)), _git(repository), "s", left_out=())
    assert set(tree.names) == {"SKILL.md", *(name[2:] for name in names)}
    repository.write({names[0]: "two"})
    assert _hash(repository) != before


def test_the_order_is_that_of_bytes(make_repository: Make) -> None:
    names = ["10.md", "9.md", "B.md", "SKILL.md", "_x.md", "a.md"]
    repository = make_repository(files={f"s/{name}": "x\n" for name in reversed(names)})
    expected = tree_digest([("100644", name.encode(), sha256_hex(b"x\n").encode()) for name in names])
    assert _hash(repository) == expected
    (repository.path / ".git").rename(repository.path / "away")
    assert working_tree_hash(FilesIO(str(repository.path)), None, "s", left_out=()) == (expected, "folder")


def test_a_tracked_link_is_refused_by_name(make_repository: Make) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n"})
    (repository.path / "s/secret").symlink_to("/etc/passwd")
    commit = repository.commit()
    with pytest.raises(SkillError, match="symbolic link") as caught:
        _hash(repository)
    assert caught.value.place == "s/secret"
    assert commit_tree_hash(_git(repository), commit, "s", left_out=()) is None


def test_a_tracked_file_replaced_by_a_link_is_refused(make_repository: Make) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n", "s/a.md": "x"})
    (repository.path / "s/a.md").unlink()
    (repository.path / "s/a.md").symlink_to("SKILL.md")
    with pytest.raises(SkillError, match="symbolic link"):
        _hash(repository)


def test_a_submodule_enters_by_its_commit(make_repository: Make) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n"})
    id = repository.git("rev-parse", "HEAD")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{id},s/sub")
    (repository.path / "s/sub").mkdir()
    rows = [("100644", b"SKILL.md", sha256_hex(b"# hi\n").encode()), ("160000", b"sub", id.encode())]
    assert _hash(repository) == tree_digest(rows)
    repository.git("commit", "--quiet", "--message", "sub")
    assert commit_tree_hash(_git(repository), repository.git("rev-parse", "HEAD"), "s", left_out=()) == tree_digest(rows)


def test_a_skill_git_does_not_know_is_hashed_as_a_folder(make_repository: Make) -> None:
    repository = make_repository(files={"other.txt": "x"})
    repository.write({"s/SKILL.md": "# hi\n"})
    assert working_tree_hash(FilesIO(str(repository.path)), _git(repository), "s", left_out=()) == (ONE, "folder")


def test_a_folder_outside_the_checkout_is_hashed_as_a_folder(make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository(files={"SKILL.md": "# hi\n"})
    files = lay(tmp_path / "apart", {"SKILL.md": "# hi\n"})
    assert working_tree_hash(files, _git(repository), ".", left_out=()) == (ONE, "folder")


def test_names_that_are_not_text_are_refused(make_repository: Make) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n", "s/a\\b.md": "x"})
    with pytest.raises(SkillError, match="backslash"):
        _hash(repository)


def test_names_that_are_not_utf8_are_refused(make_repository: Make) -> None:
    repository = make_repository(files={"s/SKILL.md": "# hi\n"})
    with open(os.fsencode(repository.path / "s") + b"/\xff.md", "wb") as handle:
        handle.write(b"x")
    repository.commit()
    with pytest.raises(SkillError, match="not UTF-8"):
        _hash(repository)


_contents = st.dictionaries(st.sampled_from(["a", "b", "a/b", "a b", "é"]), st.binary(max_size=3), max_size=4)


@given(_contents, _contents)
def test_two_trees_never_share_a_hash(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    def rows(tree: dict[str, bytes]) -> list[tuple[str, bytes, bytes]]:
        return [("100644", name.encode(), sha256_hex(data).encode()) for name, data in tree.items()]

    assert (tree_digest(rows(one)) == tree_digest(rows(other))) == (one == other)
