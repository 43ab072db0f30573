"""Rows to what stands over them: excluded cases, aggregates, comparison, counts. Not: the rows (draw_sets), any verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from driftproof_action.domain.arithmetic import mean, quadrature, round6, sd
from driftproof_action.domain.observations import Observations

Row = Mapping[str, Any]

BAND_RULE = (
    "The band of an arm is one sample standard deviation (n - 1) of the means of its included cases, and that of the "
    "comparison the root of the sum of both squares; an arm with fewer than two included cases has none."
)
"""The sentence stored in results.aggregates.band_rule."""


def is_ok(row: Row) -> bool:
    """Whether a row was measured."""
    return bool(row.get("case_status", "ok") == "ok")


def excluded(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Cases that leave the aggregates of both arms because a row of theirs was not measured, with the arms that failed."""
    failed: dict[str, list[Row]] = {}
    for row in rows:
        if not is_ok(row):
            failed.setdefault(row["id"], []).append(row)
    return [
        {"id": id, "reason": "; ".join(f"{row['case_status']} in {row['mode']}" for row in lost), "modes": [row["mode"] for row in lost]}
        for id, lost in failed.items()
    ]


def aggregate(rows: Sequence[Row]) -> dict[str, Any]:
    """Over the included rows of one arm. mean_score is None for no case, stddev below two."""
    means = [row["mean"] for row in rows]
    return {
        "case_count": len(rows),
        "pass_count": sum(row["outcome"] == "pass" for row in rows),
        "borderline_count": sum(row["outcome"] == "borderline" for row in rows),
        "mean_score": mean(means) if means else None,
        "stddev": sd(means) if len(means) > 1 else None,
    }


def compared(with_skill: Row, baseline: Row) -> dict[str, Any]:
    """The comparison of two aggregates."""
    ours, theirs = with_skill["mean_score"], baseline["mean_score"]
    one, other = with_skill.get("stddev"), baseline.get("stddev")
    out: dict[str, Any] = {
        "with_skill_score": ours,
        "baseline_score": theirs,
        "delta": None if ours is None or theirs is None else round6(ours - theirs),
        "delta_uncertainty": None if one is None or other is None else quadrature(one, other),
    }
    if out["delta_uncertainty"] is None:
        out["delta_uncertainty_unavailable"] = "single_case" if out["delta"] is not None else "no_cases"
    return out


def drawn_count(row: Row) -> int | None:
    """Answers taken for a row; None when it does not say."""
    block = row.get("generation")
    return None if block is None else block["n_drawn"]


def sample_count(row: Row) -> int | None:
    """Judge scores each judged draw of a row has, None when it has none or they differ. A draw decided in code has none."""
    draws = [draw for draw in (row.get("generation") or {}).get("draws", ()) if draw["status"] == "measured"]
    sizes = {len(draw["samples"]) for draw in draws if "judge_sample_hashes" in draw}
    return sizes.pop() if len(sizes) == 1 else None


COUNTED: Mapping[str, Callable[[Row], int | None]] = {
    "generations_per_arm": drawn_count,
    "judge_samples_per_generation": sample_count,
}


def place_counts(rows: Sequence[Row]) -> tuple[dict[str, int], dict[str, dict[str, int]], dict[tuple[str, str], dict[str, int]]]:
    """Counts at the widest level where they are one number: (run, by arm, by row). Source: receipt format 0.8.

    A count stands at the run when every row has the same; else at each arm whose rows agree, if all rows are known; else
    at every row that knows it.
    """
    run: dict[str, int] = {}
    arms: dict[str, dict[str, int]] = {}
    single: dict[tuple[str, str], dict[str, int]] = {}
    for name, counted in COUNTED.items():
        known = {(row["id"], row["mode"]): counted(row) for row in rows}
        values = set(known.values())
        if len(values) == 1 and None not in values:
            run[name] = next(value for value in values if value is not None)
            continue
        for mode in dict.fromkeys(mode for _, mode in known):
            of_arm = {value for (_, arm), value in known.items() if arm == mode}
            if None not in values and len(of_arm) == 1:
                arms.setdefault(mode, {})[name] = next(value for value in of_arm if value is not None)
            else:
                for key, value in known.items():
                    if key[1] == mode and value is not None:
                        single.setdefault(key, {})[name] = value
    return run, arms, single


def read_count(document: Mapping[str, Any], row: Row, name: str) -> int | None:
    """A count by the placement rule: the row's own, its arm's, and the run's unless the arm is archived (has its own clock)."""
    run = document["run"]
    arm = (run.get("arms") or {}).get(row["mode"]) or {}
    places = [row.get("counts"), arm.get("counts")] + ([] if "generated_at" in arm else [run.get("counts")])
    for place in places:
        if place and name in place:
            value: int = place[name]
            return value
    if name == "judge_samples_per_generation" and "generated_at" not in arm:
        samples: int | None = (run.get("judge") or {}).get("samples")
        return samples
    return None


def is_incomplete(seen: Observations, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a case that could be asked fell out of the aggregates, or the run was cut short."""
    aside = seen.frame.set_aside()
    return any(entry["id"] not in aside for entry in excluded(rows)) or seen.stop is None or seen.stop.reason != "complete"
