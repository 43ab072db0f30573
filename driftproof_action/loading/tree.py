"""tree_hash of a skill, of the working tree or of a commit. Not: the published content_hash, or what a change means."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from driftproof_action.canonical import sha256_hex, tree_digest
from driftproof_action.errors import SkillError
from driftproof_action.loading import bundle
from driftproof_action.loading.paths import ROOT, below, clean, joined
from driftproof_action.ports import Blob, Entry, Files, Git

LEFT_OUT_FOLDERS = ("evals", ".driftproof", "driftproof-out")
"""Folders at the top of a skill that are not part of it: what judges it, and what we write."""

_SUBMODULE = "160000"
_LINK = "120000"
_SKILL_MD = "SKILL.md"


@dataclass(frozen=True, slots=True)
class Tree:
    """names: what was hashed, below the skill's folder. folded: files whose CRLF was read as the LF that git stores."""

    hash: str
    source: Literal["git", "folder"]
    names: tuple[str, ...]
    folded: tuple[str, ...] = ()


def working_tree_hash(files: Files, git: Git | None, path: str, *, left_out: Collection[str]) -> tuple[str, Literal["git", "folder"]]:
    """tree_hash of the skill as it lies on disk, and what it was taken over (see read_tree)."""
    tree = read_tree(files, git, path, left_out=left_out)
    return tree.hash, tree.source


def read_tree(files: Files, git: Git | None, path: str, *, left_out: Collection[str]) -> Tree:
    """The skill as it lies on disk. left_out: paths below the skill's folder that are not part of it, beside
    LEFT_OUT_FOLDERS.

    `git`: SKILL.md is tracked; tracked files that are there count, with the mode of the index and working bytes, CRLF read
    as LF where git's copy has no CR, so a checkout that converts line ends hashes alike. `folder`: every file below the
    folder but `.git`. Raises SkillError for links, names that are not portable, and past the bounds.
    Source: spec/RECEIPT.md, tree_hash.
    """
    prefix = _prefix(files, git, path) if git is not None else None
    if git is not None and prefix is not None:
        blobs = _inside(git.tracked(prefix), prefix)
        if any(name == _SKILL_MD.encode() for name, _ in blobs):
            return _tracked(files, git, path, blobs=blobs, left_out=left_out)
    return _folder(files, path, left_out=left_out)


def commit_tree_hash(git: Git, commit: str, path: str, *, left_out: Collection[str]) -> str | None:
    """tree_hash of a skill as a commit holds it; path relative to the checkout root. None when the commit holds no such
    skill, or one that cannot be hashed (a link, a name that is not portable, past the bounds)."""
    prefix = clean(path)
    blobs = _inside(git.tree(commit, prefix), prefix)
    if not any(name == _SKILL_MD.encode() for name, _ in blobs):
        return None
    rows: list[tuple[str, bytes, bytes]] = []
    total = 0
    try:
        for name, blob in blobs:
            if _is_left_out(_text(prefix, name), left_out):
                continue
            _refuse_link(prefix, name, blob)
            data = b"" if blob.mode == _SUBMODULE else git.blob(blob.id)
            total += len(data)
            bundle.within_bounds(prefix, files=len(rows) + 1, total=total)
            rows.append(_row(name, blob, data))
    except SkillError:
        return None
    return tree_digest(rows)


def _tracked(files: Files, git: Git, path: str, *, blobs: Sequence[tuple[bytes, Blob]], left_out: Collection[str]) -> Tree:
    rows: list[tuple[str, bytes, bytes]] = []
    names: list[str] = []
    folded: list[str] = []
    total = 0
    for raw, blob in blobs:
        name = _text(path, raw)
        if _is_left_out(name, left_out):
            continue
        _refuse_link(path, raw, blob)
        kind = files.kind(joined(path, name))
        if kind == "absent":
            continue
        if kind == "link":
            raise bundle.link_refused(joined(path, name))
        if blob.mode == _SUBMODULE:
            data = b""
        elif kind == "file":
            data = files.read(joined(path, name), limit=bundle.SKILL_MAX_BYTES)
        else:
            continue
        total += len(data)
        bundle.within_bounds(path, files=len(rows) + 1, total=total)
        if b"\r\n" in data and b"\r" not in git.blob(blob.id):
            data = data.replace(b"\r\n", b"\n")
            folded.append(name)
        names.append(name)
        rows.append(_row(raw, blob, data))
    return Tree(tree_digest(rows), "git", tuple(names), tuple(folded))


def _folder(files: Files, path: str, *, left_out: Collection[str]) -> Tree:
    def skip(entry: Entry, inside: str) -> bool:
        return inside.rpartition("/")[2] == ".git" or _is_left_out(inside, left_out)

    rows = []
    found = bundle.listed(files, path, skip=skip)
    for inside, entry in found:
        data = files.read(joined(path, inside), limit=bundle.SKILL_MAX_BYTES)
        rows.append(("100755" if entry.executable else "100644", inside.encode(), sha256_hex(data).encode()))
    return Tree(tree_digest(rows), "folder", tuple(inside for inside, _ in found))


def _row(name: bytes, blob: Blob, data: bytes) -> tuple[str, bytes, bytes]:
    return blob.mode, name, (blob.id if blob.mode == _SUBMODULE else sha256_hex(data)).encode()


def _is_left_out(inside: str, left_out: Collection[str]) -> bool:
    return inside.split("/", 1)[0] in LEFT_OUT_FOLDERS or inside in left_out


def _refuse_link(path: str, name: bytes, blob: Blob) -> None:
    if blob.mode == _LINK:
        raise bundle.link_refused(joined(path, _text(path, name)))


def _text(path: str, raw: bytes) -> str:
    name = raw.decode("utf-8", "surrogateescape")
    bundle.refuse_name(path, name)
    return name


def _inside(blobs: Sequence[Blob], prefix: str) -> list[tuple[bytes, Blob]]:
    head = b"" if prefix == ROOT else prefix.encode("utf-8", "surrogateescape") + b"/"
    return [(blob.path[len(head) :], blob) for blob in blobs if blob.path.startswith(head)]


def _prefix(files: Files, git: Git, path: str) -> str | None:
    """The skill's folder relative to the checkout root, None when it lies outside of it."""
    place = posixpath.normpath(posixpath.join(files.root, path))
    return ROOT if place == git.root else below(place, git.root.rstrip("/"))
