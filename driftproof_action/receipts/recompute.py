"""Recomputes every derived number of a schema-valid receipt from what the receipt itself stores. Not: hashes, observations.

What an importer took over from elsewhere (surface `external`) was decided elsewhere: of it, only a row's mean and spread and
the difference of the two scores can be done again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from driftproof_action.domain.arithmetic import mean, round6, sd
from driftproof_action.receipts.draw_sets import MODES, outcome
from driftproof_action.receipts.mismatch import Mismatch
from driftproof_action.receipts.schema_check import show
from driftproof_action.receipts.totals import aggregate, compared, excluded, is_ok, read_count
from driftproof_action.receipts.versions import OWN, at_least

Row = Mapping[str, Any]

ABSENT = object()


def recomputed(document: Mapping[str, Any]) -> Iterator[Mismatch]:
    """Every derived number that is not what its own evidence gives. The document fits its schema; rows are unique."""
    version = document["schema_version"]
    fatal = at_least(version, "0.7")
    external = document["run"]["surface"] == "external"
    rows = document["results"]["cases"]
    checks: list[Iterator[tuple[str, Any, Any, str]]] = [
        _row(row, f"results.cases[{index}]", version=version, external=external) for index, row in enumerate(rows)
    ]
    if not external:
        checks += [_aggregates(document, version), _counts(document, version)]
    if "comparison" in document:
        checks.append(_comparison(document, version, external=external))
    for check in checks:
        for path, says, gives, source in check:
            if not same(says, gives):
                yield Mismatch("derived", path, "nothing" if says is ABSENT else show(says), show(gives), source, fatal)


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: true is not 1, and numbers are compared exactly (both sides are rounded to six places)."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


Claim = tuple[str, Any, Any, str]


def _row(row: Row, path: str, *, version: str, external: bool) -> Iterator[Claim]:
    block = row.get("generation")
    if block is not None:
        yield from _draw_set(block, f"{path}.generation", version=version)
    if not is_ok(row) or not at_least(version, "0.2"):
        return
    yield f"{path}.score", row["score"], row["mean"], "its mean"
    if block is not None:
        yield f"{path}.mean", row["mean"], block.get("mean"), "its draws"
        yield f"{path}.stddev", row["stddev"], block.get("sd") or 0, "its draws"
        measured = [draw for draw in block["draws"] if draw["status"] == "measured"]
        if measured:
            for key in ("samples", "generation_hash", "judge_sample_hashes"):
                if key in measured[-1] or key in row:
                    yield f"{path}.{key}", row.get(key, ABSENT), measured[-1].get(key), "its last draw"
    else:
        yield f"{path}.mean", row["mean"], mean(row["samples"]), "its samples"
        yield f"{path}.stddev", row["stddev"], sd(row["samples"]), "its samples"
    if len(row.get("judge_sample_hashes", row["samples"])) != len(row["samples"]):
        yield f"{path}.judge_sample_hashes", len(row["judge_sample_hashes"]), len(row["samples"]), "its samples"
    if not external:
        yield f"{path}.outcome", row["outcome"], outcome(row["mean"], row["stddev"], row.get("threshold")), "its band"


def _draw_set(block: Row, path: str, *, version: str) -> Iterator[Claim]:
    draws = block["draws"]
    measured = [draw for draw in draws if draw["status"] == "measured"]
    for index, draw in enumerate(draws):
        where = f"{path}.draws[{index}]"
        yield f"{where}.draw_index", draw["draw_index"], index, "its place"
        if draw["status"] == "measured":
            yield f"{where}.mean", draw["mean"], mean(draw["samples"]), "its samples"
            yield f"{where}.stddev", draw["stddev"], sd(draw["samples"]), "its samples"
            if "judge_sample_hashes" in draw:
                yield f"{where}.judge_sample_hashes", len(draw["judge_sample_hashes"]), len(draw["samples"]), "its samples"
            yield from _judgments(draw, where)
    yield f"{path}.n_drawn", block["n_drawn"], len(draws), "its draws"
    yield f"{path}.n_measured", block["n_measured"], len(measured), "its draws"
    yield f"{path}.n_unmeasured", block["n_unmeasured"], len(draws) - len(measured), "its draws"
    if at_least(version, "0.6"):
        yield f"{path}.n_truncated", block["n_truncated"], sum(draw["truncated"] for draw in draws), "its draws"
    if not measured:
        return
    means = [draw["mean"] for draw in measured]
    judge_sd = mean([draw["stddev"] or 0 for draw in measured])
    yield f"{path}.mean", block.get("mean", ABSENT), mean(means), "its draws"
    yield f"{path}.sd", block.get("sd", ABSENT), sd(means), "its draws"
    if "judge_sd_mean" in block:
        yield f"{path}.judge_sd_mean", block["judge_sd_mean"], judge_sd, "its draws"
    if block.get("variance_ratio") is not None:
        yield f"{path}.variance_ratio", block["variance_ratio"], round6(sd(means) / judge_sd) if judge_sd else None, "its draws"


def _judgments(draw: Row, where: str) -> Iterator[Claim]:
    judged = draw.get("criteria_judgments")
    if not isinstance(judged, list) or len(judged) != len(draw["samples"]):
        return
    for index, (one, sample) in enumerate(zip(judged, draw["samples"], strict=True)):
        if isinstance(one, dict) and "total" in one:
            yield f"{where}.criteria_judgments[{index}].total", one["total"], sample, "its samples"


def _included(document: Mapping[str, Any], mode: str, version: str) -> list[Row]:
    rows = document["results"]["cases"]
    out = {entry["id"] for entry in excluded(rows)} if at_least(version, "0.5") else set()
    return [row for row in rows if row["mode"] == mode and is_ok(row) and row["id"] not in out]


def _aggregates(document: Mapping[str, Any], version: str) -> Iterator[Claim]:
    totals = document["results"]["aggregates"]
    for mode in MODES:
        if mode not in totals:
            continue
        rows = _included(document, mode, version)
        if at_least(version, "0.2"):
            gives = aggregate(rows)
        else:
            gives = {
                "case_count": len(rows),
                "pass_count": sum(row["outcome"] == "pass" for row in rows),
                "mean_score": mean([row["score"] for row in rows]),
            }
        if not at_least(version, "0.6"):
            gives = {key: 0 if value is None else value for key, value in gives.items()}
        for key, value in gives.items():
            if key in totals[mode] or key != "borderline_count":
                yield f"results.aggregates.{mode}.{key}", totals[mode].get(key, ABSENT), value, "its cases"


def _counts(document: Mapping[str, Any], version: str) -> Iterator[Claim]:
    rows, run = document["results"]["cases"], document["run"]
    for mode in MODES:
        named = len({row["id"] for row in rows if row["mode"] == mode})
        if named > document["suite"]["case_count"]:
            yield "suite.case_count", document["suite"]["case_count"], named, f"its {mode} rows"
    if at_least(version, "0.2"):
        for index, row in enumerate(rows):
            yield from _row_counts(document, row, f"results.cases[{index}]")
    if not at_least(version, "0.5"):
        return
    gone = excluded(rows)
    listed = document["results"]["aggregates"].get("excluded_cases")
    if listed is not None:
        yield (
            "results.aggregates.excluded_cases",
            sorted(entry["id"] for entry in listed),
            sorted(entry["id"] for entry in gone),
            "its cases",
        )
    if "failed_case_count" in run:
        yield "run.failed_case_count", run["failed_case_count"], len(gone), "its cases"
    if gone and not at_least(version, OWN):  # from 1.0 on the observations say which cases could be asked
        yield "run.status", run.get("status", "complete"), "incomplete", "its cases"


def _row_counts(document: Mapping[str, Any], row: Row, path: str) -> Iterator[Claim]:
    """A count is of draws taken, measured or not. Versions before 1.0 may name the measured ones alone, and of a row that was
    not measured anything."""
    own = "observations" in document
    if not is_ok(row) and not (own and "generation" in row):
        return
    block = row.get("generation") or {"n_drawn": 1, "n_measured": 1, "draws": [{"status": "measured", "samples": row["samples"]}]}
    drawn = read_count(document, row, "generations_per_arm")
    taken = {block["n_drawn"]} if own else {block["n_drawn"], block["n_measured"]}
    if drawn is not None and drawn not in taken:
        yield _placed(document, row, "generations_per_arm", path), drawn, block["n_drawn"], "its draws"
    sampled = read_count(document, row, "judge_samples_per_generation")
    if sampled is None:
        return
    for draw in block["draws"]:
        if draw["status"] == "measured" and len(draw["samples"]) != sampled and not _in_code(document, draw):
            yield _placed(document, row, "judge_samples_per_generation", path), sampled, len(draw["samples"]), "its draws"
            return


def _in_code(document: Mapping[str, Any], draw: Row) -> bool:
    """Whether a draw of a 1.0 receipt was decided in code, so that no judge sample stands behind its one score."""
    return "observations" in document and "judge_sample_hashes" not in draw


def _placed(document: Mapping[str, Any], row: Row, name: str, path: str) -> str:
    run = document["run"]
    if name in (row.get("counts") or {}):
        return f"{path}.counts.{name}"
    if name in ((run.get("arms") or {}).get(row["mode"]) or {}).get("counts", {}):
        return f"run.arms.{row['mode']}.counts.{name}"
    return f"run.counts.{name}" if name in (run.get("counts") or {}) else "run.judge.samples"


def _comparison(document: Mapping[str, Any], version: str, *, external: bool) -> Iterator[Claim]:
    held = document["comparison"]
    if external:
        one, other = held["with_skill_score"], held["baseline_score"]
        if one is not None and other is not None:
            yield "comparison.delta", held["delta"], round6(one - other), "its scores"
        return
    totals = document["results"]["aggregates"]
    gives = compared(totals["with_skill"], totals["baseline"])
    if not at_least(version, "0.6"):
        gives.pop("delta_uncertainty_unavailable", None)
    if not at_least(version, "0.2"):
        gives.pop("delta_uncertainty")
    for key, value in gives.items():
        yield f"comparison.{key}", held.get(key, ABSENT), value, "its aggregates"
