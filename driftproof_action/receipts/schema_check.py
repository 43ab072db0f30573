"""Checks a JSON value against a schema made of the keywords our frozen schemas use. Not: a general JSON Schema validator.

Why our own: it starts in no time (a general validator costs more than the whole rest of `validate`), and it is stricter
where readers differ: patterns match the whole text, `true` is no number, and a count is written without a point.
Every keyword means what draft 2020-12 says; a keyword it does not know is a KeyError, never a silent pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "title", "description", "then", "else"})
SHOWN = 60

Place: TypeAlias = "tuple[Any, str | int] | None"
"""(the place it lies in, key or position); None is the document itself. Spelled out only where something is wrong."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """path: `results.cases[3].score`, empty for the document itself. demand: what the schema wants there; found: what is there."""

    path: str
    demand: str
    found: str


class _Visit:
    """One value set against one schema. root: where `$ref` looks its definitions up."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.found: list[Misfit] = []

    def check(self, value: Any, schema: Mapping[str, Any], place: Place) -> None:
        for keyword, wanted in schema.items():
            if (holds := _KEYWORDS.get(keyword)) is not None:
                holds(self, value, wanted, schema, place)
            elif keyword not in ANNOTATIONS:
                raise KeyError(keyword)

    def misfit(self, place: Place, demand: str, value: Any) -> None:
        self.found.append(Misfit(_spelled(place), demand, show(value)))

    def fits(self, value: Any, schema: Mapping[str, Any]) -> bool:
        trial = _Visit(self.root)
        trial.check(value, schema, None)
        return not trial.found


def misfits(value: Any, schema: Mapping[str, Any]) -> list[Misfit]:
    """Every place where the value does not fit, in the order of the schema."""
    visit = _Visit(schema)
    visit.check(value, schema, None)
    return visit.found


def _spelled(place: Place) -> str:
    steps: list[str] = []
    while place is not None:
        place, step = place
        if isinstance(step, int):
            steps.append(f"[{step}]")
        else:
            plain = step if re.fullmatch(r"[A-Za-z0-9_.-]{1,80}", step) else show(step)
            steps.append(f".{plain}" if place is not None else plain)
    return "".join(reversed(steps))


def show(value: Any) -> str:
    """A value in one short line: text and numbers as JSON writes them, containers by their size."""
    if isinstance(value, dict):
        return f"an object of {len(value)} keys"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    shown = repr(value) if not isinstance(value, str) else '"' + "".join(c if c.isprintable() else "?" for c in value[:SHOWN]) + '"'
    return shown if not isinstance(value, str) or len(value) <= SHOWN else shown[:-1] + '…"'


_KINDS: Mapping[type, frozenset[str]] = {
    str: frozenset({"string"}),
    bool: frozenset({"boolean"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"number"}),
    list: frozenset({"array"}),
    dict: frozenset({"object"}),
    type(None): frozenset({"null"}),
}
"""What the strict reader can give, and what JSON Schema calls it. A count is an integer only where it is spelled as one."""


def _is(kind: str, value: Any) -> bool:
    return kind in _KINDS[type(value)]


def _same(one: Any, other: Any) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _type(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    kinds = _KINDS[type(value)]
    if (wanted not in kinds) if type(wanted) is str else kinds.isdisjoint(wanted):
        visit.misfit(place, wanted if type(wanted) is str else " or ".join(wanted), value)


def _const(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    if not _same(value, wanted):
        visit.misfit(place, show(wanted), value)


def _enum(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    if not any(_same(value, item) for item in wanted):
        visit.misfit(place, "one of " + ", ".join(show(item) for item in wanted), value)


@lru_cache(maxsize=64)
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression[:-1] + r"\Z" if expression.endswith("$") else expression, re.ASCII)


def _pattern(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    if isinstance(value, str) and not _compiled(wanted).search(value):
        visit.misfit(place, f"text of the form {wanted}", value)


def _bound(words: str, holds: Callable[[Any, Any], bool], applies: Callable[[Any], Any]) -> Callable[[_Visit, Any, Any, Any, Place], None]:
    def check(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
        measured = applies(value)
        if measured is not None and not holds(measured, wanted):
            visit.misfit(place, words.format(wanted), value)

    return check


def _numeric(value: Any) -> Any:
    return value if _is("number", value) else None


def _text_length(value: Any) -> Any:
    return len(value) if isinstance(value, str) else None


def _list_length(value: Any) -> Any:
    return len(value) if isinstance(value, list) else None


def _required(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    if isinstance(value, dict):
        for key in wanted:
            if key not in value:
                visit.found.append(Misfit(_spelled((place, key)), "a value", "nothing"))


def _properties(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if (shape := wanted.get(key)) is not None:
                visit.check(item, shape, (place, key))


def _additional(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    if isinstance(value, dict) and wanted is not True:
        strange = value.keys() - schema.get("properties", {}).keys()
        for key in sorted(strange) if strange else ():
            if wanted is False:
                visit.misfit((place, key), "no such key", value[key])
            else:
                visit.check(value[key], wanted, (place, key))


def _items(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    if isinstance(value, list):
        for index, item in enumerate(value):
            visit.check(item, wanted, (place, index))


def _contains(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    if isinstance(value, list) and not any(visit.fits(item, wanted) for item in value):
        visit.misfit(place, f"an item with {_needs(wanted)}", value)


def _needs(schema: Mapping[str, Any]) -> str:
    return ", ".join(schema.get("required", ())) or "another form"


def _all_of(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    for shape in wanted:
        visit.check(value, shape, place)


def _any_of(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    if not any(visit.fits(value, shape) for shape in wanted):
        visit.misfit(place, "one of the allowed forms", value)


def _not(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    if visit.fits(value, wanted):
        visit.misfit(place, f"not {show(wanted['const'])}" if "const" in wanted else f"no {_needs(wanted)} here", value)


def _if(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    branch = schema.get("then" if visit.fits(value, wanted) else "else")
    if branch is not None:
        visit.check(value, branch, place)


def _dependent(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    if isinstance(value, dict):
        for key, needed in wanted.items():
            if key in value:
                _required(visit, value, needed, schema, place)


def _ref(visit: _Visit, value: Any, wanted: Any, schema: Any, place: Place) -> None:
    visit.check(value, visit.root["$defs"][wanted.removeprefix("#/$defs/")], place)


_KEYWORDS: Mapping[str, Callable[[_Visit, Any, Any, Any, Place], None]] = {
    "type": _type,
    "const": _const,
    "enum": _enum,
    "pattern": _pattern,
    "minimum": _bound("at least {}", lambda a, b: a >= b, _numeric),
    "maximum": _bound("at most {}", lambda a, b: a <= b, _numeric),
    "exclusiveMinimum": _bound("more than {}", lambda a, b: a > b, _numeric),
    "minLength": _bound("at least {} characters", lambda a, b: a >= b, _text_length),
    "maxLength": _bound("at most {} characters", lambda a, b: a <= b, _text_length),
    "minItems": _bound("at least {} items", lambda a, b: a >= b, _list_length),
    "maxItems": _bound("at most {} items", lambda a, b: a <= b, _list_length),
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "contains": _contains,
    "allOf": _all_of,
    "anyOf": _any_of,
    "not": _not,
    "if": _if,
    "dependentRequired": _dependent,
    "$ref": _ref,
}
