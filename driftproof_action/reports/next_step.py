"""What to do now, one sentence for every state. Not: what the state is."""

from __future__ import annotations

import re
from collections.abc import Mapping

from driftproof_action.errors import DriftproofError
from driftproof_action.reports.cases import fallen, hurt
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.markdown import code, text
from driftproof_action.reports.readings import family, guard_line, likely
from driftproof_action.reports.rows import DRIFT, VERDICT, Lead, lead, reason_code, worst_row

TYPEABLE = re.compile(r"(?!-)[A-Za-z0-9._/-]{1,120}")
"""What may stand in a command we invite people to copy."""

STEPS: Mapping[Lead, str] = {
    (VERDICT, "REGRESSED"): "compare the answers with and without the skill, lowest case first.",
    (VERDICT, "REFUSED"): "restore the receipt from git, or measure again.",
    (DRIFT, "REFUSED"): "measure again, so that both receipts can be read side by side.",
    (DRIFT, "DRIFT"): "look at the cases that fell, listed below.",
    (DRIFT, "MIXED"): "look at the cases that fell, listed below, and decide if the trade is fine.",
    (VERDICT, "INCONCLUSIVE"): "run it again; what was lost and why is listed below.",
    (DRIFT, "INCONCLUSIVE"): "run it again; what was lost and why is listed below.",
    (VERDICT, "NOT_MEASURED"): "run it with a model that answers; the reason is given here.",
    (DRIFT, "RECEIPT_REMOVED"): "restore the receipt from git, or say in this pull request why it had to go.",
    (VERDICT, "UNDERPOWERED"): "raise `max-draws`, or add cases; the widest spreads are below.",
    (DRIFT, "NOT_COMPARABLE"): "check what is different below; undo it to compare, or merge to start a new line.",
    (DRIFT, "BASE_UNAVAILABLE"): "set `fetch-depth: 0` on the checkout step, so that the base can be read.",
    (DRIFT, "NOT_MEASURED"): "measure the default branch with a model once; then changes can be compared.",
    (DRIFT, "IMPROVED"): "nothing, merge when you are ready.",
    (VERDICT, "NO_EFFECT"): "ask whether the cases need the skill at all: the answers do as well without it.",
    (VERDICT, "PASSED"): "nothing, merge when you are ready.",
}
"""One sentence for every lead of rows.LEADS; next_step sharpens some of them."""

NOT_MEASURED_STEPS: Mapping[str, str] = {
    "stub": "nothing to fix; to measure, run it with `mode: live` and a key.",
    "example": "nothing, these figures are an example.",
    "smoke": "run it without `quick` for a verdict.",
    "quick": "run it without `quick` for a verdict.",
    "narrowed": "run it without `case` and `max-cases` for a verdict.",
    "no_key": "nothing, your change is not at fault. A maintainer can measure it: in a merge queue, or by workflow_dispatch.",
    "budget": "raise `max-usd`, or measure fewer skills or models at once.",
    "calls": "raise `max-calls`, or measure fewer skills or models at once.",
    "minutes": "raise `max-minutes`, or measure fewer skills or models at once.",
    "signal": "run it again; it was interrupted.",
    "wrong_model": "check the model id and the endpoint: another model answers there.",
    "no_cases": "mend the suite: `driftproof lint` names what is missing.",
    "trigger_suite": "add a suite with tasks; this one only tests when the skill is chosen.",
}


DOUBTED = frozenset({(VERDICT, "PASSED"), (DRIFT, "IMPROVED")})
"""Good news that is not to be acted on before somebody has read answers that speak to the grader."""

SPREAD_STEPS: Mapping[str, str] = {
    "spread": "make the widest cases more precise, or split them: no number of answers shows a lift of 0.05 at this spread.",
    "lost_draws": "run it again; the lost answers could hide a lift of 0.05 either way.",
    "suite_band": "add cases: these differ too much among themselves.",
}
"""What to do about too few answers, by the reason of the suite's reading."""


OPEN_STEPS: Mapping[str, str] = {
    "budget": "raise `max-usd` or `max-calls`, so that cases that look different can be asked again.",
    "not_confirmed": "nothing is established; raise `min-draws` if a smaller difference matters to you.",
    "unconfirmed": "run it again: cases that look different were not all asked afresh.",
}
"""What to do while a suspect is open, by the first reason of the verdict."""


