"""Exact intervals for a rate: how far from passes / n the true rate may lie. Not: bands of scores, tests of two rates."""

from __future__ import annotations

import math

from driftproof_action.domain.arithmetic import round6

CONFIDENCE = 0.95
HALVINGS = 60
"""Bisection steps: the unit interval cut 2^60 times is finer than a double near 1."""


def upper_tail(passes: int, n: int, rate: float) -> float:
    """P(X >= passes) for X binomial(n, rate), summed term by term from the largest exponent down in logarithms.

    Equal to the regularised incomplete beta I_rate(passes, n - passes + 1).
    """
    if passes <= 0:
        return 1.0
    if rate <= 0.0:
        return 0.0
    if rate >= 1.0:
        return 1.0
    up, down = math.log(rate), math.log1p(-rate)
    whole = math.lgamma(n + 1)
    terms = [math.exp(whole - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * up + (n - k) * down) for k in range(passes, n + 1)]
    return min(1.0, math.fsum(terms))


def clopper_pearson(passes: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The exact two-sided interval of a rate, both ends six places; (0, 1) for n = 0.

    Source: Clopper and Pearson 1934. low solves P(X >= passes | low) = alpha / 2, high solves P(X <= passes | high) =
    alpha / 2, alpha = 1 - confidence. Raises ValueError unless 0 <= passes <= n and 0 < confidence < 1.
    """
    if not 0 <= passes <= n or not 0 < confidence < 1:
        raise ValueError(f"no interval for {passes} of {n} at {confidence}")
    tail = (1 - confidence) / 2
    low = 0.0 if passes == 0 else _crossing(passes, n, tail)
    high = 1.0 if passes == n else _crossing(passes + 1, n, 1 - tail)
    return round6(low), round6(high)


def _crossing(passes: int, n: int, level: float) -> float:
    """The rate at which P(X >= passes), which only rises with the rate, reaches `level`."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if upper_tail(passes, n, middle) < level else (low, middle)
    return (low + high) / 2
