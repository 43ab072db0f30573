"""The field table of spec/RECEIPT.md and the paths of a schema, in one form so that they can be compared. Not: the test."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

NAMES = {"string": "text", "integer": "whole number", "number": "number", "boolean": "yes/no", "array": "list", "object": "object"}


def kind(shape: Mapping[str, Any]) -> str:
    """The type of a place as the table says it."""
    if "const" in shape:
        return f"`{str(shape['const']).lower() if isinstance(shape['const'], bool) else shape['const']}`"
    if "enum" in shape:
        words = ", ".join(f"`{value}`" for value in shape["enum"] if value is not None)
        return words + (" or null" if None in shape["enum"] else "")
    kinds = [shape["type"]] if isinstance(shape["type"], str) else list(shape["type"])
    words = [_one(name, shape) for name in kinds if name != "null"]
    return " or ".join(words + (["null"] if "null" in kinds else []))


def _one(name: str, shape: Mapping[str, Any]) -> str:
    form = shape.get("pattern", "")
    if name == "string" and form == "^[a-f0-9]{64}$":
        return "hash"
    if name == "string" and "T[0-9]" in form:
        return "time"
    if name == "number" and (shape.get("minimum"), shape.get("maximum")) == (0, 1):
        return "0 to 1"
    return NAMES[name]


def paths(shape: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str, bool]]:
    """(path, type, demanded by its parent) of every place of a schema but the document itself."""
    for key, inner in shape.get("properties", {}).items():
        here = f"{path}.{key}" if path else key
        yield here, kind(inner), key in shape.get("required", ())
        yield from paths(inner, here)
    for key, here in (("additionalProperties", f"{path}.<id>"), ("items", f"{path}[]")):
        if isinstance(shape.get(key), Mapping):
            yield here, kind(shape[key]), False
            yield from paths(shape[key], here)


def expanded(pattern: str) -> list[str]:
    """Every path a pattern stands for: `a.{b,c}` is a.b and a.c."""
    match = re.search(r"\{([^{}]*)\}", pattern)
    if match is None:
        return [pattern]
    head, tail = pattern[: match.start()], pattern[match.end() :]
    return [path for word in match.group(1).split(",") for path in expanded(head + word + tail)]


def rows(markdown: str) -> Iterator[tuple[str, str, str]]:
    """(pattern, type, meaning) of every row of every three-column field table."""
    for line in markdown.splitlines():
        match = re.fullmatch(r"\| `([^`]+)`(\*?) \| (.+?) \| (.+) \|", line)
        if match:
            yield match.group(1) + match.group(2), match.group(3), match.group(4)
