"""Standard output and standard error: UTF-8 whatever the locale, quiet when nobody listens. Not: what is said."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TextIO

from driftproof_action.errors import FileError


def speak_utf8() -> None:
    """Make both streams UTF-8; half characters leave as escapes, so that printing never raises for what it prints."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def say(text: str) -> bool:
    """Write to standard output, one line break at the end; False when nobody reads it any more.

    Raises FileError when it cannot be written for any other reason, a full disk for one.
    """
    if not text or not _open(sys.stdout):
        return True
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _silence(sys.stdout)
        return False
    except OSError as error:
        _silence(sys.stdout)
        raise FileError("standard output cannot be written", detail=error.strerror or type(error).__name__) from error
    return True


def hang_up() -> None:
    """Nobody reads standard output any more: what is still on its way there is dropped."""
    if _open(sys.stdout):
        _silence(sys.stdout)


def murmur(text: str) -> None:
    """Write to standard error, one line break at the end; when that fails there is nobody left to tell."""
    if not _open(sys.stderr):
        return
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except OSError:
        _silence(sys.stderr)


def trace(error: BaseException) -> None:
    """The traceback of an error, on standard error."""
    sys.excepthook(type(error), error, error.__traceback__)


def _open(stream: TextIO | None) -> bool:
    """A process may be started without streams: the interpreter then has None in their place."""
    return stream is not None and not stream.closed


def _silence(stream: TextIO) -> None:
    """Point a broken stream at nothing, so that the interpreter's last flush cannot fail."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, stream.fileno())
    os.close(nothing)
