"""How far a confirmed run has come: first look, perhaps a second look at a reused arm, then fresh draws of suspects.
Not: the verdict.

What a later stage draws depends on numbers of the stage before, so a stage begins only when the one before has settled and
none of its numbers can change any more; that is why what is wanted only grows, in whatever order replies arrive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from driftproof_action.analysis.evidence import CaseEvidence
from driftproof_action.decisions.band_separation.constants import FRESH, FUTILITY_AFTER, MAX_DOWN, MAX_UP, Settings, read_settings
from driftproof_action.decisions.band_separation.families import AGAINST_STORED, DOWN, DRIFT, UP, Family, choose
from driftproof_action.decisions.band_separation.likely import Stored
from driftproof_action.decisions.band_separation.looks import LookTable, known_scores, read_look
from driftproof_action.decisions.band_separation.readings import ROLES
from driftproof_action.decisions.band_separation.suite_gate import SuiteReading, read_suite
from driftproof_action.decisions.band_separation.suspects import find_suspects
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.observations import Observations

INCUMBENT, PAST_ARM, PAST_BASELINE = "incumbent", "past", "past_baseline"
"""Roles beside the two of a lift: the committed skill (or the old model), asked today; and what a receipt holds, with the skill
and without it, of a version nobody asks again."""


@dataclass(frozen=True, slots=True)
class AgainstStored:
    """What a receipt holds of a version nobody asks again. pairs: today's first look against it; stored: by case id."""

    arm: Arm
    pairs: tuple[CaseEvidence, ...]
    stored: Mapping[str, Stored]


@dataclass(frozen=True, slots=True)
class Progress:
    """first, redraw: the looks, redraw None when there is none. settled: both are, so suspects and suite stand. pairs,
    old_pairs: first look against the baseline and the incumbent; past: against stored answers. suite: C-3 on the pair of looks
    it may be read on."""

    settings: Settings
    target: Arm
    other: Arm
    old: Arm | None
    first: LookTable
    redraw: LookTable | None
    settled: bool
    pairs: tuple[CaseEvidence, ...]
    old_pairs: tuple[CaseEvidence, ...]
    past: AgainstStored | None
    suite: SuiteReading
    families: tuple[Family, ...]

    @property
    def anchored(self) -> Arm | None:
        """The arm whose first look may be an earlier receipt's."""
        return self.old or (self.past.arm if self.past else None)


def read_progress(seen: Observations) -> Progress | None:
    """Where the run stands; None for a frame without its two arms."""
    settings = read_settings(seen.frame)
    target, other = (seen.frame.arm_of(role) for role in ROLES)
    if target is None or other is None:
        return None
    cases = seen.frame.cases
    old, *kept = (seen.frame.arm_of(role) for role in (INCUMBENT, PAST_ARM, PAST_BASELINE))
    stored = [arm for arm in (old if settings.incumbent == "stored" else None, *kept) if arm]
    sides = [(case, arm) for case in cases for arm in (target, other, *([old] if old else []), *(arm for arm in kept if arm))]
    silent = frozenset(arm.name for arm in stored)
    first = read_look(seen, sides, "first", low=settings.low, top=settings.top, stored_only=silent)
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
    past = _read_past(seen, first, (target, other), kept[0] or old, without=kept[1])
    bar = "stopped" if not settled else "" if settings.confirm else "budget"
    families = choose_families(bar, pairs=pairs, old_pairs=old_pairs, other=other, old=old, suite=suite.word)
    if past:
        families = (*families, *_against_stored(seen, past, families, bar))
    return Progress(settings, target, other, old, first, redraw, settled, pairs, old_pairs, past, suite, families)


def _read_past(
    seen: Observations, first: LookTable, today: tuple[Arm, Arm], with_: Arm | None, *, without: Arm | None
) -> AgainstStored | None:
    """None without the two arms of stored answers."""
    if with_ is None or without is None:
        return None
    cases = [case for case in seen.frame.cases if first.series[case.id, with_.name].scores]

    def answers(case: Case, arm: Arm) -> tuple[float | None, ...]:
        return tuple(score for _, score in sorted(first.series[case.id, arm.name].scores.items()))

    stored = {
        case.id: Stored(
            answers(case, with_)[:FRESH],
            answers(case, without),
            answers(case, today[1]),
            cases=len(cases),
            reused=first.series[case.id, today[1].name].reused,
        )
        for case in cases
    }
    return AgainstStored(with_, tuple(first.pair(case, today[0], with_) for case in cases), stored)


def _second_pair(first: LookTable, redraw: LookTable, pair: CaseEvidence, arms: tuple[Arm, Arm]) -> CaseEvidence:
    """The pair the suite is read on again: where an arm was reused its new draws, else the first look (C-9)."""
    sides = [redraw.series.get((pair.id, arm.name), first.series[pair.id, arm.name]).evidence for arm in arms]
    return CaseEvidence(pair.id, sides[0], sides[1])


def choose_families(
    bar: str,
    *,
    pairs: tuple[CaseEvidence, ...],
    old_pairs: tuple[CaseEvidence, ...],
    other: Arm,
    old: Arm | None,
    suite: str,
) -> tuple[Family, ...]:
    """C-4 and D-1. bar: why nobody may be chosen (the looks have not settled, the budget does not hold the fresh draws)."""
    suspects = find_suspects(pairs)
    fallen, risen = ([item for item in suspects if item.sign == sign] for sign in (-1, 1))
    out = [
        choose(DOWN, other, fallen, most=MAX_DOWN, bar="suite_decides" if suite == "suite_down" else bar),
        choose(UP, other, risen, most=MAX_UP, bar="suite_decides" if suite == "suite_up" else bar),
    ]
    if old:
        moved = [item for item in find_suspects(old_pairs) if item.sign < 0]
        out.append(choose(DRIFT, old, moved, most=MAX_DOWN, bar=bar))
    return tuple(out)


def _against_stored(seen: Observations, past: AgainstStored, families: Sequence[Family], bar: str) -> Iterator[Family]:
    """D-3. Where an earlier model is asked again, only the suspects it gave no answer for."""
    fallen = [item for item in find_suspects(past.pairs) if item.sign < 0]
    asked = next((family for family in families if family.name == DRIFT), None)
    if asked is not None:
        silent = {item.case for item in asked.chosen if _gave_none(seen, item.case, asked.other)}
        fallen = [item for item in fallen if item.case in silent]
    if fallen or asked is None:
        yield choose(AGAINST_STORED, past.arm, fallen, most=MAX_DOWN, bar=bar, stored=past.stored)


def _gave_none(seen: Observations, case: str, arm: Arm) -> bool:
    """Whether the first fresh draws of a case in an arm were all lost."""
    known = known_scores(seen, seen.case(case), arm.name, "confirm")
    return all(index in known and known[index] is None for index in range(FUTILITY_AFTER))
