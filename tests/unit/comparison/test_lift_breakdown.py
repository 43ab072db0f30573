from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.comparison.lift_breakdown import (
    CASE_REASONS,
    MOST_CASES,
    MOST_DRAWS,
    RECEIPT_REASONS,
    LiftBreakdown,
    lift_breakdown,
)
from driftproof_action.domain.arithmetic import mean
from driftproof_action.receipts.view import DrawView, ReceiptView
from tests.unit.comparison.views import JUDGE, answer, receipt, row, with_rows

NAMED = dataclasses.replace(JUDGE, model_id="judge-model")
HIGH, LOW, SAME = (0.9, 0.9, 0.9), (0.5, 0.5, 0.5), (0.7, 0.7, 0.7)


def view(cases: dict[str, Any], **more: Any) -> ReceiptView:
    return receipt(cases, **{"judge": NAMED, **more})


def by_id(found: LiftBreakdown) -> dict[str, Any]:
    return {case.id: case for case in found.cases}


def test_every_case_weighs_the_same_and_leaving_one_out_is_told() -> None:
    found = lift_breakdown(view({"a": (HIGH, LOW), "b": (SAME, SAME), "c": (LOW, (0.6,) * 6)}))
    assert (found.reason, found.lift, found.lift_reason, found.carriers_reason) == ("", 0.1, "", "")
    assert {id: (case.difference, case.without) for id, case in by_id(found).items()} == {
        "a": (0.4, -0.05),
        "b": (0.0, 0.15),
        "c": (-0.1, 0.2),
    }
    assert (found.helps, found.hurts, found.carriers) == (("a",), ("c",), ("a",))
    assert [case.carrier for case in found.cases] == [True, False, False]
    a = by_id(found)["a"]
    assert (a.target.mean, a.target.sd, a.target.measured, a.target.drawn, a.other.mean) == (0.9, 0.0, 3, 3, 0.5)


def test_a_carrier_is_decided_before_anything_is_rounded() -> None:
    """0.1 + 0.2 - 0.3 is no lift, though doubles say 5.6e-17; a ten-millionth is one, though six places say 0."""
    nothing = lift_breakdown(view({"a": ((0.4, 0.4), (0.1, 0.1)), "b": ((0.1, 0.1), (0.2, 0.2)), "c": ((0.1, 0.1), (0.3, 0.3))}))
    assert nothing.lift == 0.0
    assert nothing.carriers == ()
    little = view({"a": (HIGH, LOW), "b": ((0.7, 0.7, 0.700001), (0.7, 0.7, 0.7))})
    assert lift_breakdown(little).carriers == ()
    assert by_id(lift_breakdown(little))["a"].without == 0.0


def test_a_lost_answer_forbids_carriers_and_the_separation_must_hold() -> None:
    found = lift_breakdown(view({"a": ((0.9, 0.9, None), (0.5, 0.5, 0.5)), "b": (SAME, SAME), "c": (HIGH, LOW)}))
    assert found.carriers_reason == "lost_draws"
    assert {case.carrier for case in found.cases} == {None}
    assert [case.word for case in found.cases] == ["inconclusive", "not_separated", "separated_up"]
    assert (by_id(found)["a"].target.measured, by_id(found)["a"].target.drawn, by_id(found)["a"].target.lost) == (2, 3, 1)
    assert found.lift == 0.266667


def test_a_failed_arm_leaves_both_arms_and_stays_in_the_table() -> None:
    found = lift_breakdown(view({"a": (HIGH, LOW), "gone": ((None, None), LOW), "b": (SAME, SAME)}))
    gone = by_id(found)["gone"]
    assert (gone.reason, gone.difference, gone.without, gone.carrier, gone.word) == ("failed_arm", None, None, None, "")
    assert (gone.target.mean, gone.target.lost, gone.other.mean) == (None, 2, 0.5)
    assert (found.lift, by_id(found)["a"].without, found.carriers) == (0.2, 0.0, ("a",))


def test_one_case_has_no_lift_without_it() -> None:
    found = lift_breakdown(view({"a": (HIGH, LOW)}))
    assert (found.lift, found.carriers_reason, found.cases[0].without, found.cases[0].carrier) == (0.4, "one_case", None, None)


def _twice(of: ReceiptView) -> ReceiptView:
    old = of.rows["a", "baseline"]
    return with_rows(of, dataclasses.replace(old, draws=(*old.draws[:2], dataclasses.replace(old.draws[2], index=0))))


def _outside(of: ReceiptView) -> ReceiptView:
    return with_rows(of, row("a", "with_skill", (0.9, 0.9, 1.2)))


EVIDENCE = {
    "no_draws": lambda of: with_rows(of, answer("a", "with_skill", 0.9, 0.1), answer("a", "baseline", 0.5, 0.1)),
    "too_many_draws": lambda of: with_rows(of, row("a", "with_skill", (0.9,) * (MOST_DRAWS + 1))),
    "malformed_draws": _twice,
    "contradictory_counts": lambda of: with_rows(of, row("a", "with_skill", HIGH, n_measured=5)),
    "contradictory_scores": lambda of: with_rows(of, row("a", "with_skill", HIGH, mean=0.8)),
}


