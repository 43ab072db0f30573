"""Suspects on fresh draws: when to let one go, the exact test, what is confirmed. Not: who is suspect, what gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from driftproof_action.analysis.bands import EFFECT_FLOOR
from driftproof_action.analysis.holm import CERTAIN, Count, Rank, holm
from driftproof_action.analysis.permutation import exact_count, millionths
from driftproof_action.decisions.band_separation.constants import FRESH, FUTILITY_AFTER, MAX_LOST
from driftproof_action.decisions.band_separation.suspects import Suspect
from driftproof_action.domain.arithmetic import mean, round6

Scores = Mapping[int, float | None]
"""Draw index → score, None for a lost draw; an absent index is not known yet."""

WORST_LOW, WORST_HIGH = 1.0, 0.0
"""What a lost draw of the arm said to be lower, and of the other, counts as: the score most against the claim (C-7)."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What the fresh draws of one suspect say, before the family is looked at.

    stop: why drawing ended, `futility`, `complete` or `lost`; empty while it has not. tested: the exact test was made.
    gap: high mean - low mean of the measured draws, six places, None when an arm measured none. worst_gap: with lost draws
    at their worst. count: of the exact test, 1 of 1 where it was not made.
    """

    stop: str
    tested: bool
    count: Count
    gap: float | None
    worst_gap: float | None


@dataclass(frozen=True, slots=True)
class Lift:
    """How far a lift moved between two receipts on one case, and its one-sided p."""

    value: float
    p: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """status: confirmed, not_confirmed or unconfirmed, with the reason; against stored answers likely, cannot_tell or
    unconfirmed. trial None: nothing was drawn. rank: where a family shares an error rate. lift: only against stored answers."""

    suspect: Suspect
    status: str
    reason: str
    trial: Trial | None = None
    rank: Rank | None = None
    lift: Lift | None = None


def wanted_fresh(sign: int, target: Scores, other: Scores) -> int:
    """Fresh draws an arm that are certain: the first three, and ten once those have shown the floor."""
    return FRESH if is_futile(sign, target, other) is False else FUTILITY_AFTER


def is_futile(sign: int, target: Scores, other: Scores) -> bool | None:
    """Whether the first three draws of both arms show less than the floor in the suspected direction; None: not all known.

    Lost draws count at their worst here too, so that losing a draw never keeps a case going.
    """
    if not all(i in target and i in other for i in range(FUTILITY_AFTER)):
        return None
    low, high = _filled(sign, target, other, FUTILITY_AFTER)
    return round6(mean(high) - mean(low)) < EFFECT_FLOOR


def try_suspect(sign: int, target: Scores, other: Scores) -> Trial:
    """C-4, C-5 and C-7 of docs/readings.md on as many fresh draws as are known."""
    futile = is_futile(sign, target, other)
    n = FRESH if futile is False else FUTILITY_AFTER
    if futile is None or not all(i in target and i in other for i in range(n)):
        return Trial("", False, CERTAIN, None, None)
    low, high = _filled(sign, target, other, n)
    figures = _gap(sign, target, other, n), round6(mean(high) - mean(low))
    if futile:
        return Trial("futility" if figures[0] is not None else "lost", False, CERTAIN, *figures)
    if max(sum(side[i] is None for i in range(n)) for side in (target, other)) > MAX_LOST:
        return Trial("lost", False, CERTAIN, *figures)
    return Trial("complete", True, Count(*exact_count(millionths(low), millionths(high))), *figures)


def judge_family(family: Sequence[tuple[Suspect, Trial]], alpha: tuple[int, int], unfinished: str) -> tuple[Outcome, ...]:
    """C-6: Holm over the family, stops and unfinished members included with p = 1; the size must clear the floor as well.

    unfinished: the reason of a suspect whose draws are not all there.
    """
    ranks = holm({item.case: trial.count for item, trial in family}, numerator=alpha[0], denominator=alpha[1])
    return tuple(Outcome(item, *_status(trial, ranks[item.case], unfinished), trial, ranks[item.case]) for item, trial in family)


def _status(trial: Trial, rank: Rank, unfinished: str) -> tuple[str, str]:
    if not trial.stop:
        return "unconfirmed", unfinished
    if not trial.tested:
        return "not_confirmed", "lost_draws" if trial.stop == "lost" else "futility"
    if not rank.rejected:
        return "not_confirmed", "p"
    if trial.worst_gap is None or trial.worst_gap < EFFECT_FLOOR:
        return "not_confirmed", "floor"
    return "confirmed", ""


def _filled(sign: int, target: Scores, other: Scores, n: int) -> tuple[list[float], list[float]]:
    """(low, high): the first n fresh draws of the arm said to be lower and of the other, lost ones at their worst."""
    low, high = (target, other) if sign < 0 else (other, target)
    return (
        [WORST_LOW if (score := low[i]) is None else score for i in range(n)],
        [WORST_HIGH if (score := high[i]) is None else score for i in range(n)],
    )


def _gap(sign: int, target: Scores, other: Scores, n: int) -> float | None:
    ours, theirs = ([score for i in range(n) if (score := side[i]) is not None] for side in (target, other))
    return round6(sign * (mean(ours) - mean(theirs))) if ours and theirs else None
