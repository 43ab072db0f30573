"""A receipt's row as evidence a rule can read. Not: a reading."""

from __future__ import annotations

from driftproof_action.analysis.bands import Band
from driftproof_action.analysis.evidence import NO_EVIDENCE, ArmEvidence
from driftproof_action.receipts.view import ReceiptView, RowView

ARMS = ("with_skill", "baseline")


def band_of(row: RowView | None) -> Band | None:
    """The row's band; None when it measured nothing. A legacy row is one draw, however often the judge scored it."""
    if row is None or row.mean is None:
        return None
    return Band(row.mean, row.sd, row.n_measured if row.source == "generation" else 1, row.source)


def arm_evidence(view: ReceiptView, id: str, arm: str) -> ArmEvidence:
    """What a receipt knows of one case in one arm; NO_EVIDENCE when it has no such row."""
    row = view.rows.get((id, arm))
    if row is None:
        return NO_EVIDENCE
    scores = tuple(draw.mean for draw in row.draws if draw.mean is not None) if row.source == "generation" else ()
    return ArmEvidence(band_of(row), row.n_lost, row.losses_named, scores)


def reuses(view: ReceiptView) -> bool:
    """Whether an answer of the first look, with the skill or without, was taken over from another receipt. The committed
    skill's own answers are another arm and no part of this receipt's lift."""
    seen = view.observations
    return seen is not None and any(draw.origin for draw in seen.draws if draw.id.look == "first" and draw.id.arm in ARMS)
