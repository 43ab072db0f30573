"""The one strict reader of YAML, and its JSON twins: one document, no aliases, no surprises of type. Not: files, meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NoReturn

import yaml

from driftproof_action.canonical import MAX_INTEGER, Json
from driftproof_action.errors import DocumentError
from driftproof_action.loading.located import LOCATED_DEPTH, LOCATED_PARTS, Located, Path, read_json_located, read_jsonl_located

__all__ = ["MAX_YAML_BYTES", "MAX_YAML_DEPTH", "Located", "read_json_located", "read_jsonl_located", "read_yaml"]

MAX_YAML_BYTES = 1024 * 1024
MAX_YAML_DEPTH = 32

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None, "~": None, "": None}


def read_yaml(data: bytes, *, source: str, strings: bool = False, limit: int = MAX_YAML_BYTES, first_line: int = 1) -> Located:
    """Parse one YAML document; `source` names it in errors, `first_line` is the line of the file it starts on.

    Unquoted scalars: with `strings` every one is kept as text. Without, only `true`, `false`, `null` (`~`, nothing), whole
    numbers within ±(2^53 - 1) and decimals that are spelled the way they print (`0.7`, never `1.10`) become values; dates,
    `yes`, `0x10` and all else stay text. Refused, each with its line: aliases, merge keys, explicit tags, duplicate keys,
    keys that are not plain text, more than one document, nesting deeper than 32, more than `limit` bytes, not UTF-8, lone
    surrogates. A leading byte order mark is dropped. Raises DocumentError.
    """
    if len(data) > limit:
        _refuse(f"is {len(data)} bytes, the limit is {limit}", source, fix="split it, or remove what is not needed")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        _refuse(f"is not UTF-8: byte {error.start}", f"{source}:{line}", fix="save it as UTF-8")
    try:
        return _Composer(text, source=source, strings=strings, first_line=first_line).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{source}:{mark.line + first_line}" if mark else source
        column = f" (column {mark.column + 1})" if mark else ""
        _refuse(f"is not YAML: {error.problem or error.context}{column}", place, fix=_advice(error))
    except yaml.YAMLError as error:
        _refuse(f"is not YAML: {_first_line(error)}", source, fix="remove control characters")


def _refuse(message: str, place: str, *, fix: str) -> NoReturn:
    raise DocumentError(message, place=place, fix=fix, anchor="strict-yaml")


def _advice(error: yaml.MarkedYAMLError) -> str:
    if "mapping values are not allowed" in (error.problem or ""):
        return 'a text that holds a colon and a space needs quotes: key: "text: more text"'
    if "cannot start any token" in (error.problem or ""):
        return "a text must not start with @, `, % or a tab: put it in quotes"
    return "check the indentation, and put texts with special characters in quotes"


def _first_line(error: yaml.YAMLError) -> str:
    return (str(error).splitlines() or ["unreadable"])[0][:200]


class _Composer:
    """Events to values, without PyYAML's own composing, resolving and constructing."""

    def __init__(self, text: str, *, source: str, strings: bool, first_line: int) -> None:
        self._events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)
        self._source = source
        self._strings = strings
        self._first_line = first_line
        self._lines: dict[Path, int] = {(): first_line}

    def document(self) -> Located:
        next(self._events)
        start = next(self._events)
        if isinstance(start, yaml.StreamEndEvent):
            return Located("" if self._strings else None, self._lines)
        value = self._value(next(self._events), ())
        next(self._events)
        after = next(self._events)
        if not isinstance(after, yaml.StreamEndEvent):
            self._stop(after, "holds more than one document", "keep one: remove the `---` between them")
        return Located(value, self._lines)

    def _value(self, event: Any, path: Path) -> Json:
        if isinstance(event, yaml.AliasEvent):
            self._stop(event, f"holds the alias *{event.anchor}", "write the value out: aliases are not read")
        if event.tag is not None:
            self._stop(event, f"holds the tag {event.tag}", "remove the tag")
        if len(path) > MAX_YAML_DEPTH:
            self._stop(event, f"is nested deeper than {MAX_YAML_DEPTH}", "flatten it")
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        return self._mapping(path) if isinstance(event, yaml.MappingStartEvent) else self._sequence(path)

    def _mapping(self, path: Path) -> Json:
        out: dict[str, Json] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._key(event)
            if key in out:
                self._stop(event, f"holds the key {key!r} twice", "keep one of them")
            self._note((*path, key), event)
            out[key] = self._value(next(self._events), (*path, key))
        return out

    def _key(self, event: Any) -> str:
        if isinstance(event, yaml.AliasEvent):
            self._stop(event, f"holds the alias *{event.anchor}", "write the value out: aliases are not read")
        if not isinstance(event, yaml.ScalarEvent):
            self._stop(event, "holds a key that is not a text", "use a plain text as key, and quotes around { or [")
        if event.tag is not None:
            self._stop(event, f"holds the tag {event.tag}", "remove the tag")
        if event.value == "<<" and event.implicit[0]:
            self._stop(event, "holds a merge key (<<)", "write the keys out: merging is not read")
        return self._whole(event)

    def _sequence(self, path: Path) -> Json:
        out: list[Json] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            self._note((*path, len(out)), event)
            out.append(self._value(event, (*path, len(out))))
        return out

    def _scalar(self, event: Any) -> Json:
        text = self._whole(event)
        if self._strings or not event.implicit[0]:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.fullmatch(text):
            if len(text) > 17 or abs(int(text)) > MAX_INTEGER:
                self._stop(event, f"holds the integer {text[:24]}, beyond ±(2^53 - 1)", "put it in quotes")
            return int(text)
        return _decimal(text)

    def _whole(self, event: Any) -> str:
        text = str(event.value)
        if any("\ud800" <= char <= "\udfff" for char in text):
            self._stop(event, "holds a lone surrogate (half of a Unicode pair)", "write the whole character")
        return text

    def _note(self, path: Path, event: Any) -> None:
        if len(path) <= LOCATED_DEPTH and len(self._lines) < LOCATED_PARTS:
            self._lines[path] = self._line(event)

    def _line(self, event: Any) -> int:
        return int(event.start_mark.line) + self._first_line

    def _stop(self, event: Any, message: str, fix: str) -> NoReturn:
        _refuse(message, f"{self._source}:{self._line(event)}", fix=fix)


_DECIMAL = re.compile(r"-?[0-9]+\.[0-9]+")


def _decimal(text: str) -> float | str:
    return float(text) if _DECIMAL.fullmatch(text) and repr(float(text)) == text else text
