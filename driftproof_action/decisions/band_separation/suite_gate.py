"""Whether the suite as a whole moved: one t test over its cases. Not: which case did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from driftproof_action.analysis.bands import EFFECT_FLOOR, gap
from driftproof_action.analysis.evidence import CaseEvidence
from driftproof_action.analysis.paired import Paired, paired
from driftproof_action.decisions.band_separation.constants import MIN_CASES_SUITE
from driftproof_action.domain.arithmetic import round6


@dataclass(frozen=True, slots=True)
class Difference:
    """d of one kept case, and the least and most it could be over every score of the draws it lost."""

    case: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SuiteReading:
    """word: suite_down, suite_up, suite_flat or not_given, with the reason. looks_down: the numbers alone say so, whatever
    keeps the reading from being given. statistics None: fewer than two kept cases."""

    word: str
    reason: str
    differences: tuple[Difference, ...]
    statistics: Paired | None
    looks_down: bool = False


def read_suite(pairs: Sequence[CaseEvidence], alpha: float, *, withhold: str = "") -> SuiteReading:
    """C-3 and C-7 of docs/readings.md over the cases measured in both arms.

    down: round6(mean d) <= -0.05 and P(T <= t) <= alpha; up mirrored. With lost draws it must also hold with every d moved
    to the end of its range that speaks most against it; else not_given, reason lost_draws. withhold: why no reading may be
    given whatever the numbers (an arm reused, a look cut short).
    """
    kept = tuple(item for item in (_difference(pair) for pair in pairs) if item)
    statistics = paired([item.value for item in kept]) if len(kept) > 1 else None
    if statistics is None or len(kept) < MIN_CASES_SUITE:
        return SuiteReading("not_given", withhold or "few_cases", kept, statistics)
    sign = _moved(statistics, alpha)
    held = not sign or not any(pair.lost for pair in pairs) or _holds(kept, sign, alpha)
    looks_down = sign < 0 and held
    if withhold:
        return SuiteReading("not_given", withhold, kept, statistics, looks_down)
    if not held:
        return SuiteReading("not_given", "lost_draws", kept, statistics)
    return SuiteReading(("suite_flat", "suite_up", "suite_down")[sign], "", kept, statistics, looks_down)


def _difference(pair: CaseEvidence) -> Difference | None:
    target, other = pair.target.band, pair.other.band
    if target is None or other is None:
        return None
    value = gap(target, other)
    if not pair.lost:
        return Difference(pair.id, value, value, value)
    ours, theirs = pair.target.envelope(), pair.other.envelope()
    return Difference(pair.id, value, ours.mean_low - theirs.mean_high, ours.mean_high - theirs.mean_low)


def _moved(found: Paired, alpha: float) -> int:
    """+1, -1 or 0: the test on one set of differences."""
    mean = round6(found.mean)
    if mean <= -EFFECT_FLOOR and found.p_down() <= alpha:
        return -1
    return 1 if mean >= EFFECT_FLOOR and found.p_up() <= alpha else 0


def _holds(kept: Sequence[Difference], sign: int, alpha: float) -> bool:
    worst = paired([item.low if sign > 0 else item.high for item in kept])
    return _moved(worst, alpha) == sign
