"""The published verdict of a receipt of any version, from what it stores. Not: a comparison; the decision a receipt carries."""

from __future__ import annotations

from driftproof_action.analysis.evidence import CaseEvidence
from driftproof_action.analysis.lost_draws import CaseReading, read_case
from driftproof_action.analysis.suite_band import suite_band
from driftproof_action.comparison.evidence import arm_evidence
from driftproof_action.decisions.band_separation.ladder import climb
from driftproof_action.decisions.band_separation.readings import ROLES, case_reading, suite_reading
from driftproof_action.domain.reading import Decision, Reading
from driftproof_action.receipts.view import ReceiptView


def published_verdict(view: ReceiptView, *, examples: bool = False) -> Decision:
    """R-5 over the rows: NOT_MEASURED with every route that bars a verdict, else the ladder.

    Routes: below_tested (the level is not TESTED), no_answered_by (no record that a model answered), no_numeric_lift,
    incomplete (cases are missing, or only some were asked), smoke (a preset), no_readable_case (no case measured in both
    arms). examples: read a receipt marked as an example as if it had been measured.
    """
    readings: list[Reading] = []
    found: list[CaseReading] = []
    pairs: list[CaseEvidence] = []
    for id in view.case_ids():
        target, other = (arm_evidence(view, id, arm) for arm in ROLES)
        evidence = CaseEvidence(id, target, other)
        pairs.append(evidence)
        read = read_case(evidence)
        found += [read] if read else []
        holes = {} if read else _loss_reasons(view, id)
        readings.append(case_reading(evidence, read, holes=holes))
    band = suite_band(pairs)
    readings.append(suite_reading(found, len(view.case_ids()), band))
    as_measured = examples and view.example
    routes = (
        ("below_tested", view.level != "TESTED" and not as_measured),
        ("no_answered_by", view.kind != "model" and not as_measured),
        ("no_numeric_lift", view.delta is None),
        ("incomplete", view.status != "complete" or view.narrowed),
        ("smoke", bool(view.preset)),
        ("no_readable_case", not found),
    )
    barred = tuple(code for code, holds in routes if holds)
    verdict, reasons = ("NOT_MEASURED", barred) if barred else climb(found, band=band)
    return Decision(verdict, "", reasons, tuple(readings))


def _loss_reasons(view: ReceiptView, id: str) -> dict[str, int]:
    """Why the arms that measured nothing did: reason → draws, the row's status where no draw is listed."""
    out: dict[str, int] = {}
    for arm in ROLES:
        row = view.rows.get((id, arm))
        if row is not None and row.mean is None:
            for reason, count in (row.loss_reasons or {row.status: 1}).items():
                out[reason] = out.get(reason, 0) + count
    return out
