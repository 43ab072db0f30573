"""The exact permutation test of two small samples, in whole numbers. Not: an approximation, a resampling."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import comb, floor

MILLION = 1_000_000


def millionths(scores: Sequence[float]) -> list[int]:
    """Scores as whole millionths, ties upwards: sums of them are exact whatever the order."""
    return [floor(score * MILLION + 0.5) for score in scores]


def exact_count(low: Sequence[int], high: Sequence[int]) -> tuple[int, int]:
    """(count, total): of all `total` ways to choose len(low) of the pooled values, how many sum to at most sum(low).

    count / total is the one-sided p of "low is lower": Fisher's and Pitman's randomisation test, exact when the labels
    could have been swapped. The observed split is counted, and ties are, so p is never too small. C-5 of docs/readings.md.
    Meet in the middle (Horowitz and Sahni 1974): both halves' subset sums by size, 2 * 2^(n / 2) numbers instead of 2^n.
    Raises ValueError for an empty sample.
    """
    if not low or not high:
        raise ValueError("both samples need a value")
    pooled, size, limit = [*low, *high], len(low), sum(low)
    half = len(pooled) // 2
    left, right = _sums_by_size(pooled[:half]), [sorted(sums) for sums in _sums_by_size(pooled[half:])]
    count = 0
    for taken, sums in enumerate(left):
        if 0 <= size - taken < len(right):
            rest = right[size - taken]
            count += sum(bisect_right(rest, limit - value) for value in sums)
    return count, comb(len(pooled), size)


def _sums_by_size(values: Sequence[int]) -> list[list[int]]:
    """[k]: the sums of every choice of k values."""
    out: list[list[int]] = [[0]]
    for value in values:
        grown = [[*without, *(total + value for total in with_one)] for without, with_one in zip(out[1:], out, strict=False)]
        out = [out[0], *grown, [total + value for total in out[-1]]]
    return out
