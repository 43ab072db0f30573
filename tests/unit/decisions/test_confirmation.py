from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.analysis.bands import Band
from driftproof_action.analysis.welch import welch
from driftproof_action.decisions.band_separation.confirmation import Scores, is_futile, judge_family, try_suspect, wanted_fresh
from driftproof_action.decisions.band_separation.suspects import Suspect

ALPHA = (5, 1000)


def fresh(*scores: float | None) -> Scores:
    return dict(enumerate(scores))


def suspect(case: str = "c", sign: int = -1) -> Suspect:
    low, high = Band(0.5, 0.05, 5), Band(0.9, 0.05, 5)
    target, other = (low, high) if sign < 0 else (high, low)
    return Suspect(case, sign, round(target.mean - other.mean, 6), "both", welch(target, other), target, other)


LOW, HIGH = (0.5, 0.55, 0.6, 0.5, 0.55, 0.5, 0.6, 0.5, 0.55, 0.5), (0.9, 0.85, 0.9, 0.95, 0.9, 0.85, 0.9, 0.9, 0.9, 0.85)


def status(target: Scores, other: Scores, sign: int = -1) -> tuple[str, str]:
    (found,) = judge_family([(suspect(sign=sign), try_suspect(sign, target, other))], ALPHA, "stopped")
    return found.status, found.reason


def test_a_clear_fall_is_confirmed_by_its_fresh_size() -> None:
    trial = try_suspect(-1, fresh(*LOW), fresh(*HIGH))
    assert (trial.stop, trial.tested, trial.count.count, trial.count.total) == ("complete", True, 1, 184_756)
    assert (trial.gap, trial.worst_gap) == (0.355, 0.355)
    assert status(fresh(*LOW), fresh(*HIGH)) == ("confirmed", "")
    assert status(fresh(*HIGH), fresh(*LOW), sign=1) == ("confirmed", "")


@pytest.mark.parametrize(
    ("target", "other", "expected"),
    [
        ((0.9, 0.9, 0.9), (0.9, 0.9, 0.94), ("not_confirmed", "futility")),
        ((0.9, 0.9, 0.9), (0.5, 0.5, 0.5), ("not_confirmed", "futility")),
        ((0.85, 0.85, 0.85) + (0.9,) * 7, (0.9,) * 10, ("not_confirmed", "p")),
        ((0.84, 0.84, 0.84) + (0.86,) * 7, (0.9,) * 10, ("not_confirmed", "floor")),
        ((0.5,) * 10, (0.9,) * 6 + (None,) * 4, ("not_confirmed", "lost_draws")),
        ((0.5,) * 10, (0.9,) * 9 + (None,), ("confirmed", "")),
        ((0.5, 0.5), (0.9,) * 10, ("unconfirmed", "stopped")),
        ((0.5,) * 9, (0.9,) * 10, ("unconfirmed", "stopped")),
        ((), (), ("unconfirmed", "stopped")),
        ((None, None, None), (0.9, 0.9, 0.9), ("not_confirmed", "lost_draws")),
        ((0.9, None, None), (0.9, 0.9, 0.9), ("not_confirmed", "futility")),
    ],
)
def test_statuses(target: tuple[float | None, ...], other: tuple[float | None, ...], expected: tuple[str, str]) -> None:
    assert status(fresh(*target), fresh(*other)) == expected


def test_three_draws_then_ten() -> None:
    assert wanted_fresh(-1, fresh(), fresh()) == 3
    assert wanted_fresh(-1, fresh(0.5, 0.5), fresh(0.9, 0.9, 0.9)) == 3
    assert wanted_fresh(-1, fresh(0.5, 0.5, 0.5), fresh(0.9, 0.9, 0.9)) == 10
    assert wanted_fresh(1, fresh(0.5, 0.5, 0.5), fresh(0.9, 0.9, 0.9)) == 3
    assert wanted_fresh(-1, fresh(0.9, 0.9, 0.9), fresh(0.9, 0.9, 0.9)) == 3


def test_the_family_shares_its_error_rate_and_stops_count_in_it() -> None:
    """A p that is enough alone, too much beside a suspect that was let go."""
    low, high = (0.5, 0.6, 0.6, 0.9, 0.85, 0.8, 0.8, 0.7, 0.7, 0.6), (0.9, 0.9, 0.9, 0.7, 0.9, 0.9, 0.9, 0.8, 0.9, 0.8)
    trial = try_suspect(-1, fresh(*low), fresh(*high))
    assert 0.0025 < trial.count.p <= 0.005
    gone = try_suspect(-1, fresh(0.9, 0.9, 0.9), fresh(0.9, 0.9, 0.9))
    assert [item.status for item in judge_family([(suspect(), trial)], ALPHA, "")] == ["confirmed"]
    both = judge_family([(suspect("a"), trial), (suspect("b"), gone)], ALPHA, "")
    assert [(item.status, item.reason) for item in both] == [("not_confirmed", "p"), ("not_confirmed", "futility")]
    assert judge_family([(suspect(), trial)], (5, 2000), "")[0].status == "not_confirmed"


SCORE = st.one_of(st.integers(0, 20).map(lambda step: step / 20), st.sampled_from([0.2, 0.9]))
SIDES = st.tuples(st.lists(SCORE, min_size=10, max_size=10), st.lists(SCORE, min_size=10, max_size=10))


@settings(max_examples=1000, deadline=None)
@given(SIDES, st.sets(st.integers(0, 9), max_size=5), st.sets(st.integers(0, 9), max_size=5), st.sampled_from([-1, 1]))
def test_losing_draws_never_confirms_and_never_keeps_a_case_going(
    sides: tuple[list[float], list[float]], lost_target: set[int], lost_other: set[int], sign: int
) -> None:
    target, other = (dict(enumerate(side)) for side in sides)
    holed = [{i: None if i in lost else score for i, score in side.items()} for side, lost in ((target, lost_target), (other, lost_other))]
    if is_futile(sign, target, other):
        assert is_futile(sign, *holed)
    if status(*holed, sign=sign)[0] == "confirmed":
        assert status(target, other, sign=sign)[0] == "confirmed"
    assert try_suspect(sign, *holed).count.p >= try_suspect(sign, target, other).count.p


@settings(max_examples=1000, deadline=None)
@given(SIDES)
def test_swapping_the_arms_swaps_the_direction(sides: tuple[list[float], list[float]]) -> None:
    target, other = (dict(enumerate(side)) for side in sides)
    assert try_suspect(-1, target, other) == try_suspect(1, other, target)
    turned = [{i: round(1 - score, 6) for i, score in side.items()} for side in (target, other)]
    here, there = try_suspect(-1, target, other), try_suspect(1, *turned)
    assert (here.stop, here.count) == (there.stop, there.count)
