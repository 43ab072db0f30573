"""A case that fell while the old skill or model cannot be asked again: likely, or cannot tell. Not: anything that gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

from driftproof_action.analysis.bands import EFFECT_FLOOR, Band
from driftproof_action.analysis.holm import CERTAIN, Count
from driftproof_action.analysis.permutation import exact_count, millionths
from driftproof_action.analysis.student import t_tail
from driftproof_action.analysis.welch import mean_variance, satterthwaite
from driftproof_action.decisions.band_separation.confirmation import WORST_HIGH, WORST_LOW, Lift, Outcome, Scores, Trial
from driftproof_action.decisions.band_separation.constants import FRESH, FUTILITY_AFTER, MAX_LOST
from driftproof_action.decisions.band_separation.suspects import Suspect
from driftproof_action.domain.arithmetic import mean, round6, sd

ERROR_RATE = (1, 100)
"""Shared by the cases of the suite: each is held to 1 / (100 N)."""
LIKELY, CANNOT_TELL = "likely", "cannot_tell"
NEVER = frozenset({"single_answer", "old_draws", "reused_arm"})
"""Why no fresh answer could make a case likely; such a case is not drawn."""

Answers = Sequence[float | None]
"""Scores of a stored first look; None for a lost draw."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What a suspect is held against: the stored answers with the skill (the first ten, or the exact test would take for
    ever), those without it, and today's without it. cases: how many cases have stored answers, N of the formula. reused:
    today's without it are stored ones too."""

    old: Answers
    old_without: Answers
    new_without: Answers
    cases: int
    reused: bool = False

    def never(self) -> str:
        """A word of NEVER: single_answer (fewer than two in an arm), old_draws (too few for a p as small as is asked) or
        reused_arm; empty when fresh answers could make the case likely."""
        if min(len(side) for side in (self.old, self.old_without, self.new_without)) < 2:
            return "single_answer"
        if ERROR_RATE[1] * self.cases > ERROR_RATE[0] * comb(FRESH + len(self.old), FRESH):
            return "old_draws"
        return "reused_arm" if self.reused else ""


def wanted_alone(fresh: Scores, stored: Stored) -> int:
    """Fresh draws with the skill that are certain: the first three, and ten once those lie the floor below the stored ones."""
    return FRESH if _is_futile(fresh, stored) is False else FUTILITY_AFTER


def judge_alone(suspect: Suspect, fresh: Scores, stored: Stored, unfinished: str) -> Outcome:
    """D-3 of docs/readings.md on one suspect: `likely`, or `cannot_tell` with the first condition that failed.

    likely when round6(old - fresh) >= 0.05, the exact p of fresh against stored draws is at most 0.01 / N, and the difference
    in differences (fresh - old) - (new_without - old_without) is at most -0.05 at one-sided p <= 0.01 / N by
    Welch-Satterthwaite over the four variances (s^2 + q^2 / 12) / n. Lost draws count as the score most against the fall.
    unfinished: the reason of a suspect whose draws are not all there.
    """
    futile = _is_futile(fresh, stored)
    n = FRESH if futile is False else FUTILITY_AFTER
    if futile is None or not all(i in fresh for i in range(n)):
        return Outcome(suspect, "unconfirmed", unfinished, Trial("", False, CERTAIN, None, None))
    drawn = [fresh[i] for i in range(n)]
    now, old = _filled(drawn, WORST_LOW), _filled(stored.old, WORST_HIGH)
    figures = _gap(stored.old, drawn), round6(mean(old) - mean(now))
    if futile and figures[0] is not None:
        return Outcome(suspect, CANNOT_TELL, "futility", Trial("futility", False, CERTAIN, *figures))
    if futile or sum(score is None for score in drawn) > MAX_LOST:
        return Outcome(suspect, CANNOT_TELL, "lost_draws", Trial("lost", False, CERTAIN, *figures))
    count = Count(*exact_count(millionths(now), millionths(old)))
    lift = _lift(now, old, _filled(stored.new_without, WORST_HIGH), _filled(stored.old_without, WORST_LOW))
    share = ERROR_RATE[1] * stored.cases
    checks = (
        ("floor", figures[1] >= EFFECT_FLOOR),
        ("p", count.count * share <= ERROR_RATE[0] * count.total),
        ("lift", lift.value <= -EFFECT_FLOOR),
        ("lift_p", lift.p * share <= ERROR_RATE[0]),
    )
    failed = next((name for name, holds in checks if not holds), "")
    return Outcome(suspect, CANNOT_TELL if failed else LIKELY, failed, Trial("complete", True, count, *figures), lift=lift)


def _is_futile(fresh: Scores, stored: Stored) -> bool | None:
    """Whether the first three fresh draws lie less than the floor below the stored ones; None: not all known. Stopping here
    takes readings away and adds none."""
    if not all(i in fresh for i in range(FUTILITY_AFTER)):
        return None
    now = _filled([fresh[i] for i in range(FUTILITY_AFTER)], WORST_LOW)
    return round6(mean(_filled(stored.old, WORST_HIGH)) - mean(now)) < EFFECT_FLOOR


def _lift(now: list[float], old: list[float], now_without: list[float], old_without: list[float]) -> Lift:
    sides = [Band(mean(side), sd(side), len(side)) for side in (now, old, now_without, old_without)]
    value = round6((sides[0].mean - sides[1].mean) - (sides[2].mean - sides[3].mean))
    terms = tuple((mean_variance(band), band.n) for band in sides)
    return Lift(value, t_tail(-value / sqrt(sum(variance for variance, _ in terms)), satterthwaite(terms)))


def _filled(scores: Answers, worst: float) -> list[float]:
    return [worst if score is None else score for score in scores]


def _gap(old: Answers, fresh: Answers) -> float | None:
    before, after = ([score for score in side if score is not None] for side in (old, fresh))
    return round6(mean(before) - mean(after)) if before and after else None
