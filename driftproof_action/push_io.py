"""Branches of origin, fetched into a repository of our own and pushed from it. Not: the checkout, which stays as it is."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from typing import IO, Literal

from driftproof_action import checkout_io, git_process_io
from driftproof_action.errors import GitError
from driftproof_action.ports import Pushed

HISTORY = 100
"""Commits of a branch that are fetched where its history is asked for."""
AUTHOR = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")

_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCH = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)|/\.))[^\x00-\x20\x7f~^:?*\[\\]{1,200}(?<![/.])")
_NO_BLOBS = ("--depth=1", "--filter=blob:none")
_ANSWERS: tuple[tuple[Literal["moved", "protected", "forbidden"], re.Pattern[str]], ...] = (
    ("protected", re.compile(r"GH006|GH013|protected branch|rule violations|pre-receive hook declined|hook declined", re.IGNORECASE)),
    (
        "moved",
        re.compile(r"\[rejected\]|fetch first|non-fast-forward|cannot lock ref|failed to update ref|stale info|reference already exists"),
    ),
    (
        "forbidden",
        re.compile(r"\b40[13]\b|Permission to .* denied|Write access .* not granted|Authentication failed|could not read Username"),
    ),
)
"""What a server that refuses a push is taken to mean: the first that fits."""


class PushIO:
    """ports.Remote over an address. Nothing is fetched before it is asked for; settings, hooks and remotes are our own."""

    def __init__(self, origin: str, *, token: str | None, outside: str, environ: Mapping[str, str] | None = None) -> None:
        """outside: the checkout, in which no git of ours may lie. Raises GitError for an address that is not https or loopback."""
        if not checkout_io.may_fetch_from(origin):
            raise GitError(
                "is no address a token may be sent to", place=checkout_io.shown_name(origin), fix="use https", anchor="store-unreachable"
            )
        self._origin = origin
        self._environ = os.environ if environ is None else environ
        self._program = checkout_io.find_program(self._environ.get("PATH", os.defpath), outside)
        self._network = checkout_io.fetch_environment(origin, token=token, environ=self._environ)
        self._folder: str | None = None

    # ---- reading ------------------------------------------------------------------------------------------------

    def tip(self, branch: str, *, history: bool) -> str | None:
        ref = f"refs/heads/{_checked(branch)}"
        code, out, error = self._git("store", "ls-remote", "--quiet", "--refs", "origin", ref)
        if code != 0:
            raise _unreachable(error)
        found = [line.split(b"\t") for line in out.splitlines()]
        commit = next((id.decode("ascii", "replace") for id, name in found if name == ref.encode()), None)
        if commit is None:
            return None
        how = (f"--depth={HISTORY}",) if history else _NO_BLOBS
        self._fetch("store", commit, *how)
        return commit

    def read(self, commit: str, path: str) -> bytes | None:
        mode, id = self._entry(commit, path)
        if mode == "120000":
            raise _link(commit, path)
        return self._ask("cat-file", "blob", id) if mode.startswith("100") else None

    def names(self, commit: str, folder: str) -> tuple[str, ...]:
        out = self._ask("ls-tree", "-z", "--full-tree", "--end-of-options", _object(commit), *(f"{part}/" for part in [folder] if part))
        entries = [line.split(b"\t", 1) for line in out.split(b"\0") if line]
        names = [name.rpartition(b"/")[2] for head, name in entries if head.startswith(b"100")]
        return tuple(sorted(name.decode("utf-8") for name in names if _is_utf8(name)))

    def history(self, commit: str, path: str) -> tuple[str, ...]:
        wanted = ("log", "--format=%H", "--no-renames", "--no-ext-diff", "--no-textconv", "--first-parent", "-m", f"--max-count={HISTORY}")
        return tuple(self._ask(*wanted, "--end-of-options", _object(commit), "--", path).decode("ascii").split())

    def is_ancestor(self, older: str, newer: str) -> bool | None:
        """Commits alone are fetched for this, without a file, into a place of their own: a branch cut short elsewhere would
        cut it short here too."""
        if older == newer:
            return True
        try:
            self._fetch("commits", _object(newer), "--filter=tree:0")
        except GitError:
            return None
        code, _, _ = self._git("commits", "merge-base", "--is-ancestor", "--end-of-options", _object(older), newer, alone=True)
        return code == 0

    # ---- writing ------------------------------------------------------------------------------------------------

    def push(self, branch: str, files: Mapping[str, bytes], *, parent: str | None, message: str, when: str) -> Pushed:
        ref = f"refs/heads/{_checked(branch)}"
        tree = self._tree(files, parent)
        if parent and tree == self._ask("rev-parse", "--verify", "--end-of-options", f"{_object(parent)}^{{tree}}").decode().strip():
            return Pushed("same", parent)
        above = ("-p", parent) if parent else ()
        commit = self._ask("commit-tree", tree, *above, "-m", message, environment=_signature(when)).decode("ascii").strip()
        code, out, error = self._git("store", "push", "--porcelain", "--no-verify", "origin", f"{_object(commit)}:{ref}")
        if code == 0:
            return Pushed("pushed", commit)
        said = f"{out.decode('utf-8', 'replace')}\n{error}"
        for state, pattern in _ANSWERS:
            if pattern.search(said):
                return Pushed(state, detail=_first_line(error or said))
        return Pushed("failed", detail=_first_line(error or said))

    def _tree(self, files: Mapping[str, bytes], parent: str | None) -> str:
        index = {"GIT_INDEX_FILE": os.path.join(self._place("store"), "index-of-one-push")}
        self._ask("read-tree", *((_object(parent),) if parent else ("--empty",)), environment=index)
        lines = []
        for path, data in sorted(files.items()):
            if parent:
                self._refuse_what_lies_in_the_way(parent, path)
            with tempfile.TemporaryFile() as content:
                content.write(data)
                content.seek(0)
                blob = self._ask("hash-object", "-w", "--no-filters", "--stdin", stdin=content).decode("ascii").strip()
            lines.append(f"100644 {_object(blob)}\t{path}\0")
        with tempfile.TemporaryFile() as entries:
            entries.write("".join(lines).encode())
            entries.seek(0)
            self._ask("update-index", "-z", "--index-info", stdin=entries, environment=index)
        return self._ask("write-tree", "--missing-ok", environment=index).decode("ascii").strip()

    def _refuse_what_lies_in_the_way(self, commit: str, path: str) -> None:
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            here = "/".join(parts[:depth])
            mode, _ = self._entry(commit, here)
            wanted = ("", "100644", "100755") if depth == len(parts) else ("", "040000")
            if mode == "120000":
                raise _link(commit, here)
            if mode not in wanted:
                raise GitError(
                    "lies where the store keeps its files",
                    place=checkout_io.shown_name(here),
                    fix="move it away",
                    anchor="store-in-the-way",
                )

    # ---- the one way git is run ---------------------------------------------------------------------------------

    def _entry(self, commit: str, path: str) -> tuple[str, str]:
        """Mode and id of what lies at a path; two empty texts when nothing does."""
        out = self._ask("ls-tree", "-z", "--full-tree", "--end-of-options", _object(commit), *checkout_io.pathspec(path))
        if not out:
            return "", ""
        mode, _, id = out.split(b"\t", 1)[0].decode("ascii").split(" ")
        return mode, id

    def _fetch(self, place: str, commit: str, *how: str) -> None:
        options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-gc", "--refmap=")
        code, _, error = self._git(place, "fetch", *options, *how, "--end-of-options", "origin", _object(commit))
        if code != 0:
            raise _unreachable(error)

    def _ask(self, *arguments: str, stdin: IO[bytes] | None = None, environment: Mapping[str, str] | None = None) -> bytes:
        code, out, error = self._git("store", *arguments, stdin=stdin, environment=environment)
        if code != 0:
            raise GitError(f"git {arguments[0]} failed", detail=_first_line(error), fix="run the job again", anchor="git")
        return out

    def _git(
        self, place: str, *arguments: str, alone: bool = False, stdin: IO[bytes] | None = None, environment: Mapping[str, str] | None = None
    ) -> tuple[int, bytes, str]:
        """alone: it may not fetch what it lacks."""
        folder = self._place(place)
        settings = (*checkout_io.OVERRIDES, *_remote_settings(self._origin))
        overrides = [word for setting in settings for word in ("-c", setting)]
        full = {**checkout_io.ENVIRONMENT, "PATH": self._environ.get("PATH", os.defpath), **self._network, **(environment or {})}
        if not alone:
            # What a fetch left out may be had later: every setting of this repository is ours, and so is its one remote.
            del full["GIT_NO_LAZY_FETCH"]
        command = [self._program, "--no-pager", f"--git-dir={folder}", *overrides, *arguments]
        return git_process_io.answer_of(command, cwd=folder, environment=full, stdin=stdin)

    def _place(self, name: str) -> str:
        """A bare repository of our own, gone with this object."""
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="driftproof-push-", dir=self._environ.get("RUNNER_TEMP") or None)
            weakref.finalize(self, shutil.rmtree, self._folder, True)
        place = os.path.join(self._folder, name)
        if not os.path.isdir(place):
            command = [self._program, "init", "--quiet", "--bare", "--template=", "--end-of-options", place]
            environment = {**checkout_io.ENVIRONMENT, "PATH": self._environ.get("PATH", os.defpath)}
            code, _, error = git_process_io.answer_of(command, cwd=self._folder, environment=environment, stdin=None)
            if code != 0:
                raise GitError("git init failed", detail=_first_line(error), fix="check the free space", anchor="git")
        return place

    def close(self) -> None:
        """Remove what was fetched."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def _remote_settings(origin: str) -> Sequence[str]:
    return (f"remote.origin.url={origin}", "remote.origin.promisor=true")


