"""Rounding, mean, sample spread: the arithmetic every published figure goes through. Not: what any figure means."""

from __future__ import annotations

import math
from collections.abc import Sequence

from driftproof_action.domain.numbers import mean, round6

__all__ = ["mean", "quadrature", "round6", "sd"]


def sd(values: Sequence[float]) -> float:
    """round6 of the sample standard deviation (n - 1) around the unrounded mean; 0.0 below two values.

    Added left to right in plain doubles: newer Pythons compensate inside sum(), which other readers of a receipt do not.
    [0.5, 0.5, 0.45] has mean 0.483333 and sd 0.028868.
    """
    if len(values) < 2:
        return 0.0
    total = 0.0
    for value in values:
        total += value
    centre = total / len(values)
    squares = 0.0
    for value in values:
        squares += (value - centre) * (value - centre)
    return round6(math.sqrt(squares / (len(values) - 1)))


def quadrature(first: float, second: float) -> float:
    """round6 of the root of the sum of squares: how two independent spreads add up."""
    return round6(math.sqrt(first * first + second * second))
