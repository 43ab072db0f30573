"""One read-only view of a receipt of any version. Not: whether the receipt is to be believed (receipts/verify)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from driftproof_action.canonical import Json
from driftproof_action.domain.observations import Observations
from driftproof_action.domain.reading import Decision

BandSource = Literal["generation", "legacy"]


@dataclass(frozen=True, slots=True)
class DrawView:
    """One first-look draw of a row. mean None: unmeasured, and `reason` says why."""

    index: int
    mean: float | None
    sd: float | None
    samples: tuple[float, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RowView:
    """One case in one arm. source `legacy`: one answer, the spread is the judge's. mean None: nothing was measured.

    n_measured, n_lost: draws (legacy: 1 and 0). samples: judge scores of the last measured draw.
    losses_named: every lost draw is listed with its reason, so its worst case can be bounded.
    """

    id: str
    arm: str
    status: str
    outcome: str | None
    mean: float | None
    sd: float
    source: BandSource
    n_measured: int
    n_lost: int
    losses_named: bool
    draws: tuple[DrawView, ...]
    samples: tuple[float, ...]
    threshold: float | None
    reason: str
    rubric_hash: str | None
    judge_model_id: str | None
    case_hash: str | None
    checks: tuple[tuple[str, bool], ...] = ()
    loss_reasons: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgeView:
    """samples: judge samples a draw, None unknown. endpoint: origin the judge was asked at."""

    model_id: str | None
    prompt_template_hash: str | None
    samples: int | None
    temperature: float | None
    sampling: str | None
    surface: str | None
    endpoint: str | None = None


@dataclass(frozen=True, slots=True)
class ReceiptView:
    """Every reader (decision, comparison, reports) sees this and never the document, except through `document`.

    kind: answered_by.kind, None where the version had none. status: complete or incomplete. narrowed: an arm names fewer
    cases than the suite has. observations, decision: from 1.0 on, None before. economics: as stored.
    """

    document: Mapping[str, Json]
    version: str
    method: str
    receipt_hash: str
    measurement_hash: str | None
    level: str
    kind: str | None
    preset: str | None
    example: bool
    skill_name: str
    skill_version: str
    content_hash: str | None
    tree_hash: str | None
    suite_hash: str | None
    canary: str | None
    case_count: int
    model_id: str
    provider: str | None
    surface: str | None
    harness: tuple[str, str | None] | None
    capture: str | None
    protocol: str | None
    parameters: Mapping[str, Json]
    endpoint: str | None
    date_utc: str | None
    judge: JudgeView
    status: str
    narrowed: bool
    rows: Mapping[tuple[str, str], RowView]
    with_skill_score: float | None
    baseline_score: float | None
    delta: float | None
    delta_uncertainty: float | None
    economics: Mapping[str, Json] | None
    observations: Observations | None
    decision: Decision | None

    def case_ids(self) -> tuple[str, ...]:
        """In the order of the receipt."""
        return tuple(dict.fromkeys(id for id, _ in self.rows))
