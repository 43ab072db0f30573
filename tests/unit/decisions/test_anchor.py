from __future__ import annotations

import pytest

from driftproof_action.decisions.band_separation.anchor import read_anchor

OLD = [0.5, 0.6, 0.7, 0.8] * 5
WOBBLE = [0.05, -0.05, 0.0, 0.0] * 5
"""Its 95 % interval is ±0.01698."""


@pytest.mark.parametrize(
    ("shift", "word"),
    [
        *((0.0, "steady"), (0.003, "steady"), (-0.003, "steady")),
        *((0.0031, "open"), (-0.0031, "open"), (-0.01, "open"), (0.03, "open"), (0.0369, "open"), (-0.0369, "open")),
        *((0.0371, "moved"), (-0.0371, "moved"), (0.05, "moved"), (-0.05, "moved")),
    ],
)
def test_the_judge_moved_or_did_not_where_the_whole_interval_says_so(shift: float, word: str) -> None:
    found = read_anchor(OLD, [score + shift + by for score, by in zip(OLD, WOBBLE, strict=True)])
    assert found.word == word
    assert found.statistics is not None
    assert found.statistics.mean == pytest.approx(shift)


def test_a_wide_interval_around_zero_is_not_the_same_as_no_move() -> None:
    found = read_anchor(OLD, [score + 3 * by for score, by in zip(OLD, WOBBLE, strict=True)])
    assert found.statistics is not None
    assert found.statistics.interval(0.95) == pytest.approx((-0.051, 0.051), abs=0.001)
    assert found.word == "open"


def test_few_answers_say_nothing_and_none_may_be_missing() -> None:
    assert read_anchor(OLD[:19], OLD[:19]).word == "not_given"
    assert read_anchor(OLD, OLD).word == "steady"
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        read_anchor(OLD, OLD[:-1])
