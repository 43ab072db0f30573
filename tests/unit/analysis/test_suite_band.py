from __future__ import annotations

from math import inf, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.analysis.bands import Band
from driftproof_action.analysis.evidence import ArmEvidence, CaseEvidence
from driftproof_action.analysis.suite_band import suite_band
from driftproof_action.domain.arithmetic import mean, sd


def arm(*scores: float, lost: int = 0, listed: bool = True) -> ArmEvidence:
    return ArmEvidence(Band(mean(scores), sd(scores), len(scores)), lost, listed, scores)


def cases(*pairs: tuple[ArmEvidence, ArmEvidence]) -> list[CaseEvidence]:
    return [CaseEvidence(str(number), *pair) for number, pair in enumerate(pairs)]


STEADY = arm(0.9, 0.9, 0.9)


def test_cases_that_agree_make_a_narrow_band() -> None:
    found = suite_band(cases((STEADY, STEADY), (STEADY, STEADY)))
    assert found is not None
    assert (found.width, found.driver, found.wide) == (0.0, "", False)


def test_cases_that_differ_ask_for_more_cases() -> None:
    low = arm(0.5, 0.5, 0.5)
    found = suite_band(cases((STEADY, STEADY), (low, low)))
    assert found is not None
    assert found.width == pytest.approx(sqrt(2) * 0.282843)
    assert (found.between, found.driver, found.wide) == (0.4, "cases", True)


def test_draws_that_scatter_ask_for_more_draws() -> None:
    one, two = arm(0.7, 1.0, 1.0), arm(0.65, 0.95, 0.8)
    found = suite_band(cases((one, one), (two, two)))
    assert found is not None
    assert (found.between, found.driver) == (0.0, "draws")


@pytest.mark.parametrize(
    "odd", [arm(0.5), arm(0.5, 0.5, lost=1), ArmEvidence(Band(0.5, 0.02, 1, "legacy"))], ids=["one draw", "a loss", "legacy"]
)
def test_the_cause_is_unknown_where_the_draws_do_not_tell(odd: ArmEvidence) -> None:
    found = suite_band(cases((STEADY, STEADY), (odd, STEADY)))
    assert found is not None
    assert (found.between, found.driver) == (None, "unknown")


def test_losses_widen_it_and_unlisted_ones_without_end() -> None:
    flat = [arm(*[0.9] * 40) for _ in range(3)]
    narrow = suite_band(cases((arm(*[0.9] * 40, lost=1), flat[0]), (flat[1], flat[2])))
    assert narrow is not None
    assert 0.02 < narrow.width < 0.05
    endless = suite_band(cases((arm(*[0.9] * 40, lost=1, listed=False), flat[0]), (flat[1], flat[2])))
    assert endless is not None
    assert (endless.width, endless.driver) == (inf, "unknown")


def test_one_readable_case_has_no_band() -> None:
    assert suite_band(cases((STEADY, STEADY))) is None
    assert suite_band(cases((STEADY, STEADY), (STEADY, ArmEvidence(None, 3)))) is None


SCORES = st.lists(st.integers(0, 20).map(lambda n: n / 20), min_size=1, max_size=5)
LOST = st.lists(st.floats(0, 1), max_size=2)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(SCORES, LOST, SCORES, LOST), min_size=2, max_size=5))
def test_the_band_covers_every_fill_of_the_losses(rows: list[tuple[list[float], list[float], list[float], list[float]]]) -> None:
    found = suite_band(cases(*((arm(*a, lost=len(x)), arm(*b, lost=len(y))) for a, x, b, y in rows)))
    whole = suite_band(cases(*((arm(*a, *x), arm(*b, *y)) for a, x, b, y in rows)))
    assert found is not None
    assert whole is not None
    assert whole.width <= found.width + 1e-5
