"""A checkout read through git so that nothing in it can act. Not: what the history means, or how git is started (git_process_io)."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from driftproof_action import checkout_io, git_process_io
from driftproof_action.errors import GitError
from driftproof_action.ports import Blob

_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/@{}^~+-]{0,254}")
_LINK_MODE = "120000"


class GitIO:
    """ports.Git over one checkout. origin: address the missing commits of this repository are fetched from, or None."""

    def __init__(self, root: str, git_dir: str, *, origin: str | None = None, environ: Mapping[str, str] | None = None) -> None:
        self._root = root
        self._git_dir = git_dir
        self._origin = origin
        self._environ = os.environ if environ is None else environ
        self._program = checkout_io.find_program(self._environ.get("PATH", os.defpath), root)
        self._fetched: str | None = None

    @classmethod
    def at(cls, path: str, *, origin: str | None = None, environ: Mapping[str, str] | None = None) -> GitIO | None:
        """The checkout a path lies in, found by walking up; None outside of any.

        Git itself is never asked: a folder inside the checkout can pose as a repository of its own.
        """
        start = Path(os.path.realpath(path))
        for folder in (start, *start.parents):
            git_dir = checkout_io.git_dir_of(folder)
            if git_dir is not None:
                return cls(str(folder), git_dir, origin=origin, environ=environ)
        return None

    @classmethod
    def create(cls, path: str, *, environ: Mapping[str, str] | None = None) -> GitIO:
        """A new repository of our own in an existing folder, its branch called main."""
        root = os.path.realpath(path)
        git = cls(root, os.path.join(root, ".git"), environ=environ)
        git._run("init", "--quiet", "--template=", "--initial-branch=main", "--end-of-options", root, bare=True)
        return git

    @property
    def root(self) -> str:
        return self._root

    # ---- reading ------------------------------------------------------------------------------------------------

    def tracked(self, path: str) -> tuple[Blob, ...]:
        """The index below a folder. Raises GitError when a merge is not finished there."""
        blobs = []
        for line in _records(self._run("ls-files", "-z", "--stage", "--", *checkout_io.pathspec(path))):
            head, name = line.split(b"\t", 1)
            mode, id, stage = head.decode("ascii").split(" ")
            if stage != "0":
                raise GitError(
                    "has an unfinished merge", place=checkout_io.shown_name(name), fix="finish or abort the merge", anchor="git-merge"
                )
            blobs.append(Blob(path=name, mode=mode, id=id))
        return _below(blobs, path)

    def tree(self, commit: str, path: str) -> tuple[Blob, ...]:
        """What a commit holds below a folder; empty when it has no such folder."""
        return _below(self._list_tree(commit, path, recurse=True), path)

    def blob(self, id: str) -> bytes:
        return self.blobs((id,))[0]

    def blobs(self, ids: Sequence[str]) -> tuple[bytes, ...]:
        """The contents of several blobs by one process, in order. Raises GitError for what is not a blob of this checkout."""
        if not ids:
            return ()
        # A file, not a pipe: git may answer before it has read everything.
        with tempfile.TemporaryFile() as asked:
            asked.write("".join(f"{_object_id(id)}\n" for id in ids).encode("ascii"))
            asked.seek(0)
            answer = self._run("cat-file", "--batch", stdin=asked)
        contents = []
        position = 0
        for id in ids:
            end = answer.find(b"\n", position)
            head = answer[position:end].decode("ascii", "replace").split(" ")
            if len(head) != 3 or head[1] != "blob":
                raise GitError(
                    "is not a blob of this checkout", place=id, fix="fetch the whole history (fetch-depth: 0)", anchor="git-object"
                )
            start = end + 1
            position = start + int(head[2]) + 1
            contents.append(answer[start : position - 1])
        return tuple(contents)

    def resolve(self, revision: str) -> str | None:
        """The full commit id, None when this checkout does not have it. Raises GitError for what is no revision at all."""
        if not _REVISION.fullmatch(revision):
            raise GitError(
                "is not a revision",
                place=checkout_io.shown_name(revision),
                fix="give a branch, a tag or a commit id",
                anchor="git",
            )
        code, out, _ = self._start("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        found = out.decode("ascii", "replace").strip()
        return found if code == 0 and _OBJECT_ID.fullmatch(found) else None

    def parents(self, commit: str) -> tuple[str, ...]:
        """As the commit itself names them: a shallow checkout knows them without having them."""
        head = self._run("cat-file", "commit", _object_id(commit)).split(b"\n\n", 1)[0]
        return tuple(line[7:].decode("ascii") for line in head.split(b"\n") if line.startswith(b"parent "))

    def is_ancestor(self, older: str, newer: str) -> bool:
        """False also where a shallow checkout cannot tell."""
        code, _, error = self._start("merge-base", "--is-ancestor", "--end-of-options", _object_id(older), _object_id(newer))
        if code in (0, 1):
            return code == 0
        if self._fetched is None and not self.is_shallow() and self.resolve(older) and self.resolve(newer):
            raise _failed("merge-base", error)
        return False

    def is_shallow(self) -> bool:
        return self._run("rev-parse", "--is-shallow-repository").strip() == b"true"

    def show(self, commit: str, path: str) -> bytes | None:
        """A file as a commit holds it; None when it does not. Raises GitError where the path or a folder of it is a link."""
        for blob in self._list_tree(commit, path, recurse=False):
            if blob.mode == _LINK_MODE:
                raise _link(path, commit)
            return self.blob(blob.id) if blob.mode.startswith("100") else None
        above = path.rpartition("/")[0]
        while above:
            if any(blob.mode == _LINK_MODE for blob in self._list_tree(commit, above, recurse=False)):
                raise _link(above, commit)
            above = above.rpartition("/")[0]
        return None

    def removed_in(self, commit: str, path: str) -> str | None:
        """The commit at or before `commit` that last removed the path; None when none is known to have."""
        wanted = ("log", "-1", "-m", "--no-renames", "--no-ext-diff", "--no-textconv", "--diff-filter=D", "--name-only", "--format=%H")
        code, out, error = self._start(*wanted, "-z", "--end-of-options", _object_id(commit), "--", *checkout_io.pathspec(path))
        if code != 0:
            if self._fetched is not None or self.is_shallow():
                return None
            raise _failed("log", error)
        found = _OBJECT_ID.match(out.decode("ascii", "replace"))
        return found.group() if found else None

    # ---- fetching -----------------------------------------------------------------------------------------------

    def fetch(self, commit: str, *, token: str | None) -> bool:
        """One shallow attempt to get a commit from the origin we were told; False when it could not be had.

        The checkout is not written to and its settings are not read: the objects land in a repository of our own.
        """
        if self._origin is None or not checkout_io.may_fetch_from(self._origin):
            return False
        if self._fetched is None:
            self._fetched = tempfile.mkdtemp(prefix="driftproof-git-")
            weakref.finalize(self, shutil.rmtree, self._fetched, True)
            self._run("init", "--quiet", "--bare", "--template=", "--end-of-options", self._fetched, bare=True)
        extra = checkout_io.fetch_environment(self._origin, token=token, environ=self._environ)
        options = ("--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-gc")
        try:
            into = (f"--git-dir={self._fetched}", "fetch", *options, "--end-of-options")
            code, _, _ = self._start(*into, self._origin, _object_id(commit), bare=True, environment=extra)
        except GitError:
            return False
        return code == 0 and self.resolve(commit) is not None

    # ---- writing: only into repositories of our own -------------------------------------------------------------

    def commit_all(self, message: str, *, when: str) -> str:
        """Commit the whole work tree of a repository made by `create`; the new commit's id. when: ISO 8601."""
        self._run("add", "--all")
        self._run("commit", "--quiet", "--no-verify", "--allow-empty", "-m", message, environment=checkout_io.commit_environment(when))
        head = self.resolve("HEAD")
        if head is None:
            raise GitError("the commit just made cannot be found", place=self._root, fix="check that the disk is not full")
        return head

    # ---- the one way git is run ---------------------------------------------------------------------------------

    def _list_tree(self, commit: str, path: str, *, recurse: bool) -> list[Blob]:
        flags = ("-r",) if recurse else ()
        out = self._run("ls-tree", "-z", "--full-tree", *flags, "--end-of-options", _object_id(commit), *checkout_io.pathspec(path))
        blobs = []
        for line in _records(out):
            head, name = line.split(b"\t", 1)
            mode, _, id = head.decode("ascii").split(" ")
            blobs.append(Blob(path=name, mode=mode, id=id))
        return blobs

    def _run(
        self, *arguments: str, bare: bool = False, stdin: IO[bytes] | None = None, environment: Mapping[str, str] | None = None
    ) -> bytes:
        code, out, error = self._start(*arguments, bare=bare, stdin=stdin, environment=environment)
        if code != 0:
            raise _failed(next((word for word in arguments if not word.startswith("-")), "git"), error)
        return out

    def _start(
        self, *arguments: str, bare: bool = False, stdin: IO[bytes] | None = None, environment: Mapping[str, str] | None = None
    ) -> tuple[int, bytes, str]:
        """Exit code, output, and what git complained of. bare: not about the checkout (init, fetch into our own)."""
        place = () if bare else (f"--git-dir={self._git_dir}", f"--work-tree={self._root}")
        overrides = [word for setting in (*checkout_io.OVERRIDES, f"safe.directory={self._root}") for word in ("-c", setting)]
        full = checkout_io.ENVIRONMENT | {"PATH": self._environ.get("PATH", os.defpath)} | dict(environment or {})
        if self._fetched is not None and not bare:
            full["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = os.path.join(self._fetched, "objects")
        command = [self._program, "--no-pager", "--no-optional-locks", *place, *overrides, *arguments]
        return git_process_io.answer_of(command, cwd=self._root, environment=full, stdin=stdin)


def _below(blobs: Sequence[Blob], path: str) -> tuple[Blob, ...]:
    """Without an entry that is the path itself: a file is no folder."""
    prefix = b"".join(os.fsencode(part) + b"/" for part in checkout_io.pathspec(path))
    return tuple(blob for blob in blobs if blob.path.startswith(prefix))


def _records(out: bytes) -> list[bytes]:
    return [record for record in out.split(b"\0") if record]


def _object_id(id: str) -> str:
    if not _OBJECT_ID.fullmatch(id):
        raise GitError("is not a full object id", place=checkout_io.shown_name(id), fix="give all of its 40 digits", anchor="git-object")
    return id


def _failed(command: str, complaint: str) -> GitError:
    first = next((line for line in complaint.splitlines() if line.strip()), "it gave no reason")
    return GitError(
        f"git {command} failed", detail=checkout_io.shown_name(first), fix="fetch the whole history (fetch-depth: 0)", anchor="git"
    )


def _link(path: str, commit: str) -> GitError:
    place = f"{commit[:12]}:{checkout_io.shown_name(path)}"
    return GitError("is a symbolic link", place=place, fix="commit the file itself: links are never followed", anchor="git-link")
