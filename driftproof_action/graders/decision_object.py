"""Reading the one JSON object a judge was asked for, strictly. Not: what the object means."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from driftproof_action.domain.hole import Hole

MAX_CHARACTERS = 65_536
_KEEP_REASON = 300
_PROSE = re.compile(r"\{[^{}\"'`]*\}")
"""A brace group of plain words, like {this}: nothing in it is quoted, so nothing pasted can hide behind it."""


def decision_object(text: str, key: str) -> Mapping[str, Any] | Hole:
    """The only top-level object of a reply that holds `key`. Prose and fences around it are accepted; none or two of them are
    a hole, and so is a reply with anything between braces that is no object: it may be a decision that broke where it quotes
    the answer, and what lies inside of it is the answer's word and not the judge's."""
    if len(text) > MAX_CHARACTERS:
        return Hole("judge_reply_too_long", f"{len(text)} characters")
    objects = _objects(text, key)
    if objects is None:
        return Hole("judge_no_decision", "braces in the reply hold something that is no JSON object")
    found = [item for item in objects if key in item]
    if len(found) > 1:
        return Hole("judge_two_decisions", f"{len(found)} objects with {key!r} in one reply")
    return found[0] if found else Hole("judge_no_decision", f"no JSON object with {key!r} in the reply")


def short(value: object) -> str:
    """A reason as it is kept: text of at most 300 characters, else nothing."""
    return value.strip()[:_KEEP_REASON] if isinstance(value, str) else ""


def _objects(text: str, key: str) -> list[Mapping[str, Any]] | None:
    """The outermost objects, in order; None when an outermost brace opens neither an object (a key twice and a number that is
    not finite make it none) nor plain words without the key, or when one closes what nothing opened."""
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse, parse_float=_finite, parse_int=_small)
    out: list[Mapping[str, Any]] = []
    end = 0
    while (at := text.find("{", end)) >= 0:
        if "}" in text[end:at]:
            return None
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            prose = _PROSE.match(text, at)
            if prose is None or key in prose[0]:
                return None
            end = prose.end()
        else:
            out.append(value)
    return None if "}" in text[end:] else out


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("key twice")
    return out


def _refuse(token: str) -> None:
    raise ValueError(token)


def _finite(token: str) -> float:
    value = float(token)
    if not math.isfinite(value):
        raise ValueError(token)
    return value


def _small(token: str) -> int:
    if len(token) > 17:
        raise ValueError(token)
    return int(token)
