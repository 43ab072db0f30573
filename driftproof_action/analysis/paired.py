"""One number a case, over all cases of a suite: its mean, how sure it is, what it could have shown. Not: the gate's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from driftproof_action.analysis.bands import EFFECT_FLOOR
from driftproof_action.analysis.student import t_tail, t_upper
from driftproof_action.analysis.welch import GRID
from driftproof_action.domain.arithmetic import total

LIFT_VARIANCE = GRID * GRID / 18
"""q^2 / 18: what the score grid hides of a lift measured with three draws an arm; keeps the error above zero when all
cases move alike."""

DIFFERENCE_VARIANCE = GRID * GRID / 9
"""q^2 / 9: the same for a difference of two lifts."""

POWER = 0.8
"""The chance at which a lift counts as one the run could have shown."""


@dataclass(frozen=True, slots=True)
class Paired:
    """n >= 2 differences: mean and sample sd unrounded, se = sqrt((sd^2 + grid variance) / n), t = mean / se, df = n - 1."""

    n: int
    mean: float
    sd: float
    se: float

    @property
    def df(self) -> int:
        return self.n - 1

    @property
    def t(self) -> float:
        return self.mean / self.se

    def p_up(self) -> float:
        """P(T >= t): how rare a mean this high is without an effect."""
        return t_tail(self.t, self.df)

    def p_down(self) -> float:
        """P(T <= t)."""
        return t_tail(-self.t, self.df)

    def interval(self, confidence: float) -> tuple[float, float]:
        """S-1: mean ± t((1 + confidence) / 2, n - 1) * se."""
        half = t_upper((1 - confidence) / 2, self.df) * self.se
        return self.mean - half, self.mean + half


def paired(differences: Sequence[float], variance: float = LIFT_VARIANCE) -> Paired:
    """The paired t statistics of a suite, C-3 of docs/readings.md. variance: what is added to the sample variance.

    Raises ValueError below two differences.
    """
    n = len(differences)
    if n < 2:
        raise ValueError("two cases are needed")
    middle = total(differences) / n
    square = total((value - middle) * (value - middle) for value in differences) / (n - 1)
    return Paired(n, middle, sqrt(square), sqrt((square + variance) / n))


def smallest_mean(se: float, df: int, alpha: float) -> float:
    """S-2: the smallest mean lift a run with this error shows four times in five: max(floor, (t(1 - alpha) + t(0.8)) * se)."""
    return max(EFFECT_FLOOR, (t_upper(alpha, df) + t_upper(1 - POWER, df)) * se)
