"""Where stored receipts lie and what a commit holds of them. Not: which commit counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest

from driftproof_action.errors import DriftproofError, GitError, InputError
from driftproof_action.files_io import FilesIO
from driftproof_action.git_io import GitIO
from driftproof_action.ports import Pushed
from driftproof_action.store_io import (
    ATTEMPTS,
    MESSAGE,
    BranchStore,
    Kept,
    Place,
    Stored,
    StoreReader,
    TreeStore,
    commit_in,
    commit_name,
    exists_in_checkout,
    only_stored,
    receipt_path,
    store,
    touched,
)
from tests.conftest import Repository

Make = Callable[..., Repository]
PATH = ".driftproof/receipts/naming__haiku.json"


def opened(repository: Repository) -> GitIO:
    git = GitIO.at(str(repository.path))
    assert git is not None
    return git


def test_paths() -> None:
    assert receipt_path("naming", "haiku") == PATH
    for slug in ("", "..", "a/b", "A", "a\n", "é", "-x", "a" * 200):
        with pytest.raises(InputError):
            receipt_path(slug, "haiku")
        with pytest.raises(InputError):
            receipt_path("naming", slug)


def test_reads_what_the_commit_holds_and_never_the_working_copy(make_repository: Make) -> None:
    repository = make_repository(files={PATH: "committed"})
    head = repository.git("rev-parse", "HEAD")
    repository.write({PATH: "edited"})
    store = TreeStore(opened(repository), head)
    assert store.exists()
    assert store.receipt("naming", "haiku") == b"committed"
    assert store.receipt("naming", "sonnet") is None
    assert store.removed("naming", "haiku") is None


def test_knows_who_removed_a_receipt(make_repository: Make) -> None:
    repository = make_repository(files={PATH: "one", "a": ""})
    (repository.path / PATH).unlink()
    removal = repository.commit()
    store = TreeStore(opened(repository), removal)
    assert not store.exists()
    assert store.receipt("naming", "haiku") is None
    assert store.removed("naming", "haiku") == removal


def test_a_link_in_the_way_is_refused(make_repository: Make) -> None:
    repository = make_repository(files={"elsewhere/naming__haiku.json": "planted"})
    (repository.path / ".driftproof").mkdir()
    os.symlink("../elsewhere", repository.path / ".driftproof" / "receipts")
    head = repository.commit()
    assert (repository.path / PATH).read_text() == "planted"
    with pytest.raises(GitError):
        TreeStore(opened(repository), head).receipt("naming", "haiku")


def test_a_store_in_the_checkout_is_a_folder(make_repository: Make) -> None:
    repository = make_repository(files={"a": ""})
    files = FilesIO(str(repository.path))
    assert not exists_in_checkout(files)
    (repository.path / ".driftproof").symlink_to("a")
    assert not exists_in_checkout(files)
    (repository.path / ".driftproof").unlink()
    (repository.path / ".driftproof").mkdir()
    assert exists_in_checkout(files)


def test_names_stored_files_that_differ(make_repository: Make) -> None:
    repository = make_repository(files={PATH: "one", ".driftproof/badges/x.svg": "b", ".driftproof/same": "s", "code": "1"})
    base = repository.git("rev-parse", "HEAD")
    (repository.path / ".driftproof/badges/x.svg").unlink()
    head = repository.commit({PATH: "two", ".driftproof/receipts/new.json": "n", "code": "2"})
    assert touched(opened(repository), base, head) == (".driftproof/badges/x.svg", PATH, ".driftproof/receipts/new.json")
    assert touched(opened(repository), head, head) == ()


# ---- a branch of its own ----------------------------------------------------------------------------------------

NAME = "receipts/naming__haiku.json"
A, B, C = "a" * 40, "b" * 40, "c" * 40


@dataclass
class Branches:
    """ports.Remote in memory: a branch is a list of whole states, oldest first. line: commits of the project, in order."""

    branches: dict[str, list[Mapping[str, bytes]]] = field(default_factory=dict)
    line: str = "abc"
    answers: list[Pushed] = field(default_factory=list)
    failure: DriftproofError | None = None
    asked: int = 0
    messages: list[str] = field(default_factory=list)
    rival: Callable[[], None] = lambda: None

    def tip(self, branch: str, *, history: bool) -> str | None:
        self.asked += 1
        if self.failure:
            raise self.failure
        states = self.branches.get(branch)
        return f"{branch}@{len(states)}" if states else None

    def _state(self, commit: str) -> Mapping[str, bytes]:
        branch, _, number = commit.partition("@")
        return self.branches[branch][int(number) - 1]

    def read(self, commit: str, path: str) -> bytes | None:
        return self._state(commit).get(path)

    def names(self, commit: str, folder: str) -> tuple[str, ...]:
        return tuple(sorted(path.removeprefix(f"{folder}/") for path in self._state(commit) if path.startswith(f"{folder}/")))

    def history(self, commit: str, path: str) -> tuple[str, ...]:
        branch, _, number = commit.partition("@")
        states = [{}, *self.branches[branch][: int(number)]]
        changed = [at for at in range(1, len(states)) if states[at].get(path) != states[at - 1].get(path)]
        return tuple(f"{branch}@{at}" for at in reversed(changed))

    def is_ancestor(self, older: str, newer: str) -> bool | None:
        if newer[0] not in self.line:
            return None
        return older[0] in self.line and self.line.index(older[0]) <= self.line.index(newer[0])

    def push(self, branch: str, files: Mapping[str, bytes], *, parent: str | None, message: str, when: str) -> Pushed:
        self.messages.append(message)
        self.rival()
        states = self.branches.get(branch, [])
        if self.answers:
            return self.answers.pop(0)
        if parent != (f"{branch}@{len(states)}" if states else None):
            return Pushed("moved")
        self.branches[branch] = [*states, {**(states[-1] if states else {}), **files}]
        return Pushed("pushed", f"{branch}@{len(states) + 1}")


def kept(**receipts: str) -> Branches:
    """A data branch that got a receipt, measured at the commit of that letter, one after another."""
    states = [{NAME: data.encode(), commit_name(NAME): f"{letter * 40}\n".encode()} for letter, data in receipts.items()]
    return Branches({"driftproof-data": list(states)})


def test_a_base_gets_the_newest_receipt_of_its_own_past() -> None:
    store = BranchStore(kept(a="one", b="two", c="three"))
    assert [store.receipt("naming", "haiku", base=base).data for base in (A, B, C)] == [b"one", b"two", b"three"]
    found = store.receipt("naming", "haiku", base=B)
    assert (found.state, found.commit) == ("found", "driftproof-data@2")
    assert "bbbbbbbbbbbb" in found.reason


def test_none_of_its_past_is_a_first_one() -> None:
    assert BranchStore(kept(b="two")).receipt("naming", "haiku", base=A).state == "first"
    assert BranchStore(kept(b="two")).receipt("naming", "sonnet", base=A).state == "first"
    assert BranchStore(Branches()).receipt("naming", "haiku", base=A) == Kept(
        "first", reason="nothing has been stored on the branch driftproof-data yet"
    )


def test_what_was_taken_from_the_branch_is_no_first_one() -> None:
    remote = kept(a="one")
    remote.branches["driftproof-data"].append({})
    found = BranchStore(remote).receipt("naming", "haiku", base=C)
    assert (found.state, found.commit) == ("removed", "driftproof-data@2")


def test_what_cannot_be_found_out_is_said() -> None:
    assert BranchStore(kept(a="one")).receipt("naming", "haiku", base="f" * 40).state == "unavailable"
    remote = kept(a="one")
    remote.failure = GitError("origin could not be read", detail="fatal: no")
    store = BranchStore(remote)
    for _ in range(3):
        assert store.receipt("naming", "haiku", base=A).state == "unavailable"
    assert remote.asked == 1


def test_a_receipt_whose_commit_is_not_told_is_passed_over() -> None:
    remote = kept(a="one", b="two")
    remote.branches["driftproof-data"].append({NAME: b"three", commit_name(NAME): b"main"})
    assert BranchStore(remote).receipt("naming", "haiku", base=C).data == b"two"
    for data, commit in ((f"{A}\n".encode(), A), (b"", None), (None, None), (b"a" * 39, None), (b"A" * 40, None), (b"\xff" * 40, None)):
        assert commit_in(data) == commit


# ---- storing ----------------------------------------------------------------------------------------------------

DATA = Place("driftproof-data", "", make=True)
WHEN = "2026-11-30T09:00:00.000Z"


def lay(remote: Branches, place: Place = DATA, files: Mapping[str, bytes] | None = None) -> Stored:
    return store(remote, place, lambda _: {NAME: b"new"} if files is None else files, when=WHEN, wait=lambda _: None)


def test_a_branch_is_made_on_first_use_and_only_where_it_may_be() -> None:
    remote = Branches()
    assert lay(remote) == Stored("stored", (NAME,), "driftproof-data@1")
    assert remote.messages == [MESSAGE]
    with pytest.raises(GitError):
        lay(remote, Place("main", ".driftproof/"))
    assert lay(remote, files={}).state == "unchanged"


def test_in_the_tree_the_names_lie_below_its_folder() -> None:
    remote = Branches({"main": [{"code": b"1", f".driftproof/{NAME}": b"old"}]})
    seen: list[tuple[bytes | None, tuple[str, ...]]] = []

    def choose(reader: StoreReader) -> Mapping[str, bytes]:
        seen.append((reader.read(NAME), reader.receipts()))
        return {NAME: b"new"}

    assert store(remote, Place("main", ".driftproof/"), choose, when=WHEN, wait=lambda _: None).state == "stored"
    assert seen == [(b"old", (NAME,))]
    assert remote.branches["main"][-1] == {"code": b"1", f".driftproof/{NAME}": b"new"}


def test_what_others_stored_meanwhile_is_kept() -> None:
    remote = Branches({"driftproof-data": [{}]})
    others = iter([{"receipts/x.json": b"x"}, {"receipts/y.json": b"y"}])

    def rival() -> None:
        if files := next(others, None):
            states = remote.branches["driftproof-data"]
            states.append({**states[-1], **files})

    remote.rival = rival
    assert lay(remote).state == "stored"
    assert set(remote.branches["driftproof-data"][-1]) == {"receipts/x.json", "receipts/y.json", NAME}


def test_it_is_tried_a_few_times_and_no_more() -> None:
    remote = Branches(answers=[Pushed("moved")] * 50)
    assert lay(remote).state == "raced"
    assert len(remote.messages) == ATTEMPTS


@pytest.mark.parametrize("state", ["protected", "forbidden", "failed"])
def test_a_refusal_is_no_race(state: str) -> None:
    remote = Branches(answers=[Pushed(state, detail="why")])  # type: ignore[arg-type]
    assert lay(remote) == Stored(state, detail="why")  # type: ignore[arg-type]
    assert len(remote.messages) == 1


def test_a_branch_that_moved_on_is_left_alone() -> None:
    remote = Branches({"topic": [{}, {}]})
    assert lay(remote, Place("topic", ".driftproof/", expected="topic@1")).state == "superseded"
    assert remote.messages == []
    assert lay(remote, Place("topic", ".driftproof/", expected="topic@2")).state == "stored"


def test_a_push_of_stored_files_alone_is_known(make_repository: Make) -> None:
    repository = make_repository(files={"code": "1"})
    base = repository.git("rev-parse", "HEAD")
    stored = repository.commit({".driftproof/receipts/x.json": "{}"})
    both = repository.commit({".driftproof/receipts/x.json": "[]", "code": "2"})
    git = opened(repository)
    assert only_stored(git, base, stored)
    assert not only_stored(git, stored, both)
    assert not only_stored(git, base, base)
    assert not only_stored(git, base, repository.commit({".driftproofed": "x"}))
