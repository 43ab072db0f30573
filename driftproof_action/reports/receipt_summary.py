"""The `.summary.md` beside a receipt: what it says, for someone who has only the two files. Not: comparisons."""

from __future__ import annotations

from collections.abc import Mapping

from driftproof_action.domain.words import VERDICTS
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.cases import with_and_without
from driftproof_action.reports.figures import lift_with_band, score
from driftproof_action.reports.markdown import SUMMARY_BYTES, code, fit, name, text
from driftproof_action.reports.measured import BAND, conditions
from driftproof_action.reports.unmeasured import lost, stubbed, why

STUB = "**No model was asked.** The built-in stub gave every reply; the figures are its constants and say nothing about the skill."
EXAMPLE = "**Example.** The figures are invented to show what a receipt looks like; nothing was measured."


def receipt_summary(
    view: ReceiptView,
    *,
    verdict: str,
    reason_code: str = "",
    message: str = "",
    mapping: str = "",
    unmeasured: Mapping[str, int] | None = None,
) -> str:
    """Markdown ending in a line break, at most SUMMARY_BYTES. verdict: a word of VERDICTS; reason_code, message: why;
    mapping: what was read from the suite; unmeasured: hole reason → answers."""
    plain = VERDICTS[verdict].plain
    code_word = "stub" if stubbed(view) else reason_code
    said = f"{plain}: {why(code_word, message)}" if verdict == "NOT_MEASURED" else plain
    facts = [
        f"Verdict: **{said}** ({verdict})",
        "" if stubbed(view) else _figures(view),
        conditions(view),
        lost(unmeasured or {}),
        f"Read from the suite: {text(mapping, limit=400)}" if mapping else "",
        f"Verification level {text(view.level)}, receipt format {text(view.version)}",
        f"Receipt {code(view.receipt_hash)}",
        f"Skill files {code(view.tree_hash or view.content_hash or 'not recorded')}",
        f"Suite {code(view.suite_hash or 'not recorded')}",
        "" if stubbed(view) else BAND,
    ]
    blocks = [
        f"# {name(view.skill_name)} on {text(view.model_id)}",
        STUB if stubbed(view) else EXAMPLE if view.example else "",
        "\n".join(f"- {fact}" for fact in facts if fact),
        with_and_without(view),
    ]
    return fit(blocks, SUMMARY_BYTES)


def _figures(view: ReceiptView) -> str:
    if view.baseline_score is None:
        return f"Mean score: {score(view.with_skill_score)}"
    lifted = lift_with_band(view.delta, view.delta_uncertainty)
    return f"Lift: {lifted}, from {score(view.baseline_score)} without the skill to {score(view.with_skill_score)} with it"
