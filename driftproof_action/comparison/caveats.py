"""What a reader must know before believing a comparison, in sentences. Not: the comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from driftproof_action.comparison.comparable import is_published, judge_models
from driftproof_action.comparison.drift import CaseDrift
from driftproof_action.receipts.view import ReceiptView

PEOPLE: dict[str, str] = {
    "skill": "skill",
    "suite": "suite",
    "case": "cases",
    "judge_model": "judge model",
    "judge_template": "judge prompt",
    "rubric": "rubrics",
    "model": "model",
    "provider": "provider",
    "surface": "surface",
    "harness": "host program",
    "capture": "what was captured",
    "parameters": "parameters",
    "endpoint": "endpoint",
    "judge_sampling": "judge sampling",
    "schema": "receipt version",
}
"""What people call the axes of comparison/changes."""


def axis_names(axes: Sequence[str]) -> str:
    """The axes as people read them: `skill, judge model`."""
    return ", ".join(PEOPLE[axis] for axis in axes)


def list_caveats(
    old: ReceiptView, new: ReceiptView, cases: Sequence[CaseDrift], *, changed: Sequence[str], unrecorded: Sequence[str], left_out: int
) -> tuple[str, ...]:
    """Sentences, most important first; all our own: none holds text of a receipt."""
    return (
        *_identity(old, new, changed, left_out),
        *_judge(old, new),
        *_bands(cases),
        *_records(old, new, unrecorded),
    )


def _identity(old: ReceiptView, new: ReceiptView, changed: Sequence[str], left_out: int) -> Iterator[str]:
    if old.example or new.example:
        yield "these are example receipts: their numbers are made up"
    if old.skill_name != new.skill_name:
        yield "the two receipts name different skills"
    movers = [axis for axis in changed if axis in ("skill", "suite", "model", "provider", "surface", "harness", "capture", "parameters")]
    if len(movers) > 1:
        yield f"{axis_names(movers)} moved together: a difference is not the work of one of them alone"
    elif movers and movers[0] not in ("skill", "model"):
        yield f"{axis_names(movers)} moved: part of a difference may come from that"
    if "suite" in changed and not any(row.case_hash for row in old.rows.values()):
        yield "the suite moved, and the older receipt does not record each case's task: equal rubrics do not show equal prompts"
    if left_out:
        yield f"{left_out} {'case is' if left_out == 1 else 'cases are'} in one receipt only or changed, and left out"


def _judge(old: ReceiptView, new: ReceiptView) -> Iterator[str]:
    samples = old.judge.samples, new.judge.samples
    if None in samples:
        yield "how often the judge scored each answer is not recorded on both sides"
    elif 1 in samples:
        yield "the judge scored each answer once on at least one side: its own scatter is not seen"
    elif samples[0] != samples[1]:
        yield f"the judge scored each answer {samples[0]} times in the older receipt and {samples[1]} times in the newer"
    if not judge_models(old) or not judge_models(new):
        yield "which model judged is not recorded on both sides"
    if bool(old.judge.prompt_template_hash) != bool(new.judge.prompt_template_hash):
        yield "the judge's prompt is recorded on one side only"


def _bands(cases: Sequence[CaseDrift]) -> Iterator[str]:
    single = sum(case.reading == "single_answer" for case in cases)
    if single:
        yield (
            f"{single} of {len(cases)} cases rest on one answer on at least one side: the band is the judge's spread over that answer, "
            "not the spread of answers, so the published verdict does not gate"
        )
    if single and any(max(case.old_n, case.new_n) > 1 for case in cases):
        yield "one side's bands are spreads of answers and the other's of judge scores: not like for like"
    lost = [case for case in cases if case.old_lost or case.new_lost]
    if lost:
        gone = sum(case.old_lost + case.new_lost for case in lost)
        what = f"{gone} {'answer was' if gone == 1 else 'answers were'} lost in {len(lost)} of {len(cases)} cases"
        yield f"{what}: a difference there counts only if it stands whatever the lost answers would have scored"
    short = sum(case.power == "underpowered" for case in cases)
    if short:
        yield f"{short} of {len(cases)} cases had too few or too scattered answers for a move of 0.05 to show"


def _records(old: ReceiptView, new: ReceiptView, unrecorded: Sequence[str]) -> Iterator[str]:
    rest = [axis for axis in unrecorded if axis != "judge_template"]
    if rest:
        yield f"recorded on one side only, so not compared: {axis_names(rest)}"
    published = sorted({view.version for view in (old, new) if is_published(view)})
    if published:
        yield f"receipt version {' and '.join(published)}: read by the published rule, not confirmed on fresh answers"
