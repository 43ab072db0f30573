"""The pull-request comment: one screen, verdict first. Not: posting it."""

from __future__ import annotations

import re

from driftproof_action.domain.words import DRIFTS
from driftproof_action.reports.cases import all_cases, fallen, moved_cases, other_cases
from driftproof_action.reports.changes import left_out
from driftproof_action.reports.cost import cost_line
from driftproof_action.reports.figures import count, listed, short
from driftproof_action.reports.headline import headline, rest_of_headline
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.markdown import COMMENT_BYTES, code, fit, name, text
from driftproof_action.reports.measured import what_was_measured
from driftproof_action.reports.next_step import next_step, when_compared
from driftproof_action.reports.readings import guard_line, moves, suite_sentence
from driftproof_action.reports.rows import VERDICT, lead, leading, ordered, rows_table, tally, unasked, worst_row
from driftproof_action.reports.unmeasured import cut_short, lost

EXPLAINED = frozenset({"REFUSED", "INCONCLUSIVE", "NOT_COMPARABLE", "NOT_MEASURED", "RECEIPT_REMOVED", "BASE_UNAVAILABLE"})
"""Drifts whose reason is told in a sentence of its own."""


MODELS_SHOWN = 2
"""Models whose cases a comment shows; the summary shows all."""


def marker(key: str) -> str:
    """The first line of a comment of ours, by which it is found again; of the key only letters, digits and `._-` are kept."""
    return f"<!-- driftproof v1 key={re.sub('[^A-Za-z0-9._-]', '', key)[:64].replace('--', '-')} -->"


def notes(result: JobResult) -> str:
    """Up to a handful of sentences between what to do and the table: what a reader must not miss."""
    row = worst_row(result.rows)
    lines = [
        "Example figures, invented to show what a report looks like: nothing here was measured." if result.example else "",
        _refused_changes(result),
        rest_of_headline(result),
        _guards(result),
        text(row.message, limit=300) if row and row.verdict == "REFUSED" else "",
        cut_short(result.stopped, result.stop_detail),
        suite_sentence(row.view) if row and row.view and not unasked(row) else "",
        when_compared(row) if row else "",
        _drift_note(row) if row else "",
        moves(row) if row else "",
        left_out(row) if row else "",
        lost(row.unmeasured) + "." if row and row.unmeasured and lost(row.unmeasured) else "",
        _others(result),
    ]
    return "  \n".join(line for line in lines if line)


def _refused_changes(result: JobResult) -> str:
    if not result.refused_changes:
        return ""
    names = [f"{code(path)} ({text(why)})" for path, why in result.refused_changes]
    return f"**This pull request brings stored files that are not believed:** {listed(names, most=3)}."


def _guards(result: JobResult) -> str:
    """That answers of one side speak to the grader: of the row the headline is about, and by name of any other."""
    first = worst_row(result.rows)
    told = [(row, guard_line(row.view)) for row in ordered(result.rows)]
    return "  \n".join(
        line if row is first else f"{name(row.skill_name or row.skill_slug)} on {text(row.model_id)}: {line}" for row, line in told if line
    )


def _drift_note(row: JobRow) -> str:
    if row.comparison is None or not (row.drift in EXPLAINED or (row.drift in {"DRIFT", "MIXED"} and lead(row)[0] == VERDICT)):
        return ""
    plain = DRIFTS[row.drift].plain
    said = f"{plain[0].upper()}{plain[1:]}"
    if row.drift == "DRIFT":
        if row.comparison.code == "suite":
            return f"{said} than in the last receipt: scores and lift fell over the suite."
        than = f"than {row.comparison.asked}" if row.comparison.code == "confirmed_case" else "than in the last receipt"
        return f"{said} {than}: {count(len(fallen(row)), 'case')} fell."
    reason = text(row.comparison.reason, limit=300).removesuffix(".")
    return f"{said}: {reason}." if reason and row.drift != "MIXED" else f"{said}."


def _others(result: JobResult) -> str:
    shown = leading(result.rows)
    rest = [row for row in result.rows if row not in shown]
    parts = [f"Beside this: {tally(rest)}." if rest else ""]
    if result.skipped and result.rows:
        parts.append(f"{count(len(result.skipped), 'skill')} not run: {text(result.skipped[0][0])} ({text(result.skipped[0][1])})")
        parts[-1] += f" and {len(result.skipped) - 1} more." if len(result.skipped) > 1 else "."
    return " ".join(part for part in parts if part)


def wanted(result: JobResult, mode: str) -> bool:
    """Whether a comment is made where there is none yet. mode: a word of `pr-comment`. An earlier one is kept true whatever
    this says."""
    if mode == "changes":
        return result.exit_code != 0 or any(row.drift not in ("", "NO_SEPARATION") for row in result.rows)
    return mode == "always" or (mode == "failures" and result.exit_code != 0)


_PASSING = (re.compile(r"\[job\]\([^)\s]*\)"), re.compile(r"Receipt `[0-9a-f]{1,64}`"))
"""What differs between any two runs that found the same: where they ran, and the seal, which covers the time of day."""


def same(one: str, other: str) -> bool:
    """Whether two comments tell their readers the same."""
    sides = [one, other]
    for pattern in _PASSING:
        sides = [pattern.sub("", side) for side in sides]
    return sides[0].split() == sides[1].split()


def comment(result: JobResult, *, key: str = "") -> str:
    """The whole comment, ending in a line break: at most COMMENT_BYTES, cut at block borders.

    After the marker, which nobody sees, the first 120 visible characters name the skill, the verdict in words and what to do.
    """
    row = worst_row(result.rows)
    blocks = [
        f"{marker(key)}\n{headline(result)}",
        f"**Do:** {next_step(result)}",
        notes(result),
        rows_table(result.rows),
        *(block for row in leading(result.rows)[:MODELS_SHOWN] for block in _cases(row, result)),
        what_was_measured(row) if row else "",
    ]
    footer = f"\n{_footer(result)}\n"
    return fit(blocks, COMMENT_BYTES - len(footer.encode())) + footer


def _cases(row: JobRow, result: JobResult) -> list[str]:
    blocks = [moved_cases(row), other_cases(row)]
    if row.view and not unasked(row) and not (row.comparison and row.comparison.cases):
        blocks = [moved_cases(row), all_cases(row.view)]
    several = len(leading(result.rows)) > 1 and any(blocks)
    return [f"On {text(row.model_id)}:" if several else "", *blocks]


def _footer(result: JobResult) -> str:
    link = f" · [job]({result.run_url})" if re.fullmatch(r"https://[A-Za-z0-9._~/:-]{1,300}", result.run_url) else ""
    commit = f" · commit {code(short(result.commit))}" if result.commit else ""
    return f"<sub>{cost_line(result)}{commit}{link}</sub>"
