"""The same old answers graded again by today's judge: did the judge move? Not: a gate; a caveat beside one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from driftproof_action.analysis.paired import Paired, paired

FEWEST = 20
"""Answers that must have been graded twice before anything is said."""
TOLERANCE = 0.02


@dataclass(frozen=True, slots=True)
class Anchor:
    """word: moved, steady or not_given (fewer than 20 answers). statistics: of today's grade minus the old one."""

    word: str
    statistics: Paired | None = None


def read_anchor(old: Sequence[float], today: Sequence[float]) -> Anchor:
    """D-5 of docs/readings.md over answers in one order: moved when the 95 % t interval of the mean difference lies outside
    -0.02 … 0.02. D-1 and D-2 stay valid then: both sides of D-1 are today's, and D-2 cancels it.

    Raises ValueError when the two lists are of different length.
    """
    differences = [after - before for before, after in zip(old, today, strict=True)]
    if len(differences) < FEWEST:
        return Anchor("not_given")
    found = paired(differences, 0.0)
    low, high = found.interval(0.95)
    return Anchor("moved" if low > TOLERANCE or high < -TOLERANCE else "steady", found)
