"""JSON read the strict way, with the line each part stands on. Not: the strictness (canonical.read_json), YAML, meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from driftproof_action.canonical import MAX_BYTES, Json, read_json
from driftproof_action.errors import DocumentError

Path: TypeAlias = "tuple[str | int, ...]"

LOCATED_DEPTH = 6
LOCATED_PARTS = 100_000
"""Bounds of the table of lines; what lies deeper or later is found by the nearest part above it."""


@dataclass(frozen=True, slots=True)
class Located:
    """A document and the 1-based line of each of its parts, by path: keys of objects, positions in lists."""

    value: Json
    lines: Mapping[Path, int] = field(default_factory=dict)

    def line(self, *path: str | int) -> int:
        """Where a part stands, or the nearest part above it that is known; 1 for an empty table."""
        for length in range(len(path), -1, -1):
            found = self.lines.get(path[:length])
            if found is not None:
                return found
        return 1


def read_json_located(data: bytes, *, source: str, limit: int = MAX_BYTES) -> Located:
    """canonical.read_json plus the line of each part. Raises DocumentError."""
    value = read_json(data, source=source, limit=limit)
    return Located(value, _lines_of(data.decode("utf-8-sig")))


def read_jsonl_located(data: bytes, *, source: str, limit: int = MAX_BYTES) -> Located:
    """One JSON document a line; blank lines are skipped. The value is the list of them. Raises DocumentError."""
    if len(data) > limit:
        raise DocumentError(f"is {len(data)} bytes, the limit is {limit}", place=source, fix="split it", anchor="strict-json")
    values: list[Json] = []
    lines: dict[Path, int] = {}
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            part = read_json(line, source=source, limit=limit)
        except DocumentError as error:
            raise DocumentError(error.message, place=f"{source}:{number}", fix=error.fix, anchor="strict-json") from error
        lines[(len(values),)] = number
        values.append(part)
    if not values:
        raise DocumentError("is empty", place=source, fix="write one JSON object a line", anchor="strict-json")
    return Located(values, lines)


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')


class _Level:
    """One open bracket: what its next part is called."""

    __slots__ = ("awaits_key", "is_object", "name")

    def __init__(self, is_object: bool) -> None:
        self.is_object = is_object
        self.awaits_key = is_object
        self.name: str | int = "" if is_object else 0


def _lines_of(text: str) -> dict[Path, int]:
    """For text that read_json accepted: strings hold no line break, brackets match, keys are unique."""
    lines: dict[Path, int] = {(): 1}
    levels: list[_Level] = []
    line, at = 1, 0
    for match in _TOKEN.finditer(text):
        if len(lines) >= LOCATED_PARTS:
            break
        line += text.count("\n", at, match.start())
        at = match.start()
        token = match.group()
        top = levels[-1] if levels else None
        if token in "]}":
            levels.pop()
        elif token == ",":
            if top is not None:
                _next_part(top)
        elif token == ":":
            continue
        elif top is not None and top.awaits_key:
            top.name = token[1:-1] if "\\" not in token else str(read_json(token.encode(), source="a key"))
            top.awaits_key = False
            _note(lines, levels, line)
        else:
            if top is not None and not top.is_object:
                _note(lines, levels, line)
            if token in "[{":
                levels.append(_Level(token == "{"))
    return lines


def _next_part(level: _Level) -> None:
    if isinstance(level.name, int):
        level.name += 1
    else:
        level.awaits_key = True


def _note(lines: dict[Path, int], levels: list[_Level], line: int) -> None:
    if len(levels) <= LOCATED_DEPTH:
        lines[tuple(level.name for level in levels)] = line
