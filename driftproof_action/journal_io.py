"""The journal of a run: every finished call and grading, one JSON line each, synced. Not: receipts; it is never committed.

Format: spec/JOURNAL.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
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

    Texts of replies are not kept in memory: they are read back by offset. Raises FileError for a file that is no journal
    of this format; a torn last line (the machine went down while writing) is cut off.
    """

    def __init__(self, folder: Path, *, nonce: str) -> None:
        """nonce: random text for a new journal; an existing one keeps its own."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = folder / FILE
        self._offsets: dict[str, int] = {}
        self._grades: dict[str, Grade] = {}
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        self._end = 0
        self._nonce = self._load() or self._begin(nonce)

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

    def _load(self) -> str | None:
        nonce: str | None = None
        with open(self.path, "rb") as lines:
            for line in lines:
                row = self._row(line)
                if row is None:
                    break
                if nonce is None:
                    nonce = self._head(row)
                elif "reply" in row:
                    self._offsets[row["key"]] = self._end
                elif "grade" in row:
                    self._grades[row["key"]] = grade_from_json(row["grade"])
                self._end += len(line)
        os.ftruncate(self._file, self._end)
        return nonce

    def _row(self, line: bytes) -> Mapping[str, Any] | None:
        if not line.endswith(b"\n"):
            return None
        try:
            row = json.loads(line)
        except ValueError:
            return None
        return row if isinstance(row, Mapping) else None

    def _head(self, row: Mapping[str, Any]) -> str:
        if row.get("format") != FORMAT or not isinstance(row.get("nonce"), str):
            raise FileError(
                f"is not a journal of format {FORMAT}",
                place=str(self.path),
                fix="choose another folder, or resume with the version that wrote it",
                anchor="journal",
            )
        return str(row["nonce"])

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
