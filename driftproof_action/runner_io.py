"""The job runner's files and commands, written so that foreign text stays text. Not: what is written to them."""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
from collections.abc import Sequence
from typing import Literal, TextIO

from driftproof_action.errors import FileError, InputError

SUMMARY_LIMIT = 1024 * 1024
"""Bytes above which the runner drops a job summary whole."""
SUMMARY_TARGET = 900 * 1024
OUTPUT_LIMIT = 64 * 1024
LINE_LIMIT = 4000
PREFIX = "driftproof: "

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_PLAIN = re.compile(r"[A-Za-z0-9 ._/:+,=@%()~±#?-]*")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 ._/:+,=@%()~±#?-]+")
_ACTS = re.compile(r"""\\(["\\])|([^A-Za-z0-9 ._/:+,=@%{}\[\]"\\-])""")
"""In JSON of ASCII: an escaped quote or backslash, and every character that acts where the document's own quotes have ended
those of the shell line it was pasted into."""
_CUT = "\n\n*The rest was left out: a job summary holds at most 1 MiB. Everything is in the run folder.*\n"


class RunnerIO:
    """ports.RunnerFiles over the paths of one step. A path of None: that file is not there, and nothing is written.

    log: where commands and lines go.
    """

    def __init__(self, *, output_path: str | None, summary_path: str | None, log: TextIO) -> None:
        self._output_path = output_path
        self._summary_path = summary_path
        self._log = log
        self._summary_bytes = 0

    def output(self, name: str, value: str) -> None:
        """Set a step output. Raises InputError for a name that is none of ours; text that is neither plain nor JSON is made
        plain, so that it may stand inside double quotes of a shell line."""
        if not _NAME.fullmatch(name):
            raise InputError("is not the name of an output", place=_shown(name), anchor="internal")
        safe = output_value(value)
        delimiter = f"driftproof_{secrets.token_hex(16)}"
        self._append(self._output_path, f"{name}<<{delimiter}\n{safe}\n{delimiter}\n")

    def summary(self, markdown: str) -> None:
        """Add to the job summary; cut at a block's border where it would grow too large."""
        text = _whole_blocks(markdown.replace("\r\n", "\n"), SUMMARY_TARGET - self._summary_bytes)
        if text and not text.endswith("\n"):
            text += "\n"
        self._summary_bytes += len(text.encode("utf-8", "replace"))
        self._append(self._summary_path, text)

    def mask(self, secret: str) -> None:
        """Keep a secret out of every log line: the whole of it, and each line of it."""
        for part in dict.fromkeys((secret, *secret.splitlines())):
            if part.strip():
                self._command("add-mask", {}, part)

    def notice(self, level: Literal["notice", "warning", "error"], message: str, *, title: str = "", file: str = "", line: int = 0) -> None:
        properties = {"title": title, "file": file, "line": str(line) if line > 0 else ""}
        self._command(level, {key: _told(value) for key, value in properties.items()}, _told(message))

    def group(self, title: str, lines: Sequence[str]) -> None:
        """Log lines folded under a title."""
        self._command("group", {}, _told(title))
        for line in lines:
            self.say(line)
        self._command("endgroup", {}, "")

    def say(self, line: str) -> None:
        """A log line; every line of it starts with our name, so that none can start with a command."""
        for part in line.splitlines() or [""]:
            self._write(f"{PREFIX}{_disarmed(part).removeprefix(PREFIX)}\n")

    def _command(self, name: str, properties: dict[str, str], data: str) -> None:
        given = ",".join(f"{key}={_property(value)}" for key, value in properties.items() if value)
        self._write(f"::{name}{' ' if given else ''}{given}::{_data(data)}\n")

    def _write(self, text: str) -> None:
        encoding = self._log.encoding or "utf-8"
        self._log.write(text.encode(encoding, "backslashreplace").decode(encoding))
        self._log.flush()

    def _append(self, path: str | None, text: str) -> None:
        if path is None or not text:
            return
        try:
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
            try:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise FileError("is not a regular file", place=_shown(path), anchor="file")
                data = memoryview(text.encode("utf-8", "replace"))
                while data:
                    data = data[os.write(handle, data) :]
            finally:
                os.close(handle)
        except OSError as error:
            raise FileError("cannot be written", place=_shown(path), detail=error.strerror or "", anchor="file") from error


def output_value(value: str) -> str:
    """An output as a workflow may paste it into a shell line between double quotes, or as JSON.

    Plain text keeps letters, digits, space and `._/:+,=@%()~±#?-`; what else it holds becomes `?`. A JSON object or list
    stays JSON, written compactly in ASCII, its texts with escapes for all but letters, digits, space and `._/:+,=@%{}[]-`: its own
    quotes end the shell's, so what stands between them must do nothing bare. Both are bounded; JSON too long becomes empty.
    """
    if value[:1] in ("{", "["):
        compact = _compact_json(value)
        if compact is not None:
            return compact if len(compact) <= OUTPUT_LIMIT else ""
    plain = value if _PLAIN.fullmatch(value) else _NOT_PLAIN.sub("?", value)
    return plain[:LINE_LIMIT]


def _compact_json(text: str) -> str | None:
    try:
        compact = json.dumps(json.loads(text), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return None
    return _ACTS.sub(lambda match: f"\\u{ord(match[1] or match[2]):04x}", compact)


def _whole_blocks(markdown: str, room: int) -> str:
    """As many whole blocks (divided by empty lines, never inside a fence or an open <details>) as fit in `room` bytes."""
    if len(markdown.encode("utf-8", "replace")) <= room:
        return markdown
    room -= len(_CUT.encode())
    kept = position = used = 0
    fence, details = "", 0
    for line in markdown.splitlines(keepends=True):
        used += len(line.encode("utf-8", "replace"))
        if used > room:
            break
        position += len(line)
        mark = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if mark and (not fence or (mark[1].startswith(fence) and not line.strip(" `~\r\n"))):
            fence = "" if fence else mark[1]
        elif not fence:
            details += line.count("<details") - line.count("</details>")
            if not line.strip() and details <= 0:
                kept = position
    return markdown[:kept].rstrip("\n") + _CUT if room > 0 else ""


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _told(text: str) -> str:
    """A message of several lines as an annotation shows it."""
    return "\n".join(_disarmed(line) for line in text.splitlines())


def _disarmed(line: str) -> str:
    """No terminal obeys it, and the older spelling of a command, which works anywhere in a line, is broken."""
    shown = "".join(char if char.isprintable() or char == "\t" else _escape(char) for char in line[:LINE_LIMIT])
    return shown.replace("##[", "# #[")


def _shown(text: str) -> str:
    return _disarmed(text.replace("\n", "\\n"))[:200]


def _escape(char: str) -> str:
    return char.encode("unicode_escape", "backslashreplace").decode("ascii")
