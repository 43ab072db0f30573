"""Small receipts of every published version, written by this code from the format's rules. Not: receipts anyone published."""

from __future__ import annotations

import copy
import random
from typing import Any

from driftproof_action.canonical import text_digest
from driftproof_action.domain.arithmetic import mean, quadrature, round6, sd
from driftproof_action.receipts.draw_sets import outcome
from driftproof_action.receipts.sealing import seal
from driftproof_action.receipts.versions import SCHEMAS, at_least

PUBLISHED = tuple(SCHEMAS)[:-1]
ARMS = ("with_skill", "baseline")
SCORES = {
    ("tidy", "with_skill"): [[0.9, 0.85], [0.95, 0.9], [0.8, 0.9]],
    ("tidy", "baseline"): [[0.4, 0.45], [0.5, 0.4], [0.45, 0.45]],
    ("terse", "with_skill"): [[0.7, 0.75], [0.6, 0.8], [0.9, 0.7]],
    ("terse", "baseline"): [[0.7, 0.65], [0.75, 0.6], [0.7, 0.7]],
}
JUDGE = "claude-haiku-4-5"


def older(version: str, *, lose: tuple[str, str] | None = None) -> dict[str, Any]:
    """A sealed TESTED receipt of two cases (UNVERIFIED where a preset is shown). lose: from 0.6 on, the row nothing of which
    was measured."""
    rows = [_row(version, id, mode, lost=(id, mode) == lose) for id in ("tidy", "terse") for mode in ARMS]
    totals = {mode: _total(version, [row for row in rows if row["mode"] == mode and (not lose or row["id"] != lose[0])]) for mode in ARMS}
    document: dict[str, Any] = {
        "schema_version": version,
        "skill": {"name": "tidy-notes", "version": "0.3.0", "content_hash": text_digest("skill")},
        "suite": {"format": "agentskills.io/evals", "suite_hash": text_digest("suite"), "case_count": 2},
        "run": {"model_id": "claude-sonnet-5", "surface": "api", "runner_version": "0.1.0", "date_utc": "2026-05-04T03:02:01.000Z"},
        "results": {"cases": rows, "aggregates": totals},
        "comparison": _comparison(version, totals),
        "verification_level": "TESTED",
    }
    _run_fields(document, version)
    if lose:
        document["results"]["aggregates"]["excluded_cases"] = [{"id": lose[0], "reason": "lost", "modes": [lose[1]]}]
        document["run"] |= {"status": "incomplete", "failed_case_count": 1}
    return seal(document)


def _row(version: str, id: str, mode: str, *, lost: bool) -> dict[str, Any]:
    draws = SCORES[id, mode]
    row: dict[str, Any] = {"id": id, "mode": mode}
    if lost:
        return row | {"case_status": "failed_timeout", "reason": "timed out", "generation": _draw_set(version, [])}
    row["judge"] = {"model_id": JUDGE, "rubric_hash": text_digest(id)}
    last = draws[-1]
    middle, spread = (mean(last), sd(last)) if not at_least(version, "0.5") else _over([mean(draw) for draw in draws])
    if version == "0.1":
        return row | {"outcome": "pass" if middle >= 0.7 else "fail", "score": middle, "reason": "fine"}
    row |= {"outcome": outcome(middle, spread, 0.7), "score": middle, "mean": middle, "stddev": spread, "samples": last, "threshold": 0.7}
    if at_least(version, "0.3"):
        row |= {"generation_hash": text_digest(f"{id}{mode}2"), "judge_sample_hashes": [text_digest(str(score)) for score in last]}
    if at_least(version, "0.5"):
        row["generation"] = _draw_set(version, [(text_digest(f"{id}{mode}{index}"), draw) for index, draw in enumerate(draws)])
    return row


def _over(means: list[float]) -> tuple[float, float]:
    return mean(means), sd(means)


