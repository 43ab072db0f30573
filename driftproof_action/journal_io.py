"""The journal of a run: every finished call and grading, one JSON line each, synced. Not: receipts; it is never committed.

Format: spec/JOURNAL.md.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from driftproof_action.domain.grade import Grade
from driftproof_action.domain.records import grade_from_json, grade_to_json, reply_from_json, reply_to_json
from driftproof_action.errors import FileError
from driftproof_action.ports import JournalRecord

FORMAT = "driftproof-journal/1"
FILE = "journal.jsonl"


class JournalIO:
    """A journal in a folder. Opening an existing one takes over its nonce and knows everything that was finished.

    Texts of replies are not kept in memory: they are read back by offset. A torn last line (the machine went down while
    writing) is cut off. Raises FileError, with the file left as it was, for a file that is no journal of this format, for a
    damaged line and while another run writes to it.
    """

    def __init__(self, folder: Path, *, nonce: str) -> None:
        """nonce: random text for a new journal; an existing one keeps its own."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = folder / FILE
        self._offsets: dict[str, int] = {}
        self._grades: dict[str, Grade] = {}
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        self._end = 0
        try:
            self._lock()
            self._nonce = self._load() or self._begin(nonce)
        except BaseException:
            os.close(self._file)
            raise

    @property
    def nonce(self) -> str:
        return self._nonce

    def append(self, records: Sequence[JournalRecord]) -> None:
        if not records:
            return
        lines = [_line(record) for record in records]
        self._write(b"".join(lines))
        at = self._end - sum(len(line) for line in lines)
        for record, line in zip(records, lines, strict=True):
            if record.reply is not None:
                self._offsets[record.key] = at
            if record.grade is not None:
                self._grades[record.key] = record.grade
            at += len(line)

    def reply(self, key: str) -> JournalRecord | None:
        if key not in self._offsets:
            return None
        row = json.loads(self._line_at(self._offsets[key]))
        return JournalRecord(key, row.get("started_at", ""), reply=reply_from_json(row["reply"]))

    def grade(self, key: str) -> Grade | None:
        return self._grades.get(key)

    def close(self) -> None:
        os.close(self._file)

    def drop(self) -> None:
        """Close and remove the journal, and its folder if nothing else is in it."""
        self.close()
        with suppress(OSError):
            self.path.unlink()
            self.path.parent.rmdir()

    def _write(self, data: bytes) -> None:
        """Whole or not at all: a write that fails half-way (disk full) is taken back before the error goes on."""
        try:
            done = 0
            while done < len(data):
                done += os.pwrite(self._file, data[done:], self._end + done)
            os.fdatasync(self._file)
        except OSError:
            os.ftruncate(self._file, self._end)
            raise
        self._end += len(data)

    def _begin(self, nonce: str) -> str:
        self._write(json.dumps({"format": FORMAT, "nonce": nonce}).encode() + b"\n")
        return nonce

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._refused("another run writes to this journal", "wait until it is over, or choose another folder") from None

    def _load(self) -> str | None:
        nonce: str | None = None
        with open(self.path, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                if nonce is None:
                    nonce = self._head(line)
                elif line.endswith(b"\n"):
                    self._take(line, number)
                else:
                    break
                self._end += len(line)
        os.ftruncate(self._file, self._end)
        return nonce

    def _head(self, line: bytes) -> str:
        with suppress(ValueError, AttributeError):
            row = json.loads(line)
            if line.endswith(b"\n") and row.get("format") == FORMAT and isinstance(row.get("nonce"), str):
                return str(row["nonce"])
        raise self._refused(f"is not a journal of format {FORMAT}", "choose another folder, or resume with the version that wrote it")

    def _take(self, line: bytes, number: int) -> None:
        try:
            row = json.loads(line)
            if "grade" in row:
                self._grades[row["key"]] = grade_from_json(row["grade"])
            else:
                reply_from_json(row["reply"])
                self._offsets[row["key"]] = self._end
        except (ValueError, KeyError, TypeError, AttributeError):
            raise self._refused(f"line {number} is damaged", "remove that line: its call is made again, or choose another folder") from None

    def _refused(self, what: str, fix: str) -> FileError:
        return FileError(what, place=str(self.path), fix=fix, anchor="journal")

    def _line_at(self, offset: int) -> bytes:
        with open(self.path, "rb") as lines:
            lines.seek(offset)
            return lines.readline()


def _line(record: JournalRecord) -> bytes:
    row: dict[str, Any] = {"key": record.key}
    if record.reply is not None:
        row |= {"started_at": record.started_at, "reply": reply_to_json(record.reply)}
    if record.grade is not None:
        row["grade"] = grade_to_json(record.grade)
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
