"""How far apart two draw means lie for their own scatter. Not: a decision: it only picks what to look at again."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from driftproof_action.analysis.bands import Band
from driftproof_action.analysis.student import t_tail

GRID = 0.05
"""q: the step judges score in. Scores on such a grid hide a variance of q^2 / 12 (uniform rounding)."""


@dataclass(frozen=True, slots=True)
class Welch:
    """t >= 0 and df > 0; p one-sided, in the direction the means show."""

    t: float
    df: float
    p: float


def mean_variance(band: Band) -> float:
    """Variance of a mean of n draws with the grid's own: (s^2 + q^2 / 12) / n."""
    return (band.sd * band.sd + GRID * GRID / 12) / band.n


def welch(target: Band, other: Band) -> Welch:
    """Welch 1947, with the variance of the score grid added: C-2 of docs/readings.md.

    v_a = (s_a^2 + q^2 / 12) / n_a; t = |m_w - m_b| / sqrt(v_w + v_b); df = (v_w + v_b)^2 / (v_w^2 / (n_w - 1) + v_b^2 / (n_b - 1)).
    Raises ValueError when an arm has fewer than two draws.
    """
    if target.n < 2 or other.n < 2:
        raise ValueError("two draws an arm are needed")
    one, two = mean_variance(target), mean_variance(other)
    t = abs(target.mean - other.mean) / sqrt(one + two)
    df = satterthwaite(((one, target.n), (two, other.n)))
    return Welch(t, df, t_tail(t, df))


def satterthwaite(terms: tuple[tuple[float, int], ...]) -> float:
    """Degrees of freedom of a sum of variances (value, draws it was measured on), Satterthwaite 1946; every n >= 2."""
    whole = sum(value for value, _ in terms)
    return whole * whole / sum(value * value / (n - 1) for value, n in terms)