def _signature(when: str) -> dict[str, str]:
    fields = (("NAME", AUTHOR[0]), ("EMAIL", AUTHOR[1]), ("DATE", when))
    return {f"GIT_{role}_{field}": value for role in ("AUTHOR", "COMMITTER") for field, value in fields}


def _checked(branch: str) -> str:
    if not _BRANCH.fullmatch(branch):
        raise GitError("is no name of a branch", place=checkout_io.shown_name(branch), fix="rename the branch", anchor="git")
    return branch


def _object(id: str) -> str:
    if not _OBJECT_ID.fullmatch(id):
        raise GitError("is not a full object id", place=checkout_io.shown_name(id), fix="give all of its 40 digits", anchor="git-object")
    return id


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _first_line(complaint: str) -> str:
    """The line that says why: what the server itself reported, where it did."""
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    told = next(
        (line for line in lines if line.startswith(("remote: error", "remote: Permission", "fatal:", "error:"))), lines[0] if lines else ""
    )
    return checkout_io.shown_name(told or "it gave no reason")


def _unreachable(complaint: str) -> GitError:
    return GitError(
        "origin could not be read",
        detail=_first_line(complaint),
        fix="give the job `permissions: contents: read`",
        anchor="store-unreachable",
    )


def _link(commit: str, path: str) -> GitError:
    place = f"{commit[:12]}:{checkout_io.shown_name(path)}"
    return GitError("is a symbolic link", place=place, fix="commit the file itself: links are never followed", anchor="git-link")
