"""The lift of a receipt case by case, as a Markdown block and as JSON. Not: the reckoning (comparison/lift_breakdown)."""

from __future__ import annotations

from collections.abc import Mapping

from driftproof_action.canonical import Json
from driftproof_action.comparison.lift_breakdown import (
    CASE_REASONS,
    MOST_CASES,
    MOST_DRAWS,
    RECEIPT_REASONS,
    CaseLift,
    LiftBreakdown,
    Side,
)
from driftproof_action.reports.diff_page import move, thousandths
from driftproof_action.reports.figures import NOTHING, count, listed
from driftproof_action.reports.markdown import code, joined, table

WORDS: Mapping[str, str] = {
    "separated_up": "helps",
    "separated_down": "hurts",
    "not_separated": "no clear difference",
    "underpowered": "not enough answers yet",
    "inconclusive": "cannot tell, answers were lost",
    "": NOTHING,
}
NO_CARRIER: Mapping[str, str] = {
    "lost_draws": "Whether one case carries the lift is not said: answers were lost.",
    "one_case": "There is one case, so no lift without it.",
    "missing_evidence": "",
}
UNTOLD = "The lift of the suite is not told, nor what it would be without a case: a case that counts has no usable draws."


def lift_block(found: LiftBreakdown, label: str) -> str:
    """label: our own word for the side."""
    head = f"#### Lift by case, {label}"
    if found.reason:
        return joined([head, f"Unavailable (`{found.reason}`): {RECEIPT_REASONS[found.reason]}."])
    rows = [_row(case) for case in found.cases]
    headers = ["case", "with the skill", "without", "difference", "reading", "lift without this case", "measured of drawn"]
    return joined([head, _summary(found), table(headers, rows)])


def _summary(found: LiftBreakdown) -> str:
    counted = sum(case.reason != "failed_arm" for case in found.cases)
    lines = [UNTOLD if found.lift is None else f"Lift {move(found.lift)} over {count(counted, 'case')}, each with equal weight."]
    for ids, what in ((found.helps, "Helps in"), (found.hurts, "Hurts in")):
        if ids:
            lines.append(f"{what} {count(len(ids), 'case')}: {_ids(ids)}.")
    if found.carriers:
        lines.append(f"Carried by {_ids(found.carriers)}: without {'it' if len(found.carriers) == 1 else 'any of them'} there is no lift.")
    lines.append(NO_CARRIER.get(found.carriers_reason, ""))
    return "  \n".join(line for line in lines if line)


def _ids(ids: tuple[str, ...]) -> str:
    return listed([code(id, limit=60) for id in ids], most=10)


def _row(case: CaseLift) -> list[str]:
    reading = f"left out (`{case.reason}`): {CASE_REASONS[case.reason]}" if case.reason else WORDS[case.word]
    without = f"{move(case.without)}{', carries the lift' if case.carrier else ''}"
    drawn = ", ".join(f"{side.measured} of {side.drawn}" for side in (case.target, case.other))
    return [code(case.id, limit=60), _side(case.target), _side(case.other), move(case.difference), reading, without, drawn]


def _side(side: Side) -> str:
    return NOTHING if side.mean is None else f"{thousandths(side.mean)} ± {thousandths(side.sd)}"


def lift_to_json(found: LiftBreakdown) -> dict[str, Json]:
    """reason, lift, lift_reason, carriers, carriers_reason, helps, hurts, limits, and every case."""
    return {
        "reason": found.reason,
        "lift": found.lift,
        "lift_reason": found.lift_reason,
        "carriers": list(found.carriers),
        "carriers_reason": found.carriers_reason,
        "helps": list(found.helps),
        "hurts": list(found.hurts),
        "limits": {"cases": MOST_CASES, "draws": MOST_DRAWS},
        "cases": [
            {
                "id": case.id,
                "with_skill": _side_to_json(case.target),
                "baseline": _side_to_json(case.other),
                "difference": case.difference,
                "reading": case.word,
                "lift_without": case.without,
                "carrier": case.carrier,
                "reason": case.reason,
            }
            for case in found.cases
        ],
    }


def _side_to_json(side: Side) -> dict[str, Json]:
    return {"mean": side.mean, "sd": side.sd, "measured": side.measured, "drawn": side.drawn, "lost": side.lost}
