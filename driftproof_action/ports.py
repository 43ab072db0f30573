"""What the world must offer the rooms inside. Not: any world; those are *_io.py, providers and github."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from driftproof_action.domain.arm import Arm
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.brief import Brief
from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.grade import Grade
from driftproof_action.domain.reply import File, Reply

# ---- who answers ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class About:
    """Whom a call is for: filled by the board for the stub and for logs; never sent, never in a key."""

    role: Literal["target", "judge"]
    case: str
    draws: tuple[DrawId, ...]


class Workspace(Protocol):
    def capture(self) -> tuple[File, ...]:
        """Read the disk before the place goes."""


class Surface(Protocol):
    """A door through which a model answers. instant: it answers without waiting for anything."""

    @property
    def instant(self) -> bool: ...

    def answer(self, ask: Ask, workspace: Workspace | None, key: str, about: About) -> Reply:
        """ONE attempt. Never sleeps, never retries, raises only on a bug. key: Idempotency-Key, ready-made."""


class Door(Surface, Protocol):
    """A surface that must be closed when nothing more will be asked."""

    def close(self) -> None: ...


class Workspaces(Protocol):
    def open(self, arm: Arm, brief: Brief, draw: DrawId) -> AbstractContextManager[Workspace | None]:
        """Stage what the draw needs; OSError = setup_failed."""


# ---- what is remembered -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """One finished call (`reply` set) or one finished grading (`grade` set), under the key of what determined it."""

    key: str
    started_at: str = ""
    reply: Reply | None = None
    grade: Grade | None = None


class Journal(Protocol):
    @property
    def nonce(self) -> str:
        """The run's own random text: first record of the journal, taken over by a resumed run."""

    def append(self, records: Sequence[JournalRecord]) -> None:
        """Returns when synced to disk. A full disk raises before anything is counted."""

    def reply(self, key: str) -> JournalRecord | None: ...
    def grade(self, key: str) -> Grade | None: ...


# ---- files and git ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """One directory entry; path relative to the root of its Files, POSIX separators. bytes: 0 unless a file."""

    path: str
    kind: Literal["file", "folder", "link", "other"]
    bytes: int = 0
    executable: bool = False


class Files(Protocol):
    """One root. Paths are relative to it, POSIX; links below the root are never followed. Raises FileError."""

    @property
    def root(self) -> str:
        """The root's real absolute path."""

    def kind(self, path: str) -> Literal["file", "folder", "link", "other", "absent"]: ...
    def read(self, path: str, *, limit: int) -> bytes:
        """Raises FileError when absent, a link, not a regular file, or larger than `limit` bytes."""

    def entries(self, path: str) -> Iterator[Entry]:
        """What lies directly in a folder, in byte order of name."""

    def write_new(self, path: str, data: bytes) -> None:
        """Create atomically with its folders; raises FileError when something is there already."""

    def write(self, path: str, data: bytes) -> None:
        """Create or replace atomically; only for files that are ours to replace."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A tracked file. mode: 100644, 100755, 120000 (link), 160000 (submodule). id: object id of blob or commit."""

    path: bytes
    mode: str
    id: str


class Git(Protocol):
    """The checkout's repository, read the safe way. Paths are relative to the checkout root. Raises GitError."""

    @property
    def root(self) -> str: ...
    def tracked(self, path: str) -> tuple[Blob, ...]:
        """The index below a folder."""

    def tree(self, commit: str, path: str) -> tuple[Blob, ...]:
        """What a commit holds below a folder; empty when it has no such folder."""

    def blob(self, id: str) -> bytes: ...
    def resolve(self, revision: str) -> str | None:
        """The full commit id, None when this checkout does not have it."""

    def parents(self, commit: str) -> tuple[str, ...]: ...
    def is_ancestor(self, older: str, newer: str) -> bool: ...
    def is_shallow(self) -> bool: ...
    def show(self, commit: str, path: str) -> bytes | None:
        """A file as a commit holds it; None when it does not. A link is refused."""

    def removed_in(self, commit: str, path: str) -> str | None:
        """The commit at or before `commit` that last removed the path; None when it was never there."""

    def fetch(self, commit: str, *, token: str | None) -> bool:
        """One shallow attempt to get a commit from origin; False when it could not be had."""


# ---- GitHub -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pushed:
    """pushed: the branch now ends in `commit`. same: there was nothing to change. moved: somebody else was faster, so it may
    be tried again on the new tip. protected, forbidden, failed: it may not. detail: what the server said, safe to show."""

    state: Literal["pushed", "same", "moved", "protected", "forbidden", "failed"]
    commit: str = ""
    detail: str = ""


class Remote(Protocol):
    """The branches of origin, seen and written through a repository of our own. Raises GitError where origin cannot be asked."""

    def tip(self, branch: str, *, history: bool) -> str | None:
        """The commit a branch ends in, fetched; None when there is no such branch. history: with its last hundred commits
        and all they hold, else that commit alone."""

    def read(self, commit: str, path: str) -> bytes | None:
        """A file as a fetched commit holds it; None when it does not. A link in the way is refused."""

    def names(self, commit: str, folder: str) -> tuple[str, ...]:
        """The files directly in a folder of a fetched commit, by name."""

    def history(self, commit: str, path: str) -> tuple[str, ...]:
        """The commits at or before a fetched one that changed a path, newest first, as far as they were fetched."""

    def is_ancestor(self, older: str, newer: str) -> bool | None:
        """Whether one commit of the repository is the other or lies before it; None when that could not be found out."""

    def push(self, branch: str, files: Mapping[str, bytes], *, parent: str | None, message: str, when: str) -> Pushed:
        """One commit on top of `parent` (None: the first of a new branch) that lays these files, pushed once, never forced.
        Raises GitError where a link or a file lies in the way of a folder."""


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of the one comment of a job: none = there was none and none was wanted; foreign = another job of this very
    run has written it. url: empty for none."""

    state: Literal["created", "updated", "unchanged", "foreign", "none"]
    url: str = ""


class Comments(Protocol):
    """The one comment of this job on a pull request."""

    def post(self, body: str, *, create: bool) -> Posted:
        """Bring the comment to this text. create: whether one is made where there is none. Raises ApiError."""


# ---- the rest ---------------------------------------------------------------------------------------------------


class Clock(Protocol):
    def now(self) -> str:
        """ISO 8601 UTC with milliseconds and Z."""

    def monotonic(self) -> float:
        """Seconds that only go forward."""


class Progress(Protocol):
    def begin(self, *, fewest: int, most: int) -> None:
        """Before the first call: how many there will be at least and at most."""

    def end(self) -> None:
        """After the last one, however the run ended."""

    def update(self, *, calls: int, micro_usd: int, flying: int, waiting: int) -> None:
        """calls and micro_usd: so far; flying: in the air now; waiting: postponed after a failure."""


class RunnerFiles(Protocol):
    """The files and commands of the job runner."""

    def output(self, name: str, value: str) -> None: ...
    def summary(self, markdown: str) -> None: ...
    def mask(self, secret: str) -> None: ...
    def notice(
        self, level: Literal["notice", "warning", "error"], message: str, *, title: str = "", file: str = "", line: int = 0
    ) -> None: ...
    def say(self, line: str) -> None:
        """A plain log line; foreign text in it cannot act as a command."""
