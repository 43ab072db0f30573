"""Where stored receipts lie, reading them as a commit holds them, and storing new ones. Not: whether they are to be believed."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from driftproof_action.errors import DriftproofError, GitError, InputError
from driftproof_action.ports import Files, Git, Remote
from driftproof_action.receipts.versions import LARGEST

STORE_FOLDER = ".driftproof"
RECEIPTS_FOLDER = f"{STORE_FOLDER}/receipts"
BADGES_FOLDER = f"{STORE_FOLDER}/badges"
RECEIPT_LIMIT = LARGEST
DATA_BRANCH = "driftproof-data"
MESSAGE = "Store driftproof receipts [skip ci]"
"""Of every commit of ours: no text of anybody else, and no new run of the workflow that made it."""
ATTEMPTS = 6
"""Pushes that are tried while others push to the same branch."""

_SLUG = re.compile(r"[a-z0-9][a-z0-9._-]{0,120}")


_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def receipt_name(skill_slug: str, model_slug: str) -> str:
    """Where the current receipt of a skill on a model lies in a store, whichever store that is."""
    for slug in (skill_slug, model_slug):
        if not _SLUG.fullmatch(slug):
            raise InputError("is not a slug", place=repr(slug)[:130], anchor="internal")
    return f"receipts/{skill_slug}__{model_slug}.json"


def receipt_path(skill_slug: str, model_slug: str) -> str:
    """Where the current receipt of a skill on a model is stored in the branch itself, from the checkout root."""
    return f"{STORE_FOLDER}/{receipt_name(skill_slug, model_slug)}"


def commit_name(receipt: str) -> str:
    """Beside a receipt: the commit it was measured at."""
    return receipt.removesuffix(".json") + ".commit"


def commit_in(data: bytes | None) -> str | None:
    """The commit such a file names; None when it names none."""
    text = (data or b"")[:100].decode("ascii", "replace").strip()
    return text if _COMMIT.fullmatch(text) else None


class TreeStore:
    """The store in the branch itself, as one commit holds it; the working copy is never read."""

    def __init__(self, git: Git, commit: str) -> None:
        self._git = git
        self.commit = commit

    def exists(self) -> bool:
        return bool(self._git.tree(self.commit, STORE_FOLDER))

    def receipt(self, skill_slug: str, model_slug: str) -> bytes | None:
        """Raises GitError where a link lies in the way."""
        return self._git.show(self.commit, receipt_path(skill_slug, model_slug))

    def removed(self, skill_slug: str, model_slug: str) -> str | None:
        """The commit that last removed the receipt, None when none is known to have."""
        return self._git.removed_in(self.commit, receipt_path(skill_slug, model_slug))


@dataclass(frozen=True, slots=True)
class Kept:
    """What a data branch holds for a base commit. state: as commands/base.StoredReceipt has it. commit: of the data branch."""

    state: Literal["found", "first", "removed", "unavailable"]
    data: bytes | None = None
    commit: str | None = None
    reason: str = ""


class BranchStore:
    """The store on a branch of its own, whose past is read so that a base gets the receipt of its own time."""

    def __init__(self, remote: Remote, *, branch: str = DATA_BRANCH) -> None:
        self._remote = remote
        self._branch = branch
        self._tip: str | None = None
        self._failure: str | None = None
        self._asked = False

    def receipt(self, skill_slug: str, model_slug: str, *, base: str) -> Kept:
        """The newest receipt measured at the base commit or before it. Raises GitError where a link lies in the way."""
        if not self._asked:
            self._ask()
        if self._failure is not None:
            return Kept("unavailable", reason=f"the branch {self._branch} could not be read: {self._failure}")
        name = receipt_name(skill_slug, model_slug)
        past = self._remote.history(self._tip, name) if self._tip else ()
        if self._tip is None:
            return Kept("first", reason=f"nothing has been stored on the branch {self._branch} yet")
        for commit in past:
            data = self._remote.read(commit, name)
            if data is None:
                return Kept("removed", commit=commit, reason=f"{commit[:12]} of the branch {self._branch} removed it")
            measured = commit_in(self._remote.read(commit, commit_name(name)))
            before = self._remote.is_ancestor(measured, base) if measured else False
            if before is None:
                return Kept("unavailable", reason="which stored receipt belongs to the base could not be found out")
            if before and measured:
                return Kept("found", data, commit, f"measured at {measured[:12]}, stored on the branch {self._branch}")
        return Kept("first", reason="none was measured at the base or before it" if past else "never stored before")

    def _ask(self) -> None:
        self._asked = True
        try:
            self._tip = self._remote.tip(self._branch, history=True)
        except DriftproofError as error:
            self._failure = error.detail or error.message


@dataclass(frozen=True, slots=True)
class Place:
    """A store that is written to: the branch, and the folder in it (empty, or ending in a slash). expected: the commit the
    branch must still end in, None = any. make: whether the branch is made where there is none."""

    branch: str
    folder: str
    expected: str | None = None
    make: bool = False


class StoreReader:
    """A store as the tip of its branch holds it now."""

    def __init__(self, remote: Remote, place: Place, tip: str | None) -> None:
        self._remote = remote
        self._place = place
        self._tip = tip

    def read(self, name: str) -> bytes | None:
        """Raises GitError where a link lies in the way."""
        return self._remote.read(self._tip, self._place.folder + name) if self._tip else None

    def receipts(self) -> tuple[str, ...]:
        """Names of the receipts, as `receipt_name` makes them."""
        found = self._remote.names(self._tip, f"{self._place.folder}receipts") if self._tip else ()
        return tuple(f"receipts/{name}" for name in found if name.endswith(".json"))


@dataclass(frozen=True, slots=True)
class Stored:
    """stored: `names` are in the branch now, by `commit`. unchanged: nothing was to be written. raced: others kept being
    faster. superseded: the branch has moved from the commit that was measured. The rest as Pushed has it."""

    state: Literal["stored", "unchanged", "raced", "superseded", "protected", "forbidden", "failed"]
    names: tuple[str, ...] = ()
    commit: str = ""
    detail: str = ""


def _wait(attempt: int) -> None:
    time.sleep(random.uniform(0.05, 0.25) * attempt)


def store(
    remote: Remote,
    place: Place,
    choose: Callable[[StoreReader], Mapping[str, bytes]],
    *,
    when: str,
    wait: Callable[[int], None] = _wait,
) -> Stored:
    """Lay files into a store and push, on whatever its branch ends in by then; tried again while others are faster.

    choose: from the store as it is now, the files to lay (names within the store; none = nothing to write). It is asked anew
    for every attempt. Raises GitError where origin cannot be read or a link lies in the way.
    """
    for attempt in range(1, ATTEMPTS + 1):
        tip = remote.tip(place.branch, history=False)
        if place.expected is not None and tip != place.expected:
            return Stored("superseded")
        if tip is None and not place.make:
            raise GitError("does not exist at origin", place=place.branch, fix="push it first", anchor="store-unreachable")
        files = choose(StoreReader(remote, place, tip))
        if not files:
            return Stored("unchanged")
        laid = {place.folder + name: data for name, data in files.items()}
        pushed = remote.push(place.branch, laid, parent=tip, message=MESSAGE, when=when)
        if pushed.state == "same":
            return Stored("unchanged")
        if pushed.state == "pushed":
            return Stored("stored", tuple(sorted(files)), pushed.commit)
        if pushed.state != "moved":
            return Stored(pushed.state, detail=pushed.detail)
        wait(attempt)
    return Stored("raced")


def exists_in_checkout(files: Files) -> bool:
    """Whether the working copy has a store, whatever is in it."""
    return files.kind(STORE_FOLDER) == "folder"


def touched(git: Git, base: str, head: str) -> tuple[str, ...]:
    """Stored files that differ between two commits: added, removed or changed; names as messages may show them."""
    sides = [{(blob.path, blob.mode, blob.id) for blob in git.tree(commit, STORE_FOLDER)} for commit in (base, head)]
    return tuple(sorted({path.decode("utf-8", "backslashreplace") for path, _, _ in sides[0] ^ sides[1]}))


def only_stored(git: Git, base: str, head: str) -> bool:
    """Whether all that differs between two commits lies in the store: such a push was made by a run like this one."""
    sides = [{(blob.path, blob.mode, blob.id) for blob in git.tree(commit, "")} for commit in (base, head)]
    moved = {path for path, _, _ in sides[0] ^ sides[1]}
    return bool(moved) and all(path.startswith(f"{STORE_FOLDER}/".encode()) for path in moved)
