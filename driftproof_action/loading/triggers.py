"""Recognises trigger suites: whether a skill is chosen for a query, which a run of the skill cannot tell. Not: running them."""

from __future__ import annotations

from collections.abc import Mapping

from driftproof_action.canonical import Json
from driftproof_action.loading import suite_keys as keys
from driftproof_action.loading.grading import has_grading


def is_trigger_case(entry: Json) -> bool:
    """A query with a trigger flag and no text to grade an answer by; or a `trigger` with no prompt beside it."""
    if not isinstance(entry, Mapping):
        return False
    flagged = any(key in entry for key in keys.TRIGGER_FLAGS) and not has_grading(entry)
    bare = isinstance(entry.get("trigger"), str) and not any(entry.get(key) for key in keys.PROMPT_KEYS)
    return flagged or bare


def trigger_queries(document: Json) -> tuple[int, str] | None:
    """(number of queries, the key they stand under) of a document that is a trigger suite as a whole, else None."""
    if isinstance(document, list):
        return (len(document), "query") if document and all(is_trigger_case(entry) for entry in document) else None
    if not isinstance(document, Mapping):
        return None
    sides = [key for key in keys.TRIGGER_LISTS if isinstance(document.get(key), list)]
    if sides and (set(sides) != {"positive"} and set(sides) != {"negative"}):
        return sum(_length(document[key]) for key in sides), sides[0]
    for key, value in document.items():
        if isinstance(value, list) and value and all(is_trigger_case(entry) for entry in value):
            return len(value), key
    return _by_skill(document) or _by_criteria(document)


def _by_skill(document: Mapping[str, Json]) -> tuple[int, str] | None:
    """One map of skills, each with its own two lists."""
    for key, value in document.items():
        if isinstance(value, Mapping) and value and all(_has_sides(each) for each in value.values()):
            counts = [_length(each.get(side)) for each in value.values() if isinstance(each, Mapping) for side in keys.TRIGGER_LISTS]
            return sum(counts), key
    return None


def _has_sides(value: Json) -> bool:
    return isinstance(value, Mapping) and any(isinstance(value.get(key), list) for key in keys.TRIGGER_LISTS)


def _by_criteria(document: Mapping[str, Json]) -> tuple[int, str] | None:
    """One task whose only criterion is that the skill was chosen."""
    criteria = document.get("success_criteria")
    if not isinstance(criteria, list) or not criteria:
        return None
    chosen = all(isinstance(each, Mapping) and each.get("type") in ("skill_triggered", "skill_invoked") for each in criteria)
    return (1, "success_criteria") if chosen else None


def _length(value: Json) -> int:
    return len(value) if isinstance(value, list) else 0
