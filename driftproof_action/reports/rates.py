"""Pass rates for people: one line a case with its exact interval. Not: a verdict; a measurement asserts nothing."""

from __future__ import annotations

from driftproof_action.domain.reading import Reading
from driftproof_action.reports.console import PREFIX, because_line
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.terminal import plain


def rate_lines(result: JobResult) -> list[str]:
    """For stderr: every case of every row, in suite order, then the last line of the job."""
    lines: list[str] = []
    for row in result.rows:
        lines.append(f"{PREFIX}{plain(row.skill_name)} on {plain(row.model_id)}")
        lines += [f"  {plain(reading.about)}: {_rate(reading)}" for reading in _readings(row)]
        if not row.view:
            lines.append(f"  {plain(row.message)}")
    if result.mode == "stub":
        lines.append(f"{PREFIX}stub run: no model was asked, the rates are those of the stub's replies")
    return [*lines, because_line(result)]


def _readings(row: JobRow) -> list[Reading]:
    decision = row.view.decision if row.view else None
    return [reading for reading in decision.readings if reading.about != "suite"] if decision else []


def _rate(reading: Reading) -> str:
    numbers = reading.numbers
    if reading.word != "measured":
        return f"not measured: {reading.reason.replace('_', ' ')}"
    lost = f", {numbers['lost']} lost" if numbers["lost"] else ""
    return (
        f"{numbers['passes']} of {numbers['n']} pass ({float(numbers['rate'] or 0):.0%}, "
        f"95 % interval {float(numbers['low'] or 0):.0%} to {float(numbers['high'] or 0):.0%}{lost})"
    )
