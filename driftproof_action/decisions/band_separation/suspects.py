"""Which cases of a first look deserve fresh draws. Not: whether they are any different: a suspect is neither better nor worse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from driftproof_action.analysis.bands import EFFECT_FLOOR, Band, gap, separation
from driftproof_action.analysis.evidence import CaseEvidence
from driftproof_action.analysis.welch import Welch, welch
from driftproof_action.decisions.band_separation.constants import SUSPECT_P


@dataclass(frozen=True, slots=True)
class Suspect:
    """sign: direction of the first look's means. by: what noticed it, `r1`, `welch` or `both`. target, other: the bands used."""

    case: str
    sign: int
    gap: float
    by: str
    welch: Welch
    target: Band
    other: Band


def suspect(case: str, target: Band | None, other: Band | None) -> Suspect | None:
    """C-2 of docs/readings.md: the bands are apart (R-1), or the means differ by the floor and Welch's p is at most 0.05.

    None: nothing to look at again, or fewer than two draws in an arm.
    """
    if target is None or other is None or target.n < 2 or other.n < 2:
        return None
    distance = gap(target, other)
    if abs(distance) < EFFECT_FLOOR:
        return None  # R-1 asks for the floor too
    found = welch(target, other)
    by_bands, by_welch = separation(target, other) != 0, found.p <= SUSPECT_P
    if not by_bands and not by_welch:
        return None
    by = "both" if by_bands and by_welch else "r1" if by_bands else "welch"
    return Suspect(case, 1 if distance > 0 else -1, distance, by, found, target, other)


def find_suspects(pairs: Iterable[CaseEvidence]) -> tuple[Suspect, ...]:
    """Clearest first: smallest p, then the larger gap, then the case id."""
    found = (suspect(pair.id, pair.target.band, pair.other.band) for pair in pairs)
    return tuple(sorted((item for item in found if item), key=lambda item: (item.welch.p, -abs(item.gap), item.case)))
