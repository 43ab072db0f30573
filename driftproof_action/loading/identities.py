"""What a suite and a case are known by: hashes over what is asked and what is judged by. Not: reading either."""

from __future__ import annotations

from collections.abc import Iterable

from driftproof_action.canonical import Json, digest, sha256_hex, utf16_key
from driftproof_action.domain.suite import Check, Criterion, SuiteCase

_CANARY_HEAD = "driftproof/suite-canary/v1"


def suite_hash(cases: Iterable[SuiteCase]) -> str:
    """The published suite_hash: {id, prompt, rubric, pass_threshold} of each case in order, with `criteria` where it has
    any. Source: receipt format 0.1, suite.suite_hash."""
    return digest([_published(case) for case in cases])


def case_hash(case: SuiteCase) -> str:
    """Of everything that is asked and judged by: adds checks, files and what criteria decide in code to the published
    fields. Absent keys are left out. Source: spec/RECEIPT.md, case_hash; the form of a check: docs/suites.md."""
    document: dict[str, Json] = {"id": case.id, "prompt": case.prompt, "rubric": case.rubric, "pass_threshold": case.pass_threshold}
    if case.criteria:
        document["criteria"] = [_criterion(each, whole=True) for each in case.criteria]
    if case.checks:
        document["checks"] = [check_json(check) for check in case.checks]
    if case.files:
        document["files"] = [{"path": file.path, "sha256": file.sha256} for file in case.files]
    return digest(document)


def suite_canary(name: str, ids: Iterable[str]) -> str:
    """The published suite.canary: from the skill's name and all case ids, in UTF-16 order."""
    lines = [_CANARY_HEAD, name, *sorted(ids, key=utf16_key)]
    hexes = sha256_hex("\n".join(lines).encode("utf-8", "replace"))
    return "-".join((hexes[:8], hexes[8:12], hexes[12:16], hexes[16:20], hexes[20:32]))


def check_json(check: Check) -> dict[str, Json]:
    """A check as hashes see it: name, kind and what that kind uses."""
    document: dict[str, Json] = {"name": check.name, "kind": check.kind}
    if check.kind == "min_length":
        document["minimum"] = check.minimum
        return document
    document["values"] = list(check.values)
    if check.flags:
        document["flags"] = check.flags
    return document


def _published(case: SuiteCase) -> Json:
    document: dict[str, Json] = {"id": case.id, "prompt": case.prompt, "rubric": case.rubric, "pass_threshold": case.pass_threshold}
    if case.criteria:
        document["criteria"] = [_criterion(each, whole=False) for each in case.criteria]
    return document


def _criterion(criterion: Criterion, *, whole: bool) -> dict[str, Json]:
    document: dict[str, Json] = {"id": criterion.id, "weight": criterion.weight, "description": criterion.description}
    if whole and criterion.check is not None:
        document["check"] = check_json(criterion.check)
    return document
