"""Observations and the facts of a run to a sealed 1.0 receipt. Not: what is decided (decisions), where it is written."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from driftproof_action.canonical import Json, digest
from driftproof_action.decisions.band_separation.confirmed_readings import published_verdict_of
from driftproof_action.domain.observations import Observations
from driftproof_action.domain.reading import Decision
from driftproof_action.domain.records import sample_from_json
from driftproof_action.domain.table_records import decision_to_json, observations_to_json
from driftproof_action.graders.reductions import chosen_samples
from driftproof_action.receipts.confirmation import confirmation, incumbent_origin, incumbent_rows
from driftproof_action.receipts.draw_sets import rows_of
from driftproof_action.receipts.economics import economics
from driftproof_action.receipts.totals import BAND_RULE, aggregate, compared, excluded, place_counts
from driftproof_action.receipts.versions import OWN

if TYPE_CHECKING:  # readers need the other half of this module and none of the nouns a writer is given
    from driftproof_action.receipts.facts import ReceiptFacts

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
    document |= {"incumbent": _incumbent(facts, seen)} if seen.frame.arm_of("incumbent") else {}
    document |= {"generation_sampled": True} if any("generation" in row for row in rows) else {}
    cost = economics(rows, run["pricing_snapshot"], target=facts.model_id, judge=facts.judge_model_id, surface=facts.surface, seen=seen)
    document |= {"economics": cost} if cost else {}
    return seal(document | {"measurement_hash": measurement_hash(document)})


def seal(document: Mapping[str, Any]) -> Document:
    """The document with its receipt_hash over everything else, as the last key."""
    body = plain({key: value for key, value in document.items() if key != "receipt_hash"})
    return {**body, "receipt_hash": digest(body)}


def measurement_hash(document: Mapping[str, Any]) -> str:
    """What was measured, without clock and usage: equal for a receipt committed again, new for a new measurement.

    Source: spec/RECEIPT.md, measurement_hash. Reads the document alone, so a reader can do it again.
    """
    judge = document["run"]["judge"]
    rows = [
        {"case_hash": row["case_hash"], "mode": row["mode"], "draws": _measured(document["observations"], row["id"], row["mode"])}
        for row in document["results"]["cases"]
    ]
    content = {
        "tree_hash": document["skill"]["tree_hash"],
        "model_id": document["run"]["model_id"],
        "judge": judge and {key: judge.get(key) for key in ("model_id", "prompt_template_hash", "samples")},
        "parameters": document["run"]["parameters"],
        "rows": rows,
    }
    return digest(plain(content))


def _measured(observations: Mapping[str, Any], id: str, mode: str) -> list[dict[str, Any]]:
    """Every draw of a row in every look, in order of look and index; of repeated attempts the last."""
    case = next(case for case in observations["frame"]["cases"] if case["id"] == id)
    drawn: dict[tuple[str, int], Mapping[str, Any]] = {}
    for draw in observations["draws"]:
        key = (draw["look"], draw["index"])
        if (draw["brief"], draw["arm"]) == (case["brief"], mode) and drawn.get(key, {}).get("attempt", 0) <= draw.get("attempt", 0):
            drawn[key] = draw
    grades = {
        tuple(_key(draw) for draw in grade["draws"]): grade
        for grade in observations["grades"]
        if grade["case"] == id and grade["grader"] == case["grader"]
    }
    return [
        {
            "look": draw["look"],
            "index": draw["index"],
            "ending": draw["ending"],
            "generation_hash": draw.get("reply_hash"),
            "samples": _values(grades.get((_key(draw),))),
        }
        for _, draw in sorted(drawn.items())
    ]


def _key(draw: Mapping[str, Any]) -> tuple[Any, ...]:
    return draw["brief"], draw["arm"], draw["look"], draw["index"], draw.get("attempt", 0)


def _values(grade: Mapping[str, Any] | None) -> list[Any]:
    """The scores of a grading: its judge samples (the last attempt at each), or the one decided in code; [] for a hole."""
    if grade is None or "hole" in grade or "outcome" not in grade:
        return []
    values = [sample.value for sample in chosen_samples([sample_from_json(sample) for sample in grade.get("samples", ())])]
    if values and None not in values:
        return values
    return [grade["score"]] if "score" in grade else {"pass": [1], "fail": [0]}.get(grade["outcome"], [])


def plain(value: Any) -> Any:
    """Numbers as every reader of JSON spells them: no minus zero, no point where nothing follows it."""
    kind = type(value)
    if kind is str or kind is int or value is None or kind is bool:
        return value
    if kind is float:
        return int(value) if math.isfinite(value) and value == int(value) and abs(value) < 2**53 else value
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def to_file_bytes(document: Mapping[str, Json]) -> bytes:
    """The receipt as its file holds it: what fits stands on one line, the rest is indented by a space a level; UTF-8, one
    final line feed. Raises ValueError for NaN and infinities."""
    return (_spelled(plain(document), 0) + "\n").encode()


LINE = 140
"""Characters a value may take to stand on one line: a draw or a judge's sample does, a row does not."""


def _spelled(value: Any, depth: int) -> str:
    kind = type(value)
    if kind is str:
        return _TEXT(value)
    if kind is dict:
        parts = [f"{_TEXT(key)}: {_spelled(item, depth + 1)}" for key, item in value.items()]
        opened, closed = "{", "}"
    elif kind is list:
        parts = [_spelled(item, depth + 1) for item in value]
        opened, closed = "[", "]"
    else:
        return _ENCODE(value)
    if sum(map(len, parts)) + 2 * len(parts) <= LINE and not any("\n" in part for part in parts):
        return opened + ", ".join(parts) + closed
    indent = "\n" + " " * (depth + 1)
    return opened + indent + f",{indent}".join(parts) + "\n" + " " * depth + closed


_TEXT = json.encoder.encode_basestring
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


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


def is_incomplete(seen: Observations, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a case that could be asked fell out of the aggregates, or the run was cut short."""
    aside = seen.frame.set_aside()
    return any(entry["id"] not in aside for entry in excluded(rows)) or seen.stop is None or seen.stop.reason != "complete"


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


def without_date(model_id: str) -> str:
    """The canonical id: a trailing -YYYYMMDD is dropped."""
    return re.sub(r"-[0-9]{8}\Z", "", model_id)


def answered_by(seen: Observations, kind: str, *, model_id: str, isolation: str) -> Document:
    """What answered, as its replies name it. attested: a model, and every reply named the one that was asked."""
    named = [draw.reported_model for draw in seen.draws if draw.reply_hash is not None]
    judges = [sample.reported_model for grade in seen.grades for sample in chosen_samples(grade.samples)]
    want = without_date(model_id)
    attested = kind == "model" and bool(named) and all(name is not None and without_date(name) == want for name in named)
    every = sorted({without_date(name) for name in (*named, *judges) if name})
    return {
        "kind": kind,
        "attested": attested,
        "reported_model": model_id if attested else None,
        "reported_models": every or None,
        "isolation": isolation,
    }


def _incumbent(facts: ReceiptFacts, seen: Observations) -> Document:
    origin = incumbent_origin(seen)
    return {
        "commit": facts.incumbent_commit,
        "tree_hash": facts.incumbent_tree_hash,
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