@pytest.mark.parametrize("reason", EVIDENCE)
def test_a_case_without_evidence_leaves_the_suite_untold_and_the_rest_in_the_table(reason: str) -> None:
    found = lift_breakdown(EVIDENCE[reason](view({"a": (HIGH, LOW), "b": (HIGH, LOW)})))
    assert (found.reason, found.lift, found.lift_reason, found.carriers_reason) == ("", None, "missing_evidence", "missing_evidence")
    a, b = found.cases
    assert (a.reason, a.word, a.difference) == (reason, "", None)
    assert (b.reason, b.word, b.difference, b.without) == ("", "separated_up", 0.4, None)


def test_every_reason_of_a_case_is_tried() -> None:
    assert set(EVIDENCE) | {"failed_arm"} == set(CASE_REASONS)
    assert lift_breakdown(_outside(view({"a": (HIGH, LOW)}))).cases[0].reason == "malformed_draws"
    counted = with_rows(view({"a": (HIGH, LOW)}), row("a", "baseline", LOW, n_lost=1))
    assert lift_breakdown(counted).cases[0].reason == "contradictory_counts"


BARRED: dict[str, dict[str, Any]] = {
    "method": {"method": "measure"},
    "below_tested": {"level": "DECLARED"},
    "not_a_model": {"kind": None},
    "smoke": {"preset": "quick"},
    "incomplete": {"status": "incomplete"},
    "narrowed": {"narrowed": True},
}


@pytest.mark.parametrize("reason", BARRED)
def test_receipts_that_have_none(reason: str) -> None:
    assert lift_breakdown(view({"a": (HIGH, LOW)}, **BARRED[reason])) == LiftBreakdown(reason)


def test_the_other_reasons_of_a_receipt() -> None:
    many = view({str(n): ((0.9,), (0.5,)) for n in range(MOST_CASES + 1)})
    assert lift_breakdown(many).reason == "too_many_cases"
    assert lift_breakdown(view({"a": ((None,), LOW)})).reason == "no_case"
    known = view({"a": (HIGH, LOW)})
    assert lift_breakdown(with_rows(known, row("a", "baseline", LOW, rubric_hash=None))).reason == "grader_not_recorded"
    assert lift_breakdown(with_rows(known, row("a", "baseline", LOW, judge_model_id=None))).reason == "grader_not_recorded"
    assert lift_breakdown(with_rows(known, row("a", "baseline", LOW, rubric_hash="other"))).reason == "grader_differs"
    assert lift_breakdown(with_rows(known, row("a", "baseline", LOW, judge_model_id="judge-model-20250101"))).reason == "grader_differs"
    assert lift_breakdown(receipt({"a": (HIGH, LOW)})).reason == "grader_differs"
    tried = {"too_many_cases", "no_case", "grader_not_recorded", "grader_differs"}
    assert tried | set(BARRED) == set(RECEIPT_REASONS)


def test_where_nobody_judged_the_case_itself_is_the_grader() -> None:
    code = dataclasses.replace(JUDGE, model_id=None)
    rows = [row("a", arm, scores, judge_model_id=None, rubric_hash=None) for arm, scores in (("with_skill", HIGH), ("baseline", LOW))]
    assert lift_breakdown(with_rows(receipt({"a": (HIGH, LOW)}, judge=code), *rows)).lift == 0.4


def test_several_judge_scores_of_one_answer_are_one_draw() -> None:
    """Five samples of one drawn answer: one draw, underpowered, never a separation by the judge's spread."""
    draws = (DrawView(0, 0.9, 0.0, (0.9,) * 5),)
    one = [
        row("a", arm, (score,), draws=draws if score == 0.9 else (DrawView(0, score, 0.0, (score,) * 5),))
        for arm, score in (("with_skill", 0.9), ("baseline", 0.85))
    ]
    found = lift_breakdown(with_rows(view({"a": (HIGH, LOW)}), *one))
    assert (found.cases[0].target.measured, found.cases[0].word) == (1, "separated_up")
    near = with_rows(view({"a": (HIGH, LOW)}), one[0], row("a", "baseline", (0.9,)))
    assert lift_breakdown(near).cases[0].word == "underpowered"


SCORES = st.lists(st.integers(0, 20).map(lambda step: step / 20), min_size=1, max_size=4)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(SCORES, SCORES), min_size=2, max_size=5))
def test_leaving_out_is_the_lift_of_the_others(cases: list[tuple[list[float], list[float]]]) -> None:
    named = {str(n): sides for n, sides in enumerate(cases)}
    found = lift_breakdown(view(named))
    for case in found.cases:
        rest = lift_breakdown(view({id: sides for id, sides in named.items() if id != case.id}))
        assert case.without == rest.lift
    assert found.lift == pytest.approx(mean([case.difference or 0.0 for case in found.cases]), abs=2e-6)
    for case in found.cases:
        if case.carrier:
            assert found.lift is not None
            assert found.lift >= 0
            assert (case.without or 0.0) <= 0
