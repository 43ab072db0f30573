"""Why something was not measured, in people's words. Not: the decision that it was not."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.figures import count, listed
from driftproof_action.reports.markdown import text

VERDICT_REASONS: Mapping[str, str] = {
    "stub": "stub run, no model was asked",
    "smoke": "a quick run earns no verdict",
    "quick": "a quick run earns no verdict",
    "narrowed": "only some of the cases ran",
    "example": "example figures",
    "incomplete": "the run did not finish",
    "below_tested": "the receipt does not say that a model was tested",
    "no_answered_by": "the receipt does not say what answered",
    "no_numeric_lift": "there is no case with answers both with and without the skill",
    "no_readable_case": "no case has scores",
    "nothing_measured": "no answer could be graded",
    "no_cases": "the suite has no case that can run",
    "trigger_suite": "the suite only tests when the skill is chosen",
    "budget": "the money limit was reached",
    "calls": "the limit on calls was reached",
    "minutes": "the time limit was reached",
    "signal": "the run was interrupted",
    "circuit": "several calls in a row failed in the same way",
    "wrong_model": "another model answered",
    "not_allowed": "a request was refused",
    "no_key": "no key was given",
    "arm_missing": "the answers without the skill are missing",
}
"""Reason codes of a verdict. A code that is not here is shown as it is, with the row's own message."""

TOLD = frozenset({"wrong_model"})
"""Those of them that say little without the row's own message."""

DRAW_REASONS: Mapping[str, str] = {
    "pending": "not drawn",
    "not_drawn": "not drawn",
    "cut": "cut off at the token limit",
    "empty_reply": "empty",
    "refused": "declined by the model",
    "thinking_only": "with thinking and no text",
    "tool_use": "with a tool call instead of an answer",
    "context_window": "cut off at the context window",
    "needs_workspace": "that need a workspace",
    "no_checks": "with nothing code could check",
    "timeout": "timed out",
    "transport_error": "lost on the way",
    "rate_limited": "turned away by the provider's rate limit",
    "agent_error": "ended by an error",
    "setup_failed": "not set up",
    "host_unavailable": "without a host to run on",
    "budget": "not drawn, the money limit was reached",
    "budget_stop": "not drawn, the money limit was reached",
    "calls": "not drawn, the limit on calls was reached",
    "minutes": "not drawn, the time limit was reached",
    "signal": "not drawn, the run was interrupted",
    "circuit": "not drawn after several failures in a row",
    "withheld": "not run here",
    "files_missing": "without a file the case names",
    "no_score": "not graded",
    "grader_error": "not graded because of an error of ours",
    "answer_not_kept": "not graded, the old answer was not kept",
    "pattern_too_slow": "not graded, a pattern took too long",
    "judge_no_decision": "not graded, the judge gave no decision",
    "judge_no_reason": "not graded, the judge gave no reason",
    "judge_two_decisions": "not graded, the judge decided twice",
    "judge_wrong_ids": "not graded, the judge answered other criteria",
    "judge_reply_too_long": "not graded, the judge's reply was too long",
    "judge_score_not_a_number": "not graded, the judge's score is no number",
    "judge_score_out_of_range": "not graded, the judge's score is out of range",
    "judge_cut": "not graded, the judge's reply was cut off",
    "judge_refused": "not graded, the judge declined",
    "judge_timeout": "not graded, the judge timed out",
    "judge_transport_error": "not graded, the judge's reply was lost on the way",
    "judge_rate_limited": "not graded, the judge was rate limited",
    "judge_wrong_model": "not graded, another model judged",
}
"""Hole reasons of answers; each reads after a number: `2 timed out`."""

UNCLEAR_REASONS: Mapping[str, str] = {
    "lost_draws": "answers were lost",
    "incomplete": "the run did not finish",
    "case_unmeasured": "a case was not measured",
    "unsettled": "the run did not finish",
    "addresses_judge": "the answers of one side speak to the grader",
}
"""Reason codes of an INCONCLUSIVE verdict."""

STOPS: Mapping[str, str] = {
    "budget": "the money limit was reached",
    "calls": "the limit on calls was reached",
    "minutes": "the time limit was reached",
    "signal": "it was interrupted",
    "circuit": "several calls in a row failed in the same way",
    "wrong_model": "another model answered than the one asked for",
    "not_allowed": "a request was refused",
}
"""Why a run was cut short."""


def stubbed(view: ReceiptView | None) -> bool:
    """The stub answered, so the figures are constants of ours and none of the skill. An example's figures are there to be shown."""
    return view is not None and view.kind == "stub" and not view.example


def why(reason_code: str, message: str, *, render: Callable[[object], str] = text) -> str:
    """The reason of a verdict: our words for a code we know, else the message, else the code. `render` guards the sink."""
    known = VERDICT_REASONS.get(reason_code)
    if known:
        return f"{known}: {render(message)}" if reason_code in TOLD and message else known
    return render(message or reason_code.replace("_", " ") or "no reason was recorded")


def lost(unmeasured: Mapping[str, int], *, render: Callable[[object], str] = text) -> str:
    """`3 answers lost: 2 timed out, 1 empty`; empty when none was."""
    total = sum(unmeasured.values())
    if total <= 0:
        return ""
    ordered = sorted(unmeasured.items(), key=lambda item: (-item[1], item[0]))
    parts = [f"{number} {DRAW_REASONS.get(reason) or render(reason.replace('_', ' '))}" for reason, number in ordered if number > 0]
    return f"{count(total, 'answer')} lost: {listed(parts, most=6, noun='more kinds')}"


def cut_short(stopped: str, detail: str = "", *, render: Callable[[object], str] = text) -> str:
    """`Cut short: the money limit was reached.`; empty when it was not. detail: of the stop; what was refused is told by it."""
    told = render(detail) if detail and stopped == "not_allowed" else STOPS.get(stopped) or render(stopped)
    return f"Cut short: {told}." if stopped else ""
