"""`driftproof lint`: what a skill or a suite file will be read as, and what to mend. Not: a run, or a verdict.

`--json` prints one object for one PATH: `path`, `status` (`runnable`, `partly`, `trigger_suite`, `unusable`), `cases`,
`runnable`, `file`, `shape`, `mapping` (a list of `target`, `source`, `count`), `unmeasured` (reason → cases) and `findings`
(a list of `severity`, `code`, `file`, `line` (null for the whole file), `message`, `fix`). Several PATHs: {`reports`: [...]}.
"""

from __future__ import annotations

import json
import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from driftproof_action.domain.finding import Finding
from driftproof_action.domain.suite import Suite, SuiteStatus
from driftproof_action.errors import DriftproofError, FileError, InputError
from driftproof_action.files_io import FilesIO
from driftproof_action.git_io import GitIO
from driftproof_action.loading.discover import discover
from driftproof_action.loading.skill import SKILL_MD, load_skill
from driftproof_action.loading.suite import SuiteSource, load_suite
from driftproof_action.ports import Files, Git
from driftproof_action.reports.terminal import plain

FilesFor = Callable[[str], Files]
GitFor = Callable[[str], Git | None]

SUITE_FOLDERS = ("evals", "tests", "benchmark")
"""Folders below a skill a suite file may lie in."""

SHOWN_ALIKE = 3
"""Findings of one code printed of one PATH; all of them with --json."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was found out about one PATH. suite None: it could not be read at all. findings: with files as the user would
    name them. base: what stands before the files' names, left away when people read the report."""

    path: str
    status: SuiteStatus
    suite: Suite | None
    findings: tuple[Finding, ...]
    base: str = ""

    @property
    def runnable(self) -> int:
        return sum(case.unmeasured is None for case in self.suite.cases) if self.suite else 0

    @property
    def cases(self) -> int:
        return len(self.suite.cases) if self.suite else 0

    @property
    def queries(self) -> int:
        """Of a trigger suite."""
        return sum(each.count for each in self.suite.mapping if each.target == "queries") if self.suite else 0

    def holes(self) -> Mapping[str, int]:
        cases = self.suite.cases if self.suite else ()
        return dict(sorted(Counter(case.unmeasured.reason for case in cases if case.unmeasured).items()))


def run(paths: Sequence[str], as_json: bool, *, files_for: FilesFor = FilesIO, git_for: GitFor = GitIO.at) -> tuple[str, int]:
    """(what to print, exit code). files_for: opens a folder, git_for: the checkout a folder lies in."""
    reports = lint(paths, files_for=files_for, git_for=git_for)
    return (to_json(reports) if as_json else render_text(reports)), exit_code(reports)


def lint(paths: Sequence[str], *, files_for: FilesFor, git_for: GitFor) -> tuple[Report, ...]:
    """A report for each path, a skill's folder or a suite file; never raises for what is found there."""
    return tuple(_report(path, files_for, git_for) for path in paths)


def exit_code(reports: Sequence[Report]) -> int:
    """2 only when every path is unusable."""
    return 2 if all(report.status == "unusable" for report in reports) else 0


# ---- looking ----------------------------------------------------------------------------------------------------


def _report(path: str, files_for: FilesFor, git_for: GitFor) -> Report:
    try:
        return _look(path, files_for, git_for)
    except DriftproofError as error:
        return Report(path, "unusable", None, (_finding(error, path),))


def _look(path: str, files_for: FilesFor, git_for: GitFor) -> Report:
    if not path.strip():
        raise InputError("a PATH is empty", fix="name a skill's folder or a suite file")
    folder, name = posixpath.split(path.rstrip("/") or path)
    if name in ("", ".", ".."):
        return _skill(path, files_for(path), git_for=git_for)
    above = files_for(folder or ".")
    kind = above.kind(name)
    if kind in ("folder", "link"):
        return _skill(path, files_for(path), git_for=git_for)
    if kind == "absent":
        raise FileError("does not exist", place=path, fix="name a skill's folder or a suite file")
    if name == SKILL_MD:
        return _skill(folder or ".", above, git_for=git_for, shown=path)
    return _suite_file(path, above, files_for=files_for)


def _skill(path: str, files: Files, *, git_for: GitFor, shown: str = "") -> Report:
    base = path.rstrip("/") or path
    suite = load_suite(files, ".", skill_name="")
    if files.kind(SKILL_MD) == "absent":
        found = [] if not suite.file else [replace(each, file=_joined(base, each.file)) for each in suite.findings]
        return Report(shown or path, "unusable", suite if suite.file else None, (_no_skill(path, files), *found), base)
    try:
        skill = load_skill(files, ".", git=git_for(files.root), suite_files=suite.own_files)
        suite = load_suite(files, ".", skill_name=skill.name)
        findings, status = (*skill.findings, *suite.findings), suite.status
    except DriftproofError as error:
        findings, status = (_finding(error, "."), *suite.findings), "unusable"
    return Report(shown or path, status, suite, tuple(replace(each, file=_joined(base, each.file)) for each in findings), base)


def _no_skill(path: str, files: Files) -> Finding:
    try:
        below = discover(files, ("auto",), require=False)
    except DriftproofError:
        below = ()
    names = ", ".join(_joined(path, each) for each in below[:5])
    fix = f"lint the skills below it: {names}" if below else "a skill is a folder with a SKILL.md"
    return Finding("error", "skill", _joined(path, SKILL_MD), 0, "is missing", fix)


