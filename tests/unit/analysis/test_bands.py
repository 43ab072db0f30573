from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.analysis.bands import Band, apart, draws_needed, gap, power, resolution, separation

millionths = st.integers(0, 1_000_000).map(lambda n: n / 1_000_000)
spreads = st.integers(0, 300_000).map(lambda n: n / 1_000_000)
bands = st.builds(Band, mean=millionths, sd=spreads, n=st.integers(1, 10))


@given(bands, bands)
def test_swapping_the_arms_turns_the_sign(one: Band, two: Band) -> None:
    assert separation(one, two) == -separation(two, one)
    assert power(one, two) == power(two, one)
    assert gap(one, two) == -gap(two, one)


@given(bands)
def test_a_band_is_not_apart_from_itself(band: Band) -> None:
    assert not apart(band, band)
    assert separation(band, band) == 0


@given(bands, bands)
def test_separated_means_apart_and_a_floor_away(one: Band, two: Band) -> None:
    sign = separation(one, two)
    if sign > 0:
        assert one.low > two.high
    if sign:
        assert abs(gap(one, two)) >= 0.05
    if not sign and apart(one, two):
        assert abs(gap(one, two)) < 0.05


@pytest.mark.parametrize("step", range(20))
def test_exactly_one_floor_apart_counts(step: int) -> None:
    """In doubles half of these steps come out a hair below 0.05."""
    low = step * 5 / 100
    assert separation(Band((step + 1) * 5 / 100, 0.0, 3), Band(low, 0.0, 3)) == 1


def test_bands_that_touch_overlap() -> None:
    assert separation(Band(0.75, 0.125, 5), Band(0.5, 0.125, 5)) == 0
    assert separation(Band(0.76, 0.125, 5), Band(0.5, 0.125, 5)) == 1


def test_resolution_needs_two_draws() -> None:
    assert resolution(Band(0.5, 0.1, 1), Band(0.5, 0.1, 9)) is None
    assert resolution(Band(0.5, 0.01, 4), Band(0.5, 0.02, 4)) == pytest.approx(0.03 + 2 * math.sqrt(0.0001 / 4 + 0.0004 / 4))


@given(spreads, spreads)
def test_draws_needed_are_enough_and_not_one_too_many(one: float, two: float) -> None:
    needed = draws_needed(Band(0.5, one, 2), Band(0.5, two, 2))
    if needed is None:
        assert one + two >= 0.05 - 1e-12
        return
    width = resolution(Band(0.5, one, needed), Band(0.5, two, needed))
    assert width is not None
    assert width < 0.05 + 1e-12
    if needed > 2:
        fewer = resolution(Band(0.5, one, needed - 1), Band(0.5, two, needed - 1))
        assert fewer is not None
        assert fewer >= 0.05 - 1e-9


def test_power_words() -> None:
    assert power(Band(0.9, 0.01, 5), Band(0.5, 0.01, 5)).word == "separated"
    assert power(Band(0.9, 0.0, 5), Band(0.9, 0.0, 5)).word == "not_separated"
    single = power(Band(0.9, 0.01, 1, "legacy"), Band(0.9, 0.01, 1, "legacy"))
    assert (single.word, single.reason, single.needed) == ("underpowered", "single_draw", 2)
    wide = power(Band(0.9, 0.03, 5), Band(0.9, 0.03, 5))
    assert (wide.word, wide.reason, wide.needed) == ("underpowered", "spread", None)
    few = power(Band(0.9, 0.015, 3), Band(0.9, 0.015, 3))
    assert (few.word, few.reason, few.needed) == ("underpowered", "draws", 5)


def test_absurd_spreads_are_read_not_raised() -> None:
    found = power(Band(0.9, 1e300, 5), Band(0.9, 1e300, 5))
    assert (found.word, found.reason) == ("underpowered", "spread")
