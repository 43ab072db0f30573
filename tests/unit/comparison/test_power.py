from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from driftproof_action.analysis.sensitivity import suspicion_share
from driftproof_action.comparison.power import draws_needed_for, measured_spreads, power_reading, read_designs
from driftproof_action.domain.observations import Observations
from tests.unit.comparison.views import JUDGE, answer, receipt, with_rows
from tests.unit.receipts.making import frame

CASES = {
    "a": ([0.9, 0.8, 0.9, 0.8, 0.9], [0.6, 0.5, 0.6, 0.5, 0.6]),
    "b": ([0.9, 0.9, 0.9], [0.5, 0.5, 0.5]),
    "c": ([0.9, 0.1, 0.9, 0.1, 0.9], [0.4, 0.5, 0.4, 0.5, 0.4]),
}


def test_spreads_are_those_of_drawn_answers() -> None:
    view = receipt({**CASES, "d": ([0.9], [0.5, 0.5]), "e": ([None], [0.5, 0.5])})
    found = measured_spreads(view)
    assert list(found) == ["a", "b", "c"]
    assert (found["a"].gap, found["a"].target_sd, found["a"].target_n) == (0.3, 0.054772, 5)
    single = receipt(rows={("a", arm): answer("a", arm, 0.5, 0.1) for arm in ("with_skill", "baseline")})
    assert measured_spreads(single) == {}


def test_more_draws_show_less() -> None:
    rows = read_designs(list(measured_spreads(receipt(CASES)).values()), samples=2)
    assert [row.draws for row in rows] == [3, 5, 7, 10, 15, 20]
    assert [row.calls for row in rows] == [54, 90, 126, 180, 270, 360]
    assert [row.fall for row in rows] == sorted((row.fall for row in rows), reverse=True)
    assert read_designs([], samples=2) == ()


def test_needed_draws_are_none_where_no_number_helps() -> None:
    found = draws_needed_for(measured_spreads(receipt(CASES)), 0.15)
    assert found.cases["b"] == 2
    assert found.cases["c"] is None
    assert found.cases["a"] is not None
    assert 2 < found.cases["a"] < 20
    assert found.suite is None
    steady = dict.fromkeys("abcdefgh", CASES["b"])
    assert draws_needed_for(measured_spreads(receipt(steady)), 0.06).suite == 2


COSTS: dict[str, Any] = {
    "basis": "metered",
    "with_skill": {"mean_cost_usd_per_call": 0.004},
    "baseline": {"mean_cost_usd_per_call": 0.003},
    "judge_overhead": {"total_cost_usd": 0.1, "case_rows_measured": 6, "judged_draws_counted": 50, "judged_draws_missing_usage": 0},
}


def test_calls_and_dollars_are_those_of_every_case_of_the_receipt() -> None:
    """0.004 + 0.003 for the answers and 2 * 0.002 for judging them, a draw of both arms: 0.011; four cases."""
    view = receipt({**CASES, "d": ([0.9], [0.5, 0.5])}, economics=COSTS)
    found = power_reading(view, 0.1)
    assert (found.samples, found.assumed, found.reason) == (5, False, "")
    assert [(row.draws, row.calls) for row in found.designs[:2]] == [(3, 144), (5, 240)]
    assert [row.usd for row in found.designs[:2]] == [0.132, 0.22]
    assert (found.confirm_calls, found.confirm_usd) == (480, 0.44)


@pytest.mark.parametrize(
    "change",
    [
        {"with_skill": {"mean_cost_usd_per_call": None}},
        {"judge_overhead": None},
        {"judge_overhead": {**COSTS["judge_overhead"], "judged_draws_missing_usage": 1}},
        {"judge_overhead": {**COSTS["judge_overhead"], "total_cost_usd": None}},
    ],
)
def test_dollars_are_not_told_where_a_kind_of_call_has_no_price(change: dict[str, Any]) -> None:
    found = power_reading(receipt(CASES, economics=COSTS | change), 0.1)
    assert {row.usd for row in found.designs} == {None}
    assert found.confirm_usd is None


def test_an_older_receipt_tells_the_last_draw_of_each_row() -> None:
    older = COSTS | {"judge_overhead": {"total_cost_usd": 0.012, "case_rows_measured": 6}}
    assert power_reading(receipt(CASES, economics=older, version="0.11"), 0.1).designs[0].usd == 0.099


def test_where_nobody_judges_there_are_no_judge_calls() -> None:
    code = dataclasses.replace(JUDGE, model_id=None, samples=0)
    view = receipt(CASES, judge=code, economics=COSTS | {"judge_overhead": None}, observations=Observations(frame([])))
    found = power_reading(view, 0.1)
    assert (found.samples, found.designs[0].calls, found.designs[0].usd) == (0, 18, 0.063)


def test_a_receipt_that_does_not_say_how_often_it_judged_is_taken_for_two() -> None:
    found = power_reading(receipt(CASES, judge=dataclasses.replace(JUDGE, samples=None)), 0.1)
    assert (found.samples, found.assumed, found.designs[0].calls) == (2, True, 54)


def test_cases_say_what_their_draws_show_and_why_they_show_nothing() -> None:
    lone = [answer("e", arm, 0.5, 0.1) for arm in ("with_skill", "baseline")]
    view = with_rows(receipt({**CASES, "d": ([0.9], [0.5, 0.5]), "f": ([None], [0.5, 0.5])}), *lone)
    found = {case.id: case for case in power_reading(view, 0.15).cases}
    assert {id: case.reason for id, case in found.items() if case.reason} == {
        "d": "single_draw",
        "e": "single_answer",
        "f": "not_measured",
    }
    assert (found["a"].spread, found["a"].draws, found["b"].fall, found["b"].needed) == (0.054772, 5, 0.05, 2)
    assert found["a"].fall == pytest.approx(0.054772 * suspicion_share(5), abs=1e-6)
    assert (found["d"].fall, found["d"].needed) == (None, None)


def test_without_a_spread_there_is_nothing_to_reckon_from() -> None:
    found = power_reading(receipt({"a": ([0.9], [0.5])}), 0.1)
    assert (found.reason, found.designs, found.suite) == ("no_spread", (), None)
