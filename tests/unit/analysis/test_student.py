from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from driftproof_action.analysis.student import t_tail, t_upper

DF = st.one_of(st.integers(1, 60).map(float), st.floats(0.5, 60), st.floats(60, 1e5))
SMALLEST = 1e-280
"""Below it scipy's own tail loses digits."""


@settings(max_examples=1000, deadline=None)
@given(st.one_of(st.floats(0.001, 8), st.floats(-400, -0.001), st.floats(1, 1e8)), DF)
def test_tail_agrees_with_scipy_to_a_relative_1e_9(t: float, df: float) -> None:
    expected = float(stats.t.sf(t, df))
    if expected > SMALLEST:
        assert t_tail(t, df) == pytest.approx(expected, rel=1e-9, abs=0)


@given(st.floats(1e-9, 1e9))
def test_one_and_two_degrees_of_freedom_have_closed_forms(t: float) -> None:
    """Also near zero, where scipy itself is off by 1e-9."""
    assert t_tail(t, 1) == pytest.approx(math.atan2(1, t) / math.pi, rel=1e-12)
    root = math.sqrt(2 + t * t)
    assert t_tail(t, 2) == pytest.approx(1 / (root * (root + t)), rel=1e-12)


@settings(max_examples=300, deadline=None)
@given(st.floats(-9, -0.31).map(lambda power: 10**power), st.one_of(st.integers(1, 60).map(float), st.floats(1, 2000)))
def test_upper_point_agrees_with_scipy_and_inverts_the_tail(alpha: float, df: float) -> None:
    found = t_upper(alpha, df)
    assert found == pytest.approx(float(stats.t.isf(alpha, df)), rel=1e-8)
    assert t_tail(found, df) == pytest.approx(alpha, rel=1e-9)


@given(st.floats(0, 50), st.floats(0.5, 500))
def test_the_two_tails_are_one(t: float, df: float) -> None:
    assert t_tail(t, df) + t_tail(-t, df) == pytest.approx(1)


@pytest.mark.parametrize(("alpha", "df", "t"), [(0.025, 9, 2.262157), (0.005, 9, 3.249836), (0.05, 8, 1.859548), (0.005, 18, 2.878440)])
def test_table_values(alpha: float, df: int, t: float) -> None:
    assert t_upper(alpha, df) == pytest.approx(t, abs=5e-7)


def test_ends() -> None:
    assert (t_tail(0, 3), t_tail(-0.0, 3), t_tail(1e-170, 3)) == (0.5, 0.5, 0.5)
    assert t_tail(1e200, 3) == 0
    assert t_tail(-1e200, 3) == 1
    assert t_upper(0.5, 3) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("df", [0, -1, math.nan])
def test_no_degrees_of_freedom_are_refused(df: float) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_tail(1, df)


@pytest.mark.parametrize("alpha", [0, -0.1, 0.51, math.nan])
def test_no_upper_point_below_the_middle(alpha: float) -> None:
    with pytest.raises(ValueError, match="upper t"):
        t_upper(alpha, 3)
