"""Whether the answers of one arm alone speak to whoever grades them. Not: any rule; every judged rule ends with it."""

from __future__ import annotations

from dataclasses import replace

from driftproof_action.domain.observations import Observations
from driftproof_action.domain.reading import Decision, Reading
from driftproof_action.graders.answer import ADDRESSES_JUDGE

SHARE = 0.2
"""Share of one arm's measured draws that must speak to the judge to be remarked."""
GUARD = "judge_guard"
"""The reading's name."""
_CLAIMS = frozenset({"PASSED", "REGRESSED"})


def guarded(seen: Observations, decision: Decision) -> Decision:
    """The decision with a reading when one arm's answers speak to a grader and the other's do not.

    Under `judge_guard` strict such a run claims nothing: INCONCLUSIVE. Source: the notes of the judge's samples.
    """
    shares = {role: _share(seen, role) for role in ("with_skill", "baseline")}
    loud = [role for role, share in shares.items() if share >= SHARE]
    if len(loud) != 1 or min(shares.values()) > 0:
        return decision
    reading = Reading(GUARD, loud[0], ADDRESSES_JUDGE, "", dict(shares))
    told = replace(decision, readings=(*decision.readings, reading))
    if seen.frame.terms.get("judge_guard") == "strict" and decision.verdict in _CLAIMS:
        return replace(told, verdict="INCONCLUSIVE", reasons=(ADDRESSES_JUDGE, *decision.reasons))
    return told


def _share(seen: Observations, role: str) -> float:
    """Of the arm's graded first-look draws, those with a sample that carries the note."""
    arm = seen.frame.arm_of(role)
    grades = [
        grade
        for case in seen.frame.cases
        for id in (seen.series(case.brief, arm.name).values() if arm else ())
        if (grade := seen.grade(case.id, id)) and grade.samples
    ]
    noted = sum(any(ADDRESSES_JUDGE in sample.notes for sample in grade.samples) for grade in grades)
    return round(noted / len(grades), 6) if grades else 0.0
