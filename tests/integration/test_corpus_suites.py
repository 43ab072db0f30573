"""Published eval files, where DRIFTPROOF_CORPUS names a folder of them: every one is mapped or told what it lacks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from driftproof_action.commands.lint import Report, lint
from driftproof_action.files_io import FilesIO
from tests.conftest import CORPUS

WILD = Path(CORPUS or ".") / "evals-wild"
MANIFEST = WILD / "MANIFEST.json"
ENTRIES: list[dict[str, Any]] = json.loads(MANIFEST.read_text(encoding="utf-8")) if CORPUS and MANIFEST.is_file() else []


def _report(entry: dict[str, Any]) -> Report:
    (report,) = lint([str(WILD / entry["dir"] / entry["file"])], files_for=FilesIO, git_for=lambda _: None)
    return report


# Defined only where there is something to read: without it there is no test to skip.
if ENTRIES:

    @pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry['dir']}/{entry['file']}")
    def test_every_file_is_mapped_or_told_what_it_lacks(entry: dict[str, Any]) -> None:
        report = _report(entry)
        errors = [finding for finding in report.findings if finding.severity == "error"]
        assert all(finding.file and finding.message and finding.fix for finding in errors)
        if entry["kind"] == "evals" and entry["wide_loader"] == "all":
            assert report.suite is not None
            assert not errors
            assert len(report.suite.cases) == entry["cases"]
            assert all(case.prompt and (case.rubric or case.criteria) for case in report.suite.cases)
        elif entry["kind"] == "trigger" or entry["wide_loader"] == "trigger-only":
            assert report.status == "trigger_suite"
            assert not errors
        else:
            assert report.runnable or errors

    def test_all_of_the_evals_map() -> None:
        whole = [entry for entry in ENTRIES if entry["kind"] == "evals" and entry["wide_loader"] == "all"]
        suites = [suite for entry in whole if (suite := _report(entry).suite)]
        assert (len(suites), sum(len(suite.cases) for suite in suites)) == (len(whole), sum(entry["cases"] for entry in whole))
