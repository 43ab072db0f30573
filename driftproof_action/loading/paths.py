"""Relative POSIX paths below one root: joining, and staying inside. Not: touching any file."""

from __future__ import annotations

import posixpath
import unicodedata

ROOT = "."


def clean(path: str) -> str:
    """A relative path in its shortest form; `.` is the root itself."""
    return posixpath.normpath(path or ROOT)


def joined(folder: str, name: str) -> str:
    """A path below a folder, without a leading `./`."""
    return clean(name) if folder in ("", ROOT) else posixpath.normpath(posixpath.join(folder, name))


def below(path: str, folder: str) -> str | None:
    """The rest of a path below a folder, None when it lies elsewhere."""
    if folder in ("", ROOT):
        return path
    return path[len(folder) + 1 :] if path.startswith(folder + "/") else None


def escapes(path: str) -> bool:
    """Whether a shortest-form relative path leads out of its root."""
    return path == ".." or path.startswith("../")


def twin_key(name: str) -> str:
    """Equal for names some file systems cannot tell apart: other Unicode form, other case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def same_but_for_form(one: str, other: str) -> bool:
    """Whether two names differ in nothing but their Unicode form."""
    return unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)
