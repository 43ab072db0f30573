"""How far a confirmed run has come: first look, perhaps a second look at a reused arm, then fresh draws of suspects.
Not: the verdict.

What a later stage draws depends on numbers of the stage before, so a stage begins only when the one before has settled and
none of its numbers can change any more; that is why what is wanted only grows, in whatever order replies arrive.
"""

from __future__ import annotations

from dataclasses import dataclass

from driftproof_action.analysis.evidence import CaseEvidence
from driftproof_action.decisions.band_separation.confirmation import Scores, wanted_fresh
from driftproof_action.decisions.band_separation.constants import MAX_DOWN, MAX_UP, Settings, read_settings
from driftproof_action.decisions.band_separation.looks import LookTable, known_scores, read_look
from driftproof_action.decisions.band_separation.readings import ROLES
from driftproof_action.decisions.band_separation.suite_gate import SuiteReading, read_suite
from driftproof_action.decisions.band_separation.suspects import Suspect, find_suspects
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.observations import Observations

INCUMBENT = "incumbent"
DOWN, UP, DRIFT = "down", "up", "drift"


@dataclass(frozen=True, slots=True)
class Family:
    """One set of tests at one error rate. other: the arm the target is drawn against. chosen: those drawn afresh; left: the
    others, with the reason why not."""

    name: str
    other: Arm
    chosen: tuple[Suspect, ...]
    left: tuple[tuple[Suspect, str], ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """first, redraw: the looks, redraw None when there is none. settled: both are, so suspects and suite stand. pairs,
    old_pairs: first look against the baseline and the incumbent. suite: C-3 on the pair of looks it may be read on."""

    settings: Settings
    target: Arm
    other: Arm
    old: Arm | None
    first: LookTable
    redraw: LookTable | None
    settled: bool
    pairs: tuple[CaseEvidence, ...]
    old_pairs: tuple[CaseEvidence, ...]
    suite: SuiteReading
    families: tuple[Family, ...]


def read_progress(seen: Observations) -> Progress | None:
    """Where the run stands; None for a frame without its two arms."""
    settings = read_settings(seen.frame)
    target, other = (seen.frame.arm_of(role) for role in ROLES)
    if target is None or other is None:
        return None
    old, cases = seen.frame.arm_of(INCUMBENT), seen.frame.cases
    arms = (target, other, *([old] if old else []))
    stored = frozenset({old.name} if old and settings.incumbent == "stored" else ())
    sides = [(case, arm) for case in cases for arm in arms]
    first = read_look(seen, sides, "first", low=settings.low, top=settings.top, stored_only=stored)
    pairs = tuple(first.pair(case, target, other) for case in cases)
    old_pairs = tuple(first.pair(case, target, old) for case in cases) if old else ()
    reused = [(case, arm) for case in cases for arm in (target, other) if first.series[case.id, arm.name].reused]
    suite = read_suite(pairs, settings.alpha_suite, withhold="unsettled" if not first.settled else "reused_arm" if reused else "")
    redraw = None
    if first.settled and reused and suite.looks_down:
        if settings.redraw:
            redraw = read_look(seen, reused, "redraw", low=settings.low, top=settings.top)
            again = [_second_pair(first, redraw, pair, (target, other)) for pair in pairs]
            suite = read_suite(again, settings.alpha_suite, withhold="" if redraw.settled else "unsettled")
        else:
            suite = read_suite(pairs, settings.alpha_suite, withhold="budget")
    settled = first.settled and (redraw is None or redraw.settled)
    families = choose_families(settings, pairs=pairs, old_pairs=old_pairs, other=other, old=old, suite=suite.word, settled=settled)
    return Progress(settings, target, other, old, first, redraw, settled, pairs, old_pairs, suite, families)


def _second_pair(first: LookTable, redraw: LookTable, pair: CaseEvidence, arms: tuple[Arm, Arm]) -> CaseEvidence:
    """The pair the suite is read on again: where an arm was reused its new draws, else the first look (C-9)."""
    sides = [redraw.series.get((pair.id, arm.name), first.series[pair.id, arm.name]).evidence for arm in arms]
    return CaseEvidence(pair.id, sides[0], sides[1])


def choose_families(
    settings: Settings,
    *,
    pairs: tuple[CaseEvidence, ...],
    old_pairs: tuple[CaseEvidence, ...],
    other: Arm,
    old: Arm | None,
    suite: str,
    settled: bool,
) -> tuple[Family, ...]:
    """C-4 and D-1. Nobody is chosen before the looks have settled, or when the budget does not hold the fresh draws."""
    bar = "stopped" if not settled else "" if settings.confirm else "budget"
    suspects = find_suspects(pairs)
    fallen, risen = ([item for item in suspects if item.sign == sign] for sign in (-1, 1))
    out = [
        _family(DOWN, other, fallen, most=MAX_DOWN, bar="suite_decides" if suite == "suite_down" else bar),
        _family(UP, other, risen, most=MAX_UP, bar="suite_decides" if suite == "suite_up" else bar),
    ]
    if old:
        moved = [item for item in find_suspects(old_pairs) if item.sign < 0]
        out.append(_family(DRIFT, old, moved, most=MAX_DOWN, bar=bar))
    return tuple(out)


def _family(name: str, other: Arm, suspects: list[Suspect], *, most: int, bar: str) -> Family:
    if bar:
        return Family(name, other, (), tuple((item, bar) for item in suspects))
    return Family(name, other, tuple(suspects[:most]), tuple((item, "cap") for item in suspects[most:]))


def fresh_scores(seen: Observations, suspect: Suspect, target: Arm, *, other: Arm) -> tuple[Scores, Scores]:
    """The confirming draws of a suspect's case in both arms, as far as they are known."""
    case = seen.case(suspect.case)
    return known_scores(seen, case, target.name, "confirm"), known_scores(seen, case, other.name, "confirm")


def fresh_draws(seen: Observations, state: Progress) -> tuple[DrawId, ...]:
    """Draw i of every chosen suspect in both arms before draw i + 1 of any; families share the target's draws of a case."""
    plans: list[tuple[str, Arm, int]] = []
    for family in state.families:
        for item in family.chosen:
            n = wanted_fresh(item.sign, *fresh_scores(seen, item, state.target, other=family.other))
            plans.append((seen.case(item.case).brief, family.other, n))
    most = max((n for *_, n in plans), default=0)
    ids = (
        DrawId(brief, arm.name, "confirm", i) for i in range(most) for brief, other, n in plans if i < n for arm in (state.target, other)
    )
    return tuple(dict.fromkeys(ids))
