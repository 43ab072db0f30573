"""The job summary: the comment's blocks at length, with every case of every receipt. Not: writing it."""

from __future__ import annotations

from driftproof_action.comparison.hints import hints
from driftproof_action.comparison.skill_cost import skill_cost
from driftproof_action.domain.finding import Finding
from driftproof_action.domain.words import DRIFTS
from driftproof_action.errors import DriftproofError
from driftproof_action.reports.cases import all_cases, moved_cases, other_cases
from driftproof_action.reports.changes import caveats, left_out, what_moved
from driftproof_action.reports.comment import notes
from driftproof_action.reports.cost import cost_line, skill_cost_block
from driftproof_action.reports.figures import count, lift_with_band, money
from driftproof_action.reports.headline import headline
from driftproof_action.reports.hints import hints_block
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.markdown import SUMMARY_BYTES, code, details, fit, joined, name, text
from driftproof_action.reports.measured import BAND, conditions, seal
from driftproof_action.reports.next_step import next_step
from driftproof_action.reports.rows import ordered, rows_table, says, unasked
from driftproof_action.reports.unmeasured import lost

ROWS_SHOWN = 400
FINDINGS_SHOWN = 20
ERROR_LINES_SHOWN = 60


def summary(result: JobResult) -> str:
    """The whole summary, ending in a line break: at most SUMMARY_BYTES, totals first, cut at block borders."""
    blocks = [headline(result), f"**Do:** {next_step(result)}", notes(result), _error(result.error)]
    blocks += [rows_table(result.rows, shown=ROWS_SHOWN), _totals(result)]
    for row in ordered(result.rows):
        blocks += [_about(row), moved_cases(row), other_cases(row), _all_cases(row), _asides(row), _findings(row.findings)]
    return fit([*blocks, _skipped(result)], SUMMARY_BYTES)


def _error(error: DriftproofError | None) -> str:
    """What the headline does not say of an error: why, line by line, and where to read on."""
    if error is None:
        return ""
    said = error.lines()[0]
    why = [line.strip() for line in (*error.message.splitlines()[1:], *error.detail.splitlines()) if line.strip() not in said]
    lines = [f"- {text(line, limit=400)}" for line in why[:ERROR_LINES_SHOWN]]
    if len(why) > ERROR_LINES_SHOWN:
        lines.append(f"- and {len(why) - ERROR_LINES_SHOWN} more: the log lists them all")
    return "\n".join([*lines, f"- explained in {code(f'docs/errors.md#{error.anchor}')}"])


def _totals(result: JobResult) -> str:
    if result.error is not None:
        return ""  # nobody counted
    projected = ""
    if result.most:
        projected = f" Projected before the first call: {result.fewest} to {count(result.most, 'call')}"
        projected += f", at most {money(result.projected_micro_usd)}." if result.mode != "stub" else "."
    return f"{cost_line(result)}.{projected}"


def _about(row: JobRow) -> str:
    lines = [
        f"Verdict: {says(row)}"
        + (f", lift {lift_with_band(row.view.delta, row.view.delta_uncertainty)}" if row.view and not unasked(row) else ""),
        f"Against the last receipt: {DRIFTS[row.drift].plain}" if row.drift else "",
        f"Read from the suite: {text(row.mapping, limit=400)}" if row.mapping else "",
        conditions(row.view) if row.view else "",
        what_moved(row),
        left_out(row),
        lost(row.unmeasured),
        seal(row),
        f"File {code(row.receipt_path)}" if row.receipt_path else "",
    ]
    remarks = caveats(row)
    body = "\n".join(f"- {line}" for line in lines if line) + (f"\n{remarks}" if remarks else "")
    return joined([f"#### {name(row.skill_name or row.skill_slug)} on {text(row.model_id)}", body])


def _all_cases(row: JobRow) -> str:
    if row.view is None or not row.view.rows:
        return ""
    told = "These figures are the stub's own constants and say nothing about the skill." if unasked(row) else BAND
    return joined([all_cases(row.view), told])


def _asides(row: JobRow) -> str:
    """What the run's own data say of costs and of the suite; nothing of a stub, whose figures are constants."""
    if row.view is None or unasked(row):
        return ""
    cost = skill_cost(row.view)
    return joined([skill_cost_block(cost) if cost else "", hints_block(hints(row.view))])


def _findings(findings: tuple[Finding, ...]) -> str:
    if not findings:
        return ""
    lines = []
    for finding in findings[:FINDINGS_SHOWN]:
        place = f"{finding.file}:{finding.line}" if finding.line else finding.file
        advice = f" → {text(finding.fix)}" if finding.fix else ""
        lines.append(f"- {finding.severity} {code(place)}: {text(finding.message, limit=300)}{advice}")
    if len(findings) > FINDINGS_SHOWN:
        lines.append(f"- and {len(findings) - FINDINGS_SHOWN} more: `driftproof lint` lists them all")
    return details(count(len(findings), "remark"), "\n".join(lines))


def _skipped(result: JobResult) -> str:
    if not result.skipped:
        return ""
    lines = "\n".join(f"- {code(path)}: {text(reason)}" for path, reason in result.skipped)
    return details(f"{count(len(result.skipped), 'skill')} not run", lines)