def next_step(result: JobResult) -> str:
    """What to do, as Markdown: a sentence that starts with the deed."""
    row = worst_row(result.rows)
    if row is None:
        return _without_rows(result)
    kind = lead(row)
    if row.reason_code == "addresses_judge" or (kind in DOUBTED and guard_line(row.view)):
        return "read answers of both sides before you believe the score: those of one side speak to the grader."
    if kind == (VERDICT, "NOT_MEASURED"):
        return NOT_MEASURED_STEPS.get(reason_code(row)) or NOT_MEASURED_STEPS.get(result.stopped) or STEPS[kind]
    if kind == (VERDICT, "INCONCLUSIVE") and result.stopped:
        return NOT_MEASURED_STEPS.get(result.stopped) or STEPS[kind]
    if kind in {(DRIFT, "DRIFT"), (DRIFT, "MIXED")}:
        return _look_at(row, [case.id for case in fallen(row)]) or STEPS[kind]
    if kind == (VERDICT, "REGRESSED"):
        cases = [case for case, _ in hurt(row.view)] if row.view else []
        return _look_at(row, cases) or STEPS[kind]
    if kind == (VERDICT, "PASSED") and (low := likely(row)):
        return f"look at {code(low[0].id, limit=40)}, which likely got worse; see below."
    if kind == (VERDICT, "PASSED") and row.drift == "FIRST_RECEIPT":
        return "nothing; later changes are compared with this."
    if kind == (VERDICT, "UNDERPOWERED"):
        return _more_answers(row) or STEPS[kind]
    return STEPS[kind]


def _without_rows(result: JobResult) -> str:
    """What would let the job find something out."""
    if result.error is not None:
        return _mend(result.error)
    if result.refused_changes:
        return STEPS[VERDICT, "REFUSED"]
    start = "give a folder with SKILL.md and an eval suite in `skill-dir`; `driftproof init` writes a starter suite."
    return NOT_MEASURED_STEPS.get(result.stopped) or start


def _mend(error: DriftproofError) -> str:
    """The error's own advice."""
    fix = text(error.fix, limit=400).rstrip(".")
    return f"{fix}." if fix else "mend what is named here, then run it again."


def _more_answers(row: JobRow) -> str:
    """How many answers would do, where the suite's reading says so; what no number of answers mends says that."""
    if row.reason_code in OPEN_STEPS:
        budget = any(item.reason == "budget" for name in ("down", "up") for item in family(row.view, name))
        return OPEN_STEPS["budget" if budget else row.reason_code]
    suite = (
        next((reading for reading in row.view.decision.readings if reading.about == "suite" and "draws_needed" in reading.numbers), None)
        if row.view and row.view.decision
        else None
    )
    if suite is None:
        return ""
    needed = suite.numbers.get("draws_needed")
    if suite.reason in {"draws", "single_draw"} and isinstance(needed, int) and not isinstance(needed, bool):
        return f"set `max-draws: {needed}`: at these spreads that many answers a case would show a lift of 0.05."
    return SPREAD_STEPS.get(suite.reason, "")


def _look_at(row: JobRow, cases: list[str]) -> str:
    """Points at the first case, and gives the command to try it where every word of it is harmless in a shell."""
    if not cases:
        return ""
    more = f" and {len(cases) - 1} more" if len(cases) > 1 else ""
    command = ""
    if TYPEABLE.fullmatch(row.skill_path) and TYPEABLE.fullmatch(cases[0]):
        command = f" To try it: `driftproof run {row.skill_path} --case {cases[0]}`"
    return f"look at {code(cases[0], limit=40)}{more}, listed below.{command}"


def when_compared(row: JobRow) -> str:
    """After a first receipt: when the next one will have something to stand against. Empty otherwise."""
    if row.drift != "FIRST_RECEIPT":
        return ""
    seen = row.view
    if seen is None or seen.level != "TESTED" or seen.status != "complete" or seen.narrowed or seen.preset is not None:
        return "No measured receipt is stored yet, so there is nothing to compare with."
    return (
        "First receipt: there is nothing to compare with yet. The next pull request is compared with this one once it is "
        "stored on the default branch: after this is merged and the push run has finished."
    )