def _draw_set(version: str, measured: list[tuple[str, list[float]]]) -> dict[str, Any]:
    more = {"stop_reason": "end_turn", "truncated": False} if at_least(version, "0.6") else {}
    draws: list[dict[str, Any]] = [
        {
            "draw_index": index,
            "status": "measured",
            "generation_hash": name,
            "samples": samples,
            "judge_sample_hashes": [text_digest(str(score)) for score in samples],
            "mean": mean(samples),
            "stddev": sd(samples),
        }
        | more
        for index, (name, samples) in enumerate(measured)
    ]
    if not measured:
        draws = [{"draw_index": 0, "status": "unmeasured", "samples": [], "mean": None, "stddev": None, "reason": "timed out"} | more]
        draws[0] |= {"stop_reason": None} if more else {}
    middle, spread = _over([draw["mean"] for draw in draws]) if measured else (None, None)
    inner = mean([draw["stddev"] for draw in draws]) if measured else None
    block = {
        "n_planned": 3,
        "n_drawn": len(draws),
        "n_measured": len(measured),
        "n_unmeasured": len(draws) - len(measured),
        "stopping_reason": "min_reached" if measured else "unmeasured_exhausted",
        "mean": middle,
        "sd": spread,
        "judge_sd_mean": inner,
        "variance_ratio": round6(spread / inner) if spread is not None and inner else None,
        "variance_ratio_unavailable": None if inner else "no_measured_draws",
        "draws": draws,
    }
    return block | ({"n_truncated": 0} if at_least(version, "0.6") else {})


def _total(version: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    means = [row["score"] for row in rows]
    total: dict[str, Any] = {
        "case_count": len(rows),
        "pass_count": sum(row["outcome"] == "pass" for row in rows),
        "mean_score": mean(means),
    }
    if version == "0.1":
        return total
    spread = sd(means) if len(means) > 1 or not at_least(version, "0.6") else None
    return total | {"stddev": spread, "borderline_count": sum(row["outcome"] == "borderline" for row in rows)}


def _comparison(version: str, totals: dict[str, Any]) -> dict[str, Any]:
    one, other = totals["with_skill"], totals["baseline"]
    out = {"with_skill_score": one["mean_score"], "baseline_score": other["mean_score"]}
    out["delta"] = round6(one["mean_score"] - other["mean_score"])
    if version != "0.1":
        known = one["stddev"] is not None and other["stddev"] is not None
        out["delta_uncertainty"] = quadrature(one["stddev"], other["stddev"]) if known else None
        out |= {} if known else {"delta_uncertainty_unavailable": "single_case"}
    return out


def _run_fields(document: dict[str, Any], version: str) -> None:
    run = document["run"]
    if at_least(version, "0.2"):
        run["judge"] = {"samples": 2, "temperature": 0, "sampling": "api-temperature-0"}
    if at_least(version, "0.3"):
        run |= {"registry": "registered", "transcripts": "hashes-only"}
    if at_least(version, "0.3.1"):
        run["provider"] = "anthropic"
    if at_least(version, "0.5"):
        document["generation_sampled"] = True
        document["suite"]["canary"] = "0d9e30f4-4282-645d-fb64-17021fe46e3a"
    if at_least(version, "0.6"):
        run["judge"] |= {"model_id": JUDGE, "prompt_template_hash": text_digest("template")}
        run["answered_by"] = {
            "kind": "model",
            "attested": True,
            "reported_model": "claude-sonnet-5",
            "reported_models": ["claude-sonnet-5"],
            "isolation": "none",
        }
        document["results"]["aggregates"]["band_rule"] = "one sample standard deviation"
    if at_least(version, "0.8"):
        run["counts"] = {"generations_per_arm": 3, "judge_samples_per_generation": 2}
    if at_least(version, "0.9"):
        run["harness"] = {"name": "api", "version": None}
    if at_least(version, "0.10"):
        run["capture"] = {"mode": "text"}
    if at_least(version, "0.11"):
        run["preset"] = "quick"
        document["verification_level"] = "UNVERIFIED"


def changed(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy, sealed again, with the value at a dotted path (positions as numbers) replaced."""
    out = copy.deepcopy(document)
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place: Any = out
    for step in steps:
        place = place[step]
    place[last] = value
    return seal(out)


VALUES = [None, True, False, 0, 1, -1, 2, 0.5, 1.5, "", "x", "0" * 64, [], {}, "TESTED", "external", "stub", "quick", "failed_timeout"]
KEYS = ["case_status", "preset", "judged_at", "delta_uncertainty_unavailable", "generation", "canary", "unknown"]


def mutated(dice: random.Random, document: Any) -> Any:
    """A copy with one value somewhere changed, dropped or added."""
    out = copy.deepcopy(document)
    here = out
    while True:
        key = dice.choice(list(here) if isinstance(here, dict) else range(len(here)))
        child = here[key]
        if isinstance(child, dict | list) and child and dice.random() < 0.85:
            here = child
            continue
        if isinstance(here, dict) and dice.random() < 0.2:
            here[dice.choice(KEYS)] = dice.choice(VALUES)
        elif dice.random() < 0.25:
            del here[key]
        else:
            here[key] = dice.choice(VALUES)
        return out
