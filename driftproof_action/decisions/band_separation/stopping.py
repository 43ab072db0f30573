"""When one case in one arm has enough draws, read on a series that may be only partly known. Not: what the draws say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from driftproof_action.domain.arithmetic import sd

SPREAD_ENOUGH = 0.05
"""A spread at or below it is steady enough to stop at the minimum."""

STABLE_WITHIN = 0.01
"""A spread that one more draw moved by less has settled."""

SETTLED = frozenset({"min_reached", "stabilised", "max_reached", "unmeasured_exhausted", "reused"})


class Stopping(NamedTuple):
    """draws: how many draws (index 0 …) are certain to be needed given what is known. reason: why the series ended, or
    `below_min` / `escalating` while it is open, `reused` when it was taken over from a receipt."""

    draws: int
    reason: str

    @property
    def settled(self) -> bool:
        """The series needs nothing more."""
        return self.reason in SETTLED


def stopping(scores: Mapping[int, float | None], min_draws: int, max_draws: int) -> Stopping:
    """The published stop rule. scores: draw index → score, None for a hole; an absent index is not known yet.

    After each draw, in this order: nothing measured after `min_draws` → unmeasured_exhausted; `max_draws` drawn →
    max_reached; fewer than `min_draws` measured → go on; spread at most 0.05 → min_reached; more than `min_draws`
    measured and the last draw moved the spread by less than 0.01 → stabilised; else go on. A draw is certain when every
    way the unknown draws before it could end goes on to it, so the count never falls as more becomes known and equals the
    one-at-a-time reading once all is known. Requires 1 <= min_draws <= max_draws.
    """
    measured: list[float] = []
    unknown = 0
    drawn = 0
    while True:
        reason = _ends(measured, unknown, drawn=drawn, last=scores.get(drawn - 1), low=min_draws, top=max_draws)
        if reason:
            return Stopping(drawn, reason if reason in SETTLED else _open(measured, min_draws))
        if drawn not in scores:
            unknown += 1
        elif (score := scores[drawn]) is not None:
            measured.append(score)
        drawn += 1


def _open(measured: list[float], low: int) -> str:
    return "below_min" if len(measured) < low else "escalating"


def _ends(measured: list[float], unknown: int, *, drawn: int, last: float | None, low: int, top: int) -> str:
    """Why the series ends after `drawn` draws, `open` when that is not known yet, empty when it certainly goes on."""
    if drawn < low:
        return ""
    if unknown:
        certain = bool(measured) and len(measured) + unknown < low and drawn < top
        return "" if certain else "open"
    if not measured:
        return "unmeasured_exhausted"
    if drawn >= top:
        return "max_reached"
    if len(measured) < low:
        return ""
    spread = sd(measured)
    if spread <= SPREAD_ENOUGH:
        return "min_reached"
    before = measured if last is None else measured[:-1]
    if len(measured) > low and len(before) >= low and abs(spread - sd(before)) < STABLE_WITHIN:
        return "stabilised"
    return ""
