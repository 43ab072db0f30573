from __future__ import annotations

from itertools import combinations
from math import comb, inf

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from driftproof_action.analysis.permutation import exact_count, millionths

GRID = st.integers(0, 20).map(lambda step: step * 50_000)
FINE = st.integers(0, 1_000_000)
SAMPLES = st.one_of(*(st.tuples(st.lists(kind, min_size=1, max_size=6), st.lists(kind, min_size=1, max_size=6)) for kind in (GRID, FINE)))
TEN = st.one_of(*(st.tuples(st.lists(kind, min_size=10, max_size=10), st.lists(kind, min_size=10, max_size=10)) for kind in (GRID, FINE)))


@settings(max_examples=1000, deadline=None)
@given(SAMPLES)
def test_agrees_with_every_split_counted_one_by_one(samples: tuple[list[int], list[int]]) -> None:
    low, high = samples
    sums = [sum(chosen) for chosen in combinations([*low, *high], len(low))]
    assert exact_count(low, high) == (sum(value <= sum(low) for value in sums), len(sums))


def test_agrees_with_scipy() -> None:
    random = numpy.random.default_rng(1)
    for _ in range(40):
        low, high = ((random.integers(0, 21, size) * 50_000).tolist() for size in random.integers(2, 7, 2))
        count, total = exact_count(low, high)
        expected = stats.permutation_test(
            (low, high), lambda one, two, axis: numpy.sum(one, axis=axis), alternative="less", n_resamples=inf, vectorized=True
        )
        assert count / total == pytest.approx(expected.pvalue, abs=1e-12)


@settings(max_examples=1000, deadline=None)
@given(TEN, st.randoms(use_true_random=False))
def test_order_is_nothing_and_no_value_against_the_claim_makes_it_rarer(samples: tuple[list[int], list[int]], random) -> None:  # type: ignore[no-untyped-def]
    low, high = samples
    count, total = exact_count(low, high)
    assert total == comb(20, 10) == 184_756
    assert 1 <= count <= total
    place = random.randrange(10)
    raised, lowered = list(low), list(high)
    raised[place] = random.randint(low[place], 1_000_000)
    lowered[place] = random.randint(0, high[place])
    assert exact_count(raised, high)[0] >= count
    assert exact_count(low, lowered)[0] >= count
    random.shuffle(low)
    random.shuffle(high)
    assert exact_count(low, high)[0] == count


@settings(max_examples=1000, deadline=None)
@given(TEN)
def test_swapping_the_arms_and_turning_the_scale_changes_nothing(samples: tuple[list[int], list[int]]) -> None:
    low, high = samples
    turned = [[1_000_000 - value for value in side] for side in (high, low)]
    assert exact_count(*turned) == exact_count(low, high)


@pytest.mark.parametrize(
    ("low", "high", "count"),
    [
        ([0.1] * 10, [0.9] * 10, 1),
        ([0.5] * 10, [0.5] * 10, 184_756),
        ([0.6] * 9 + [0.9], [0.6] + [0.9] * 9, 101),
    ],
)
def test_known_counts(low: list[float], high: list[float], count: int) -> None:
    assert exact_count(millionths(low), millionths(high)) == (count, 184_756)


def test_scores_become_whole_millionths() -> None:
    assert millionths([0.0, 0.1, 0.483333, 1.0]) == [0, 100_000, 483_333, 1_000_000]


def test_an_empty_sample_is_refused() -> None:
    for low, high in (([], [1]), ([1], [])):
        with pytest.raises(ValueError, match="both samples"):
            exact_count(low, high)
