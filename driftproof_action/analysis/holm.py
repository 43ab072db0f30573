"""Several tests at one error rate, in whole numbers. Not: the tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Count:
    """p = count / total, kept as the two whole numbers it is."""

    count: int
    total: int

    @property
    def p(self) -> float:
        return self.count / self.total


CERTAIN = Count(1, 1)
"""The p of a test that was stopped for want of a difference, or never finished."""


@dataclass(frozen=True, slots=True)
class Rank:
    """rank from 0, smallest p first. The threshold is numerator / denominator. rejected: this and every smaller p pass."""

    rank: int
    numerator: int
    denominator: int
    rejected: bool


def holm(family: Mapping[str, Count], *, numerator: int, denominator: int) -> Mapping[str, Rank]:
    """Holm 1979 at alpha = numerator / denominator over a family of named tests; equal p by name. C-6 of docs/readings.md.

    The r-th of k (r = 0, 1, ...) is rejected while p <= alpha / (k - r), up to the first that is not. Compared as
    count * (k - r) * denominator <= numerator * total, so no rounding decides.
    """
    order = sorted(family, key=lambda name: (family[name].p, name))
    out: dict[str, Rank] = {}
    alive = True
    for rank, name in enumerate(order):
        share = denominator * (len(order) - rank)
        alive = alive and family[name].count * share <= numerator * family[name].total
        out[name] = Rank(rank, numerator, share, alive)
    return out
