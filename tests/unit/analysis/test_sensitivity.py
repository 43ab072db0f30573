from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.analysis.sensitivity import CaseSpread, between_variance, designs, draws_for_fall, lift_at, smallest_fall

CASES = [CaseSpread(0.20, 0.10, 0.10, 5, 5), CaseSpread(0.10, 0.06, 0.08, 5, 7), CaseSpread(0.30, 0.02, 0.02, 5, 5)]


def test_a_fall_is_bounded_by_both_steps() -> None:
    assert smallest_fall(0.10, 5, alpha=0.005, fresh=10) == pytest.approx(0.10 * (1.859548 + 1.28) * sqrt(2 / 5), abs=1e-7)
    assert smallest_fall(0.10, 100, alpha=0.005, fresh=10) == pytest.approx(0.10 * (2.878440 + 1.28) * sqrt(2 / 10), abs=1e-7)
    assert smallest_fall(0.001, 5, alpha=0.005, fresh=10) == 0.05


@settings(max_examples=200, deadline=None)
@given(st.floats(0, 0.3), st.floats(0.05, 0.6))
def test_needed_draws_are_enough_and_not_one_too_many(spread: float, effect: float) -> None:
    n = draws_for_fall(spread, effect, alpha=0.005, fresh=10)
    if n is None:
        assert smallest_fall(spread, 1000, alpha=0.005, fresh=10) > effect
        return
    assert smallest_fall(spread, n, alpha=0.005, fresh=10) <= effect
    assert n == 2 or smallest_fall(spread, n - 1, alpha=0.005, fresh=10) > effect


def test_no_number_of_draws_helps_when_the_confirming_ones_do_not_do() -> None:
    assert draws_for_fall(0.2, 0.1, alpha=0.005, fresh=10) is None
    assert draws_for_fall(0.2, 0.0, alpha=0.005, fresh=10) is None


def test_spread_between_cases_is_what_the_draws_leave() -> None:
    gaps = [0.2, 0.1, 0.3]
    within = (0.02 / 5 + 0.0036 / 5 + 0.0064 / 7 + 0.0008 / 5) / 3
    assert between_variance(CASES) == pytest.approx(0.01 - within)
    assert between_variance([CaseSpread(gap / 100, 0.1, 0.1, 2, 2) for gap in gaps]) == 0


def test_more_draws_show_smaller_effects_and_cost_more() -> None:
    rows = designs(CASES, (3, 5, 10, 20), samples=2, alpha_suite=0.005, alpha_case=0.005, fresh=10)
    assert [row.calls for row in rows] == [3 * 2 * n * 3 for n in (3, 5, 10, 20)]
    lifts = [row.lift for row in rows]
    assert None not in lifts
    assert lifts == sorted(lifts, reverse=True)  # type: ignore[type-var]
    assert [row.fall for row in rows] == sorted((row.fall for row in rows), reverse=True)
    assert rows[1].fall == pytest.approx(smallest_fall(sqrt((0.06**2 + 0.08**2) / 2), 5, alpha=0.005, fresh=10))


def test_one_case_shows_no_lift_and_none_shows_nothing() -> None:
    assert lift_at(CASES[:1], 5, 0.005) is None
    assert designs(CASES[:1], (5,), samples=1, alpha_suite=0.005, alpha_case=0.005, fresh=10)[0].lift is None
    assert designs([], (5,), samples=1, alpha_suite=0.005, alpha_case=0.005, fresh=10) == ()
