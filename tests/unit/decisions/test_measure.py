from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.analysis.intervals import clopper_pearson
from driftproof_action.decisions.pass_rate.measure import NAME, MeasuredRates, terms
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.observations import Frame, Observations, Stop, Withheld
from driftproof_action.domain.reading import Scalar
from driftproof_action.errors import ReceiptError
from tests.unit.decisions.tables import frame

RULE = MeasuredRates()


def asked(draws: int = 4, **more: Scalar) -> Frame:
    return frame(NAME, {"a": "a", "b": "b"}, {**terms(draws), **more}, arms=("with_skill",))


def table(results: dict[str, list[bool | None]], stop: str = "complete", **more: Scalar) -> Observations:
    """results: case → pass, fail or hole, draw by draw."""
    plan = asked(max(1, *(len(row) for row in results.values())), **more)
    draws, grades = [], []
    for case, row in results.items():
        for index, result in enumerate(row):
            id = DrawId(case, "with_skill", "first", index)
            draws.append(Draw(id, "completed"))
            grade = GradeId("judge", case, (id,))
            grades.append(Grade(grade, hole=Hole("cut")) if result is None else Grade(grade, outcome="pass" if result else "fail"))
    return Observations(plan, draws, grades, Stop(stop))


def test_wanted_is_fixed_and_goes_out_draw_by_draw() -> None:
    wanted = RULE.wanted(Observations(asked(2))).draws
    assert [(draw.index, draw.brief) for draw in wanted] == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
    assert RULE.wanted(table({"a": [True, False], "b": [None, None]})).draws == wanted


ROW = st.lists(st.sampled_from([True, False, None]), min_size=3, max_size=3)


@given(ROW, ROW)
def test_rates_come_with_their_exact_interval(a: list[bool | None], b: list[bool | None]) -> None:
    decision = RULE.decide(table({"a": a, "b": b}))
    assert decision.verdict == "NOT_MEASURED"
    for reading, row in zip(decision.readings, (a, b), strict=False):
        n = 3 - row.count(None)
        assert (reading.numbers["passes"], reading.numbers["n"], reading.numbers["lost"]) == (row.count(True), n, row.count(None))
        if n:
            assert (reading.numbers["low"], reading.numbers["high"]) == clopper_pearson(row.count(True), n)
        else:
            assert (reading.word, reading.reason, reading.numbers["rate"]) == ("not_measured", "cut", None)


def test_a_measurement_asserts_nothing() -> None:
    decision = RULE.decide(table({"a": [True, True], "b": [False, False]}))
    assert (decision.verdict, decision.label, decision.reasons) == ("NOT_MEASURED", "measured", ("no_assertion",))
    assert decision.readings[-1].numbers == {"cases": 2, "measured_cases": 2, "mean_rate": 0.5}


@pytest.mark.parametrize(
    ("results", "stop", "terms_more", "reasons", "label"),
    [
        ({"a": [True], "b": [True]}, "complete", {"kind": "stub"}, ("below_tested", "no_assertion"), "measured"),
        ({"a": [True], "b": [None]}, "complete", {}, ("incomplete", "no_assertion"), "measured"),
        ({"a": [True], "b": [True]}, "budget", {}, ("incomplete", "no_assertion"), "measured"),
        ({"a": [None], "b": [None]}, "complete", {}, ("no_readable_case", "incomplete"), "none"),
        ({"a": [], "b": []}, "signal", {}, ("no_readable_case", "incomplete"), "none"),
    ],
)
def test_reasons(
    results: dict[str, list[bool | None]], stop: str, terms_more: dict[str, Scalar], reasons: tuple[str, ...], label: str
) -> None:
    decision = RULE.decide(table(results, stop, **terms_more))
    assert (decision.reasons, decision.label) == (reasons, label)


def test_a_score_is_held_to_the_threshold_of_its_case() -> None:
    plan = asked(3)
    ids = [DrawId("a", "with_skill", "first", index) for index in range(3)]
    scores = (0.7, 0.699999, 0.1 + 0.2 + 0.4)
    grades = [Grade(GradeId("judge", "a", (id,)), outcome="scored", score=score) for id, score in zip(ids, scores, strict=True)]
    seen = Observations(plan, [Draw(id, "completed") for id in ids], grades, Stop("complete"))
    assert RULE.decide(seen).readings[0].numbers["passes"] == 2
    loose = dataclasses.replace(plan, cases=tuple(dataclasses.replace(case, threshold=None) for case in plan.cases))
    unheld = RULE.decide(Observations(loose, seen.draws, seen.grades, seen.stop)).readings[0]
    assert (unheld.word, unheld.reason) == ("not_measured", "no_threshold")


def test_forecast_leaves_out_what_takes_no_call() -> None:
    plan = dataclasses.replace(asked(10), withheld=(Withheld("b", "with_skill", Hole("files_missing")),))
    (forecast,) = RULE.forecast(plan)
    assert (forecast.fewest, forecast.most) == (10, 10)


@pytest.mark.parametrize("draws", [0, -1, True, "ten", 10**9])
def test_draws_are_a_sane_whole_number(draws: Scalar) -> None:
    with pytest.raises(ReceiptError, match="draws"):
        RULE.wanted(Observations(dataclasses.replace(asked(), terms={"draws": draws})))
