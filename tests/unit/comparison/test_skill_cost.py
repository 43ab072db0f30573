from __future__ import annotations

from typing import Any

import pytest

from driftproof_action.comparison.skill_cost import clears_floor, skill_cost
from tests.unit.comparison.views import receipt

ARM = {
    "call_count": 4,
    "mean_input_tokens": 900,
    "mean_output_tokens": 120.5,
    "mean_cost_usd_per_call": 0.0045,
    "median_wall_ms": 2400,
    "wall_ms_p25": 2000,
    "wall_ms_p75": 3100,
    "wall_ms_iqr": 1100,
}
TOLD: dict[str, Any] = {
    "basis": "metered",
    "with_skill": ARM,
    "baseline": ARM | {"call_count": 3, "mean_cost_usd_per_call": 0.003},
    "skill_incremental_cost_usd_per_call": 0.0015,
    "skill_incremental_cost_usd_per_1k_calls": 1.5,
    "judge_overhead": {"total_cost_usd": 0.2, "case_rows_measured": 4, "judged_draws_counted": 7, "judged_draws_missing_usage": 1},
}


def document(tokens: int | None, *cached: int | None) -> dict[str, Any]:
    draws = [{"status": "measured", "usage": {"cached_tokens": count}} for count in cached]
    lost = {"status": "unmeasured", "usage": {"cached_tokens": 10**6}}
    return {
        "skill": {"tokens": tokens},
        "results": {"cases": [{"mode": "with_skill", "generation": {"draws": [*draws, lost]}}, {"mode": "baseline"}]},
    }


def test_figures_are_those_of_the_receipt_and_no_single_score() -> None:
    found = skill_cost(receipt(economics=TOLD, document=document(1500, 800, None, 700)))
    assert found is not None
    ours = found.arms["with_skill"]
    assert (ours.answers, ours.input_tokens, ours.cached_tokens, ours.output_tokens, ours.usd) == (4, 900, 750, 120.5, 0.0045)
    assert (ours.median_ms, ours.p25_ms, ours.p75_ms, found.arms["baseline"].cached_tokens) == (2400, 2000, 3100, None)
    assert (found.dearer, found.per_1k, found.judging_usd, found.judged, found.missing) == (0.0015, 1.5, 0.2, 7, 1)
    assert found.value == 0.2


@pytest.mark.parametrize(
    ("delta", "tokens", "value"),
    [(0.3, 1500, 0.2), (0.05, 700, 0.0714), (0.049999, 700, None), (-0.3, 700, None), (None, 700, None), (0.3, None, None), (0.3, 0, None)],
)
def test_lift_for_tokens_is_told_only_where_the_lift_clears_the_floor(delta: float | None, tokens: int | None, value: float | None) -> None:
    found = skill_cost(receipt(economics=TOLD, document=document(tokens), delta=delta))
    assert found is not None
    assert found.value == value


def test_the_floor_itself_counts() -> None:
    assert clears_floor(0.8 - 0.75)
    assert not clears_floor(0.0499994)


def test_a_receipt_that_tells_no_tokens_has_no_cost() -> None:
    assert skill_cost(receipt()) is None
    empty = skill_cost(
        receipt(economics={"basis": "metered", "with_skill": ARM, "baseline": ARM | {"call_count": 0}}, document=document(None))
    )
    assert empty is not None
    assert list(empty.arms) == ["with_skill"]
    assert (empty.judging_usd, empty.judged, empty.per_1k) == (None, None, None)
