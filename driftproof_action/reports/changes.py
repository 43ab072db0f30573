"""What moved between two receipts, in words. Not: finding out (comparison/changes)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from driftproof_action.reports.figures import count, listed, short
from driftproof_action.reports.job import JobRow
from driftproof_action.reports.markdown import code, text

MOVED: Mapping[str, str] = {
    "skill": "the skill's files",
    "suite": "the suite",
    "case": "the text of a case",
    "judge_model": "the judge",
    "judge_template": "the judge's prompt",
    "rubric": "a rubric",
    "model": "the model",
    "provider": "the provider",
    "surface": "the way the model is called",
    "harness": "the host program",
    "capture": "what is kept of an answer",
    "parameters": "the call parameters",
    "endpoint": "the endpoint",
    "judge_sampling": "how often the judge is asked",
    "schema": "the receipt format",
}
"""The vocabulary of Comparison.changed."""

LEFT_OUT_SHOWN = 5


def moved(changed: Sequence[str]) -> str:
    """`the skill's files and the judge`; empty when all that is recorded is the same."""
    return listed([MOVED.get(axis) or text(axis) for axis in changed])


def what_moved(row: JobRow) -> str:
    """One sentence on what is different from the last receipt; empty when two receipts were not set against each other."""
    if row.comparison is None or not row.comparison.new_hash or not row.comparison.old_hash:
        return ""
    if not row.comparison.changed:
        return "Skill, suite, judge, model and parameters are those of the last receipt."
    hashes = ""
    if "skill" in row.comparison.changed and row.view and row.base_view:
        hashes = f" ({code(_identity(row.base_view.tree_hash, row.base_view.content_hash))} → "
        hashes += f"{code(_identity(row.view.tree_hash, row.view.content_hash))})"
    return f"Different from the last receipt: {moved(row.comparison.changed)}{hashes}; all else that is recorded is the same."


def _identity(*digests: str | None) -> str:
    return short(next((digest for digest in digests if digest), "unknown"))


def left_out(row: JobRow) -> str:
    """Cases that could not be compared, by name and reason; empty when there are none."""
    if row.comparison is None or not row.comparison.left_out:
        return ""
    names = [f"{code(id, limit=60)} ({text(reason, limit=80)})" for id, reason in row.comparison.left_out]
    return f"{count(len(names), 'case')} not compared: {listed(names, most=LEFT_OUT_SHOWN)}."


def caveats(row: JobRow) -> str:
    """The remarks of the comparison as a list; empty when there are none."""
    told = row.comparison.caveats if row.comparison else ()
    return "\n".join(f"- {text(caveat[:1].upper() + caveat[1:], limit=400)}" for caveat in told)
