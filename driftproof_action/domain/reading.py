"""What a rule says. Not: the rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Scalar: TypeAlias = "str | int | float | bool"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a rule says of one thing (a case id, `suite`, an arm), and the numbers it says it by."""

    rule: str
    about: str
    word: str
    reason: str = ""
    numbers: Mapping[str, Scalar | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """verdict: a word of domain/words.VERDICTS. label: the method's own word. reasons: codes, most important first."""

    verdict: str
    label: str
    reasons: tuple[str, ...]
    readings: tuple[Reading, ...]
