"""Student's t: how rare a t as large as this one is, and which t is that rare. Not: where a t comes from."""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, lgamma, log, log1p, pi, sqrt

ASYMPTOTIC_FROM = 50.0
"""Half the degrees of freedom from which the ratio of two gamma values is summed as a series; the first term left out is
below 2e-14 there, while a difference of two large logarithms would lose digits."""

TINY = 1e-300
LONGEST = 20_000
"""Terms of the continued fraction; it needs about the root of the degrees of freedom."""


def t_tail(t: float, df: float) -> float:
    """P(T >= t) for Student's t with df > 0 degrees of freedom (not necessarily whole), to a relative 1e-9.

    Source: P(T >= t) = I_x(df / 2, 1 / 2) / 2 with x = df / (df + t^2) for t >= 0 (DLMF 8.17, Abramowitz and Stegun
    26.7.1); the incomplete beta by its continued fraction DLMF 8.17.22. Raises ValueError for df <= 0.
    """
    if not df > 0:
        raise ValueError(f"no t distribution with {df} degrees of freedom")
    if t < 0:
        return 1.0 - t_tail(-t, df)
    ratio = t * t / df
    if ratio == 0:
        return 0.5
    if ratio == inf:
        return 0.0
    a, x, y = df / 2, 1 / (1 + ratio), ratio / (1 + ratio)
    front = exp(_log_gamma_step(a) - a * log1p(ratio)) * sqrt(y / pi)
    if x <= (a + 1) / (a + 2.5):
        return 0.5 * front / a * _fraction(a, 0.5, x)
    return 0.5 - front * _fraction(0.5, a, y)


@lru_cache(maxsize=512)
def t_upper(alpha: float, df: float) -> float:
    """The t with P(T >= t) = alpha, by bisection to the last bits; t_upper(0.025, df) bounds a two-sided 95 % interval.

    Raises ValueError unless 0 < alpha <= 0.5 and df > 0.
    """
    if not 0 < alpha <= 0.5:
        raise ValueError(f"no upper t at {alpha}")
    low, high = 0.0, 1.0
    while t_tail(high, df) > alpha:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if t_tail(middle, df) > alpha else (low, middle)
    return high


def _log_gamma_step(a: float) -> float:
    """ln gamma(a + 1/2) - ln gamma(a). Source of the series: DLMF 5.11.13."""
    if a < ASYMPTOTIC_FROM:
        return lgamma(a + 0.5) - lgamma(a)
    return log(a) / 2 - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta by Lentz's method: I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) times it."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, LONGEST):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away(1 + term * d)
            c = _away(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _away(value: float) -> float:
    """Not zero: a step of Lentz's method divides by it."""
    return value if abs(value) > TINY else TINY
