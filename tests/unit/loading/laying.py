"""Small folders for the tests of this room. Not: any assertion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from driftproof_action.domain.finding import Finding
from driftproof_action.domain.suite import Suite, SuiteCase
from driftproof_action.files_io import FilesIO
from driftproof_action.loading.suite import load_suite

HEAD = "---\nname: naming\ndescription: Names things well.\n---\n"
SKILL = HEAD + "# Naming\n\nUse nouns.\n"


def lay(root: Path, files: Mapping[str, str | bytes]) -> FilesIO:
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return FilesIO(str(root))


def suite_of(root: Path, document: Any, *, more: Mapping[str, str | bytes] | None = None, place: str = "evals/evals.json") -> Suite:
    """A document that is not text is written as JSON with one key a line."""
    text = document if isinstance(document, str | bytes) else json.dumps(document, indent=1, ensure_ascii=False)
    beside = {f"naming/{name}": data for name, data in (more or {}).items()}
    files = lay(root, {"naming/SKILL.md": SKILL, f"naming/{place}": text, **beside})
    return load_suite(files, "naming", skill_name="naming")


def case_of(root: Path, case: Mapping[str, Any], *, more: Mapping[str, str | bytes] | None = None) -> tuple[SuiteCase, Suite]:
    """The one case of a suite of one."""
    suite = suite_of(root, {"evals": [{"id": "c1", "prompt": "P", **case}]}, more=more)
    return suite.cases[0], suite


def codes(findings: tuple[Finding, ...], severity: str = "") -> list[str]:
    return [finding.code for finding in findings if severity in ("", finding.severity)]


def finding(findings: tuple[Finding, ...], code: str) -> Finding:
    return next(each for each in findings if each.code == code)
