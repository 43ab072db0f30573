"""What the skill adds over the cases of one receipt, with its interval, whatever version the receipt is of. Not: a gate."""

from __future__ import annotations

from dataclasses import dataclass

from driftproof_action.analysis.bands import gap
from driftproof_action.analysis.paired import Paired, paired, smallest_mean
from driftproof_action.comparison.evidence import arm_evidence, reuses
from driftproof_action.decisions.band_separation.constants import ALPHA_SUITE, MIN_CASES_SUITE
from driftproof_action.receipts.view import ReceiptView

TOLD_FROM = 3
"""Cases below which an interval would say nothing: one shows no spread, two a half width of half the scale."""


@dataclass(frozen=True, slots=True)
class SuiteLift:
    """word: given, wide (three or four cases) or not_given, with the reason: smoke, narrowed, unmeasured_case, few_cases.

    statistics: of the lifts of the cases; smallest: the smallest lift the run could have shown (S-2); both None when not given.
    other_day: an arm was taken over from another receipt, so the lift includes any change of judge or model. single: a case
    rests on one answer an arm; answer noise is inside the spread of the lifts, so the interval is honest all the same (L-1).
    """

    word: str
    reason: str = ""
    statistics: Paired | None = None
    smallest: float | None = None
    other_day: bool = False
    single: bool = False


def suite_lift(view: ReceiptView) -> SuiteLift:
    """S-1 and S-2 of docs/readings.md: mean lift with its 95 % interval, over these cases and never for tasks like them."""
    if view.preset:
        return SuiteLift("not_given", "smoke")
    if view.narrowed:
        return SuiteLift("not_given", "narrowed")
    pairs = [(arm_evidence(view, id, "with_skill").band, arm_evidence(view, id, "baseline").band) for id in view.case_ids()]
    known = [(target, other) for target, other in pairs if target and other]
    if len(known) < len(pairs):
        return SuiteLift("not_given", "unmeasured_case")
    if len(known) < TOLD_FROM:
        return SuiteLift("not_given", "few_cases")
    found = paired([gap(target, other) for target, other in known])
    return SuiteLift(
        "wide" if len(known) < MIN_CASES_SUITE else "given",
        "",
        found,
        smallest_mean(found.se, found.df, ALPHA_SUITE),
        other_day=reuses(view),
        single=any(band.source == "legacy" for pair in known for band in pair),
    )
