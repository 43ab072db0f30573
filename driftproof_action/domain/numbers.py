"""The arithmetic every room shares: rounding and plain means. Not: any statistic with a meaning (analysis/)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor


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
