from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.errors import FileError, SuiteError
from driftproof_action.reports.terminal import error_lines, plain

FOREIGN = st.one_of(st.text(), st.lists(st.sampled_from(["::", "##[", "#", "[", " ", "\n", "\r", "\x1b", "error", "\u2028"])).map("".join))


@given(FOREIGN)
def test_plain_is_one_visible_line_and_no_command(value: str) -> None:
    shown = plain(value)
    assert len(shown.splitlines()) <= 1
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]", shown)
    assert not shown.lstrip().startswith("::")
    assert "##[" not in shown


@given(FOREIGN, FOREIGN, FOREIGN, FOREIGN)
def test_an_error_holds_only_our_own_lines(message: str, place: str, detail: str, fix: str) -> None:
    error = SuiteError(message, place=place, detail=detail, fix=fix)
    first, *rest = error_lines(error).split("\n")
    assert first.startswith("driftproof: ")
    assert all(line.startswith("  ") and not line.lstrip().startswith("::") and "##[" not in line for line in rest)
    assert rest[-1] == "  docs/errors.md#suite"
    assert len(rest) + 1 == len(error.lines())


def test_examples() -> None:
    assert plain("a\x1b[31m\nb\u202ec") == "a\\x1b[31m\\x0ab\\u202ec"
    assert plain("::error::x") == "\\x3a:error::x"
    assert plain("a ##[group]b") == "a #\\x23[group]b"
    assert plain("größer · 漢") == "größer · 漢"
    assert plain(None) == "None"
    told = FileError("is a link", place="skills/x", fix="copy the file", anchor="link")
    assert error_lines(told) == "driftproof: skills/x: is a link\n  → copy the file\n  docs/errors.md#link"
