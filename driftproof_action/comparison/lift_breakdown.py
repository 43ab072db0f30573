"""The lift of one receipt, case by case: who carries it, who is hurt, what it would be without each. Not: a verdict.

Only scores of drawn answers are used; several judge scores of one answer never stand in for several answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from driftproof_action.analysis.evidence import CaseEvidence
from driftproof_action.analysis.lost_draws import read_case
from driftproof_action.comparison.evidence import arm_evidence
from driftproof_action.domain.arithmetic import mean, round6, sd
from driftproof_action.receipts.view import ReceiptView, RowView

ARMS = ("with_skill", "baseline")
MOST_CASES = 1000
MOST_DRAWS = 1000
"""Cases of a receipt, and drawn answers of a case in an arm, above which the table is not made."""
ROUNDING = 1.5e-6
"""How far a recorded mean or spread may lie from the one its draws give: both are rounded to six places."""

RECEIPT_REASONS: Mapping[str, str] = {
    "method": "the receipt is not of the method lift",
    "below_tested": "the receipt is not TESTED",
    "not_a_model": "no record says that a model answered",
    "smoke": "a smoke run earns no reading",
    "incomplete": "the run is incomplete",
    "narrowed": "only some cases of the suite were asked",
    "too_many_cases": f"the receipt has more than {MOST_CASES} cases",
    "grader_not_recorded": "who graded by which instructions is not recorded for every case in both arms",
    "grader_differs": "the two arms were not graded by one judge and the same instructions",
    "no_case": "no case was measured in both arms",
}
"""Why a receipt has no lift by case, in the order they are looked for."""

CASE_REASONS: Mapping[str, str] = {
    "failed_arm": "an arm measured nothing: the case counts in neither",
    "no_draws": "one answer an arm, or its draws are not recorded",
    "too_many_draws": f"more than {MOST_DRAWS} draws in an arm",
    "malformed_draws": "a draw is listed twice or its score is no number from 0 to 1",
    "contradictory_counts": "the draws counted are not the draws listed",
    "contradictory_scores": "mean or spread do not follow from the draws listed",
}
"""Why a case has no part in the lift. All but failed_arm leave the lift of the suite untold as well."""


@dataclass(frozen=True, slots=True)
class Side:
    """One arm of a case: mean and sample sd of the measured draw means (six places, None when nothing was measured)."""

    mean: float | None
    sd: float | None
    measured: int
    lost: int

    @property
    def drawn(self) -> int:
        return self.measured + self.lost


@dataclass(frozen=True, slots=True)
class CaseLift:
    """difference, without: this case's lift, and the suite's lift without this case, six places; None when untold. word:
    separated_up, separated_down, not_separated, underpowered, inconclusive, or empty. carrier: the suite has a lift and
    without this case has none; None when that cannot be said. reason: a word of CASE_REASONS, or empty."""

    id: str
    target: Side
    other: Side
    difference: float | None
    word: str
    without: float | None = None
    carrier: bool | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LiftBreakdown:
    """reason: a word of RECEIPT_REASONS, and then nothing else is given. lift: mean of the cases' differences, each case with
    equal weight, six places; None with lift_reason (missing_evidence) when an included case has no usable draws.
    carriers_reason: why no carrier is named (lost_draws, one_case, missing_evidence), empty when they are."""

    reason: str
    cases: tuple[CaseLift, ...] = ()
    lift: float | None = None
    lift_reason: str = ""
    carriers_reason: str = ""

    def ids(self, word: str) -> tuple[str, ...]:
        return tuple(case.id for case in self.cases if case.word == word)

    @property
    def helps(self) -> tuple[str, ...]:
        return self.ids("separated_up")

    @property
    def hurts(self) -> tuple[str, ...]:
        return self.ids("separated_down")

    @property
    def carriers(self) -> tuple[str, ...]:
        return tuple(case.id for case in self.cases if case.carrier)


def lift_breakdown(view: ReceiptView) -> LiftBreakdown:
    """Lift by case of a receipt whose seal verified. Helps and hurts are separations that hold whatever lost draws scored.

    A carrier is decided on exact fractions, before anything is rounded, and not at all where an included case lost draws.
    """
    reason = _barred(view)
    if reason:
        return LiftBreakdown(reason)
    reasons = {id: _unusable(view, id) for id in view.case_ids()}
    exact = {id: _difference(view, id) for id, why in reasons.items() if not why}
    included = [id for id, why in reasons.items() if why != "failed_arm"]
    whole = included and len(exact) == len(included)
    lift = sum(exact.values(), Fraction()) / len(exact) if whole else None
    lost = any(row.n_lost for id in included for row in _rows(view, id))
    no_carrier = "missing_evidence" if lift is None else "lost_draws" if lost else "one_case" if len(exact) < 2 else ""
    cases = []
    for id, why in reasons.items():
        rest = (lift * len(exact) - exact[id]) / (len(exact) - 1) if lift is not None and id in exact and len(exact) > 1 else None
        carrier = lift > 0 and rest <= 0 if lift is not None and rest is not None and not no_carrier else None
        cases.append(_case(view, id, reason=why, exact=exact.get(id), without=rest, carrier=carrier))
    return LiftBreakdown("", tuple(cases), _six(lift), "" if whole else "missing_evidence", no_carrier)


def _barred(view: ReceiptView) -> str:
    found = {
        "method": view.method != "lift",
        "below_tested": view.level != "TESTED",
        "not_a_model": view.kind != "model",
        "smoke": bool(view.preset),
        "incomplete": view.status != "complete",
        "narrowed": view.narrowed,
        "too_many_cases": len(view.case_ids()) > MOST_CASES,
    }
    early = next((word for word, holds in found.items() if holds), "")
    if early:
        return early
    kept = [id for id in view.case_ids() if not _failed(view, id)]
    graders = [_grader(view, row) for id in kept for row in _rows(view, id)]
    if not kept:
        return "no_case"
    if not all(graders):
        return "grader_not_recorded"
    same = all(len({_grader(view, row) for row in _rows(view, id)}) == 1 for id in kept)
    one_judge = {grader[0] for grader in graders if grader} == {view.judge.model_id or "code"}
    return "" if same and one_judge else "grader_differs"


def _grader(view: ReceiptView, row: RowView) -> tuple[str, str] | None:
    """(who, by which instructions) as the row records them exactly; None when it does not. Where nobody judged, the case
    itself holds what was decided in code."""
    if view.judge.model_id is None and row.judge_model_id is None and row.case_hash:
        return "code", row.case_hash
    return (row.judge_model_id, row.rubric_hash) if row.judge_model_id and row.rubric_hash else None


def _rows(view: ReceiptView, id: str) -> list[RowView]:
    return [row for arm in ARMS if (row := view.rows.get((id, arm))) is not None]


def _failed(view: ReceiptView, id: str) -> bool:
    rows = _rows(view, id)
    return len(rows) < len(ARMS) or any(row.mean is None for row in rows)


def _unusable(view: ReceiptView, id: str) -> str:
    """A word of CASE_REASONS; empty when the draws of both arms can be used."""
    if _failed(view, id):
        return "failed_arm"
    return next((why for row in _rows(view, id) if (why := _row_reason(row))), "")


def _row_reason(row: RowView) -> str:
    if row.source != "generation" or not row.draws:
        return "no_draws"
    if len(row.draws) > MOST_DRAWS:
        return "too_many_draws"
    scores = [draw.mean for draw in row.draws if draw.mean is not None]
    twice = len({draw.index for draw in row.draws}) < len(row.draws)
    if twice or not all(isfinite(score) and 0 <= score <= 1 for score in scores):
        return "malformed_draws"
    if (len(scores), len(row.draws) - len(scores)) != (row.n_measured, row.n_lost):
        return "contradictory_counts"
    off = max(abs(mean(scores) - (row.mean or 0.0)), abs(sd(scores) - row.sd))
    return "contradictory_scores" if off > ROUNDING else ""


def _difference(view: ReceiptView, id: str) -> Fraction:
    target, other = ([Fraction(repr(draw.mean)) for draw in row.draws if draw.mean is not None] for row in _rows(view, id))
    return sum(target, Fraction()) / len(target) - sum(other, Fraction()) / len(other)


def _case(view: ReceiptView, id: str, *, reason: str, exact: Fraction | None, without: Fraction | None, carrier: bool | None) -> CaseLift:
    target, other = (arm_evidence(view, id, arm) for arm in ARMS)
    read = read_case(CaseEvidence(id, target, other)) if not reason else None
    sides: Sequence[Side] = [
        Side(side.band.mean, side.band.sd, side.band.n, side.lost) if side.band else Side(None, None, 0, side.lost)
        for side in (target, other)
    ]
    return CaseLift(id, sides[0], sides[1], _six(exact), read.word if read else "", _six(without), carrier, reason)


def _six(value: Fraction | None) -> float | None:
    return None if value is None else round6(float(value))
