"""What the answers cost, per arm and the difference, at the prices the receipt froze. Not: what the job spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor
from typing import Any

from driftproof_action.domain.arithmetic import round6, total
from driftproof_action.domain.grade import Grade
from driftproof_action.domain.observations import Observations
from driftproof_action.receipts.draw_sets import usage_row

Row = Mapping[str, Any]

OVERHEAD_NOTE = "What grading cost. It is a cost of measuring, not of the skill, and no other figure here holds it."


def economics(
    rows: Sequence[Row], snapshot: Mapping[str, Any], *, target: str, judge: str | None, surface: str, seen: Observations
) -> dict[str, Any] | None:
    """The `economics` object, None when no draw tells its tokens. Source: receipt format 0.4, over measured draws.

    Means are rounded to two places, dollars to six. Cached tokens are charged at the full input price. rows: first look;
    seen: everything that was judged, fresh answers and the committed skill's too.
    """
    arms = {mode: _used(rows, mode) for mode in dict.fromkeys(row["mode"] for row in rows)}
    if not any(arms.values()):
        return None
    prices = snapshot["models"]
    figures = {mode: _arm(used, prices.get(target)) for mode, used in arms.items()}
    out: dict[str, Any] = {"basis": "metered", "surface": surface, **figures, "judge_excluded": True}
    if "baseline" in figures:
        ours, theirs = figures["with_skill"], figures["baseline"]
        dearer = _minus(ours["mean_cost_usd_per_call"], theirs["mean_cost_usd_per_call"], 6)
        out |= {
            "skill_incremental_cost_usd_per_call": dearer,
            "skill_incremental_cost_usd_per_1k_calls": None if dearer is None else rounded(dearer * 1000, 4),
            "output_tokens_delta": _minus(ours["mean_output_tokens"], theirs["mean_output_tokens"], 2),
            "median_wall_ms_delta": _minus(ours["median_wall_ms"], theirs["median_wall_ms"], 2),
        }
    if judge is not None and (judged := [grade for grade in seen.grades if grade.samples and grade.origin is None]):
        out["judge_overhead"] = _overhead(judged, rows, prices.get(judge))
    return out


def _overhead(judged: Sequence[Grade], rows: Sequence[Row], price: Row | None) -> dict[str, Any]:
    """Every draw sent to the judge once; one taken over from a receipt was paid there. A draw with a judge reply that told no
    tokens is missing usage: what its other replies told is in the total, which is a floor."""
    told = [used for grade in judged if (used := usage_row(*(sample.usage for sample in grade.samples))) is not None]
    known = [cost for used in told if (cost := _cost(used, price)) is not None]
    missing = sum(
        any(sample.usage.input_tokens is None or sample.usage.output_tokens is None for sample in grade.samples) for grade in judged
    )
    return {
        "note": OVERHEAD_NOTE,
        "total_cost_usd": round6(total(known)) if known else None,
        "case_rows_measured": sum(any("judge_usage" in draw for draw in _draws(row)) for row in rows),
        "judged_draws_counted": len(judged) - missing,
        "judged_draws_missing_usage": missing,
    }


def _draws(row: Row) -> Sequence[Row]:
    draws: Sequence[Row] = (row.get("generation") or {}).get("draws", ())
    return draws


def _used(rows: Sequence[Row], mode: str) -> list[Row]:
    return [
        draw["usage"] for row in rows if row["mode"] == mode for draw in _draws(row) if draw["status"] == "measured" and "usage" in draw
    ]


def _arm(used: Sequence[Row], price: Row | None) -> dict[str, Any]:
    costs = [_cost(one, price) for one in used]
    walls = sorted(one["wall_ms"] for one in used if one["wall_ms"] is not None)
    half = len(walls) // 2
    quarters = (_median(walls[:half]), _median(walls[len(walls) - half :])) if len(walls) >= 4 else (None, None)
    return {
        "call_count": len(used),
        "mean_input_tokens": _mean([one["input_tokens"] for one in used], 2),
        "mean_output_tokens": _mean([one["output_tokens"] for one in used], 2),
        "mean_cost_usd_per_call": _mean(costs, 6),
        "median_wall_ms": _median(walls),
        "wall_ms_p25": quarters[0],
        "wall_ms_p75": quarters[1],
        "wall_ms_iqr": _minus(quarters[1], quarters[0], 2),
    }


def _cost(used: Row, price: Row | None) -> float | None:
    if price is None or used["input_tokens"] is None or used["output_tokens"] is None:
        return None
    return round6(used["input_tokens"] / 1e6 * price["input_per_mtok"] + used["output_tokens"] / 1e6 * price["output_per_mtok"])


def _mean(values: Sequence[float | None], places: int) -> float | None:
    known = [value for value in values if value is not None]
    return rounded(total(known) / len(known), places) if known else None


def _median(ordered: Sequence[float]) -> float | None:
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else rounded((ordered[middle - 1] + ordered[middle]) / 2, 2)


def _minus(one: float | None, other: float | None, places: int) -> float | None:
    return None if one is None or other is None else rounded(one - other, places)


def rounded(value: float, places: int) -> float:
    """Ties toward plus infinity, like round6."""
    scale = 10**places
    return float(floor(value * scale + 0.5) / scale)
