"""Finds and reads a skill's eval suite, whatever dialect it is written in. Not: grading, or what a run makes of it."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace

from driftproof_action.canonical import MAX_BYTES
from driftproof_action.domain.finding import Finding
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.suite import Mapped, Suite, SuiteCase, SuiteStatus
from driftproof_action.errors import DocumentError, SuiteError
from driftproof_action.loading import suite_keys as keys
from driftproof_action.loading.case_files import Folders
from driftproof_action.loading.case_reader import read_case
from driftproof_action.loading.identities import case_hash, suite_canary, suite_hash
from driftproof_action.loading.located import Located
from driftproof_action.loading.notebook import Notebook, Place
from driftproof_action.loading.paths import below, clean, joined
from driftproof_action.loading.remarks import Remarks, counted, quoted
from driftproof_action.loading.suite_shapes import CaseList, find_cases, foreign, shape_of
from driftproof_action.loading.triggers import is_trigger_case, trigger_queries
from driftproof_action.loading.yaml_reader import MAX_YAML_BYTES, read_json_located, read_jsonl_located, read_yaml
from driftproof_action.ports import Files

SUITE_MAX_CASES = 500
MAPPING_VERSION = "1"
"""Moves when the same file would be read into other cases."""

_JSON = frozenset({".json", ".jsonc", ".json5"})
_YAML = frozenset({".yaml", ".yml"})
_JSONL = frozenset({".jsonl", ".ndjson"})


@dataclass(frozen=True, slots=True)
class SuiteSource:
    """path: of the suite file, relative to the root of Files. others: suite files beside it that are not read."""

    path: str
    others: tuple[str, ...] = ()


def find_suite(files: Files, skill_path: str) -> SuiteSource | None:
    """The suite file of a skill, by SUITE_PLACES; None when there is none. Raises SuiteError for a link."""
    found = []
    for place in keys.SUITE_PLACES:
        full = joined(clean(skill_path), place)
        folder = full.rpartition("/")[0]
        if folder and files.kind(folder) == "link":
            raise _link(folder)
        kind = files.kind(full)
        if kind == "link":
            raise _link(full)
        if kind == "file":
            found.append(full)
    return SuiteSource(found[0], tuple(found[1:])) if found else None


def _link(path: str) -> SuiteError:
    return SuiteError(
        "is a symbolic link; suites are not read through links", place=path, fix="put the file itself there", anchor="suite-link"
    )


def load_suite(files: Files, skill_path: str, *, skill_name: str, source: SuiteSource | None = None) -> Suite:
    """Read a skill's suite; `source` names the file where it is not the one find_suite finds.

    Always returns what an author's content amounts to, with findings; see require_runnable. Raises SuiteError for a suite
    behind a link, FileError for what the disk refuses.
    """
    root = clean(skill_path)
    source = source or find_suite(files, root)
    if source is None:
        remarks = Remarks(root)
        places = ", ".join(keys.SUITE_PLACES[:3])
        remarks.error("no-suite", 0, f"has no eval suite ({places}, …)", fix="write evals/evals.json, or let `driftproof init` start one")
        return _without_cases("", remarks, skill_name=skill_name)
    inside = below(source.path, root) or source.path
    remarks = Remarks(source.path)
    if source.others:
        others = ", ".join(quoted(below(other, root) or other) for other in source.others)
        remarks.warning("other-suites", 0, f"is read; beside it {others} is not", fix="keep one suite file")
    document = _document(files, source.path, remarks)
    if document is None:
        return _unread(source, inside, remarks, skill_name=skill_name)
    folders = Folders(files, root, posixpath.dirname(source.path) or ".")
    return _read(document, inside, skill_name=skill_name, remarks=remarks, folders=folders)


def _document(files: Files, path: str, remarks: Remarks) -> Located | None:
    suffix = posixpath.splitext(path)[1].lower()
    if suffix not in _JSON | _YAML | _JSONL:
        remarks.error("unknown-format", 0, "is neither JSON, JSONL nor YAML by its name", fix="name it .json, .jsonl or .yaml")
        return None
    data = files.read(path, limit=MAX_BYTES)
    try:
        if suffix in _YAML:
            return read_yaml(data, source=path, limit=MAX_YAML_BYTES)
        return read_json_located(data, source=path) if suffix in _JSON else read_jsonl_located(data, source=path)
    except DocumentError as error:
        tail = error.place.rpartition(":")[2]
        line = int(tail) if error.place != path and tail.isascii() and tail.isdecimal() else 0
        note = remarks.warning if _is_trigger_name(path) else remarks.error
        note("not-readable", line, error.message, fix=error.fix)
        return None


def _is_trigger_name(path: str) -> bool:
    """A file that cannot be read and would not be run either way is no reason to stop."""
    return "trigger" in posixpath.basename(path).lower()


def _unread(source: SuiteSource, inside: str, remarks: Remarks, *, skill_name: str) -> Suite:
    if not _is_trigger_name(source.path):
        return replace(_without_cases(inside, remarks, skill_name=skill_name), own_files=(inside,))
    remarks.info("trigger-suite", 0, "trigger suite, by its name: whether the skill is chosen is not measured by a run of it")
    bare = _without_cases(inside, remarks, skill_name=skill_name, status="trigger_suite")
    return replace(bare, shape="trigger", own_files=(inside,))


def _read(document: Located, inside: str, *, skill_name: str, remarks: Remarks, folders: Folders) -> Suite:
    queries = trigger_queries(document.value)
    if queries is not None:
        message = f"trigger suite ({counted(queries[0], 'query', 'queries')}): whether the skill is chosen is not measured by a run of it"
        remarks.info("trigger-suite", 0, message, fix="keep it; add evals/evals.json to measure what the skill does")
        bare = _without_cases(inside, remarks, skill_name=skill_name, status="trigger_suite")
        return replace(bare, shape="trigger", mapping=(Mapped("queries", queries[1], queries[0]),), own_files=(inside,))
    listed = find_cases(document.value)
    if listed is None or not listed.entries:
        _remark_no_cases(document, listed, remarks)
        return replace(_without_cases(inside, remarks, skill_name=skill_name), own_files=(inside,))
    if len(listed.entries) > SUITE_MAX_CASES:
        message = f"has {len(listed.entries)} cases, the limit is {SUITE_MAX_CASES}"
        remarks.error("too-many-cases", document.line(*(listed.path or ())), message, fix="split it, or keep the telling cases")
        return replace(_without_cases(inside, remarks, skill_name=skill_name), own_files=(inside,))
    if not listed.usual:
        message = f"the cases are read from `{listed.key}`"
        remarks.warning("unusual-list", document.line(listed.key), message, fix="name the list `evals`")
    return _from_cases(document, listed, inside=inside, skill_name=skill_name, remarks=remarks, folders=folders)


def _remark_no_cases(document: Located, listed: CaseList | None, remarks: Remarks) -> None:
    known = foreign(document.value)
    if known:
        remarks.error("other-file", 1, f"looks like {known[0]}, not like an eval suite", fix=known[1])
    elif listed is not None:
        fix = 'add a case: {"prompt": "…", "expected_output": "…"}'
        remarks.error("empty-suite", document.line(*(listed.path or ())), "has no cases", fix=fix)
    else:
        names = ", ".join(quoted(key) for key in list(document.value)[:8]) if isinstance(document.value, dict) else "no object, no list"
        message = f"holds no list of cases under {', '.join(keys.CASE_LISTS)} (it holds {names})"
        remarks.error("no-cases", 1, message, fix='put the cases into a list: {"evals": [{"prompt": "…", "expected_output": "…"}]}')


def _from_cases(document: Located, listed: CaseList, *, inside: str, skill_name: str, remarks: Remarks, folders: Folders) -> Suite:
    # Errors of single cases say nothing when the whole file is something else: read aside, then decide.
    aside = Remarks(remarks.file)
    book = Notebook(aside, text_numbers=posixpath.splitext(inside)[1].lower() in _YAML)
    cases: list[SuiteCase] = []
    carried: list[str] = []
    triggers: list[int] = []
    for index, entry in enumerate(listed.entries):
        place = Place(document, listed.path_of(index))
        if is_trigger_case(entry):
            triggers.append(place.line)
            continue
        case, names = read_case(entry, index + 1, place=place, book=book, folders=folders)
        cases.append(case)
        carried += names
    known = foreign(document.value)
    if known and all(case.unmeasured for case in cases):
        remarks.error("other-file", 1, f"looks like {known[0]}, not like an eval suite", fix=known[1])
        return replace(_without_cases(inside, remarks, skill_name=skill_name), own_files=(inside,))
    cases = _refuse_twice(cases, aside)
    book.close()
    _remark_whole(document, listed, triggers=triggers, remarks=aside, skill_name=skill_name)
    findings = (*remarks.findings, *aside.findings)
    return Suite(
        file=inside,
        shape=shape_of(listed.entries),
        status=_status(cases, findings),
        cases=tuple(cases),
        suite_hash=suite_hash(cases),
        canary=suite_canary(skill_name, [case.id for case in cases]),
        mapping=book.mapping(),
        findings=findings,
        mapping_version=MAPPING_VERSION,
        own_files=tuple(dict.fromkeys((inside, *carried))),
    )


def _refuse_twice(cases: Sequence[SuiteCase], remarks: Remarks) -> list[SuiteCase]:
    """Ids name the rows of a receipt: the second of two alike cannot run."""
    first: dict[str, int] = {}
    out = []
    for number, case in enumerate(cases, start=1):
        if case.id in first:
            message = f"case {quoted(case.id)}: the id is used twice, by cases {first[case.id]} and {number} of the file"
            remarks.error("duplicate-id", case.line, message, fix="give every case its own id")
            case = replace(case, unmeasured=Hole("duplicate_id", "the suite file has an error here"))
            case = replace(case, case_hash=case_hash(case))
        else:
            first[case.id] = number
        out.append(case)
    return out


def _remark_whole(document: Located, listed: CaseList, *, triggers: Sequence[int], remarks: Remarks, skill_name: str) -> None:
    if triggers:
        message = f"{counted(len(triggers), 'trigger case')} without a text to grade an answer by: set aside"
        remarks.info("trigger-cases", triggers[0], message, fix="keep them, or add expected_output")
    examples = sum(isinstance(entry, dict) and entry.get("example") is True for entry in listed.entries)
    if examples:
        message = f"{counted(examples, 'case')} still the starter's example: `run` refuses them"
        remarks.warning("example-cases", 0, message, fix='write your own prompt and remove "example": true')
    negatives = sum(isinstance(entry, dict) and "expected_skill" in entry and entry["expected_skill"] is None for entry in listed.entries)
    if negatives:
        message = f"{counted(negatives, 'case')} expect no skill (expected_skill: null); run like the others"
        remarks.info("negative-controls", 0, message)
    written = document.value.get("skill_name") if isinstance(document.value, dict) else None
    if isinstance(written, str) and skill_name and written != skill_name:
        message = f"skill_name is {quoted(written)}, the skill is called {quoted(skill_name)}"
        remarks.warning("skill-name", document.line("skill_name"), message, fix="make them equal")


def _status(cases: Sequence[SuiteCase], findings: Sequence[Finding]) -> SuiteStatus:
    runnable = sum(case.unmeasured is None for case in cases)
    if not runnable:
        return "unusable"
    whole = runnable == len(cases) and all(finding.severity != "error" for finding in findings)
    return "runnable" if whole else "partly"


def _without_cases(inside: str, remarks: Remarks, *, skill_name: str, status: SuiteStatus = "unusable") -> Suite:
    return Suite(
        file=inside,
        shape="none",
        status=status,
        cases=(),
        suite_hash=suite_hash(()),
        canary=suite_canary(skill_name, ()),
        findings=remarks.findings,
        mapping_version=MAPPING_VERSION,
    )


_SHOWN_ERRORS = 20


def suite_files(files: Files, skill_path: str) -> tuple[str, ...]:
    """Paths below the skill's folder that belong to its suite (Suite.own_files); for load_skill."""
    return load_suite(files, skill_path, skill_name="").own_files


