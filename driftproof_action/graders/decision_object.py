"""Reading the one JSON object a judge was asked for, strictly. Not: what the object means."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from driftproof_action.domain.hole import Hole

MAX_CHARACTERS = 65_536
_KEEP_REASON = 300


def decision_object(text: str, key: str) -> Mapping[str, Any] | Hole:
    """The only object in a reply that holds `key`. Prose and fences around it are accepted; none or two of them are a
    hole, and so is an object with a key twice or a number that is not finite."""
    if len(text) > MAX_CHARACTERS:
        return Hole("judge_reply_too_long", f"{len(text)} characters")
    found = [item for item in _objects(text) if key in item]
    if len(found) > 1:
        return Hole("judge_two_decisions", f"{len(found)} objects with {key!r} in one reply")
    return found[0] if found else Hole("judge_no_decision", f"no JSON object with {key!r} in the reply")


def short(value: object) -> str:
    """A reason as it is kept: text of at most 300 characters, else nothing."""
    return value.strip()[:_KEEP_REASON] if isinstance(value, str) else ""


def _objects(text: str) -> list[Mapping[str, Any]]:
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse, parse_float=_finite, parse_int=_small)
    out: list[Mapping[str, Any]] = []
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            out.append(value)
        at = text.find("{", end)
    return out


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
