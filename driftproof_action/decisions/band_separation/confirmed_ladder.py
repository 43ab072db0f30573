"""From confirmed cases and the suite reading to one verdict. Not: how either came about, the published ladder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from driftproof_action.analysis.lost_draws import CaseReading
from driftproof_action.analysis.suite_band import SuiteBand
from driftproof_action.decisions.band_separation.ladder import climb, missing_draws, no_effect


@dataclass(frozen=True, slots=True)
class Findings:
    """down, up: a case was confirmed. suite: the word of the suite reading. unresolved: statuses of suspects that were not
    confirmed (`not_confirmed`, `unconfirmed`). cases: the published readings of the first look, which only say what lost
    draws leave open and where draws are missing. unfinished: reason codes why the table is not whole."""

    down: bool
    up: bool
    suite: str
    unresolved: frozenset[str]
    cases: Sequence[CaseReading]
    unfinished: tuple[str, ...] = ()
    band: SuiteBand | None = None


def decide_confirmed(found: Findings) -> tuple[str, tuple[str, ...]]:
    """(verdict, reason codes): C-8 of docs/readings.md, worst first.

    A confirmed fall stands even in a run cut short; nothing else passes there. Bands that stand apart on the first look
    decide nothing by themselves.
    """
    if not found.cases:
        return "NOT_MEASURED", ("no_readable_case", *found.unfinished)
    if found.down or found.suite == "suite_down":
        return "REGRESSED", _codes(found.down, found.suite == "suite_down")
    if found.unfinished:
        return "INCONCLUSIVE", found.unfinished
    if losses_decide(found.cases):
        return "INCONCLUSIVE", ("lost_draws",)
    if found.up or found.suite == "suite_up":
        return "PASSED", _codes(found.up, found.suite == "suite_up")
    short = missing_draws(found.cases)[0]
    if found.unresolved or short:
        return "UNDERPOWERED", (*sorted(found.unresolved), *([short] if short else []))
    return no_effect(found.band)


def losses_decide(cases: Sequence[CaseReading]) -> bool:
    """The published ladder reads INCONCLUSIVE because of lost draws, once the falls that hold are left to fresh draws."""
    return climb([case for case in cases if case.word != "separated_down"])[0] == "INCONCLUSIVE"


def _codes(case: bool, suite: bool) -> tuple[str, ...]:
    return tuple(code for code, holds in (("confirmed_case", case), ("suite", suite)) if holds)
