from __future__ import annotations

from typing import Any

import pytest

from driftproof_action.comparison.verdict import published_verdict
from tests.unit.comparison.views import answer, receipt, row, with_rows

UP, DOWN, FLAT = ((0.9, 0.9), (0.5, 0.5)), ((0.5, 0.5), (0.9, 0.9)), ((0.8, 0.8), (0.8, 0.8))


@pytest.mark.parametrize(
    ("cases", "verdict"),
    [
        ({"a": UP}, "PASSED"),
        ({"a": UP, "b": DOWN}, "REGRESSED"),
        ({"a": FLAT}, "NO_EFFECT"),
        ({"a": ((0.2, 0.9), (0.2, 0.9))}, "UNDERPOWERED"),
        ({"a": ((0.9, None), (0.5, 0.5))}, "INCONCLUSIVE"),
    ],
)
def test_the_ladder_reads_stored_rows(cases: Any, verdict: str) -> None:
    assert published_verdict(receipt(cases)).verdict == verdict


@pytest.mark.parametrize(
    ("change", "routes"),
    [
        ({"level": "UNVERIFIED", "kind": "stub"}, ("below_tested", "no_answered_by")),
        ({"kind": None}, ("no_answered_by",)),
        ({"delta": None}, ("no_numeric_lift",)),
        ({"status": "incomplete"}, ("incomplete",)),
        ({"narrowed": True}, ("incomplete",)),
        ({"preset": "quick", "level": "UNVERIFIED"}, ("below_tested", "smoke")),
    ],
)
def test_every_route_to_not_measured_is_named(change: dict[str, Any], routes: tuple[str, ...]) -> None:
    decision = published_verdict(receipt({"a": DOWN}, **change))
    assert (decision.verdict, decision.reasons) == ("NOT_MEASURED", routes)
    assert decision.readings[0].word == "separated_down"


def test_nothing_measured_in_both_arms_is_a_route() -> None:
    view = receipt({"a": ((None, None), (0.5, 0.5))})
    decision = published_verdict(view)
    assert (decision.verdict, decision.reasons) == ("NOT_MEASURED", ("no_readable_case",))
    assert (decision.readings[0].word, decision.readings[0].reason) == ("not_measured", "timeout")


def test_a_row_without_listed_draws_gives_its_status() -> None:
    view = with_rows(receipt({"a": UP}), row("a", "with_skill", (None,), loss_reasons={}, status="failed_unmeasured"))
    assert published_verdict(view).readings[0].reason == "failed_unmeasured"


def test_one_answer_is_one_draw_however_often_it_was_judged() -> None:
    view = with_rows(receipt(version="0.6"), answer("a", "with_skill", 0.8, 0.0), answer("a", "baseline", 0.8, 0.0))
    decision = published_verdict(view)
    assert (decision.verdict, decision.reasons) == ("UNDERPOWERED", ("single_draw",))
    assert decision.readings[-1].numbers["draws_needed"] == 2


def test_examples_are_read_only_on_demand() -> None:
    view = receipt({"a": UP}, level="DECLARED", kind="external", example=True)
    assert published_verdict(view).verdict == "NOT_MEASURED"
    assert published_verdict(view, examples=True).verdict == "PASSED"
    assert published_verdict(receipt({"a": UP}, level="DECLARED"), examples=True).verdict == "NOT_MEASURED"
