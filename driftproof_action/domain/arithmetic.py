"""The arithmetic every published figure goes through: rounding, mean, sample spread. Not: what any figure means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor, sqrt


def round6(value: float) -> float:
    """Six decimals, ties toward +infinity, never -0.0. Source: receipt format, floor(x * 10^6 + 0.5) / 10^6."""
    return floor(value * 1e6 + 0.5) / 1e6 + 0.0


def total(values: Iterable[float]) -> float:
    """The sum added from left to right in doubles, as every reader of a receipt adds (sum() compensates from 3.12 on)."""
    out = 0.0
    for value in values:
        out += value
    return out


def mean(values: Sequence[float]) -> float:
    """round6 of the arithmetic mean; 0.0 for no values."""
    return round6(total(values) / len(values)) if values else 0.0


def sd(values: Sequence[float]) -> float:
    """round6 of the sample standard deviation (n - 1) around the unrounded mean; 0.0 below two values.

    [0.5, 0.5, 0.45] has mean 0.483333 and sd 0.028868.
    """
    if len(values) < 2:
        return 0.0
    centre = total(values) / len(values)
    return round6(sqrt(total((value - centre) * (value - centre) for value in values) / (len(values) - 1)))


def quadrature(first: float, second: float) -> float:
    """round6 of the root of the sum of squares: how two independent spreads add up."""
    return round6(sqrt(first * first + second * second))
