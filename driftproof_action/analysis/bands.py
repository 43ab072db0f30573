"""Two bands of one case set against each other: apart or not, and what the draws could have shown. Not: lost draws, verdicts.

Sources of the formulas: the published rule, R-1 (apart), R-2 (resolution), R-3 (power), R-4 (draws needed), as
docs/comparing.md spells them out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from driftproof_action.domain.arithmetic import round6

EFFECT_FLOOR = 0.05
"""The smallest difference of two means that counts, on the score scale 0..1; the floor itself counts."""

POWER_Z = 2
"""Standard errors a difference of the floor has to stand above."""

BandSource = Literal["generation", "legacy"]
PowerWord = Literal["separated", "not_separated", "underpowered"]
PowerReason = Literal["", "single_draw", "spread", "draws", "lost_draws"]


@dataclass(frozen=True, slots=True)
class Band:
    """mean ± one sample standard deviation over n draws of one case in one arm.

    source `legacy`: one answer was drawn (n is 1) and the spread is the judge's over that answer.
    """

    mean: float
    sd: float
    n: int
    source: BandSource = "generation"

    @property
    def low(self) -> float:
        return self.mean - self.sd

    @property
    def high(self) -> float:
        return self.mean + self.sd


@dataclass(frozen=True, slots=True)
class Power:
    """What two bands say of one case.

    reason: why it is underpowered. resolution: R-2 in score units, None below two draws an arm. needed: draws an arm at
    which the floor would show at these spreads, None when no number of draws would or none is needed.
    """

    word: PowerWord
    reason: PowerReason = ""
    resolution: float | None = None
    needed: int | None = None


def apart(target: Band, other: Band) -> bool:
    """The bands do not overlap; bands that touch overlap."""
    return target.low > other.high or other.low > target.high


def gap(target: Band, other: Band) -> float:
    """target mean - other mean, six places."""
    return round6(target.mean - other.mean)


def separation(target: Band, other: Band, floor: float = EFFECT_FLOOR) -> int:
    """R-1: +1 target above, -1 target below, 0 not separated. Bands apart and means at least `floor` apart.

    The distance is rounded to six places first: two means exactly one floor apart must not fall below it in doubles.
    """
    distance = gap(target, other)
    if not apart(target, other) or abs(distance) < floor:
        return 0
    return 1 if distance > 0 else -1


def resolution(target: Band, other: Band, z: int = POWER_Z) -> float | None:
    """R-2: s_w + s_b + z * sqrt(s_w^2 / n_w + s_b^2 / n_b); None when an arm has fewer than two draws."""
    if target.n < 2 or other.n < 2:
        return None
    error = math.sqrt(target.sd * target.sd / target.n + other.sd * other.sd / other.n)
    return target.sd + other.sd + z * error


def draws_needed(target: Band, other: Band, floor: float = EFFECT_FLOOR, z: int = POWER_Z) -> int | None:
    """R-4: draws an arm at which R-2 comes under the floor; None when the spreads alone fill it.

    max(2, floor(z^2 * (s_w^2 + s_b^2) / (floor - s_w - s_b)^2) + 1).
    """
    left = floor - target.sd - other.sd
    if left <= 0:
        return None
    return max(2, math.floor(z * z * (target.sd * target.sd + other.sd * other.sd) / (left * left)) + 1)


def power(target: Band, other: Band, floor: float = EFFECT_FLOOR, z: int = POWER_Z) -> Power:
    """R-3: separated, not separated, or too few or too scattered draws to tell."""
    width = resolution(target, other, z)
    if separation(target, other, floor):
        return Power("separated", "", width)
    if width is None:
        return Power("underpowered", "single_draw", None, 2)
    if width < floor:
        return Power("not_separated", "", width)
    needed = draws_needed(target, other, floor, z)
    return Power("underpowered", "spread" if needed is None else "draws", width, needed)
