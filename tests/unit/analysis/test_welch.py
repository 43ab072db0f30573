from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from driftproof_action.analysis.bands import Band
from driftproof_action.analysis.welch import GRID, mean_variance, satterthwaite, welch

BANDS = st.builds(Band, st.floats(0, 1), st.floats(0, 0.5), st.integers(2, 20))


@given(BANDS, BANDS)
def test_agrees_with_scipy_once_the_grid_is_in_the_spread(one: Band, two: Band) -> None:
    found = welch(one, two)
    spreads = [sqrt(band.sd**2 + GRID**2 / 12) for band in (one, two)]
    low, high = sorted((one, two), key=lambda band: band.mean)
    by = {id(one): spreads[0], id(two): spreads[1]}
    expected = stats.ttest_ind_from_stats(
        high.mean, by[id(high)], high.n, low.mean, by[id(low)], low.n, equal_var=False, alternative="greater"
    )
    assert found.t == pytest.approx(abs(float(expected.statistic)), abs=1e-9)
    assert found.p == pytest.approx(float(expected.pvalue), rel=1e-6, abs=1e-12)


@given(BANDS, BANDS)
def test_swapping_the_arms_changes_nothing(one: Band, two: Band) -> None:
    assert welch(one, two).p == pytest.approx(welch(two, one).p, rel=1e-12)


def test_equal_answers_do_not_divide_by_zero() -> None:
    found = welch(Band(0.9, 0.0, 5), Band(0.85, 0.0, 5))
    assert 0 < found.p < 0.05
    assert found.df == pytest.approx(8)
    assert mean_variance(Band(0.9, 0.0, 5)) == pytest.approx(0.05**2 / 12 / 5)


def test_one_draw_is_refused() -> None:
    with pytest.raises(ValueError, match="two draws"):
        welch(Band(0.9, 0.0, 1), Band(0.5, 0.0, 9))


def test_degrees_of_freedom_of_one_variance_are_its_own() -> None:
    assert satterthwaite(((0.2, 7),)) == pytest.approx(6)
