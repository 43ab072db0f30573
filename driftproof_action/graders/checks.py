"""Checks decided in code on the whole reply. Not: anything a model is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from driftproof_action.canonical import digest
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.brief import Brief
from driftproof_action.domain.case import Case
from driftproof_action.domain.grade import Grade, GradeId, Outcome, Sample
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.reply import Reply
from driftproof_action.domain.suite import Check
from driftproof_action.graders.answer import not_gradable

PATTERN_SECONDS = 1.0


class PatternTooSlowError(Exception):
    """An author's pattern did not finish in its time: the answer is not graded, neither passed nor failed."""


def passes(check: Check, text: str) -> bool:
    """Whether a reply passes one check. Raises PatternTooSlowError after one second of one pattern."""
    if check.kind == "min_length":
        return len(text.strip()) >= check.minimum
    if check.kind == "regex":
        return all(_matches(pattern, check.flags, text) for pattern in check.values)
    wanted, where = (check.values[0], text) if "i" not in check.flags else (check.values[0].casefold(), text.casefold())
    return (wanted in where) == (check.kind == "contains")


def _matches(pattern: str, flags: str, text: str) -> bool:
    import regex  # imported only for suites that hold a pattern: it is slow to load

    chosen = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL}
    try:
        return regex.search(pattern, text, sum(chosen[flag] for flag in set(flags)), timeout=PATTERN_SECONDS) is not None
    except TimeoutError as error:
        raise PatternTooSlowError(pattern) from error


def all_pass(checks: Sequence[Check], text: str) -> tuple[tuple[str, bool], ...] | Hole:
    """Name and result of every check, or why the answer is not graded."""
    try:
        return tuple((check.name, passes(check, text)) for check in checks)
    except PatternTooSlowError as slow:
        return Hole("pattern_too_slow", f"{str(slow)[:80]!r} took longer than {PATTERN_SECONDS:g} s")


class ChecksGrader:
    """pass when every check of the case passes, fail otherwise; asks nobody."""

    name = "checks"

    def __init__(self, checks: Mapping[str, tuple[Check, ...]]) -> None:
        """checks: by case id. Their definitions are part of every case's digest."""
        self._checks = checks
        self.digest = digest({"grader": self.name, "version": 1})

    def refuse(self, case: Case, replies: tuple[Reply, ...]) -> Hole | None:
        return not_gradable(replies)

    def asks(self, case: Case, brief: Brief, replies: tuple[Reply, ...]) -> tuple[Ask, ...]:
        return ()

    def largest(self, case: Case, brief: Brief) -> tuple[Ask, ...]:
        return ()

    def read(self, case: Case, replies: tuple[Reply, ...], index: int, attempt: int, reply: Reply) -> Sample:
        raise TypeError("checks ask nobody")

    def again(self, ask: Ask, sample: Sample, reply: Reply) -> Ask | None:
        return None

    def grade(self, id: GradeId, case: Case, replies: tuple[Reply, ...], samples: tuple[Sample, ...]) -> Grade:
        parts = all_pass(self._checks[case.id], replies[0].text)
        if isinstance(parts, Hole):
            return Grade(id, hole=parts)
        outcome: Outcome = "pass" if all(met for _, met in parts) else "fail"
        return Grade(id, outcome, decided_by="checks", reduction="all_pass", parts=parts)
