"""The readings of a lift as a receipt stores them: a word, a reason and the numbers they stand on. Not: how they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from driftproof_action.analysis.evidence import CaseEvidence
from driftproof_action.analysis.lost_draws import CaseReading
from driftproof_action.analysis.suite_band import SuiteBand
from driftproof_action.decisions.band_separation.ladder import missing_draws
from driftproof_action.domain.arithmetic import mean, round6
from driftproof_action.domain.reading import Reading, Scalar

NAME = "band_separation/published-1"
ROLES = ("with_skill", "baseline")
"""The arm a lift is about, and the one it is set against."""

NOTHING: Mapping[str, int] = {}
ABSURD = 1e6
"""A resolution no scores between 0 and 1 can have: a file's spread was made up, and the figure is left out."""


def case_reading(
    evidence: CaseEvidence, read: CaseReading | None, *, holes: Mapping[str, int] = NOTHING, more: Mapping[str, Scalar | None] = NOTHING
) -> Reading:
    """What the rule says of one case. read None: an arm measured nothing, and the commonest of `holes` (reason → draws) says
    why. more: further numbers to store."""
    numbers: dict[str, Scalar | None] = {}
    for role, side in zip(ROLES, (evidence.target, evidence.other), strict=True):
        band = side.band
        numbers |= {
            f"{role}_mean": band.mean if band else None,
            f"{role}_sd": band.sd if band else None,
            f"{role}_n": band.n if band else 0,
            f"{role}_lost": side.lost,
        }
    numbers |= more
    if read is None:
        reason = min(holes, key=lambda name: (-holes[name], name)) if holes else "not_drawn"
        return Reading(NAME, evidence.id, "not_measured", reason, numbers)
    width = read.power.resolution
    shown = None if width is None or width > ABSURD else round6(width)
    numbers |= {"gap": read.gap, "resolution": shown, "draws_needed": read.power.needed}
    return Reading(NAME, evidence.id, read.word, "lost_draws" if read.word == "inconclusive" else read.power.reason, numbers)


def suite_reading(found: Sequence[CaseReading], cases: int, band: SuiteBand | None = None) -> Reading:
    """What stands over all cases: how many there are and were measured, the mean gap, the draws that are missing, and how
    far the cases scatter (None when losses leave that open, or below two cases)."""
    reason, needed = missing_draws(found)
    numbers: dict[str, Scalar | None] = {
        "cases": cases,
        "measured_cases": len(found),
        "gap": mean([read.gap for read in found]) if found else None,
        "draws_needed": needed,
        "up": sum(read.word == "separated_up" for read in found),
        "down": sum(read.word == "separated_down" for read in found),
        "band": round6(band.width) if band and band.width < ABSURD else None,
        "between_cases": band.between if band else None,
    }
    return Reading("suite", "suite", "read" if found else "not_measured", reason, numbers)
