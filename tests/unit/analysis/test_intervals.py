from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.analysis.intervals import clopper_pearson, upper_tail

counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def at_least(passes: int, n: int, rate: float) -> float:
    return sum(math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(passes, n + 1))


@given(counts, st.floats(0, 1))
def test_tail_is_the_binomial_sum(count: tuple[int, int], rate: float) -> None:
    passes, n = count
    assert upper_tail(passes, n, rate) == pytest.approx(at_least(passes, n, rate), abs=1e-11)


@given(counts)
def test_ends_solve_their_equations(count: tuple[int, int]) -> None:
    passes, n = count
    low, high = clopper_pearson(passes, n)
    step = 2e-6
    assert low <= passes / n <= high
    if passes:
        assert at_least(passes, n, max(0.0, low - step)) <= 0.025 <= at_least(passes, n, low + step)
    if passes < n:
        assert 1 - at_least(passes + 1, n, high + step) <= 0.025 <= 1 - at_least(passes + 1, n, high - step)


@given(counts)
def test_failures_mirror_passes(count: tuple[int, int]) -> None:
    passes, n = count
    low, high = clopper_pearson(passes, n)
    mirrored = clopper_pearson(n - passes, n)
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx((low, high), abs=1.1e-6)


@pytest.mark.parametrize(
    ("passes", "n", "low", "high"),
    [(0, 10, 0.0, 0.308497), (10, 10, 0.691503, 1.0), (7, 10, 0.347547, 0.933260), (1, 1, 0.025, 1.0), (50, 100, 0.398321, 0.601679)],
)
def test_textbook_values(passes: int, n: int, low: float, high: float) -> None:
    assert clopper_pearson(passes, n) == pytest.approx((low, high), abs=1e-6)


def test_no_draws_say_nothing() -> None:
    assert clopper_pearson(0, 0) == (0.0, 1.0)


def test_wider_confidence_is_wider() -> None:
    assert clopper_pearson(7, 10, 0.99)[0] < clopper_pearson(7, 10, 0.9)[0]


@pytest.mark.parametrize(("passes", "n", "confidence"), [(-1, 3, 0.95), (4, 3, 0.95), (1, 3, 1.0), (1, 3, 0.0)])
def test_nonsense_is_refused(passes: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="no interval"):
        clopper_pearson(passes, n, confidence)
