"""What a reading is worth when draws of the case were lost: it holds only if every score they could have had agrees.
Not: why they were lost."""

from __future__ import annotations

from dataclasses import dataclass

from driftproof_action.analysis.bands import EFFECT_FLOOR, POWER_Z, Band, Power, gap, power, resolution, separation
from driftproof_action.analysis.envelopes import Envelope
from driftproof_action.analysis.evidence import CaseEvidence


@dataclass(frozen=True, slots=True)
class CaseReading:
    """sign: +1 up, -1 down, 0 not separated, as the measured draws read. held: every score of the lost draws reads the
    same. may_fall: some score of the lost draws would separate the case down. gap: target mean - other mean, six places."""

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
    """R-1 to R-4 with losses taken into account (R-5); None when an arm measured nothing.

    A separation that does not hold reads `inconclusive`; without one, a case whose losses could separate it or hide the
    floor is underpowered, reason lost_draws, with no count.
    """
    target, other = case.target.band, case.other.band
    if target is None or other is None:
        return None
    found = power(target, other, floor, z)
    sign = separation(target, other, floor)
    if not case.lost:
        return CaseReading(case.id, sign, sign != 0, sign < 0, gap(target, other), found)
    ours, theirs = case.target.envelope(), case.other.envelope()
    may_fall = may_separate_down(ours, theirs, floor)
    if sign:
        held = holds_apart(ours, theirs, floor) if sign > 0 else holds_apart(theirs, ours, floor)
        return CaseReading(case.id, sign, held, may_fall, gap(target, other), found)
    if found.word != "not_separated" or not holds_flat(ours, theirs, floor, z=z):
        found = Power("underpowered", "lost_draws", found.resolution)
    return CaseReading(case.id, 0, False, may_fall, gap(target, other), found)


def holds_apart(upper: Envelope, lower: Envelope, floor: float = EFFECT_FLOOR) -> bool:
    """Whatever was lost, `upper` separates above `lower`."""
    return upper.low > lower.high and upper.mean_low - lower.mean_high >= floor


def holds_flat(one: Envelope, two: Envelope, floor: float = EFFECT_FLOOR, *, z: int = POWER_Z) -> bool:
    """Whatever was lost, the two do not separate and a difference of the floor would have shown."""
    near = one.mean_high - two.mean_low < floor and two.mean_high - one.mean_low < floor
    width = resolution(Band(0.0, one.sd_high, one.n), Band(0.0, two.sd_high, two.n), z)
    return near and width is not None and width < floor


def may_separate_down(target: Envelope, other: Envelope, floor: float = EFFECT_FLOOR) -> bool:
    """Some score of the lost draws could put the target's band below the other's by the floor."""
    return other.highest_low > target.lowest_high and other.mean_high - target.mean_low >= floor
