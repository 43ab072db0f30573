"""A case that fell while the old skill or model cannot be asked again: likely, or cannot tell. Not: anything that gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

from driftproof_action.analysis.bands import EFFECT_FLOOR, Band
from driftproof_action.analysis.permutation import exact_count, millionths
from driftproof_action.analysis.student import t_tail
from driftproof_action.analysis.welch import mean_variance, satterthwaite
from driftproof_action.domain.arithmetic import mean, round6, sd

ERROR_RATE = (1, 100)
"""Shared by the cases of the suite: each is held to 1 / (100 N)."""


@dataclass(frozen=True, slots=True)
class Likely:
    """word: likely or cannot_tell. reason: single_answer, old_draws (too few to ever be rare enough), floor, p, lift or
    lift_p: the first condition that failed. gap: old mean - fresh mean; lift: the difference in differences with its p."""

    word: str
    reason: str
    gap: float | None = None
    count: int | None = None
    total: int | None = None
    lift: float | None = None
    lift_p: float | None = None


def read_likely(
    old: Sequence[float], fresh: Sequence[float], *, old_without: Sequence[float], new_without: Sequence[float], cases: int
) -> Likely:
    """D-3 of docs/readings.md on one suspect case of `cases`: stored draws with the skill against fresh ones of today, and
    both receipts' draws without it.

    likely when round6(old - fresh) >= 0.05, the exact p of fresh against old is at most 0.01 / cases, and the difference in
    differences (fresh - old) - (new_without - old_without) is at most -0.05 at one-sided p <= 0.01 / cases by
    Welch-Satterthwaite over the four variances (s^2 + q^2 / 12) / n.
    """
    sides = [list(side) for side in (fresh, old, new_without, old_without)]
    if min(len(side) for side in sides) < 2:
        return Likely("cannot_tell", "single_answer")
    numerator, denominator = ERROR_RATE[0], ERROR_RATE[1] * cases
    if denominator > numerator * comb(len(fresh) + len(old), len(old)):
        return Likely("cannot_tell", "old_draws")
    gap = round6(mean(old) - mean(fresh))
    count, total = exact_count(millionths(fresh), millionths(old))
    bands = [Band(mean(side), sd(side), len(side)) for side in sides]
    lift = round6((bands[0].mean - bands[1].mean) - (bands[2].mean - bands[3].mean))
    terms = tuple((mean_variance(band), band.n) for band in bands)
    p = t_tail(-lift / sqrt(sum(value for value, _ in terms)), satterthwaite(terms))
    checks = (
        ("floor", gap >= EFFECT_FLOOR),
        ("p", count * denominator <= numerator * total),
        ("lift", lift <= -EFFECT_FLOOR),
        ("lift_p", p * denominator <= numerator),
    )
    failed = next((name for name, holds in checks if not holds), "")
    return Likely("cannot_tell" if failed else "likely", failed, gap, count, total, lift, p)
