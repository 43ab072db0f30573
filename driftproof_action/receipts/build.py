"""Observations and the facts of a run to a sealed 1.0 receipt. Not: what is decided (decisions), where it is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from driftproof_action.decisions.band_separation.confirmed_readings import published_verdict_of
from driftproof_action.domain.observations import Observations
from driftproof_action.domain.reading import Decision
from driftproof_action.domain.table_records import decision_to_json, observations_to_json
from driftproof_action.receipts.answered import answered_by
from driftproof_action.receipts.confirmation import INCUMBENT, confirmation, incumbent_rows, origin_of
from driftproof_action.receipts.draw_sets import rows_of
from driftproof_action.receipts.economics import economics
from driftproof_action.receipts.facts import ReceiptFacts
from driftproof_action.receipts.sealing import measurement_hash, seal
from driftproof_action.receipts.totals import BAND_RULE, aggregate, compared, excluded, is_incomplete, place_counts
from driftproof_action.receipts.versions import OWN

Document = dict[str, Any]

SUITE_FORMAT = "agentskills.io/evals"
PARAMETERS = ("min_draws", "max_draws", "samples", "max_tokens", "temperature")


def build(facts: ReceiptFacts, seen: Observations, decision: Decision) -> Document:
    """The sealed receipt of one run. Rows are derived from `seen` alone; nothing here reads a clock.

    Raises DocumentError for a number or text canonical JSON cannot hold.
    """
    rows = rows_of(seen, [case.id for case in facts.suite.cases])
    run_counts, arm_counts, row_counts = place_counts(rows)
    run = _run(facts, seen, rows)
    run |= {"counts": run_counts} if run_counts else {}
    run |= {"arms": {mode: {"counts": counts} for mode, counts in arm_counts.items()}} if arm_counts else {}
    kinds = {case.id: {check.name: check.kind for check in case.checks} for case in facts.suite.cases}
    weights = {case.id: [{"id": item.id, "weight": item.weight} for item in case.criteria] for case in facts.suite.cases}
    graders = {case.id: case.grader for case in seen.frame.cases}
    for row in rows:
        row |= {"criteria": weights[row["id"]]} if graders[row["id"]] == "criteria" and weights.get(row["id"]) else {}
        row["judge"] = _row_judge(facts, row["id"])
        row |= {"counts": row_counts[row["id"], row["mode"]]} if (row["id"], row["mode"]) in row_counts else {}
        for check in row.get("checks", ()):
            check |= {"kind": kinds[row["id"]][check["name"]]} if check["name"] in kinds.get(row["id"], {}) else {}
    document: Document = {
        "schema_version": OWN,
        "method": facts.method,
        "skill": _skill(facts),
        "suite": _suite(facts),
        "run": run,
        **_results(facts, rows),
        "verification_level": facts.level,
        "decision": decision_to_json(decision) | {"published_verdict": published_verdict_of(decision) if facts.method == "lift" else None},
        "observations": observations_to_json(seen),
    }
    document |= {"confirmation": block} if (block := confirmation(seen, decision)) else {}
    document |= {"incumbent": _incumbent(facts, seen)} if seen.frame.arm_of(INCUMBENT) else {}
    document |= {"generation_sampled": True} if any("generation" in row for row in rows) else {}
    cost = economics(rows, run["pricing_snapshot"], target=facts.model_id, judge=facts.judge_model_id, surface=facts.surface, seen=seen)
    document |= {"economics": cost} if cost else {}
    return seal(document | {"measurement_hash": measurement_hash(document)})


def _skill(facts: ReceiptFacts) -> Document:
    skill = facts.skill
    return {
        "name": skill.name,
        "version": skill.version,
        "content_hash": skill.content_hash,
        "tokens": skill.tokens,
        "tree_hash": skill.tree_hash,
        "tree_source": skill.tree_source,
        "unseen_files": [{"path": file.path, "bytes": file.bytes} for file in skill.unseen],
    }


def _suite(facts: ReceiptFacts) -> Document:
    suite = facts.suite
    return {
        "format": SUITE_FORMAT,
        "suite_hash": suite.suite_hash,
        "case_count": len(suite.cases),
        "canary": suite.canary,
        "source": {"file": suite.file, "shape": suite.shape, "mapping_version": suite.mapping_version},
    }


def _run(facts: ReceiptFacts, seen: Observations, rows: Sequence[Document]) -> Document:
    gone = excluded(rows)
    run: Document = {
        "run_id": facts.run_id,
        "model_id": facts.model_id,
        "model_release_date": facts.model_release_date,
        "provider": facts.provider,
        "surface": facts.surface,
        "runner_version": facts.runner_version,
        "generated_at": facts.generated_at,
        "date_utc": facts.finished_at,
        "registry": facts.registry,
        "transcripts": facts.transcripts,
        "protocol": facts.protocol,
        "parameters": {key: facts.parameters.get(key) for key in PARAMETERS},
        "judge": _judge(facts),
        "answered_by": answered_by(seen, facts.kind, model_id=facts.model_id, isolation=facts.isolation),
        "capture": {"mode": "text"},
        "pricing_snapshot": {
            "frozen_at": facts.generated_at,
            "source": facts.prices_source,
            "currency": "USD",
            "models": {
                id: {"input_per_mtok": price[0], "output_per_mtok": price[1], "registered": price[2]} for id, price in facts.prices.items()
            },
        },
    }
    if is_incomplete(seen, rows):
        run |= {"status": "incomplete", "failed_case_count": len(gone)}
    run |= {"preset": facts.preset} if facts.preset else {}
    run |= {"endpoint": facts.endpoint} if facts.endpoint else {}
    run |= {"grading_code_hash": facts.grading_code_hash} if facts.grading_code_hash else {}
    run |= {"narrowed": True} if facts.narrowed else {}
    run |= {"example": True} if facts.example else {}
    run |= {"harness": {"name": facts.harness[0], "version": facts.harness[1]}} if facts.harness else {}
    return run


def _judge(facts: ReceiptFacts) -> Document | None:
    if facts.judge_model_id is None:
        return None
    return {
        "model_id": facts.judge_model_id,
        "prompt_template_hash": facts.judge_prompt_template_hash,
        "samples": facts.judge_samples,
        "temperature": facts.judge_temperature,
        "sampling": facts.judge_sampling,
        "surface": facts.judge_surface,
        "endpoint": facts.judge_endpoint,
    } | ({"criteria_template_hash": facts.judge_criteria_template_hash} if facts.judge_criteria_template_hash else {})


def _row_judge(facts: ReceiptFacts, id: str) -> Document | None:
    if facts.judge_model_id is None:
        return None
    return {"model_id": facts.judge_model_id, "rubric_hash": facts.rubric_hashes.get(id)}


def _incumbent(facts: ReceiptFacts, seen: Observations) -> Document:
    origin, arm = origin_of(seen, INCUMBENT), seen.frame.arm_of(INCUMBENT)
    return {
        "commit": facts.incumbent_commit,
        "tree_hash": facts.incumbent_tree_hash,
        "model_id": arm.model if arm else facts.model_id,
        "origin": {"receipt_hash": origin.receipt_hash, "date": origin.date} if origin else None,
        "cases": incumbent_rows(seen),
    }


def _results(facts: ReceiptFacts, rows: Sequence[Document]) -> Document:
    gone = excluded(rows)
    out = {entry["id"] for entry in gone}
    modes = ("with_skill", "baseline") if facts.method == "lift" else ("with_skill",)
    totals: Document = {mode: aggregate([row for row in rows if row["mode"] == mode and row["id"] not in out]) for mode in modes}
    document: Document = {"results": {"cases": list(rows), "aggregates": totals | {"band_rule": BAND_RULE}}}
    if gone:
        document["results"]["aggregates"]["excluded_cases"] = gone
    if facts.method == "lift":
        document["comparison"] = compared(totals["with_skill"], totals["baseline"])
    return document
