from __future__ import annotations

from math import sqrt
from statistics import variance

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from driftproof_action.analysis.paired import DIFFERENCE_VARIANCE, LIFT_VARIANCE, paired, smallest_mean

DIFFERENCES = st.lists(st.integers(-20, 20).map(lambda step: step / 20), min_size=2, max_size=30)


@given(DIFFERENCES)
def test_agrees_with_scipy_once_the_grid_is_in_the_error(values: list[float]) -> None:
    found = paired(values)
    mean = sum(values) / len(values)
    error = sqrt((variance(values) + LIFT_VARIANCE) / len(values))
    assert (found.mean, found.se) == pytest.approx((mean, error), abs=1e-12)
    assert found.p_up() == pytest.approx(float(stats.t.sf(mean / error, len(values) - 1)), rel=1e-8)
    assert found.p_up() + found.p_down() == pytest.approx(1)
    assert found.interval(0.95) == pytest.approx(stats.t.interval(0.95, len(values) - 1, mean, error), abs=1e-9)


@given(DIFFERENCES)
def test_the_gate_and_the_99_percent_interval_say_the_same(values: list[float]) -> None:
    found = paired(values)
    low, high = found.interval(0.99)
    if min(abs(low), abs(high)) > 1e-9:
        assert (found.p_up() <= 0.005) == (low > 0)
        assert (found.p_down() <= 0.005) == (high < 0)


def test_equal_differences_keep_a_width() -> None:
    found = paired([0.1] * 5)
    assert found.se == pytest.approx(sqrt(0.05**2 / 18 / 5))
    assert paired([0.1] * 5, DIFFERENCE_VARIANCE).se == pytest.approx(sqrt(0.05**2 / 9 / 5))


def test_the_smallest_lift_is_never_below_the_floor() -> None:
    assert smallest_mean(0.001, 9, 0.005) == 0.05
    assert smallest_mean(0.02, 9, 0.005) == pytest.approx(0.02 * (3.249836 + 0.883404), abs=1e-6)


def test_one_case_is_refused() -> None:
    with pytest.raises(ValueError, match="two cases"):
        paired([0.3])