def suite_place(suite: Suite, skill_path: str) -> str:
    """The suite's file from the root the skill's path starts at; empty where there is none."""
    return joined(clean(skill_path), suite.file) if suite.file else ""


def require_runnable(suite: Suite, skill_path: str) -> None:
    """Raises SuiteError where `run` must stop before the first call: errors in the file, or nothing that can run. Trigger
    suites are the caller's to set aside first; they are refused here too. Example cases are not: a run may leave them out.

    skill_path: as load_suite was given it."""
    errors = [finding for finding in suite.findings if finding.severity == "error"]
    if errors:
        first, *more = errors
        detail = [f"{_where(each)}: {each.message}" for each in more[:_SHOWN_ERRORS]]
        if len(more) > _SHOWN_ERRORS:
            detail.append(f"and {len(more) - _SHOWN_ERRORS} more: driftproof lint shows them all")
        raise SuiteError(first.message, place=_where(first), detail="\n".join(detail), fix=first.fix)
    place = suite_place(suite, skill_path) or skill_path
    if suite.status == "trigger_suite":
        raise SuiteError("is a trigger suite, which is not run", place=place, fix="add evals/evals.json", anchor="trigger-suite")
    if suite.status == "unusable":
        holes = sorted({case.unmeasured.reason for case in suite.cases if case.unmeasured})
        why = f"every case needs what a text prompt cannot carry: {', '.join(holes)}" if holes else ""
        raise SuiteError("has no case that can run", place=place, detail=why, fix="driftproof lint names each case", anchor="nothing-runs")


def _where(finding: Finding) -> str:
    return f"{finding.file}:{finding.line}" if finding.line else finding.file
