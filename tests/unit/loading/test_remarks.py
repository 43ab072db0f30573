"""loading/remarks: codes and their page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from driftproof_action.loading.remarks import Remarks, counted, quoted
from tests.contract.package_source import ROOT, modules

SAYING = {"error": 0, "warning": 0, "info": 0, "note": 0, "case_error": 0, "lacks": 0}


def _codes(tree: ast.AST) -> Iterator[str]:
    """The first argument of every call that makes a finding, where it is written out."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
        if name in SAYING and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
            yield node.args[0].value.replace("_", "-")


def _headings() -> list[str]:
    return re.findall(r"(?m)^### (.+)$", (ROOT / "docs" / "lint.md").read_text(encoding="utf-8"))


def test_every_code_has_its_heading_and_every_heading_its_code() -> None:
    made = {code for module in modules() if module.room == "loading" for code in _codes(module.tree)}
    assert len(made) > 50
    assert sorted(made) == sorted(_headings())


def test_the_search_sees_codes() -> None:
    assert list(_codes(ast.parse('remarks.error("a-b", 1, "m")\nself.lacks("c_d", place)\nother("x")'))) == ["a-b", "c-d"]


def test_findings_keep_their_order() -> None:
    remarks = Remarks("f")
    remarks.info("b", 2, "m")
    remarks.error("a", 1, "m", fix="x")
    assert [(each.severity, each.code, each.file, each.line, each.fix) for each in remarks.findings] == [
        ("info", "b", "f", 2, ""),
        ("error", "a", "f", 1, "x"),
    ]


def test_quotes_are_one_line_and_short() -> None:
    assert quoted('a"\n\x1b[31m') == '"a\\"\\n\\u001b[31m"'
    assert quoted("x" * 100) == '"' + "x" * 60 + '…"'
    assert quoted(["a", 1]) == '"[\\"a\\", 1]"'


def test_counting() -> None:
    assert (counted(1, "case"), counted(2, "case"), counted(0, "query", "queries")) == ("1 case", "2 cases", "0 queries")
