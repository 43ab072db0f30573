"""What a job found, on the lines of SKILL.md and of the suite it is about: the most important first, and few. Not: showing it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from driftproof_action.reports.cases import fallen, hurt
from driftproof_action.reports.figures import count, score
from driftproof_action.reports.headline import clause
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.rows import DRIFT, VERDICT, lead, ordered, reason, unasked
from driftproof_action.reports.terminal import plain

Level = Literal["error", "warning", "notice"]

MOST = 8
"""Of each level. GitHub shows ten a step, and a job has other things to say too."""
CASES_SHOWN = 3
TITLE = "driftproof"
LOUD = frozenset({(VERDICT, "REGRESSED"), (VERDICT, "REFUSED"), (DRIFT, "REFUSED"), (DRIFT, "DRIFT"), (DRIFT, "MIXED")})
"""Leads that are warnings even where the job stays green."""
QUIET = frozenset({(VERDICT, "PASSED"), (VERDICT, "NO_EFFECT"), (DRIFT, "IMPROVED")})
"""Leads that need no annotation."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """file: from the workspace. line: 1-based. message: one line, foreign text in it made visible."""

    level: Level
    file: str
    line: int
    message: str


def annotate(result: JobResult, *, red: Sequence[JobRow]) -> list[Annotation]:
    """At most MOST of each level, the last of which then counts the rest. red: the rows that make the job red; nothing else is
    an error, so that a green job shows none. What the stub answered is not annotated."""
    found: list[Annotation] = []
    for path, why in result.refused_changes:
        found.append(Annotation("error" if result.exit_code else "warning", path, 1, f"this stored file is not believed: {plain(why)}"))
    for row in ordered(result.rows):
        if not unasked(row):
            found += _of_row(row, red=row in red)
    for row in result.rows:
        found += _remarks(row)
    return _few(list(dict.fromkeys(found)))


def _of_row(row: JobRow, *, red: bool) -> Iterable[Annotation]:
    led = lead(row)
    level: Level = "error" if red else "warning" if led in LOUD else "notice"
    if red or led not in QUIET:
        said, detail = clause([row], skill=plain, model=plain)
        yield Annotation(level, posixpath.join(row.skill_path, "SKILL.md"), 1, said + (detail or _why(row)))
    if not row.suite_file or not (red or led in LOUD):
        return
    for case in fallen(row)[:CASES_SHOWN]:
        yield _on_case(row, case.id, level, f"fell from {score(case.old_mean)} to {score(case.new_mean)}")
    if row.verdict == "REGRESSED" and row.view is not None:
        for id, _ in hurt(row.view)[:CASES_SHOWN]:
            with_skill, without = (row.view.rows[id, arm].mean for arm in ("with_skill", "baseline"))
            yield _on_case(row, id, level, f"{score(with_skill)} with the skill, {score(without)} without it")


def _why(row: JobRow) -> str:
    return f": {reason(row, render=plain)}" if row.verdict == "NOT_MEASURED" else ""


def _on_case(row: JobRow, id: str, level: Level, said: str) -> Annotation:
    return Annotation(level, row.suite_file, row.case_lines.get(id, 1), f"case {plain(id)} on {plain(row.model_id)}: {said}")


def _remarks(row: JobRow) -> Iterable[Annotation]:
    """Remarks about what somebody wrote; those that need no mending stay in the summary."""
    for finding in row.findings:
        if finding.severity != "info":
            advice = f" → {plain(finding.fix)}" if finding.fix else ""
            yield Annotation("warning", finding.file, max(1, finding.line), f"{plain(finding.message)}{advice}")


def _few(found: Sequence[Annotation]) -> list[Annotation]:
    kept: list[Annotation] = []
    for level in ("error", "warning", "notice"):
        of_level = [item for item in found if item.level == level]
        kept += of_level[:MOST]
        if len(of_level) > MOST:
            last, rest = of_level[MOST - 1], len(of_level) - MOST + 1
            kept[-1] = Annotation(last.level, last.file, last.line, f"{count(rest, 'more finding')} like these: all are in the job summary")
    return kept
