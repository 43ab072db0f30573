from __future__ import annotations

from driftproof_action.comparison.power import draws_needed_for, measured_spreads, read_designs
from tests.unit.comparison.views import answer, receipt

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
