"""Whether the cases of a suite scatter too widely for its mean to show the floor, and what would help. Not: a case's reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal

from driftproof_action.analysis.bands import EFFECT_FLOOR
from driftproof_action.analysis.evidence import ArmEvidence, CaseEvidence
from driftproof_action.domain.arithmetic import round6, sd, total

Driver = Literal["", "cases", "draws", "unknown"]


@dataclass(frozen=True, slots=True)
class SuiteBand:
    """width: the band of the comparison, infinite when losses are unbounded. between: the part of it that lies between the
    cases, six places, None when it cannot be told. driver: what would narrow a wide band: more cases, more draws, or
    `unknown`; empty when the band is narrow."""

    width: float
    between: float | None
    driver: Driver

    @property
    def wide(self) -> bool:
        return self.width >= EFFECT_FLOOR


def suite_band(cases: Sequence[CaseEvidence]) -> SuiteBand | None:
    """The wide-band rung of the published ladder over the readable cases; None below two of them.

    Band = sqrt(W^2 + B^2); W, B = sample sd of the arm's case means, plus sqrt(sum(width^2) / (k - 1)) where width is the most
    a case's mean could move over its lost draws (a spread is a norm, so this bounds it). Attribution, method of moments: an
    arm's between-variance is max(0, var(case means) - mean(s^2 / n)); `between` is the root of both arms' sum. It is defined
    when every kept arm has two draws, lost none and recorded the spread of its draws.
    """
    kept = [case for case in cases if case.readable]
    if len(kept) < 2:
        return None
    arms = [[case.target for case in kept], [case.other for case in kept]]
    width = sqrt(sum(_spread(arm) ** 2 for arm in arms))
    if width < EFFECT_FLOOR:
        return SuiteBand(width, None, "")
    if not all(_attributable(side) for arm in arms for side in arm):
        return SuiteBand(width, None, "unknown")
    between = round6(sqrt(sum(_between(arm) for arm in arms)))
    return SuiteBand(width, between, "cases" if between >= EFFECT_FLOOR else "draws")


def _spread(arm: Sequence[ArmEvidence]) -> float:
    moves = [_most_moved(side) for side in arm]
    if inf in moves:
        return inf
    return sd([side.band.mean for side in arm if side.band]) + sqrt(total(move * move for move in moves) / (len(arm) - 1))


def _most_moved(side: ArmEvidence) -> float:
    if not side.lost or side.band is None:
        return 0.0
    could = side.envelope()
    if could.sd_high == inf:
        return inf
    return max(could.mean_high - side.band.mean, side.band.mean - could.mean_low)


def _attributable(side: ArmEvidence) -> bool:
    return side.band is not None and side.band.n >= 2 and not side.lost and side.band.source == "generation"


def _between(arm: Sequence[ArmEvidence]) -> float:
    bands = [side.band for side in arm if side.band]
    middle = total(band.mean for band in bands) / len(bands)
    across = total((band.mean - middle) ** 2 for band in bands) / (len(bands) - 1)
    within = total(band.sd * band.sd / band.n for band in bands) / len(bands)
    return max(0.0, across - within)
