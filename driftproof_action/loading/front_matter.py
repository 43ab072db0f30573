"""The head of SKILL.md: strictly as YAML first, line by line where it is none. Not: what its keys mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from driftproof_action.canonical import Json
from driftproof_action.errors import DocumentError
from driftproof_action.loading.remarks import Remarks, quoted
from driftproof_action.loading.yaml_reader import read_yaml

_FENCE = "---"
_KEY_LINE = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_-]*)[ \t]*:(?:[ \t]+(.*)|)$")
_BLOCK_MARKS = frozenset({"", ">", "|", ">-", "|-", ">+", "|+"})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Every scalar is text, as written. lines: the line of each top-level key. body: what follows the closing fence."""

    fields: Mapping[str, Json] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    body: str = ""


def read_front_matter(text: str, *, remarks: Remarks) -> FrontMatter:
    """Never raises for what an author wrote; what was read otherwise than YAML would is remarked. Keys come in lower case."""
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE:
        remarks.warning(
            "front-matter-missing",
            1,
            "has no front matter",
            fix="start the file with the lines ---, name: …, description: …, ---",
        )
        return FrontMatter(body=text)
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE), None)
    if end is None:
        remarks.warning(
            "front-matter-open", 1, "front matter is never closed: all of it is read as body", fix="add a line --- after the last key"
        )
        return FrontMatter(body=text)
    head, body = lines[1:end], "\n".join(lines[end + 1 :])
    fields, places = _strict(head, remarks) or _tolerant(head, remarks)
    return FrontMatter(fields, places, body)


_Read = tuple[Mapping[str, Json], Mapping[str, int]]


def _strict(head: Sequence[str], remarks: Remarks) -> _Read | None:
    try:
        found = read_yaml("\n".join(head).encode(), source=remarks.file, strings=True, first_line=2)
    except DocumentError as error:
        _remark_not_yaml(error, head, remarks)
        return None
    if not isinstance(found.value, Mapping):
        if any(line.strip() for line in head):
            remarks.warning("front-matter-yaml", 2, "front matter holds no keys; read line by line", fix="write `name: …`, one key a line")
        return None
    fields: dict[str, Json] = {}
    lines: dict[str, int] = {}
    for key, value in found.value.items():
        if key.lower() not in fields:
            fields[key.lower()] = value
            lines[key.lower()] = found.line(key)
    return fields, lines


def _remark_not_yaml(error: DocumentError, head: Sequence[str], remarks: Remarks) -> None:
    line = int(tail) if (tail := error.place.rpartition(":")[2]).isascii() and tail.isdecimal() else 2
    written = head[line - 2] if 2 <= line < len(head) + 2 else ""
    match = _KEY_LINE.match(written)
    fix = error.fix
    if match and "mapping values" in error.message:
        fix = f'put it in quotes: {match[1]}: "…"'
        message = f"{match[1]} holds an unquoted colon: YAML refuses it, it is read as text"
    else:
        message = f"front matter {error.message}; read line by line"
    remarks.warning("front-matter-yaml", line, message, fix=fix)


def _tolerant(head: Sequence[str], remarks: Remarks) -> _Read:
    """`key: rest` a line, one pair of quotes stripped, the first of duplicates; indented lines belong to the key above."""
    fields: dict[str, Json] = {}
    lines: dict[str, int] = {}
    for number, key, rest, indented in _entries(head):
        if key in fields:
            remarks.warning(
                "front-matter-duplicate", number, f"the key {quoted(key)} comes twice, the first is read", fix="keep one of them"
            )
            continue
        lines[key] = number
        fields[key] = _joined_value(rest, indented)
    return fields, lines


def _entries(head: Sequence[str]) -> Iterator[tuple[int, str, str, list[str]]]:
    """(line, key in lower case, what follows the colon, the indented lines below)."""
    current: tuple[int, str, str, list[str]] | None = None
    for number, line in enumerate(head, start=2):
        match = _KEY_LINE.match(line.rstrip())
        if match:
            if current:
                yield current
            current = (number, match[1].lower(), (match[2] or "").strip(), [])
        elif current and line[:1] in (" ", "\t") and line.strip():
            current[3].append(line.strip())
    if current:
        yield current


def _joined_value(rest: str, indented: Sequence[str]) -> Json:
    if rest not in _BLOCK_MARKS:
        return _unquoted(" ".join([rest, *indented]))
    pairs = [_KEY_LINE.match(line) for line in indented]
    if not rest and pairs and all(pairs):
        return {match[1]: _unquoted((match[2] or "").strip()) for match in pairs if match}
    return " ".join(indented)


def _unquoted(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text
