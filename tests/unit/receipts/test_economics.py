from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from driftproof_action.domain.draw import DrawId, Look
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole, Origin
from driftproof_action.domain.observations import Observations
from driftproof_action.domain.usage import NO_USAGE, Usage
from driftproof_action.receipts.economics import economics
from tests.unit.receipts.making import frame

PRICES = {"models": {"target": {"input_per_mtok": 3, "output_per_mtok": 15}, "judge": {"input_per_mtok": 1, "output_per_mtok": 5}}}
NOBODY = Observations(frame([]))


def used(tokens: int | None = 1000, out: int | None = 200, cached: int | None = None, wall: int | None = 1000) -> dict[str, Any]:
    return {"input_tokens": tokens, "output_tokens": out, "cached_tokens": cached, "wall_ms": wall}


def row(mode: str, *usage: dict[str, Any] | None) -> dict[str, Any]:
    draws = [{"status": "measured"} | ({"usage": one} if one else {}) for one in usage]
    return {"id": "a", "mode": mode, "generation": {"draws": draws}}


def figures(*rows: dict[str, Any], seen: Observations = NOBODY, prices: dict[str, Any] = PRICES) -> dict[str, Any]:
    found = economics(rows, prices, target="target", judge="judge", surface="api", seen=seen)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("walls", "median", "quarters"),
    [
        ([5], 5, (None, None)),
        ([7, 1, 4], 4, (None, None)),
        ([1, 2, 4, 9], 3, (1.5, 6.5)),
        ([9, 1, 2, 4, 5], 4, (1.5, 7)),
        ([1, 2, 3, 4, 5, 6, 8], 4, (2, 6)),
        ([10773, 10774, 10831, 10882, 10882, 12000], 10856.5, (10774, 10882)),
    ],
)
def test_quartiles_are_medians_of_the_halves_without_the_middle(
    walls: Sequence[int], median: float, quarters: tuple[float | None, float | None]
) -> None:
    arm = figures(row("with_skill", *(used(wall=wall) for wall in walls)))["with_skill"]
    assert arm["median_wall_ms"] == median
    assert (arm["wall_ms_p25"], arm["wall_ms_p75"]) == quarters
    assert arm["wall_ms_iqr"] == (None if None in quarters else quarters[1] - quarters[0])  # type: ignore[operator]


def test_an_answer_costs_its_tokens_at_the_frozen_prices_cached_ones_in_full() -> None:
    found = figures(row("with_skill", used(2000, 100, cached=1900), used(1000, 101)), row("baseline", used(500, 100)))
    ours = found["with_skill"]
    assert (ours["mean_input_tokens"], ours["mean_output_tokens"], ours["mean_cost_usd_per_call"]) == (1500, 100.5, 0.006008)
    assert found["skill_incremental_cost_usd_per_call"] == 0.003008
    assert found["skill_incremental_cost_usd_per_1k_calls"] == 3.008
    assert found["output_tokens_delta"] == 0.5
    assert found["judge_excluded"] is True


def test_what_nobody_told_is_null_and_never_zero() -> None:
    found = figures(row("with_skill", used(None, None, wall=None), used(None, 10, wall=None)), row("baseline", None))
    assert found["with_skill"]["call_count"] == 2
    assert (found["with_skill"]["mean_input_tokens"], found["with_skill"]["mean_output_tokens"]) == (None, 10)
    assert found["with_skill"]["mean_cost_usd_per_call"] is None
    assert found["skill_incremental_cost_usd_per_1k_calls"] is None
    assert found["median_wall_ms_delta"] is None
    assert economics([row("with_skill", None)], PRICES, target="target", judge=None, surface="api", seen=NOBODY) is None


def test_without_a_price_there_are_tokens_and_no_dollars() -> None:
    found = figures(row("with_skill", used()), prices={"models": {}})
    assert found["with_skill"]["mean_input_tokens"] == 1000
    assert found["with_skill"]["mean_cost_usd_per_call"] is None


def graded(index: int, *usage: Usage, look: Look = "first", arm: str = "with_skill", **more: Any) -> Grade:
    samples = tuple(Sample(n, 0, 0.5, usage=one) for n, one in enumerate(usage))
    return Grade(GradeId("judge", "a", (DrawId("a", arm, look, index),)), "scored", 0.5, samples=samples, **more)


def overhead(*grades: Grade) -> dict[str, Any]:
    found = figures(row("with_skill", used()), seen=Observations(frame([]), grades=grades))
    return dict(found["judge_overhead"])


TOLD = Usage(1, 1000, 100)


def test_judging_counts_every_judged_draw_once_in_every_look_and_arm() -> None:
    found = overhead(
        graded(0, TOLD, TOLD), graded(0, TOLD, look="confirm"), graded(0, TOLD, arm="baseline"), graded(0, TOLD, arm="incumbent")
    )
    assert found["total_cost_usd"] == 0.0075
    assert (found["judged_draws_counted"], found["judged_draws_missing_usage"]) == (4, 0)


def test_a_judge_reply_that_told_nothing_makes_the_total_a_floor() -> None:
    found = overhead(graded(0, TOLD, TOLD), graded(1, TOLD, NO_USAGE), graded(2, NO_USAGE), graded(3, Usage(1, 100, None)))
    assert found["total_cost_usd"] == 0.0045
    assert (found["judged_draws_counted"], found["judged_draws_missing_usage"]) == (1, 3)
    assert overhead(graded(0, NO_USAGE))["total_cost_usd"] is None


def test_what_was_paid_elsewhere_or_never_sent_is_not_counted() -> None:
    lost = Grade(GradeId("judge", "a", (DrawId("a", "with_skill", "first", 5),)), hole=Hole("timeout"))
    reused = graded(1, TOLD, origin=Origin("0" * 64, "2026-01-01"))
    assert overhead(graded(0, TOLD), reused, lost)["judged_draws_counted"] == 1
    assert "judge_overhead" not in figures(row("with_skill", used()), seen=Observations(frame([]), grades=[reused, lost]))
