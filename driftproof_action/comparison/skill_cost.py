"""What answers with the skill cost against answers without it, as the receipt recorded it. Not: a score; no verdict reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from driftproof_action.analysis.bands import EFFECT_FLOOR
from driftproof_action.domain.arithmetic import round6, total
from driftproof_action.receipts.economics import rounded
from driftproof_action.receipts.view import ReceiptView

ARMS = ("with_skill", "baseline")


@dataclass(frozen=True, slots=True)
class ArmCost:
    """Of one answer: mean tokens (cached ones are part of the input), mean dollars with cached tokens at the full price, time
    in milliseconds. None: not told."""

    answers: int
    input_tokens: float | None
    output_tokens: float | None
    cached_tokens: float | None
    usd: float | None
    median_ms: float | None
    p25_ms: float | None
    p75_ms: float | None


@dataclass(frozen=True, slots=True)
class SkillCost:
    """arms: those that told their tokens. dearer, per_1k: dollars more with the skill, for one call and for a thousand.

    skill_tokens: of SKILL.md. value: lift for a thousand tokens of the skill, four places; None without tokens, and where
    the lift does not clear the floor: a ratio over noise is noise. judged, missing: draws sent to the judge that told all
    their tokens, and that did not (then judging_usd is a floor); both None where a receipt does not count them.
    """

    basis: str
    arms: Mapping[str, ArmCost]
    dearer: float | None
    per_1k: float | None
    skill_tokens: int | None
    value: float | None
    judging_usd: float | None
    judged: int | None
    missing: int | None


def clears_floor(lift: float | None) -> bool:
    """Whether a lift is large enough to be divided by anything: at least 0.05, six places."""
    return lift is not None and round6(lift) >= EFFECT_FLOOR


def skill_cost(view: ReceiptView) -> SkillCost | None:
    """None where the receipt tells no tokens of any answer."""
    told: Mapping[str, Any] | None = view.economics
    if told is None:
        return None
    judging: Mapping[str, Any] = told.get("judge_overhead") or {}
    tokens = _skill_tokens(view)
    value = rounded(view.delta / (tokens / 1000), 4) if tokens and view.delta is not None and clears_floor(view.delta) else None
    return SkillCost(
        basis=told["basis"],
        arms={arm: _arm(told[arm], _cached(view, arm)) for arm in ARMS if arm in told and told[arm].get("call_count")},
        dearer=told.get("skill_incremental_cost_usd_per_call"),
        per_1k=told.get("skill_incremental_cost_usd_per_1k_calls"),
        skill_tokens=tokens,
        value=value,
        judging_usd=judging.get("total_cost_usd"),
        judged=judging.get("judged_draws_counted"),
        missing=judging.get("judged_draws_missing_usage"),
    )


def _skill_tokens(view: ReceiptView) -> int | None:
    skill: Any = view.document.get("skill") or {}
    tokens = skill.get("tokens")
    return tokens if isinstance(tokens, int) else None


def _arm(told: Mapping[str, Any], cached: float | None) -> ArmCost:
    return ArmCost(
        told["call_count"],
        told.get("mean_input_tokens"),
        told.get("mean_output_tokens"),
        cached,
        told.get("mean_cost_usd_per_call"),
        told.get("median_wall_ms"),
        told.get("wall_ms_p25"),
        told.get("wall_ms_p75"),
    )


def _cached(view: ReceiptView, arm: str) -> float | None:
    """Mean tokens read from a cache, over the measured draws that told; two places."""
    results: Any = view.document.get("results") or {}
    known = [
        used["cached_tokens"]
        for row in results.get("cases", ())
        if row["mode"] == arm
        for draw in (row.get("generation") or {}).get("draws", ())
        if draw["status"] == "measured" and (used := draw.get("usage") or {}).get("cached_tokens") is not None
    ]
    return rounded(total(known) / len(known), 2) if known else None
