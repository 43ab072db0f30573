"""Two receipts set against each other by the published rule: what each case reads and what all of them say. Not: the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from driftproof_action.analysis.bands import Band, apart
from driftproof_action.analysis.evidence import CaseEvidence
from driftproof_action.analysis.lost_draws import CaseReading, read_case
from driftproof_action.comparison.caveats import list_caveats
from driftproof_action.comparison.changes import attribute
from driftproof_action.comparison.comparable import Barrier, find_barrier, is_published, pair_cases
from driftproof_action.comparison.drift import CaseDrift, Comparison
from driftproof_action.comparison.evidence import arm_evidence
from driftproof_action.domain.arithmetic import mean, round6
from driftproof_action.receipts.view import ReceiptView

WITHIN = "within noise"
BELOW_FLOOR = "within noise (below effect floor)"
ORDER = {"regression": 0, WITHIN: 1, BELOW_FLOOR: 1, "inconclusive": 1, "improvement": 2}
"""Reading order of the verdicts; those not named come last."""


def compare(old: ReceiptView, new: ReceiptView, *, examples: bool = False) -> Comparison:
    """The published comparison (R-6): every shared case's bands with the skill, older against newer.

    Only cases that are the same in both receipts are compared; a pair that may get no verdict says why and keeps its
    figures. examples: compare receipts marked as examples as if they had been measured.
    """
    compared, left_out = pair_cases(old, new)
    barrier = find_barrier(old, new, compared, examples=examples)
    changed, unrecorded = attribute(old, new)
    cases = sorted((_case(old, new, id, barrier) for id in compared), key=_place)
    headline, code, reason = _headline(cases, barrier)
    return Comparison(
        headline=headline,
        reason=reason,
        delta=None if barrier else _mean_move(cases),
        cases=tuple(cases),
        changed=changed,
        caveats=list_caveats(old, new, cases, changed=changed, unrecorded=unrecorded, left_out=len(left_out)),
        left_out=left_out,
        old_hash=old.receipt_hash,
        new_hash=new.receipt_hash,
        code=code,
    )


def _case(old: ReceiptView, new: ReceiptView, id: str, barrier: Barrier | None) -> CaseDrift:
    before, after = arm_evidence(old, id, "with_skill"), arm_evidence(new, id, "with_skill")
    read = None if barrier else read_case(CaseEvidence(id, after, before))
    if barrier:
        verdict, reason = barrier.verdict, barrier.code if id in (barrier.cases or (id,)) else ""
    else:
        verdict, reason = _verdict(read, before.band, after.band)
    legacy = any(band is not None and band.source == "legacy" for band in (before.band, after.band))
    published = is_published(old) or is_published(new)
    return CaseDrift(
        id=id,
        verdict=verdict,
        old_mean=before.band.mean if before.band else None,
        old_sd=before.band.sd if before.band else None,
        new_mean=after.band.mean if after.band else None,
        new_sd=after.band.sd if after.band else None,
        delta=round6(after.band.mean - before.band.mean) if before.band and after.band else None,
        power=read.power.word if read else "",
        reason=reason,
        gates=not (legacy or published),
        reading="single_answer" if legacy else "not_confirmed" if published else "",
        needed=read.power.needed if read else None,
        old_n=before.band.n if before.band else 0,
        new_n=after.band.n if after.band else 0,
        old_lost=before.lost,
        new_lost=after.lost,
    )


def _verdict(read: CaseReading | None, before: Band | None, after: Band | None) -> tuple[str, str]:
    """(the published word of one case, reason code)."""
    if read is None or before is None or after is None:
        return "n/a", "not_measured"
    if read.word == "inconclusive":
        return "inconclusive", "lost_draws"
    if read.sign:
        return ("improvement" if read.sign > 0 else "regression"), ""
    return (BELOW_FLOOR if apart(after, before) else WITHIN), read.power.reason


def _place(case: CaseDrift) -> tuple[int, float]:
    return ORDER.get(case.verdict, len(ORDER)), 0.0 if case.delta is None else case.delta


def _mean_move(cases: Sequence[CaseDrift]) -> float | None:
    moves = [case.delta for case in cases if case.delta is not None]
    return mean(moves) if moves else None


def _headline(cases: Sequence[CaseDrift], barrier: Barrier | None) -> tuple[str, str, str]:
    """(word of DRIFTS, code, sentence)."""
    if barrier:
        return barrier.headline, barrier.code, barrier.sentence
    count = Counter(case.verdict for case in cases)
    down, up, of = count["regression"], count["improvement"], f"of {len(cases)} {'case' if len(cases) == 1 else 'cases'}"
    rule = "the two bands stand apart and the means differ by 0.05 or more"
    if down and up:
        return "MIXED", "", f"{down} {of} got worse and {up} got better: {rule}"
    if down:
        return "DRIFT", "", f"{down} {of} got worse: {rule}"
    if up:
        return "IMPROVED", "", f"{up} {of} got better: {rule}"
    if count[WITHIN] + count[BELOW_FLOOR]:
        return "NO_SEPARATION", "", f"in none {of} do the two bands stand apart by 0.05 or more; smaller moves may be there"
    if count["inconclusive"]:
        return "INCONCLUSIVE", "lost_draws", "the cases that stand apart do so only while lost answers are left out"
    return "NOT_MEASURED", "no_readable_case", "no shared case was measured on both sides"
