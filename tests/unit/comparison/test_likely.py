from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.comparison.likely import Likely, read_likely

OLD, FRESH = [0.9, 0.88, 0.92, 0.9, 0.91], [0.5, 0.52, 0.48, 0.5, 0.51, 0.49, 0.5, 0.5, 0.52, 0.48]
GROUND = [0.4, 0.42, 0.38, 0.4, 0.41]


def read(
    old: list[float] = OLD, fresh: list[float] = FRESH, then: list[float] = GROUND, now: list[float] = GROUND, cases: int = 10
) -> Likely:
    return read_likely(old, fresh, old_without=then, new_without=now, cases=cases)


def test_a_clear_fall_on_steady_ground_is_likely() -> None:
    found = read()
    assert (found.word, found.reason, found.gap, found.count, found.total) == ("likely", "", 0.402, 1, 3003)
    assert found.lift == -0.402
    assert found.lift_p is not None
    assert found.lift_p < 1e-6


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"old": [0.9]}, "single_answer"),
        ({"then": [0.4]}, "single_answer"),
        ({"old": [0.9, 0.9, 0.9]}, "old_draws"),
        ({"cases": 31}, "old_draws"),
        ({"fresh": [0.86] * 10}, "floor"),
        ({"fresh": [0.95, 0.95, 0.95, 0.95, 0.5, 0.5, 0.5, 0.95, 0.95, 0.3]}, "p"),
        ({"now": [0.0, 0.02, 0.0, 0.01, 0.0]}, "lift"),
        ({"then": [0.9, 0.1, 0.5, 0.0, 0.4], "now": [0.1, 0.9, 0.5, 0.0, 0.3]}, "lift_p"),
    ],
)
def test_the_first_condition_that_fails_is_named(changed: dict[str, list[float]], reason: str) -> None:
    found = read(**changed)  # type: ignore[arg-type]
    assert (found.word, found.reason) == ("cannot_tell", reason)


SCORES = st.lists(st.integers(0, 20).map(lambda step: step / 20), min_size=1, max_size=10)


@given(SCORES, SCORES, SCORES, SCORES, st.integers(1, 30))
def test_likely_asks_for_a_fall_of_both(old: list[float], fresh: list[float], then: list[float], now: list[float], cases: int) -> None:
    found = read(old, fresh, then, now, cases)
    if found.word == "likely":
        assert found.gap is not None
        assert found.lift is not None
        assert found.count is not None
        assert found.total is not None
        assert min(found.gap, -found.lift) >= 0.05
        assert 100 * cases * found.count <= found.total
    else:
        assert found.reason
