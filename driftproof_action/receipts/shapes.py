"""The vocabulary receipt schemas are written in: shapes of values, and edits that turn one version into the next.

Not: any version (published_early, published_sampled, own_schema), nor the checking of a document (schema_check).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def pattern(expression: str, longest: int | None = None) -> Schema:
    """Text of one form. longest: closes the gap that `$` leaves before a final line feed in some readers."""
    return {"type": "string", "pattern": expression} | ({"maxLength": longest} if longest else {})


def text() -> Schema:
    return {"type": "string", "minLength": 1}


def free_text() -> Schema:
    return {"type": "string"}


def digest() -> Schema:
    return pattern("^[a-f0-9]{64}$", 64)


def day() -> Schema:
    return pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", 10)


def moment() -> Schema:
    """A published time stamp: date and time to the second, whatever follows."""
    return pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}")


def word(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def flag() -> Schema:
    return {"type": "boolean"}


def count(least: int = 0) -> Schema:
    return {"type": "integer", "minimum": least}


def number(least: float | None = None, most: float | None = None) -> Schema:
    bounds = {"minimum": least, "maximum": most}
    return {"type": "number"} | {key: value for key, value in bounds.items() if value is not None}


def share() -> Schema:
    return number(0, 1)


def nullable(shape: Schema) -> Schema:
    """The same shape, or null."""
    kind = shape["type"]
    out = shape | {"type": [*([kind] if isinstance(kind, str) else kind), "null"]}
    return out | {"enum": [*out["enum"], None]} if "enum" in out else out


def many(shape: Schema, least: int = 0) -> Schema:
    return {"type": "array", "items": shape} | ({"minItems": least} if least else {})


def record(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None, *, open: bool = False) -> Schema:
    """An object. open: keys it does not name are allowed."""
    out: Schema = {"type": "object", "additionalProperties": open}
    if required:
        out["required"] = list(required)
    return out | {"properties": dict(required) | dict(optional or {})}


def table(shape: Schema) -> Schema:
    """An object whose keys are free and whose values all have one shape."""
    return {"type": "object", "additionalProperties": shape}


def has(**fixed: Any) -> Schema:
    """A condition: these keys are there with these values."""
    return {"required": list(fixed), "properties": {key: {"const": value} for key, value in fixed.items()}}


def lacks(key: str) -> Schema:
    return {"not": {"required": [key]}}


def typed(**kinds: str | Schema) -> Schema:
    """A consequence: these keys, where there, have these types (a name) or shapes."""
    return {"properties": {key: {"type": kind} if isinstance(kind, str) else kind for key, kind in kinds.items()}}


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a schema. place: dotted path of properties, `[]` for the items of a list, "" for the top.

    put: add or replace the property `name` (`required`: and demand it). demand / excuse: `names` become required or not.
    widen: add `names` to an enum. null: the property may be null. relax: drop the keyword `name`. rule: add `shape` to
    allOf. keyword: set the keyword `name` to `shape`. unrule: drop the rules there.
    """

    act: Literal["put", "demand", "excuse", "widen", "null", "relax", "rule", "keyword", "unrule"]
    place: str
    name: str = ""
    shape: Any = None
    required: bool = False
    names: tuple[str, ...] = ()


def put(path: str, shape: Schema, *, required: bool = False) -> Edit:
    place, _, name = path.rpartition(".")
    return Edit("put", place, name, shape, required)


def demand(place: str, *names: str) -> Edit:
    return Edit("demand", place, names=names)


def excuse(place: str, *names: str) -> Edit:
    return Edit("excuse", place, names=names)


def widen(place: str, *names: str) -> Edit:
    return Edit("widen", place, names=names)


def null(*places: str) -> tuple[Edit, ...]:
    return tuple(Edit("null", place) for place in places)


def relax(place: str, keyword: str) -> Edit:
    return Edit("relax", place, keyword)


def rule(place: str, condition: Schema, then: Schema, otherwise: Schema | None = None) -> Edit:
    return Edit("rule", place, shape={"if": condition, "then": then} | ({"else": otherwise} if otherwise else {}))


def keyword(place: str, name: str, value: Any) -> Edit:
    return Edit("keyword", place, name, value)


def unrule(place: str) -> Edit:
    return Edit("unrule", place)


def at(schema: Schema, place: str) -> Schema:
    """The schema of a place. Raises KeyError for a place it does not have."""
    here = schema
    for step in place.split(".") if place else ():
        name = step.removesuffix("[]")
        here = here["properties"][name]
        if step.endswith("[]"):
            here = here["items"]
    return here


def _own(value: Any) -> Any:
    """A copy in which no two places share one object."""
    return json.loads(json.dumps(value))


def edited(schema: Schema, edits: Iterable[Edit]) -> Schema:
    """A copy of the schema with the edits made in order."""
    out: Schema = _own(schema)
    for edit in edits:
        _make(at(out, edit.place), edit)
    return out


def _make(here: Schema, edit: Edit) -> None:
    match edit.act:
        case "put":
            here["properties"][edit.name] = _own(edit.shape)
            if edit.required:
                here.setdefault("required", []).append(edit.name)
        case "demand":
            here["required"] = [*here.get("required", ()), *edit.names]
        case "excuse":
            here["required"] = [name for name in here["required"] if name not in edit.names]
        case "widen":
            here["enum"] = [*here["enum"], *edit.names]
        case "null":
            here.update(nullable(here))
        case "relax":
            del here[edit.name]
        case "rule":
            here["allOf"] = [*here.get("allOf", ()), _own(edit.shape)]
        case "keyword":
            here[edit.name] = _own(edit.shape)
        case "unrule":
            del here["allOf"]
