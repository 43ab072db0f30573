"""Whether scores and lift fell together between two receipts, and whether the ground under them moved. Not: a single case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from driftproof_action.analysis.bands import EFFECT_FLOOR
from driftproof_action.analysis.paired import DIFFERENCE_VARIANCE, Paired, paired
from driftproof_action.comparison.evidence import arm_evidence, reuses
from driftproof_action.decisions.band_separation.constants import ALPHA_SUITE, MIN_CASES_SUITE
from driftproof_action.domain.arithmetic import round6
from driftproof_action.receipts.view import ReceiptView


@dataclass(frozen=True, slots=True)
class Quartet:
    """The means of one shared case: with and without the skill, in the older receipt and in the newer."""

    case: str
    old_with: float
    old_without: float
    new_with: float
    new_without: float


@dataclass(frozen=True, slots=True)
class SuiteDrift:
    """word: suite_drift_down, suite_drift_up, ground_moved, none or not_given, with the reason. Only suite_drift_down gates.

    scores: of the answers with the skill (M). lift: of the difference of lifts (L). ground: of the answers without the skill
    (B). All three are None below two shared cases.
    """

    word: str
    reason: str
    scores: Paired | None
    lift: Paired | None
    ground: Paired | None

    @property
    def gates(self) -> bool:
        return self.word == "suite_drift_down"

    def ground_interval(self) -> tuple[float, float] | None:
        """D-4: the 95 % interval of how far the answers without the skill moved; part of a difference is not the skill's when
        it excludes zero."""
        return self.ground.interval(0.95) if self.ground else None


def read_suite_drift(old: ReceiptView, new: ReceiptView, compared: Sequence[str]) -> SuiteDrift:
    """D-2 over the compared cases that both receipts measured in both arms.

    Nothing gates where an arm was taken over from another receipt (reused_arm), or a case rests on one answer (single_answer,
    L-1): the numbers are given all the same.
    """
    cases: list[Quartet] = []
    single = False
    for id in compared:
        bands = [arm_evidence(view, id, arm).band for view in (old, new) for arm in ("with_skill", "baseline")]
        known = [band for band in bands if band is not None]
        if len(known) == len(bands):
            cases.append(Quartet(id, *(band.mean for band in known)))
            single = single or any(band.source == "legacy" for band in known)
    reused = any(reuses(view) for view in (old, new))
    return suite_drift(cases, withhold="reused_arm" if reused else "single_answer" if single else "")


def suite_drift(cases: Sequence[Quartet], *, withhold: str = "") -> SuiteDrift:
    """D-2 and D-4 of docs/readings.md over the cases both receipts measured in both arms.

    Drift asks that the scores with the skill fell **and** the lift fell, each by the floor at one-sided 0.005: a judge, model
    or host that moved shifts both arms and leaves the lift alone. Both must reject, so nothing is corrected (an
    intersection-union test, Berger 1982). Scores alone: the ground moved. withhold: why nothing gates, e.g. an arm of one
    receipt was taken over from the other.
    """
    if len(cases) < 2:
        return SuiteDrift("not_given", withhold or "few_cases", None, None, None)
    scores = paired([round6(case.new_with - case.old_with) for case in cases])
    lift = paired([round6((case.new_with - case.new_without) - (case.old_with - case.old_without)) for case in cases], DIFFERENCE_VARIANCE)
    ground = paired([round6(case.new_without - case.old_without) for case in cases])
    if withhold or len(cases) < MIN_CASES_SUITE:
        return SuiteDrift("not_given", withhold or "few_cases", scores, lift, ground)
    moved, kept = _sign(scores), _sign(lift)
    if moved and moved == kept:
        return SuiteDrift("suite_drift_up" if moved > 0 else "suite_drift_down", "", scores, lift, ground)
    return SuiteDrift("ground_moved" if moved else "none", "", scores, lift, ground)


def _sign(found: Paired) -> int:
    mean = round6(found.mean)
    if mean <= -EFFECT_FLOOR and found.p_down() <= ALPHA_SUITE:
        return -1
    return 1 if mean >= EFFECT_FLOOR and found.p_up() <= ALPHA_SUITE else 0
