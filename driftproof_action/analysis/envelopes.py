"""Everything an arm's band could have been, had its lost draws been scored. Not: what follows for a case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, sqrt

from driftproof_action.analysis.bands import Band
from driftproof_action.domain.arithmetic import total

SLACK = 2e-6
"""How far every bound is widened: a filled mean and spread are rounded to six places, and their sum is off by at most 1e-6."""

GOLDEN = (sqrt(5) - 1) / 2
STEPS = 60
"""Golden-section steps: 0.618^60 of the unit interval is below 1e-12."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """Bounds over every score the lost draws could have had, each widened by SLACK.

    low, high: of mean - sd and mean + sd. highest_low, lowest_high: the most favourable ends, highest mean - sd and lowest
    mean + sd. mean_low, mean_high, sd_high: of mean and sd. n: draws with the lost ones; a bound is infinite when the losses
    are not on record.
    """

    low: float
    high: float
    highest_low: float
    lowest_high: float
    mean_low: float
    mean_high: float
    sd_high: float
    n: int

    @staticmethod
    def around(band: Band) -> Envelope:
        """The envelope of an arm that lost nothing: its band, widened like the others."""
        low, high = band.low, band.high
        return Envelope(low - SLACK, high + SLACK, low + SLACK, high - SLACK, band.mean - SLACK, band.mean + SLACK, band.sd + SLACK, band.n)


def unbounded(n: int) -> Envelope:
    """Of n draws some are lost and nobody recorded which."""
    return Envelope(-inf, inf, inf, -inf, 0.0, 1.0, inf, n)


def envelope(scores: Sequence[float], lost: int) -> Envelope:
    """The published envelope of an arm with these measured scores and `lost` draws without one, at least one of each.

    mean - sd is concave in the lost scores (a spread is a norm), so it is lowest, and mean + sd highest, where each lost
    score is 0 or 1: all counts of zeros are tried. Being symmetric too, it is highest where all lost scores are equal; that
    score is found by golden section on [0, 1] and both ends. Source: the published rule, R-5; docs/readings.md. Raises ValueError
    without a measured or a lost draw.
    """
    if not scores or lost < 1:
        raise ValueError("an envelope needs a measured and a lost draw")
    n = len(scores) + lost
    known = total(scores)
    centre = known / len(scores)
    square = total((score - centre) * (score - centre) for score in scores)
    corners = [_moments([*scores, *(0.0,) * zeros, *(1.0,) * (lost - zeros)]) for zeros in range(lost + 1)]

    def alike(score: float) -> tuple[float, float]:
        """The same with every lost draw at one score: squares around the joint mean from those around the measured one."""
        middle = (known + lost * score) / n
        moved = len(scores) * (centre - middle) ** 2 + lost * (score - middle) ** 2
        return middle, sqrt((square + moved) / (n - 1))

    return Envelope(
        low=min(middle - spread for middle, spread in corners) - SLACK,
        high=max(middle + spread for middle, spread in corners) + SLACK,
        highest_low=_peak(lambda score: alike(score)[0] - alike(score)[1]) + SLACK,
        lowest_high=-_peak(lambda score: -alike(score)[0] - alike(score)[1]) - SLACK,
        mean_low=known / n - SLACK,
        mean_high=(known + lost) / n + SLACK,
        sd_high=max(spread for _, spread in corners) + SLACK,
        n=n,
    )


def _moments(scores: Sequence[float]) -> tuple[float, float]:
    """Mean and sample spread, not rounded; a single score has no spread."""
    middle = total(scores) / len(scores)
    square = total((score - middle) * (score - middle) for score in scores)
    return middle, sqrt(square / (len(scores) - 1)) if len(scores) > 1 else 0.0


def _peak(of: Callable[[float], float]) -> float:
    """The highest value of a concave function on [0, 1]: golden section (Kiefer 1953) and both ends."""
    low, high = 0.0, 1.0
    one, two = high - GOLDEN, low + GOLDEN
    first, second = of(one), of(two)
    for _ in range(STEPS):
        if first < second:
            low, one, first = one, two, second
            two = low + GOLDEN * (high - low)
            second = of(two)
        else:
            high, two, second = two, one, first
            one = high - GOLDEN * (high - low)
            first = of(one)
    return max(first, second, of(0.0), of(1.0))
