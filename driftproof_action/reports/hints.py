"""Hints of a receipt as a folded Markdown block and as JSON. Not: what makes one (comparison/hints)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from driftproof_action.canonical import Json
from driftproof_action.comparison.hints import Hint
from driftproof_action.reports.figures import count, listed
from driftproof_action.reports.markdown import code, details

SENTENCES: Mapping[str, str] = {
    "suite_saturated": "most cases have no room above: with and without the skill they score 0.95 or more. Harder cases would tell more",
    "baseline_at_floor": "without the skill next to nothing scores: check that the tasks can be done by one who has not read it",
    "judge_scatter": "half or more of the scatter of answer scores is the judge's own: sharper grading text helps more than more draws",
    "check_never_fails": "met in every answer of both arms, so it tells nothing about the skill",
    "check_never_met": "met in no answer of either arm: look whether it can be met at all",
    "check_flips": "met in some answers and not in others of one arm: such a case needs more draws",
    "check_disputed": "gradings of one answer disagree: say more exactly when it is met",
    "case_saturated": "scores 0.95 or more in both arms: no room for a lift",
    "case_impossible": "scores 0.05 or less in both arms: look whether it can be done at all",
    "case_borderline": "its threshold lies inside the band, so it passes now and fails then",
}
"""What each hint says; docs/hints.md says more under the same word."""

SHOWN = 6
"""Cases or checks named of one hint."""


def hints_block(found: Sequence[Hint]) -> str:
    """One line a code, folded; empty without hints."""
    lines = []
    for word, group in groupby(found, key=lambda hint: hint.code):
        where = [_where(hint) for hint in group]
        named = f" ({listed([place for place in where if place], most=SHOWN)})" if any(where) else ""
        lines.append(f"- `{word}`: {SENTENCES[word]}{named}.")
    return details(f"{count(len(lines), 'hint')} about the suite, none of them part of the verdict", "\n".join(lines)) if lines else ""


def _where(hint: Hint) -> str:
    case = code(hint.cases[0], limit=60) if hint.cases else ""
    if not hint.check:
        return case
    return f"{code(hint.check, limit=60)} in {case}"


def hint_to_json(hint: Hint) -> dict[str, Json]:
    """code, anchor (of docs/hints.md), cases, check, numbers."""
    return {
        "code": hint.code,
        "anchor": hint.anchor,
        "cases": list(hint.cases),
        "check": hint.check,
        "numbers": dict(hint.numbers),
    }
