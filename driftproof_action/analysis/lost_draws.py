"""What a reading is worth when draws of the case were lost. Not: why they were lost.

This is the cautious form: a separation that rests on any lost draw does not hold, and a case that is not separated with
a lost draw could not tell. Bounding a lost draw by every score it could have had, which lets some of these readings hold,
is not part of it, with one exception: a case whose mean could not fall by the floor whatever was lost may not regress.
"""

from __future__ import annotations

from dataclasses import dataclass

from driftproof_action.analysis.bands import EFFECT_FLOOR, POWER_Z, Power, gap, power, separation
from driftproof_action.analysis.evidence import CaseEvidence

SLACK = 2e-6
"""How far a bound is widened, so that six-place rounding never turns a possible fall into an impossible one."""


@dataclass(frozen=True, slots=True)
class CaseReading:
    """sign: +1 up, -1 down, 0 not separated. held: the separation rests on no lost draw. may_fall: some score of the lost
    draws would separate the case down. gap: target mean - other mean, six places."""

    id: str
    sign: int
    held: bool
    may_fall: bool
    gap: float
    power: Power

    @property
    def word(self) -> str:
        """separated_up, separated_down, inconclusive, not_separated or underpowered."""
        if self.sign and not self.held:
            return "inconclusive"
        if self.sign:
            return "separated_up" if self.sign > 0 else "separated_down"
        return self.power.word


def read_case(case: CaseEvidence, floor: float = EFFECT_FLOOR, z: int = POWER_Z) -> CaseReading | None:
    """R-1 to R-4 with losses taken into account; None when an arm measured nothing."""
    target, other = case.target.band, case.other.band
    if target is None or other is None:
        return None
    found = power(target, other, floor, z)
    sign = separation(target, other, floor)
    if not case.lost:
        return CaseReading(case.id, sign, sign != 0, sign < 0, gap(target, other), found)
    may_fall = case.other.mean_range()[1] - case.target.mean_range()[0] >= floor - SLACK
    if not sign:
        found = Power("underpowered", "lost_draws", found.resolution)
    return CaseReading(case.id, sign, False, may_fall, gap(target, other), found)
