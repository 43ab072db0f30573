"""Known secrets stay out of what a job measures, writes and posts: who holds one is refused. Not: masking the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from driftproof_action.errors import FileError
from driftproof_action.ports import Entry, Files
from driftproof_action.providers.secret_values import Secrets


def refuse_secrets(text: str, secrets: Secrets, *, place: str) -> str:
    """The text as it is. place: what it stands in, or would be written to. Raises FileError, naming the input and never its
    value, when it holds a secret, as it is or as Markdown spells it."""
    if not secrets:
        return text
    import html  # slow to load, and only a job with secrets needs it

    if name := secrets.find(text) or secrets.find(html.unescape(text)):
        raise FileError(
            f"holds the value of {name}",
            place=place,
            detail="so it is not measured, written or posted: all of that is read by others",
            fix="take the value out, and replace the secret where it was issued: it has been read already",
            anchor="secret-found",
        )
    return text


def guarded_files(files: Files, secrets: Secrets) -> Files:
    """The same files; one that holds a secret is neither read nor written."""
    return _Guarded(files, secrets)


class _Guarded:
    """Files whose every byte is looked at on its way."""

    def __init__(self, files: Files, secrets: Secrets) -> None:
        self._files, self._secrets = files, secrets

    @property
    def root(self) -> str:
        return self._files.root

    def kind(self, path: str) -> Literal["file", "folder", "link", "other", "absent"]:
        return self._files.kind(path)

    def read(self, path: str, *, limit: int) -> bytes:
        return self._look(path, self._files.read(path, limit=limit))

    def entries(self, path: str) -> Iterator[Entry]:
        return self._files.entries(path)

    def write_new(self, path: str, data: bytes) -> None:
        self._files.write_new(path, self._look(path, data))

    def write(self, path: str, data: bytes) -> None:
        self._files.write(path, self._look(path, data))

    def _look(self, path: str, data: bytes) -> bytes:
        refuse_secrets(path, self._secrets, place="the name of a file")
        refuse_secrets(data.decode("utf-8", "replace"), self._secrets, place=path)
        return data
