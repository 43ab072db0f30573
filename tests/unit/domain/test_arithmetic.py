from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.domain.arithmetic import mean, quadrature, round6, sd

scores = st.integers(0, 1_000_000).map(lambda n: n / 1_000_000)


def test_published_example() -> None:
    assert (mean([0.5, 0.5, 0.45]), sd([0.5, 0.5, 0.45])) == (0.483333, 0.028868)


@pytest.mark.parametrize(("value", "expected"), [(0.0000005, 0.000001), (-0.0000005, 0.0), (-0.00000051, -0.000001), (1.0, 1.0)])
def test_ties_go_up(value: float, expected: float) -> None:
    assert round6(value) == expected


@pytest.mark.parametrize("value", [-0.0, 0.5 - 0.5, -1e-9, round6(-0.0000004)])
def test_never_minus_zero(value: float) -> None:
    assert math.copysign(1, round6(value)) == 1


def test_few_values_have_no_spread() -> None:
    assert (mean([]), sd([]), sd([0.7]), mean([0.7])) == (0.0, 0.0, 0.0, 0.7)


def test_quadrature_is_the_hypotenuse() -> None:
    assert quadrature(0.3, 0.4) == 0.5


@given(st.lists(scores, min_size=2, max_size=12))
def test_spread_is_sane(values: list[float]) -> None:
    spread = sd(values)
    assert 0 <= spread <= (max(values) - min(values)) * 0.708 + 1e-6
    assert abs(spread - sd([round6(1 - value) for value in values])) <= 1.1e-6


@given(st.lists(scores, min_size=1, max_size=12))
def test_equal_values_have_no_spread(values: list[float]) -> None:
    assert sd([values[0]] * len(values)) == 0.0
    assert min(values) <= mean(values) + 1e-6
    assert mean(values) <= max(values) + 1e-6
