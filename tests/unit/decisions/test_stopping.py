from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.decisions.band_separation.stopping import SETTLED, stopping
from driftproof_action.domain.arithmetic import sd

SERIES = st.lists(st.one_of(st.none(), st.integers(0, 20).map(lambda n: n / 20), st.integers(90, 100).map(lambda n: n / 100)), min_size=10)
BOUNDS = st.sampled_from([(3, 10), (5, 10), (1, 10), (2, 4), (4, 4), (1, 1)])


def one_at_a_time(truth: list[float | None], low: int, top: int) -> tuple[int, str]:
    """The stop rule in its own words: draw, look, go on."""
    drawn: list[float | None] = []
    while True:
        drawn.append(truth[len(drawn)])
        got = [score for score in drawn if score is not None]
        before = [score for score in drawn[:-1] if score is not None]
        if len(drawn) >= low and not got:
            return len(drawn), "unmeasured_exhausted"
        if len(drawn) >= top:
            return len(drawn), "max_reached"
        if len(got) < low:
            continue
        if sd(got) <= 0.05:
            return len(drawn), "min_reached"
        if len(got) > low and len(before) >= low and abs(sd(got) - sd(before)) < 0.01:
            return len(drawn), "stabilised"


@given(SERIES, BOUNDS)
def test_a_whole_series_reads_as_one_at_a_time(truth: list[float | None], bounds: tuple[int, int]) -> None:
    draws, reason = one_at_a_time(truth, *bounds)
    assert stopping(dict(enumerate(truth[:draws])), *bounds) == (draws, reason)
    assert stopping(dict(enumerate(truth[:draws])), *bounds).settled


@given(SERIES, BOUNDS, st.integers(0, 2**32))
def test_certain_draws_only_grow_and_never_pass_the_end(truth: list[float | None], bounds: tuple[int, int], seed: int) -> None:
    end, reason = one_at_a_time(truth, *bounds)
    random, known, certain = Random(seed), dict[int, float | None](), 0
    while True:
        read = stopping(known, *bounds)
        assert certain <= read.draws <= end
        certain = read.draws
        missing = [index for index in range(certain) if index not in known]
        if not missing:
            break
        assert not read.settled
        known[index] = truth[index] if (index := random.choice(missing)) is not None else None
    assert stopping(known, *bounds) == (end, reason)


@pytest.mark.parametrize(
    ("scores", "draws", "reason"),
    [
        ([], 3, "below_min"),
        ([0.5, 0.5], 3, "below_min"),
        ([0.5, 0.5, 0.5], 3, "min_reached"),
        ([None, None, None], 3, "unmeasured_exhausted"),
        ([None, None, 0.5], 5, "below_min"),
        ([0.1, 0.5, 0.9], 4, "escalating"),
        ([0.1, 0.5, 0.9, None], 5, "escalating"),
        ([0.2, 0.5, 0.8, 0.76], 5, "escalating"),
        ([0.3, 0.5, 0.7, 0.72], 4, "stabilised"),
        ([0.0, 1.0, 0.5, 0.0, 1.0, None], 6, "stabilised"),
        ([0.5] + [None] * 9, 10, "max_reached"),
    ],
)
def test_published_reasons(scores: list[float | None], draws: int, reason: str) -> None:
    assert stopping(dict(enumerate(scores)), 3, 10) == (draws, reason)


def test_a_gap_in_the_middle_waits() -> None:
    read = stopping({0: 0.1, 2: 0.9}, 3, 10)
    assert (read.draws, read.reason, read.settled) == (3, "below_min", False)
    assert stopping({0: 0.1, 1: 0.5, 2: 0.9, 4: 0.5}, 3, 10).draws == 4


def test_settled_words_are_the_four_that_end_and_reuse() -> None:
    assert {"min_reached", "stabilised", "max_reached", "unmeasured_exhausted", "reused"} == SETTLED
