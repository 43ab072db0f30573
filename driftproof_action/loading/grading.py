"""What a case is judged by, from whichever keys its author used: a rubric, or criteria, and checks beside. Not: prompts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from driftproof_action.canonical import Json
from driftproof_action.domain.suite import Check, Criterion
from driftproof_action.loading import suite_keys as keys
from driftproof_action.loading.code_checks import CODE_KINDS, VALUE_KEYS, WORKSPACE_KINDS, BadCheckError, kind_word, read_check, sentence_of
from driftproof_action.loading.notebook import Notebook, Place
from driftproof_action.loading.remarks import quoted

CRITERIA_MAX = 50
"""Criteria of one case. Source: limits of the published suite format."""

AVOID = "The answer does not do this: "

_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")


@dataclass(frozen=True, slots=True)
class Grading:
    """criteria non-empty: they grade and rubric is context. Both empty: there is nothing to grade by.
    workspace: the first kind that needs one, empty when none does."""

    rubric: str
    criteria: tuple[Criterion, ...] = ()
    checks: tuple[Check, ...] = ()
    workspace: str = ""


@dataclass(slots=True)
class _Draft:
    """A criterion before it has its id."""

    text: str
    source: str
    place: Place
    weight: float = 1
    check: Check | None = None
    wanted: str = ""
    named: bool = False
    avoid: bool = False


@dataclass(slots=True)
class _Found:
    drafts: list[_Draft] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    workspace: str = ""
    sources: Counter[tuple[str, str]] = field(default_factory=Counter)


def has_grading(case: Mapping[str, Json]) -> bool:
    """Whether a case holds any text to grade by, readable or not."""
    spoken = (*keys.RUBRIC_KEYS, *keys.GOAL_KEYS, *keys.SENTENCE_LISTS, *keys.AVOID_LISTS)
    return any(bool(value.strip()) if isinstance(value := case.get(key), str) else bool(value) for key in spoken)


def read_grading(case: Mapping[str, Json], *, place: Place, book: Notebook) -> Grading:
    """What was found; errors go into the notebook. Source of the mapping: docs/suites.md."""
    found = _Found()
    for key in (*keys.SENTENCE_LISTS, *keys.AVOID_LISTS):
        _read_list(key, case.get(key), place=place, book=book, found=found)
    explicit = _first_text(case, keys.RUBRIC_KEYS)
    goal = _first_text(case, keys.GOAL_KEYS)
    _refuse_other_types(case, place, book)
    native = isinstance(listed := case.get("criteria"), list) and any(isinstance(entry, Mapping) for entry in listed)
    if explicit and not native:
        if found.drafts or goal:
            unused = sorted({draft.source for draft in found.drafts} | ({goal[0]} if goal else set()))
            book.lists_not_used(place, explicit[0], unused=unused)
        book.count("rubric", explicit[0])
        _count_checks(found, book)
        return Grading(explicit[1], checks=tuple(found.checks), workspace=found.workspace)
    criteria = _criteria(found.drafts, place=place, book=book)
    context = explicit or goal
    if context:
        book.count("context" if criteria else "rubric", context[0])
    for (target, source), count in found.sources.items():
        book.count(target, source, count)
    _count_checks(found, book)
    return Grading(context[1] if context else "", criteria, tuple(found.checks), found.workspace)


def _first_text(case: Mapping[str, Json], among: Sequence[str]) -> tuple[str, str] | None:
    for key in among:
        value = case.get(key)
        if isinstance(value, str) and value.strip():
            return key, value
    return None


def _refuse_other_types(case: Mapping[str, Json], place: Place, book: Notebook) -> None:
    for key in (*keys.RUBRIC_KEYS, *keys.GOAL_KEYS):
        value = case.get(key)
        if value is None or isinstance(value, str) or (isinstance(value, list) and key in keys.SENTENCE_LISTS):
            continue
        book.case_error("grading-not-text", place.at(key), f"{key} is {_what(value)}", fix=f'write "{key}": "what a good answer does"')


def _count_checks(found: _Found, book: Notebook) -> None:
    if found.checks:
        book.count("checks beside", "checks", len(found.checks))


# ---- lists ------------------------------------------------------------------------------------------------------


def _read_list(key: str, value: Json, *, place: Place, book: Notebook, found: _Found) -> None:
    if value is None or (isinstance(value, str) and (not value.strip() or key in keys.RUBRIC_KEYS)):
        return
    if isinstance(value, str):
        found.drafts.append(_Draft(_spoken(value, key), key, place.at(key), avoid=key in keys.AVOID_LISTS))
        return
    if not isinstance(value, list):
        if key not in keys.RUBRIC_KEYS:
            book.case_error("grading-not-text", place.at(key), f"{key} is {_what(value)}", fix=f'write "{key}": ["a sentence", …]')
        return
    for index, entry in enumerate(value):
        here = place.at(key, index)
        if isinstance(entry, str) and entry.strip():
            found.drafts.append(_Draft(_spoken(entry, key), key, here, avoid=key in keys.AVOID_LISTS))
        elif isinstance(entry, Mapping):
            _read_object(key, entry, place=here, book=book, found=found)
        else:
            message = f"{key}[{index}] is {_what(entry)}, not a sentence"
            book.case_error("bad-entry", here, message, fix="write a sentence the answer can be checked against, or remove the entry")


def _what(value: Json) -> str:
    if isinstance(value, str):
        return "an empty text"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return f"the number {quoted(value)[1:-1]}"
    return "an object" if isinstance(value, Mapping) else "a list"


def _spoken(text: str, key: str) -> str:
    return AVOID + text if key in keys.AVOID_LISTS else text


def _read_object(key: str, entry: Mapping[str, Json], *, place: Place, book: Notebook, found: _Found) -> None:
    if any(command in entry for command in keys.COMMAND_KEYS):
        book.command(place, f"{key}[].cmd")
        return
    word = kind_word(entry)
    try:
        if key == "checks" and "kind" in entry:
            _read_native(word, entry, place=place, book=book, found=found)
            return
        decidable = word in CODE_KINDS and key not in keys.AVOID_LISTS and _has_value(key, entry)
        check = read_check(word, entry, name=word) if decidable else None
    except BadCheckError as error:
        book.case_error("bad-check", place, f"{place.spot}: {error.message}", fix=error.fix)
        return
    text = _sentence(entry, key)
    if word in WORKSPACE_KINDS:
        found.workspace = found.workspace or word
        text = text or f"{word} {quoted(entry.get('path', entry.get('value', '')))}"
    if not text and check is not None:
        text = sentence_of(check)
    if not text:
        _remark_no_sentence(word, place, book)
        return
    wanted, named = _wanted_id(entry)
    weight = _weight(entry, place, book)
    found.drafts.append(_Draft(_spoken(text, key), key, place, weight, check, wanted, named, key in keys.AVOID_LISTS))


def _has_value(key: str, entry: Mapping[str, Json]) -> bool:
    """A kind that comes with a sentence and without a value is a label (`type: contains`): the sentence is judged."""
    return any(name in entry for name in VALUE_KEYS) or not _sentence(entry, key)


def _remark_no_sentence(word: str, place: Place, book: Notebook) -> None:
    if word:
        message = f"{place.spot}: the kind {quoted(word)} is not known, and there is no sentence to judge by"
        book.case_error("unknown-kind", place, message, fix=f'use one of {", ".join(CODE_KINDS)}, or add "text": "a sentence"')
    else:
        message = f"{place.spot} has no sentence: none of {', '.join(keys.OTHER_SENTENCE_KEYS)} holds text"
        book.case_error("bad-entry", place, message, fix='add "text": "a sentence the answer can be checked against"')


def _read_native(word: str, entry: Mapping[str, Json], *, place: Place, book: Notebook, found: _Found) -> None:
    if word in WORKSPACE_KINDS:
        message = f"{place.spot}: {word} needs a workspace; it is left out, and decides nothing"
        book.remarks.warning("check-needs-workspace", place.line, message, fix="remove it, or say it as a sentence under assertions")
        return
    if word not in CODE_KINDS:
        raise BadCheckError(f"the kind {quoted(entry.get('kind'))} is not known", f"use one of {', '.join(CODE_KINDS)}")
    name = entry.get("name")
    found.checks.append(read_check(word, entry, name=name if isinstance(name, str) and name.strip() else word))


def _sentence(entry: Mapping[str, Json], key: str) -> str:
    for name in keys.SENTENCE_KEYS.get(key, keys.OTHER_SENTENCE_KEYS):
        value = entry.get(name)
        if isinstance(value, str) and value.strip() and (name != "check" or " " in value.strip()):
            return value
    return ""


def _wanted_id(entry: Mapping[str, Json]) -> tuple[str, bool]:
    """(the id an author gave, whether as `id`), empty when there is none that fits."""
    value = entry.get("id")
    if isinstance(value, str | int) and not isinstance(value, bool) and _ID.fullmatch(str(value)):
        return str(value), True
    for name in ("dimension", "name"):
        value = entry.get(name)
        if isinstance(value, str) and _ID.fullmatch(value):
            return value, False
    return "", False


def _weight(entry: Mapping[str, Json], place: Place, book: Notebook) -> float:
    if entry.get("weight") is None:
        return 1
    value = book.number(entry["weight"])
    if value is None or value <= 0:
        message = f"{place.spot}: weight is {quoted(entry['weight'])}, not a number above 0"
        book.case_error("bad-weight", place, message, fix='write "weight": 1, or leave it out')
        return 1
    return value


# ---- ids --------------------------------------------------------------------------------------------------------


def _criteria(drafts: Sequence[_Draft], *, place: Place, book: Notebook) -> tuple[Criterion, ...]:
    kept: dict[tuple[str, str], _Draft] = {}
    for draft in drafts:
        if (draft.text, repr(draft.check)) in kept:
            book.equal_texts += 1
        else:
            kept[draft.text, repr(draft.check)] = draft
    if len(kept) > CRITERIA_MAX:
        message = f"has {len(kept)} criteria, the limit is {CRITERIA_MAX}"
        book.case_error("too-many-criteria", place, message, fix="split the case")
    for draft in kept.values():
        book.count("criteria in code" if draft.check else "criteria", draft.source)
    rows = list(kept.values())
    return tuple(Criterion(id, row.weight, row.text, row.check) for id, row in zip(_ids(rows, book), rows, strict=True))


def _ids(drafts: Sequence[_Draft], book: Notebook) -> Iterator[str]:
    """Own ids where they are unique, `avoid-n` and `check-n` by position for the others."""
    times = Counter(draft.wanted for draft in drafts if draft.wanted)
    taken = {wanted for wanted, count in times.items() if count == 1}
    avoided = 0
    for number, draft in enumerate(drafts, start=1):
        avoided += draft.avoid
        if draft.wanted in taken:
            yield draft.wanted
            continue
        if draft.named:
            message = f"{draft.place.spot}: the id {quoted(draft.wanted)} is not unique in its case; numbered instead"
            book.remarks.warning("criterion-id", draft.place.line, message, fix="give every criterion its own id")
        id = f"avoid-{avoided}" if draft.avoid else f"check-{number}"
        while id in taken:
            id += "-own"
        taken.add(id)
        yield id
