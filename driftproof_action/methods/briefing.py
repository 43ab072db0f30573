"""From a suite's case to what is asked: the prompt with its files inline. Not: who is asked."""

from __future__ import annotations

from collections.abc import Sequence

from driftproof_action.domain.brief import Brief
from driftproof_action.domain.observations import Withheld
from driftproof_action.domain.suite import CaseFile, SuiteCase


def brief_of(case: SuiteCase, *, max_tokens: int) -> Brief:
    """One brief a case. Files follow the prompt in the author's order, each between two lines that name it."""
    return Brief(case.id, "\n\n".join([case.prompt, *(_block(file) for file in case.files)]), max_tokens)


def _block(file: CaseFile) -> str:
    return f"--- file {file.path} ({file.bytes} bytes) ---\n{file.text}\n--- end of {file.path} ---"


def withheld(cases: Sequence[SuiteCase], arms: Sequence[str]) -> tuple[Withheld, ...]:
    """Cases no surface of ours can run stay in the table, with their reason and without a call."""
    return tuple(Withheld(case.id, arm, case.unmeasured) for case in cases if case.unmeasured for arm in arms)
