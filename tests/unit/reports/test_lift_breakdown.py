from __future__ import annotations

import re

import pytest

from driftproof_action.comparison.lift_breakdown import CASE_REASONS, RECEIPT_REASONS, CaseLift, LiftBreakdown, Side, lift_breakdown
from driftproof_action.reports.lift_breakdown import lift_block, lift_to_json
from tests.contract.package_source import ROOT
from tests.unit.comparison.test_lift_breakdown import HIGH, LOW, SAME, view

FOUND = lift_breakdown(view({"a": (HIGH, LOW), "b": (SAME, SAME), "c": (LOW, (0.6,) * 6), "gone": ((None,), LOW)}))
DOCS = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8").partition("## Lift by case")[2].partition("\n## ")[0]


def test_the_block_says_who_helps_hurts_and_carries() -> None:
    text = lift_block(FOUND, "older")
    assert text.startswith("#### Lift by case, older\n")
    assert "Lift +0.100 over 3 cases, each with equal weight." in text
    assert "Helps in 1 case: `a`." in text
    assert "Hurts in 1 case: `c`." in text
    assert "Carried by `a`: without it there is no lift." in text
    assert "| `a` | 0.900 ± 0.000 | 0.500 ± 0.000 | +0.400 | helps | −0.050, carries the lift | 3 of 3, 3 of 3 |" in text
    assert "| `gone` | – | 0.500 ± 0.000 | – | left out (`failed_arm`)" in text
    assert text.endswith("| – | 0 of 1, 3 of 3 |")


def test_what_is_not_told_says_why() -> None:
    assert lift_block(LiftBreakdown("too_many_cases"), "newer").endswith(
        "Unavailable (`too_many_cases`): the receipt has more than 1000 cases."
    )
    side = Side(0.5, 0.1, 3, 0)
    bare = LiftBreakdown("", (CaseLift("a", side, side, None, "", reason="no_draws"),), None, "missing_evidence", "missing_evidence")
    assert "The lift of the suite is not told" in lift_block(bare, "older")
    assert "answers were lost" in lift_block(lift_breakdown(view({"a": (HIGH, (0.5, 0.5, None)), "b": (SAME, SAME)})), "older")
    assert "There is one case" in lift_block(lift_breakdown(view({"a": (HIGH, LOW)})), "older")


@pytest.mark.parametrize("word", [*RECEIPT_REASONS, *CASE_REASONS, "missing_evidence", "lost_draws", "one_case"])
def test_every_reason_is_in_the_docs(word: str) -> None:
    assert f"`{word}`" in DOCS


def test_json_holds_limits_as_numbers_and_every_case() -> None:
    told = lift_to_json(FOUND)
    assert told["limits"] == {"cases": 1000, "draws": 1000}
    assert (told["lift"], told["carriers"], told["helps"], told["hurts"]) == (0.1, ["a"], ["a"], ["c"])
    cases = told["cases"]
    assert isinstance(cases, list)
    assert cases[0] == {
        "id": "a",
        "with_skill": {"mean": 0.9, "sd": 0.0, "measured": 3, "drawn": 3, "lost": 0},
        "baseline": {"mean": 0.5, "sd": 0.0, "measured": 3, "drawn": 3, "lost": 0},
        "difference": 0.4,
        "reading": "separated_up",
        "lift_without": -0.05,
        "carrier": True,
        "reason": "",
    }


def test_case_ids_cannot_break_out() -> None:
    text = lift_block(lift_breakdown(view({"<b>|`@x": (HIGH, LOW)})), "older")
    assert not re.search(r"<|@", re.sub(r"`[^`]*`", "", text))
