"""The whole result of a job as one JSON value: `result.json`, and `run --json`. Not: the receipts it points to."""

from __future__ import annotations

from driftproof_action.canonical import Json
from driftproof_action.comparison.hints import hints
from driftproof_action.comparison.skill_cost import skill_cost
from driftproof_action.domain.finding import Finding
from driftproof_action.domain.words import DRIFTS, VERDICTS, worst
from driftproof_action.reports.comparison_json import comparison_to_json
from driftproof_action.reports.cost import skill_cost_to_json
from driftproof_action.reports.hints import hint_to_json
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.rows import reason, reason_code, unasked
from driftproof_action.reports.terminal import plain

FORMAT = "driftproof-result/1"


def to_json(result: JobResult) -> dict[str, Json]:
    """The shape docs/result.md documents; rows in order of work. Texts are as they were given: whoever shows them guards."""
    return {
        "format": FORMAT,
        "verdict": worst((row.verdict for row in result.rows), VERDICTS) or "NOT_MEASURED",
        "drift": worst((row.drift for row in result.rows if row.drift), DRIFTS),
        "exit_code": result.exit_code,
        "because": result.because,
        "mode": result.mode,
        "example": result.example,
        "stopped": result.stopped or None,
        "error": list(result.error.lines()) if result.error else None,
        "calls": None if result.error else result.calls,
        "micro_usd": None if result.error else result.micro_usd,
        "projected": {"fewest_calls": result.fewest, "most_calls": result.most, "most_micro_usd": result.projected_micro_usd},
        "rows": [_row(row) for row in result.rows],
        "skipped": [{"skill_path": path, "reason": reason} for path, reason in result.skipped],
    }


def _row(row: JobRow) -> dict[str, Json]:
    return {
        "skill_path": row.skill_path,
        "skill_name": row.skill_name,
        "skill_slug": row.skill_slug,
        "model_id": row.model_id,
        "model_slug": row.model_slug,
        "verdict": row.verdict,
        "reason_code": reason_code(row),
        "reason": reason(row, render=plain) if row.verdict == "NOT_MEASURED" else row.message,
        "delta": row.view.delta if row.view else None,
        "delta_uncertainty": row.view.delta_uncertainty if row.view else None,
        "receipt_path": row.receipt_path,
        "receipt_hash": row.view.receipt_hash if row.view else None,
        "verification_level": row.view.level if row.view else None,
        "badge_path": row.badge_path,
        "base_commit": row.base_commit,
        "comparison": comparison_to_json(row.comparison) if row.comparison else None,
        "calls": row.calls,
        "micro_usd": row.micro_usd,
        "unmeasured": dict(sorted(row.unmeasured.items())),
        "cost": _cost(row),
        "hints": [hint_to_json(hint) for hint in hints(row.view)] if row.view else [],
        "mapping": row.mapping,
        "findings": [_finding(finding) for finding in row.findings],
    }


def _cost(row: JobRow) -> dict[str, Json] | None:
    found = skill_cost(row.view) if row.view and not unasked(row) else None
    return skill_cost_to_json(found) if found else None


def _finding(finding: Finding) -> dict[str, Json]:
    return {
        "severity": finding.severity,
        "code": finding.code,
        "file": finding.file,
        "line": finding.line,
        "message": finding.message,
        "fix": finding.fix,
    }
