"""A receipt of any version to the one read-only view. Not: the checks (verify); `load` runs them first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from driftproof_action.canonical import read_json
from driftproof_action.domain.rule import Rule
from driftproof_action.domain.table_records import decision_from_json, observations_from_json
from driftproof_action.errors import DocumentError, ReceiptError
from driftproof_action.receipts.draw_sets import MODES
from driftproof_action.receipts.mismatch import Kind, Mismatch
from driftproof_action.receipts.totals import is_ok
from driftproof_action.receipts.verify import check
from driftproof_action.receipts.versions import LARGEST, OWN
from driftproof_action.receipts.view import DrawView, JudgeView, ReceiptView, RowView

Row = Mapping[str, Any]

_RESTORE = "restore the file from git, or measure again"

FAULTS: Mapping[Kind, tuple[str, str, str]] = {
    "version": ("is of a version this release does not know", "read it with a newer release, or measure again", "receipt-version"),
    "schema": ("does not fit the schema of its version", _RESTORE, "receipt-schema"),
    "rows": ("does not hold each case once in each arm", _RESTORE, "receipt-rows"),
    "samples": ("counts its judge samples in two ways", _RESTORE, "receipt-samples"),
    "hash": ("is not what was sealed", _RESTORE, "receipt-hash"),
    "derived": ("does not follow from its own draws", _RESTORE, "derived-mismatch"),
    "measurement_hash": ("is not the measurement it names", _RESTORE, "measurement-hash"),
    "observations": ("does not follow from its own observations", _RESTORE, "observations-mismatch"),
    "reduction": ("holds a grade its samples do not give", _RESTORE, "reduction-mismatch"),
    "coverage": ("is not as complete as it says", _RESTORE, "coverage-mismatch"),
    "decision": ("holds a decision its rule does not give", _RESTORE, "decision-mismatch"),
}
"""Class of mismatch → what happened, what to do, heading of docs/errors.md."""


def fault(mismatch: Mismatch, source: str, more: int = 0) -> ReceiptError:
    """The error of an invalid receipt. more: further mismatches that are not shown."""
    message, fix, anchor = FAULTS[mismatch.kind]
    detail = mismatch.sentence() + (f"\nand {more} more: driftproof validate shows them" if more else "")
    return ReceiptError(message, place=source, detail=detail, fix=fix, anchor=anchor)


def unreadable(error: DocumentError) -> ReceiptError:
    """A document the strict reader refused, as the fault of a receipt."""
    return ReceiptError(error.message, place=error.place, detail=error.detail, fix=error.fix, anchor=error.anchor)


def load(data: bytes, *, source: str, rules: Mapping[str, Rule] | None = None) -> ReceiptView:
    """Read strictly, check, and view. source: names the receipt in errors. rules: see verify.check. Raises ReceiptError."""
    try:
        checked = check(read_json(data, source=source, limit=LARGEST), rules=rules)
    except DocumentError as error:
        raise unreadable(error) from error
    fatal = [item for item in checked.mismatches if item.fatal]
    if fatal or not isinstance(checked.document, dict):
        raise fault(fatal[0], source, more=len(fatal) - 1)
    return view(checked.document)


def view(document: Mapping[str, Any]) -> ReceiptView:
    """The view of a receipt that passed its checks."""
    run, skill, suite = document["run"], document["skill"], document["suite"]
    version = document["schema_version"]
    comparison = document.get("comparison") or {}
    totals = document["results"]["aggregates"]
    harness = run.get("harness")
    own = version == OWN
    return ReceiptView(
        document=document,
        version=version,
        method=document.get("method", "lift"),
        receipt_hash=document["receipt_hash"],
        measurement_hash=document.get("measurement_hash"),
        level=document["verification_level"],
        kind=(run.get("answered_by") or {}).get("kind"),
        preset=run.get("preset"),
        example=run.get("example", False),
        skill_name=skill["name"],
        skill_version=skill["version"],
        content_hash=skill["content_hash"],
        tree_hash=skill.get("tree_hash"),
        suite_hash=suite["suite_hash"],
        canary=suite.get("canary"),
        case_count=suite["case_count"],
        model_id=run["model_id"],
        provider=run.get("provider"),
        surface=run["surface"],
        harness=(harness["name"], harness["version"]) if harness else None,
        capture=(run.get("capture") or {}).get("mode"),
        protocol=run.get("protocol"),
        parameters=run.get("parameters") or {},
        endpoint=run.get("endpoint"),
        date_utc=run["date_utc"],
        judge=_judge(document),
        status=run.get("status", "complete"),
        narrowed=_narrowed(document),
        rows={(row["id"], row["mode"]): _row(row, own=own) for row in document["results"]["cases"]},
        with_skill_score=comparison.get("with_skill_score", totals["with_skill"]["mean_score"]),
        baseline_score=comparison.get("baseline_score"),
        delta=comparison.get("delta"),
        delta_uncertainty=comparison.get("delta_uncertainty"),
        economics=document.get("economics"),
        observations=observations_from_json(document["observations"]) if own else None,
        decision=decision_from_json(document["decision"]) if own else None,
    )


def _narrowed(document: Mapping[str, Any]) -> bool:
    """An arm names fewer distinct cases than the suite has, or the run says it asked only some."""
    modes = MODES if document.get("method", "lift") == "lift" else MODES[:1]
    rows = document["results"]["cases"]
    named = min(len({row["id"] for row in rows if row["mode"] == mode}) for mode in modes)
    return bool(named < document["suite"]["case_count"] or document["run"].get("narrowed"))


def _judge(document: Mapping[str, Any]) -> JudgeView:
    """Before 0.6 the run does not name the judge; the rows do. Judge samples: the run's count when it has one."""
    run = document["run"]
    judge = run.get("judge") or {}
    named = {(row.get("judge") or {}).get("model_id") for row in document["results"]["cases"]} - {None}
    counted = (run.get("counts") or {}).get("judge_samples_per_generation")
    return JudgeView(
        model_id=judge.get("model_id") or (named.pop() if len(named) == 1 else None),
        prompt_template_hash=judge.get("prompt_template_hash"),
        samples=counted if counted is not None else judge.get("samples"),
        temperature=judge.get("temperature"),
        sampling=judge.get("sampling"),
        surface=judge.get("surface"),
        endpoint=judge.get("endpoint"),
    )


