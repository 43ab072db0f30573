"""Receipts as the readers see them, made by hand. Not: a test."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from driftproof_action.domain.arithmetic import mean, sd
from driftproof_action.receipts.view import DrawView, JudgeView, ReceiptView, RowView

JUDGE = JudgeView("judge-model-20250101", "a" * 64, 5, 0, "api-temperature-0", "api")


def row(id: str, arm: str, scores: Sequence[float | None], **more: Any) -> RowView:
    """A row of drawn answers; None is a lost one."""
    measured = [score for score in scores if score is not None]
    values: dict[str, Any] = {
        "id": id,
        "arm": arm,
        "status": "ok" if measured else "failed_timeout",
        "outcome": "score" if measured else None,
        "mean": mean(measured) if measured else None,
        "sd": sd(measured),
        "source": "generation",
        "n_measured": len(measured),
        "n_lost": len(scores) - len(measured),
        "losses_named": True,
        "draws": tuple(DrawView(i, score, 0.0, (), "" if score is not None else "timeout") for i, score in enumerate(scores)),
        "samples": (),
        "threshold": 0.7,
        "reason": "",
        "rubric_hash": f"rubric-{id}",
        "judge_model_id": "judge-model",
        "case_hash": f"case-{id}",
        "loss_reasons": {"timeout": len(scores) - len(measured)} if len(measured) < len(scores) else {},
    }
    return RowView(**values | more)


def answer(id: str, arm: str, score: float, spread: float, **more: Any) -> RowView:
    """A row of one answer, scored several times by the judge."""
    return row(id, arm, (score,), mean=score, sd=spread, source="legacy", draws=(), case_hash=None, **more)


def receipt(cases: Mapping[str, tuple[Sequence[float | None], Sequence[float | None]]] | None = None, **more: Any) -> ReceiptView:
    """A TESTED lift receipt of our own version. cases: id → (scores with the skill, scores without)."""
    rows = {
        (id, arm): row(id, arm, scores)
        for id, sides in (cases or {}).items()
        for arm, scores in zip(("with_skill", "baseline"), sides, strict=True)
    }
    values: dict[str, Any] = {
        "document": {},
        "version": "1.0-draft",
        "method": "lift",
        "receipt_hash": "1" * 64,
        "measurement_hash": None,
        "level": "TESTED",
        "kind": "model",
        "preset": None,
        "example": False,
        "skill_name": "demo",
        "skill_version": "1.0.0",
        "content_hash": "c" * 64,
        "tree_hash": "d" * 64,
        "suite_hash": "e" * 64,
        "canary": None,
        "case_count": len(cases or {}),
        "model_id": "model-x-20250101",
        "provider": "anthropic",
        "surface": "api",
        "harness": ("api", None),
        "capture": "text",
        "protocol": "published",
        "parameters": {"max_tokens": 4096},
        "endpoint": "https://api.example.com",
        "date_utc": "2026-01-02T03:04:05.000Z",
        "judge": JUDGE,
        "status": "complete",
        "narrowed": False,
        "rows": rows,
        "with_skill_score": 0.8,
        "baseline_score": 0.5,
        "delta": 0.3,
        "delta_uncertainty": 0.1,
        "economics": None,
        "observations": None,
        "decision": None,
    }
    return ReceiptView(**values | more)


def with_rows(view: ReceiptView, *rows: RowView) -> ReceiptView:
    """The receipt with rows put in place of (or beside) its own."""
    return dataclasses.replace(view, rows={**view.rows, **{(item.id, item.arm): item for item in rows}})
