"""Checks decided in code: literal and pattern, and a pattern that never ends."""

from __future__ import annotations

import time

import pytest

from driftproof_action.domain.hole import Hole
from driftproof_action.domain.suite import Check
from driftproof_action.graders.checks import all_pass, passes


@pytest.mark.parametrize(
    ("check", "text", "expected"),
    [
        (Check("c", "contains", ("a.b",)), "xa.by", True),
        (Check("c", "contains", ("A",)), "a", False),
        (Check("c", "contains", ("STRASSE",), "i"), "Straße", True),
        (Check("c", "not_contains", ("x",)), "y", True),
        (Check("c", "not_contains", ("X",), "i"), "x", False),
        (Check("c", "regex", (r"^b$",)), "a\nb", False),
        (Check("c", "regex", (r"^b$",), "m"), "a\nb", True),
        (Check("c", "regex", (r"A.B",), "is"), "a\nb", True),
        (Check("c", "regex", ("a", "b")), "a only", False),
        (Check("c", "regex", ("a", "b")), "a and b", True),
        (Check("c", "min_length", minimum=3), "  ab  ", False),
        (Check("c", "min_length", minimum=2), "  ab  ", True),
    ],
)
def test_passes(check: Check, text: str, expected: bool) -> None:
    assert passes(check, text) is expected


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+$", r"^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_a_pattern_that_never_ends_is_neither_pass_nor_fail(pattern: str) -> None:
    began = time.monotonic()
    found = all_pass([Check("slow", "regex", (pattern,))], "a" * 4096 + "!")
    assert time.monotonic() - began < 60  # it would take ages
    assert found == Hole("pattern_too_slow", f"{pattern!r} took longer than 1 s") or isinstance(found, tuple)


def test_a_slow_pattern_names_itself() -> None:
    found = all_pass([Check("slow", "regex", (r"(a+)+$",))], "a" * 4096 + "!")
    assert isinstance(found, Hole)
    assert found.reason == "pattern_too_slow"