def _row(row: Row, *, own: bool) -> RowView:
    block = row.get("generation")
    judge = row.get("judge") or {}
    draws = tuple(_draw(draw) for draw in block["draws"]) if block else ()
    lost = [draw for draw in draws if draw.mean is None]
    ok = is_ok(row)
    sampled = block is not None and block.get("mean") is not None
    middle, spread = (block["mean"], block.get("sd")) if block and sampled else (row.get("mean", row.get("score")), row.get("stddev"))
    measured = (block["n_measured"] if block else 1) if ok else 0
    return RowView(
        id=row["id"],
        arm=row["mode"],
        status=row.get("case_status", "ok"),
        outcome=row.get("outcome"),
        mean=middle if ok else None,
        sd=(spread or 0.0) if ok else 0.0,
        source="generation" if block else "legacy",
        n_measured=measured,
        n_lost=max(len(lost), block["n_unmeasured"]) if block else 0,
        losses_named=block is None or (len(draws) == block["n_drawn"] and all(draw.reason for draw in lost)),
        draws=draws,
        samples=tuple(row.get("samples", ())),
        threshold=row.get("threshold"),
        reason=row.get("reason", ""),
        rubric_hash=judge.get("rubric_hash"),
        judge_model_id=judge.get("model_id"),
        case_hash=row.get("case_hash"),
        checks=tuple((check["name"], check["pass"]) for check in row.get("checks", ())),
        loss_reasons=dict(Counter(draw.reason.split(": ")[0] if own else draw.reason for draw in lost)),
    )


def _draw(draw: Row) -> DrawView:
    return DrawView(draw["draw_index"], draw.get("mean"), draw.get("stddev"), tuple(draw.get("samples", ())), draw.get("reason", ""))