def _suite_file(path: str, above: Files, *, files_for: FilesFor) -> Report:
    """A suite file by itself: its skill is the folder above `evals/` when that holds SKILL.md, else its own folder."""
    name = posixpath.basename(path)
    home, inside = above, name
    own = posixpath.basename(above.root)
    if own in SUITE_FOLDERS:
        upper = files_for(posixpath.dirname(above.root))
        if upper.kind(SKILL_MD) == "file" or own == "evals":
            home, inside = upper, f"{own}/{name}"
    suite = load_suite(home, ".", skill_name="", source=SuiteSource(inside))
    return Report(path, suite.status, suite, tuple(replace(each, file=path) for each in suite.findings), path)


def _joined(base: str, file: str) -> str:
    return posixpath.normpath(posixpath.join(base, file))


def _finding(error: DriftproofError, path: str) -> Finding:
    """An error that stopped the reading, as a finding; its anchor is a heading of docs/errors.md."""
    place, _, tail = error.place.rpartition(":")
    numbered = bool(place) and tail.isascii() and tail.isdecimal()
    file = (place if numbered else error.place) or path
    message = f"{error.message}: {error.detail}" if error.detail else error.message
    return Finding("error", error.anchor, file, int(tail) if numbered else 0, message, error.fix)


# ---- saying -----------------------------------------------------------------------------------------------------


def to_json(reports: Sequence[Report]) -> str:
    """One object for one report, {"reports": [...]} for several."""
    documents = [_document(report) for report in reports]
    return json.dumps(documents[0] if len(documents) == 1 else {"reports": documents}, indent=2, ensure_ascii=False)


def _document(report: Report) -> dict[str, Any]:
    suite = report.suite
    return {
        "path": report.path,
        "status": report.status,
        "cases": report.cases,
        "runnable": report.runnable,
        "file": suite.file if suite and suite.file else None,
        "shape": suite.shape if suite else None,
        "mapping": [{"target": each.target, "source": each.source, "count": each.count} for each in suite.mapping] if suite else [],
        "unmeasured": report.holes(),
        "findings": [
            {
                "severity": each.severity,
                "code": each.code,
                "file": each.file,
                "line": each.line or None,
                "message": each.message,
                "fix": each.fix,
            }
            for each in report.findings
        ],
    }


def render_text(reports: Sequence[Report]) -> str:
    """For people: a line of what it is, a line of what was read from what, a line a finding, worst first."""
    return "\n".join(line for report in reports for line in _lines(report))


def _lines(report: Report) -> Iterable[str]:
    yield f"{plain(report.path) or '(empty)'}   {_headline(report)}"
    if report.suite and report.suite.mapping and report.suite.cases:
        yield f"  read {plain(report.suite.file)} as {_shape(report.suite)}: {_mapping(report.suite)}"
    holes = report.holes()
    if holes:
        yield f"  not run: {', '.join(f'{count} {reason}' for reason, count in holes.items())}"
    for severity in ("error", "warning", "info"):
        alike: dict[str, list[Finding]] = {}
        for finding in report.findings:
            if finding.severity == severity:
                alike.setdefault(finding.code, []).append(finding)
        for code, findings in alike.items():
            yield from (_line(finding, report.base) for finding in findings[:SHOWN_ALIKE])
            if len(findings) > SHOWN_ALIKE:
                yield f"          and {len(findings) - SHOWN_ALIKE} more {code}: --json lists them all"


def _headline(report: Report) -> str:
    if report.status == "trigger_suite":
        return f"trigger suite ({report.queries} {'query' if report.queries == 1 else 'queries'}): not run by lift"
    if report.status == "unusable":
        first = next((each for each in report.findings if each.severity == "error"), None)
        if first is None:
            return f"cannot run: none of its {report.cases} cases can be asked of a model alone"
        return "cannot run: see the errors below"
    counted = f"{report.cases} {'case' if report.cases == 1 else 'cases'}, {report.runnable} can run"
    errors = sum(each.severity == "error" for each in report.findings)
    return f"{counted} once the {'error is' if errors == 1 else f'{errors} errors are'} mended" if errors else counted


_TARGETS = ("prompt", "rubric", "context", "criteria", "criteria in code", "checks beside", "threshold", "files")

_SHAPES = {
    "agentskills": "the agentskills.io shape",
    "skill-creator": "the skill-creator shape",
    "flat": "the flat question and answer shape",
    "driftproof": "our own shape",
    "own": "a shape of its own",
}


def _shape(suite: Suite) -> str:
    return _SHAPES.get(suite.shape, suite.shape)


def _mapping(suite: Suite) -> str:
    words = []
    for each in sorted(suite.mapping, key=lambda each: _TARGETS.index(each.target)):
        counted = each.target not in ("prompt", "context", "rubric", "threshold") or each.count != len(suite.cases)
        words.append(f"{f'{each.count} ' if counted else ''}{each.target} ← {plain(each.source)}")
    return ", ".join(words)


def _line(finding: Finding, base: str) -> str:
    file = finding.file.removeprefix(f"{base}/") if finding.file != base else posixpath.basename(base)
    place = f"{plain(file)}:{finding.line}" if finding.line else plain(file)
    fix = f" → {plain(finding.fix)}" if finding.fix else ""
    return f"  {finding.severity:<7} {place}   {plain(finding.message)}{fix}"
