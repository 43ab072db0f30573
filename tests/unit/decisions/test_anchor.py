from __future__ import annotations

import pytest

from driftproof_action.decisions.band_separation.anchor import read_anchor

OLD = [0.5, 0.6, 0.7, 0.8] * 5
WOBBLE = [0.05, -0.05, 0.0, 0.0] * 5


@pytest.mark.parametrize(("shift", "word"), [(0.0, "steady"), (-0.05, "moved"), (0.05, "moved"), (0.03, "steady"), (-0.01, "steady")])
def test_the_judge_moved_when_the_interval_leaves_the_tolerance(shift: float, word: str) -> None:
    found = read_anchor(OLD, [score + shift + by for score, by in zip(OLD, WOBBLE, strict=True)])
    assert found.word == word
    assert found.statistics is not None
    assert found.statistics.mean == pytest.approx(shift)


def test_few_answers_say_nothing_and_none_may_be_missing() -> None:
    assert read_anchor(OLD[:19], OLD[:19]).word == "not_given"
    assert read_anchor(OLD, OLD).word == "steady"
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        read_anchor(OLD, OLD[:-1])
