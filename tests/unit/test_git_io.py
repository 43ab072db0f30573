"""What the git wrapper answers. Not: what it withstands (tests/hostile)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from driftproof_action import git_io, git_process_io
from driftproof_action.errors import GitError
from driftproof_action.git_io import GitIO
from tests.conftest import GIT_ENVIRONMENT, Repository
from tests.hostile.git_server import git_server

Make = Callable[..., Repository]


def opened(repository: Repository, path: str = "") -> GitIO:
    git = GitIO.at(str(repository.path / path))
    assert git is not None
    return git


def refused(call: Callable[[], object], anchor: str) -> GitError:
    with pytest.raises(GitError) as caught:
        call()
    assert caught.value.anchor == anchor
    return caught.value


def test_finds_the_checkout_from_below(make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository(files={"skills/x/SKILL.md": "x"})
    assert opened(repository, "skills/x").root == str(repository.path)
    (tmp_path / "plain").mkdir()
    assert GitIO.at(str(tmp_path / "plain")) is None


def test_passes_over_what_is_no_repository(make_repository: Make) -> None:
    repository = make_repository(files={"a/b/c": ""})
    (repository.path / "a" / "b" / ".git").write_text("gitdir: ../../nowhere\n")
    (repository.path / "a" / ".git").mkdir()
    assert opened(repository, "a/b").root == str(repository.path)
    (repository.path / "a" / "b" / ".git").write_bytes(b"\xff\xfe")
    assert opened(repository, "a/b").root == str(repository.path)


def test_reads_a_linked_worktree(make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository(files={"a": "one\n"})
    repository.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    (tmp_path / "linked" / "b").write_text("two\n")
    git = GitIO.at(str(tmp_path / "linked"))
    assert git is not None
    assert git.root == str(tmp_path / "linked")
    assert [blob.path for blob in git.tracked("")] == [b"a"]
    assert git.resolve("HEAD") == repository.git("rev-parse", "HEAD")


def test_reads_a_checkout_of_somebody_else(make_repository: Make) -> None:
    """A container runs as root over a workspace of another user."""
    repository = make_repository(files={"a": "one\n"})
    for folder, _, names in os.walk(repository.path):
        for name in (folder, *(os.path.join(folder, name) for name in names)):
            os.chown(name, 1001, 1001) if os.geteuid() == 0 else None
    git = opened(repository)
    assert [blob.path for blob in git.tracked("")] == [b"a"]
    assert git.resolve("HEAD")


def test_lists_the_index_by_its_own_names(make_repository: Make) -> None:
    repository = make_repository(files={"s/é.md": "1", "s/a b.md": "2", 's/q"t.md': "3", "s/run.sh": "4", "t/x": "5", "sx": "6"})
    (repository.path / "s" / "run.sh").chmod(0o755)
    (repository.path / "s" / "link").symlink_to("run.sh")
    repository.commit()
    (repository.path / "s" / "untracked").write_text("")
    found = opened(repository).tracked("s")
    assert {blob.path.decode(): blob.mode for blob in found} == {
        "s/a b.md": "100644",
        "s/link": "120000",
        's/q"t.md': "100644",
        "s/run.sh": "100755",
        "s/é.md": "100644",
    }
    assert opened(repository).tracked("sx") == ()
    assert opened(repository).tracked("none") == ()
    assert len(opened(repository).tracked("")) == 7


def test_names_are_no_patterns(make_repository: Make) -> None:
    repository = make_repository(files={"a*/x": "1", "ab/x": "2", ":(top)/x": "3"})
    git = opened(repository)
    head = repository.git("rev-parse", "HEAD")
    assert [blob.path for blob in git.tracked("a*")] == [b"a*/x"]
    assert [blob.path for blob in git.tree(head, "a*")] == [b"a*/x"]
    assert [blob.path for blob in git.tracked(":(top)")] == [b":(top)/x"]
    assert git.show(head, "a*/x") == b"1"


def test_reads_names_that_are_not_utf8(make_repository: Make) -> None:
    repository = make_repository()
    (repository.path / "s").mkdir()
    Path(os.fsdecode(os.fsencode(repository.path / "s") + b"/caf\xe9")).write_bytes(b"1")
    repository.commit()
    assert [blob.path for blob in opened(repository).tracked("s")] == [b"s/caf\xe9"]


def test_an_unfinished_merge_is_named(make_repository: Make) -> None:
    repository = make_repository(files={"a": "one\n"})
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit({"a": "two\n"})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"a": "three\n"})
    with pytest.raises(AssertionError):
        repository.git("merge", "--quiet", "side")
    assert refused(lambda: opened(repository).tracked(""), "git-merge").place == "a"


def test_a_commit_holds_what_it_holds(make_repository: Make) -> None:
    repository = make_repository(files={"s/a": "old\n", "t": "x"})
    first = repository.git("rev-parse", "HEAD")
    repository.commit({"s/a": "new\n", "s/b": "more\n"})
    git = opened(repository)
    assert [blob.path for blob in git.tree(first, "s")] == [b"s/a"]
    assert git.blob(git.tree(first, "s")[0].id) == b"old\n"
    assert git.tree(first, "t") == ()
    assert git.tree(first, "none") == ()
    assert len(git.tree(first, "")) == 2
    assert git.show(first, "s/a") == b"old\n"
    assert git.show(first, "s/b") is None
    assert git.show(first, "s") is None
    assert git.show(first, "none/deep") is None


def test_a_submodule_is_its_commit(make_repository: Make) -> None:
    inner = make_repository("inner", files={"x": "1"})
    outer = make_repository("outer", files={"y": "2"})
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "s/sub")
    outer.commit()
    git = opened(outer)
    head = outer.git("rev-parse", "HEAD")
    blob = next(blob for blob in git.tree(head, "s") if blob.path == b"s/sub")
    assert (blob.mode, blob.id) == ("160000", inner.git("rev-parse", "HEAD"))
    assert git.show(head, "s/sub") is None
    assert git.tracked("s/sub") == ()


def test_a_link_is_refused_by_name(make_repository: Make) -> None:
    repository = make_repository(files={"real/x": "1"})
    (repository.path / "link").symlink_to("real")
    (repository.path / "x").symlink_to("real/x")
    head = repository.commit()
    git = opened(repository)
    assert "x" in refused(lambda: git.show(head, "x"), "git-link").place
    assert refused(lambda: git.show(head, "link/x"), "git-link").place.endswith(":link")


def test_blobs_come_in_order_and_whole(make_repository: Make) -> None:
    contents = {"a": b"", "b": b"no newline", "c": b"\0\n\xff blob 5\n", "d": b"x" * 300_000}
    repository = make_repository(files=contents)
    git = opened(repository)
    ids = {blob.path.decode(): blob.id for blob in git.tracked("")}
    order = ["d", "a", "c", "b", "a"]
    assert git.blobs([ids[name] for name in order]) == tuple(contents[name] for name in order)
    assert git.blobs(()) == ()
    tree = repository.git("rev-parse", "HEAD^{tree}")
    for id in (tree, "1" * 40):
        refused(lambda id=id: git.blob(id), "git-object")
    for id in ("HEAD", "abc", "--help", "A" * 40, "1" * 40 + "\n"):
        refused(lambda id=id: git.blob(id), "git-object")


def test_many_blobs_do_not_stop_the_pipe(make_repository: Make) -> None:
    """Asked on a pipe, git would wait for us to read while we wait for it to listen."""
    repository = make_repository(files={str(number): str(number) * 200 for number in range(50)})
    git = opened(repository)
    ids = [blob.id for blob in git.tracked("")] * 60
    assert len(git.blobs(ids)) == 3000


def test_resolves_what_is_there(make_repository: Make) -> None:
    repository = make_repository(files={"a": "1"})
    head = repository.git("rev-parse", "HEAD")
    repository.git("tag", "-a", "v1", "-m", "one")
    git = opened(repository)
    for name in ("HEAD", "main", "v1", head, head[:10], "HEAD^0"):
        assert git.resolve(name) == head
    blob = git.tracked("")[0].id
    for name in ("1" * 40, "none", "HEAD^", blob):
        assert git.resolve(name) is None
    for name in ("", "--all", "-", "a b", "x\n", ":/text", "é"):
        refused(lambda name=name: git.resolve(name), "git")


def test_an_empty_repository_has_no_head(make_repository: Make) -> None:
    git = opened(make_repository())
    assert git.resolve("HEAD") is None
    assert git.tracked("") == ()


def test_knows_descent(make_repository: Make) -> None:
    repository = make_repository(files={"a": "1"})
    first = repository.git("rev-parse", "HEAD")
    second = repository.commit({"a": "2"})
    repository.git("checkout", "--quiet", "--orphan", "other")
    stranger = repository.commit({"a": "3"}, "unrelated")
    git = opened(repository)
    assert git.parents(second) == (first,)
    assert git.parents(first) == ()
    assert git.is_ancestor(first, second)
    assert git.is_ancestor(second, second)
    assert not git.is_ancestor(second, first)
    assert not git.is_ancestor(stranger, second)
    assert not git.is_ancestor("1" * 40, second)


def test_knows_both_parents_of_a_merge(make_repository: Make) -> None:
    repository = make_repository(files={"a": "1"})
    repository.git("checkout", "--quiet", "-b", "side")
    side = repository.commit({"b": "2"})
    repository.git("checkout", "--quiet", "main")
    main = repository.commit({"c": "3"})
    repository.git("merge", "--quiet", "--no-edit", "side")
    git = opened(repository)
    assert git.parents(repository.git("rev-parse", "HEAD")) == (main, side)


def test_finds_who_removed_a_file(make_repository: Make) -> None:
    repository = make_repository(files={"r/x": "1", "keep": "2"})
    first = repository.git("rev-parse", "HEAD")
    (repository.path / "r" / "x").unlink()
    removal = repository.commit()
    later = repository.commit({"keep": "3"})
    git = opened(repository)
    assert git.removed_in(later, "r/x") == removal
    assert git.removed_in(first, "r/x") is None
    assert git.removed_in(later, "keep") is None
    assert git.removed_in(later, "never") is None


def test_a_renamed_file_was_removed(make_repository: Make) -> None:
    repository = make_repository(files={"r/x": "1\n2\n3\n"})
    repository.git("mv", "r/x", "r/z")
    moved = repository.commit()
    assert opened(repository).removed_in(moved, "r/x") == moved


def test_a_merge_that_took_a_file_from_one_of_its_sides_removed_it(make_repository: Make) -> None:
    repository = make_repository(files={"r/x": "1", "r/y": "2"})
    repository.git("checkout", "--quiet", "-b", "side")
    (repository.path / "r" / "x").unlink()
    repository.commit()
    repository.git("checkout", "--quiet", "main")
    repository.commit({"other": "3"})
    repository.git("merge", "--quiet", "--no-edit", "--no-commit", "side")
    (repository.path / "r" / "y").unlink()
    merge = repository.commit(message="a merge that also removes by itself")
    git = opened(repository)
    assert git.removed_in(merge, "r/x") == merge
    assert git.removed_in(merge, "r/y") == merge


def test_a_shallow_checkout_says_so(make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository("full", files={"a": "1"})
    first = repository.git("rev-parse", "HEAD")
    second = repository.commit({"a": "2"})
    shallow = tmp_path / "shallow"
    clone = ["git", "clone", "-q", "--depth=1", f"file://{repository.path}", str(shallow)]
    subprocess.run(clone, env={**GIT_ENVIRONMENT, "PATH": os.environ["PATH"]}, check=True)
    git = GitIO.at(str(shallow))
    assert git is not None
    assert git.is_shallow()
    assert not opened(repository).is_shallow()
    assert git.parents(second) == (first,)
    assert git.resolve(first) is None
    assert not git.is_ancestor(first, second)
    assert git.removed_in(second, "b") is None
    assert not git.fetch(first, token=None)


def test_fetches_one_commit_without_touching_the_checkout(make_repository: Make, tmp_path: Path) -> None:
    origin = make_repository("served/full", files={"receipt": "old\n"})
    first = origin.git("rev-parse", "HEAD")
    second = origin.commit({"receipt": "new\n"})
    shallow = tmp_path / "shallow"
    clone = ["git", "clone", "-q", "--depth=1", f"file://{origin.path}", str(shallow)]
    subprocess.run(clone, env={**GIT_ENVIRONMENT, "PATH": os.environ["PATH"]}, check=True)
    before = sorted(str(path) for path in shallow.rglob("*"))
    with git_server(tmp_path / "served") as server:
        git = GitIO.at(str(shallow), origin=f"{server.url}/full/.git")
        assert git is not None
        assert git.fetch(first, token=None)
        assert not git.fetch("1" * 40, token=None)
    assert git.resolve(first) == first
    assert git.show(first, "receipt") == b"old\n"
    assert [blob.path for blob in git.tree(first, "")] == [b"receipt"]
    assert git.removed_in(second, "never") is None
    assert not git.is_ancestor(first, "1" * 40)
    assert before == sorted(str(path) for path in shallow.rglob("*"))


def test_what_was_fetched_goes_with_it(make_repository: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    origin = make_repository("served/full", files={"a": "1"})
    monkeypatch.setattr(git_io.tempfile, "tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    checkout = make_repository("checkout", files={"b": "2"})
    with git_server(tmp_path / "served") as server:
        git = GitIO.at(str(checkout.path), origin=f"{server.url}/full/.git")
        assert git is not None
        assert git.fetch(origin.git("rev-parse", "HEAD"), token=None)
    assert len(list((tmp_path / "temp").iterdir())) == 1
    del git
    assert list((tmp_path / "temp").iterdir()) == []


def test_a_repository_of_our_own(tmp_path: Path) -> None:
    git = GitIO.create(str(tmp_path))
    (tmp_path / "a").write_text("1")
    first = git.commit_all("one", when="2026-01-02T03:04:05Z")
    (tmp_path / "a").unlink()
    second = git.commit_all("two", when="2026-01-02T03:04:06Z")
    assert git.parents(second) == (first,)
    assert git.show(first, "a") == b"1"
    assert git.removed_in(second, "a") == second
    found = GitIO.at(str(tmp_path))
    assert found is not None
    assert found.resolve("main") == second


@pytest.mark.parametrize("path", ["/etc", "..", "a/../../b", "a\0b", "\ud800"])
def test_paths_stay_in_the_checkout(make_repository: Make, path: str) -> None:
    repository = make_repository(files={"a": "1"})
    git = opened(repository)
    for call in (git.tracked, lambda path: git.show(repository.git("rev-parse", "HEAD"), path)):
        assert refused(lambda call=call: call(path), "git").place.isprintable()


def test_a_broken_repository_is_an_error(make_repository: Make) -> None:
    repository = make_repository(files={"a": "1"})
    head = repository.git("rev-parse", "HEAD")
    git = opened(repository)
    (repository.path / ".git" / "index").write_bytes(b"not an index")
    error = refused(lambda: git.tracked(""), "git")
    assert "ls-files" in error.message
    assert error.detail
    shutil.rmtree(repository.path / ".git" / "objects")
    for call in (lambda: git.tree(head, ""), lambda: git.parents(head)):
        refused(call, "git")


def test_git_has_a_time_limit_and_a_size_limit(make_repository: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = make_repository(files={"a": "x" * 5000})
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 60 & wait\n")
    slow.chmod(0o755)
    git = GitIO.at(str(repository.path), environ={"PATH": f"{slow.parent}:{os.environ['PATH']}"})
    assert git is not None
    monkeypatch.setattr(git_process_io, "TIME_LIMIT", 0.2)
    assert "longer than 0.2 s" in refused(lambda: git.tracked(""), "git-limit").message
    monkeypatch.setattr(git_process_io, "TIME_LIMIT", 60.0)
    monkeypatch.setattr(git_process_io, "MAX_OUTPUT", 1000)
    quick = opened(repository)
    blob = quick.tracked("")[0].id
    assert "more than 1000 bytes" in refused(lambda: quick.blob(blob), "git-limit").message


def test_git_may_be_absent_or_unusable(make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository(files={"a": "1"})
    refused(lambda: GitIO.at(str(repository.path), environ={"PATH": str(tmp_path)}), "git-absent")
    refused(lambda: GitIO.at(str(repository.path), environ={"PATH": "bin:."}), "git-absent")
    broken = tmp_path / "git"
    broken.write_bytes(b"\x7fELF")
    broken.chmod(0o755)
    git = GitIO.at(str(repository.path), environ={"PATH": str(tmp_path)})
    assert git is not None
    refused(lambda: git.resolve("HEAD"), "git-absent")
