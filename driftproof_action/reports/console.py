"""What `run` prints: receipts for programs, sentences for people, and why the job is red or green. Not: printing it."""

from __future__ import annotations

from driftproof_action.domain.words import DRIFTS
from driftproof_action.reports.figures import count, lift, money
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.readings import asides, suite_interval
from driftproof_action.reports.rows import ordered, says, unasked
from driftproof_action.reports.terminal import plain
from driftproof_action.reports.unmeasured import cut_short, lost

PREFIX = "driftproof: "


def data_lines(result: JobResult) -> list[str]:
    """For stdout: the receipts that were written, one path a line, in order of work."""
    return [plain(row.receipt_path) for row in result.rows if row.receipt_path]


def plan_line(
    *, cases: int, sides: int, skills: int, models: str, judge: str, fewest: int, most: int, micro_usd: int, limit_micro_usd: int
) -> str:
    """What is about to be asked, before the first call. sides: arms of a case; models, judge: ids, judge empty for none."""
    over = f"{count(cases, 'case')} × {count(sides, 'side')}" + (f" of {count(skills, 'skill')}" if skills > 1 else "")
    who = f"{plain(models)}, judge {plain(judge)}" if judge else plain(models)
    calls = f"fewest {fewest}, most {most} calls" if fewest != most else count(most, "call")
    return f"{over} on {who}: {calls}, at most {money(micro_usd)} (limit {money(limit_micro_usd)})"


def people_lines(result: JobResult, *, receipts: bool = True) -> list[str]:
    """For stderr: one line a row, worst last so that it stands nearest the prompt, then cost, then the last line.

    receipts: name them here too, where stdout is not shown beside.
    """
    lines = [PREFIX + _row(row) for row in reversed(ordered(result.rows))]
    lines += [PREFIX + line for line in dict.fromkeys(map(_remarks, result.rows)) if line]
    lines += [f"{PREFIX}{plain(path)} was not run: {plain(reason)}" for path, reason in result.skipped]
    lines += [f"{PREFIX}receipt {plain(row.receipt_path)}" for row in result.rows if receipts and row.receipt_path]
    if result.stopped:
        lines.append(f"{PREFIX}{cut_short(result.stopped, render=plain)}")
    if result.mode == "stub":
        lines.append(f"{PREFIX}stub run: no model was asked, nothing was paid")
    else:
        lines.append(f"{PREFIX}{money(result.micro_usd)}, {count(result.calls, 'call')}")
    return [*lines, because_line(result)]


def _row(row: JobRow) -> str:
    said = f"{plain(row.skill_name or row.skill_slug)} on {plain(row.model_id)}: {says(row, render=plain)}"
    if row.view is not None and not unasked(row) and row.view.delta is not None:
        inside = suite_interval(row.view)
        said += f", lift {lift(row.view.delta)}" + (f" ({inside})" if inside else "")
    if row.drift:
        said += f"; {DRIFTS[row.drift].plain}"
    return "; ".join([said, *asides([row], render=plain), *filter(None, [lost(row.unmeasured, render=plain)])])


def _remarks(row: JobRow) -> str:
    """That lint has something to say of the skill, with its first words; empty when it has not."""
    said = [finding for finding in row.findings if finding.severity != "info"]
    if not said:
        return ""
    first = said[0]
    place = f"{plain(first.file)}:{first.line}" if first.line else plain(first.file)
    return f"{count(len(said), 'remark')} on {plain(row.skill_path)}: {place}: {plain(first.message)}; driftproof lint shows all"


def because_line(result: JobResult) -> str:
    """The last line of every job: its colour and the one reason."""
    if result.exit_code:
        return f"{PREFIX}this job is red because {plain(result.because or f'exit code {result.exit_code}')}"
    return f"{PREFIX}this job is green: {plain(result.because or 'no condition of fail-on holds')}"
