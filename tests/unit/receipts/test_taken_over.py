"""Rows that are told as another receipt's, or as another model's, with everything else in the receipt built to fit them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from driftproof_action.canonical import text_digest
from driftproof_action.decisions.table import TABLE
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade
from driftproof_action.domain.hole import Origin
from driftproof_action.domain.observations import Observations
from driftproof_action.domain.reply import Ending
from driftproof_action.receipts.verify import check
from tests.unit.receipts.any_run import ORIGIN, AnyRun, any_run
from tests.unit.receipts.confirmed_making import RULE, asked, play
from tests.unit.receipts.making import MODEL, facts

Forge = Callable[[AnyRun], AnyRun]
Change = Callable[[Any], Any]

OTHER = Origin("cd" * 32, ORIGIN.date)
LATER = Origin(ORIGIN.receipt_hash, "2026-11-02T10:00:00.000Z")
TODAY = "claude-haiku-4-5"


@cache
def whole_runs() -> tuple[AnyRun, ...]:
    """Runs that were not cut short, and one that draws a reused arm again."""
    made = (any_run(random.Random(seed)) for seed in range(400))
    return (*(run for run in made if run.seen.stop and run.seen.stop.reason == "complete"), _redrawn())


def _redrawn() -> AnyRun:
    frame = asked(6)
    frame = replace(frame, terms={**frame.terms, "redraw": True})
    seen = play(random.Random(1), frame, lambda _, arm, __: 0.5 if arm == "with_skill" else 0.8, reused=("baseline",))
    parameters = {"min_draws": 5, "max_draws": 8, "samples": 2, "max_tokens": 4096, "temperature": None}
    return AnyRun(RULE, facts([case.id for case in seen.frame.cases], protocol="confirmed", parameters=parameters), seen)


def _rows(seen: Observations, table: str) -> tuple[Draw, ...] | tuple[Grade, ...]:
    return seen.draws if table == "draws" else seen.grades


def _id(row: Draw | Grade) -> DrawId:
    return row.id if isinstance(row.id, DrawId) else row.id.draws[0]


def row(table: str, arm: str, look: str, *, every: bool = False, **changes: Any) -> Forge:
    """The first row of the table in an arm and a look, or every one of them, told otherwise."""

    def forge(run: AnyRun) -> AnyRun:
        found = [item for item in _rows(run.seen, table) if (_id(item).arm, _id(item).look) == (arm, look) and _is_answer(item)]
        told = {item.id: replace(item, **changes) for item in (found if every else found[:1])}
        return replace(run, seen=_with(run.seen, told))

    return forge


def _is_answer(item: Draw | Grade) -> bool:
    return isinstance(item, Grade) or item.reported_model is not None


def _with(seen: Observations, told: dict[Any, Any]) -> Observations:
    draws, grades = ([told.get(item.id, item) for item in _rows(seen, table)] for table in ("draws", "grades"))
    return Observations(seen.frame, draws, grades, seen.stop)


def another_model_of(role: str) -> Forge:
    def forge(run: AnyRun) -> AnyRun:
        arms = tuple(replace(arm, model="claude-opus-3") if arm.role == role else arm for arm in run.seen.frame.arms)
        return replace(run, seen=Observations(replace(run.seen.frame, arms=arms), run.seen.draws, run.seen.grades, run.seen.stop))

    return forge


def fact(**changes: Any) -> Forge:
    return lambda run: replace(run, facts=replace(run.facts, **changes))


def anything(run: AnyRun) -> bool:
    return True


def how(word: str) -> Callable[[AnyRun], bool]:
    return lambda run: run.seen.frame.terms.get("incumbent") == word


def older(run: AnyRun) -> bool:
    arm = run.seen.frame.arm_of("incumbent")
    return arm is not None and arm.model != MODEL


stored, drawn = how("stored"), how("drawn")
DRAW, GRADE, NAME = "observations.draws[].origin", "observations.grades[].origin", "observations.draws[].reported_model"

FORGERIES: dict[str, tuple[Callable[[AnyRun], bool], Forge, str]] = {
    "a fresh answer with the skill": (anything, row("draws", "with_skill", "confirm", origin=ORIGIN), DRAW),
    "a fresh answer without it": (anything, row("draws", "baseline", "confirm", origin=ORIGIN), DRAW),
    "a fresh answer of the incumbent": (stored, row("draws", "incumbent", "confirm", origin=ORIGIN), DRAW),
    "a grade of a fresh answer": (anything, row("grades", "with_skill", "confirm", origin=ORIGIN), GRADE),
    "an arm drawn again": (anything, row("draws", "baseline", "redraw", every=True, origin=ORIGIN), DRAW),
    "a grade of an arm drawn again": (anything, row("grades", "baseline", "redraw", origin=ORIGIN), GRADE),
    "a past answer from nowhere": (anything, row("draws", "past", "first", origin=None), DRAW),
    "a past answer without the skill from nowhere": (anything, row("draws", "past_baseline", "first", origin=None), DRAW),
    "a past grade from nowhere": (anything, row("grades", "past", "first", origin=None), GRADE),
    "past grades without the skill from nowhere": (anything, row("grades", "past_baseline", "first", every=True, origin=None), GRADE),
    "a past answer of another receipt": (anything, row("draws", "past", "first", origin=OTHER), DRAW),
    "a past answer of another day": (anything, row("draws", "past", "first", origin=LATER), DRAW),
    "an arm of another receipt": (anything, row("draws", "past_baseline", "first", every=True, origin=OTHER), DRAW),
    "grades of another receipt": (anything, row("grades", "past_baseline", "first", every=True, origin=OTHER), GRADE),
    "a stored answer from nowhere": (stored, row("draws", "incumbent", "first", origin=None), DRAW),
    "a stored answer of another receipt": (stored, row("draws", "incumbent", "first", origin=OTHER), DRAW),
    "a stored grade from nowhere": (stored, row("grades", "incumbent", "first", origin=None), GRADE),
    "a stored grade of another day": (stored, row("grades", "incumbent", "first", origin=LATER), GRADE),
    "an old answer from nowhere": (anything, row("draws", "past", "anchor", origin=None), DRAW),
    "old answers of another receipt": (stored, row("draws", "incumbent", "anchor", every=True, origin=OTHER), DRAW),
    "an old answer not graded again": (stored, row("grades", "incumbent", "anchor", origin=ORIGIN), GRADE),
    "past answers not graded again": (anything, row("grades", "past", "anchor", every=True, origin=ORIGIN), GRADE),
    "a drawn answer of a receipt": (drawn, row("draws", "incumbent", "first", every=True, origin=ORIGIN), DRAW),
    "a drawn grade of a receipt": (drawn, row("grades", "incumbent", "first", origin=ORIGIN), GRADE),
    "two models of one receipt": (anything, another_model_of("past_baseline"), "observations.frame.arms[].model"),
    "today's model for an older one": (older, row("draws", "incumbent", "first", reported_model=TODAY), NAME),
    "another model for the committed skill": (stored, row("draws", "incumbent", "first", reported_model="claude-opus-3"), NAME),
    "another model where it was drawn": (drawn, row("draws", "incumbent", "first", every=True, reported_model="claude-opus-3"), NAME),
    "another model, freshly": (drawn, row("draws", "incumbent", "confirm", reported_model="claude-opus-3"), NAME),
    "another model, freshly with the skill": (anything, row("draws", "with_skill", "confirm", reported_model="claude-opus-3"), NAME),
    "another model, freshly without it": (anything, row("draws", "baseline", "confirm", reported_model="claude-opus-3"), NAME),
    "another model, drawn again": (anything, row("draws", "baseline", "redraw", reported_model="claude-opus-3"), NAME),
    "an earlier model asked an older skill": (older, fact(incumbent_tree_hash=text_digest("old tree")), "incumbent.tree_hash"),
    "an earlier model asked what a commit holds": (older, fact(incumbent_commit="c0" * 20), "incumbent.commit"),
}


def forged(name: str) -> tuple[dict[str, Any], set[str]]:
    """(a receipt that is true to its forged rows throughout, the places of the forgery), of the first run that has such rows."""
    fits, forge, place = FORGERIES[name]
    run, told = next((run, told) for run in whole_runs() if fits(run) and (told := forge(run)) != run)
    document = told.receipt()
    return document, set(places(run.receipt(), document, place))


def places(honest: Any, told: Any, place: str) -> Iterator[str]:
    """The place in every item of its list that differs; a place in no list as it is."""
    held, _, rest = place.partition("[]")
    for step in held.split(".") if rest else ():
        honest, told = honest[step], told[step]
    differ = [index for index, pair in enumerate(zip(honest, told, strict=True)) if pair[0] != pair[1]]
    yield from [f"{held}[{index}]{rest}" for index in differ] if rest else [place]


@pytest.mark.parametrize("name", FORGERIES)
@pytest.mark.parametrize("rules", [TABLE, None], ids=["with rules", "without rules"])
def test_a_row_that_is_told_as_anothers_is_named(name: str, rules: Any) -> None:
    document, told = forged(name)
    assert told
    found = check(document, rules=rules)
    assert found.hash_verified
    assert found.status == "invalid"
    assert {(item.kind, item.path) for item in found.mismatches} == {("observations", place) for place in told}


def test_rows_that_all_leave_their_receipt_out_are_named() -> None:
    run = next(run for run in whole_runs() if run.seen.frame.arm_of("past"))
    told: dict[Any, Any] = {draw.id: replace(draw, origin=None) for draw in run.seen.draws}
    told |= {grade.id: replace(grade, origin=None) for grade in run.seen.grades}
    found = check(replace(run, seen=_with(run.seen, told)).receipt()).mismatches
    assert found
    assert {(item.says, item.gives) for item in found} == {("nothing", '"the receipt it is from"')}


@pytest.mark.parametrize("model", ["claude-haiku-3-5", "claude-haiku-3-5-20240307", "claude-opus-3"])
def test_what_an_older_model_answered_without_the_skill_is_its_own(model: str) -> None:
    run = next(run for run in whole_runs() if stored(run) and older(run))
    frame = run.seen.frame
    past = replace(frame.arms[-1], name="past_baseline", role="past_baseline", model=model)
    told = Observations(replace(frame, arms=(*frame.arms, past)), run.seen.draws, run.seen.grades, run.seen.stop)
    found = [item.path for item in check(replace(run, seen=told).receipt()).mismatches]
    assert found == ([] if model.startswith("claude-haiku-3-5") else ["observations.frame.arms[3].model"])


def names(run: AnyRun, name: str | None, ending: Ending = "completed") -> AnyRun:
    """Every fresh answer, and every one of the incumbent, tells this name."""
    told = {
        item.id: replace(item, reported_model=name, ending=ending)
        for item in run.seen.draws
        if item.reported_model and (item.id.look == "confirm" or item.id.arm == "incumbent")
    }
    return replace(run, seen=_with(run.seen, told))


def of_fresh_answers(fits: Callable[[AnyRun], bool]) -> AnyRun:
    """A run of today's model alone, with fresh answers of the incumbent."""
    runs = (run for run in whole_runs() if fits(run) and not older(run))
    return next(run for run in runs if any((item.id.arm, item.id.look) == ("incumbent", "confirm") for item in run.seen.draws))


@pytest.mark.parametrize("name", [None, TODAY, f"{TODAY}-20251001", f"{TODAY}-20261101"])
def test_a_name_may_be_left_out_or_carry_another_date(name: str | None) -> None:
    assert check(names(of_fresh_answers(stored), name).receipt(), rules=TABLE).status == "valid"


def test_an_answer_that_was_lost_because_another_model_gave_it_may_say_so() -> None:
    told = names(of_fresh_answers(drawn), "claude-opus-3", "wrong_model")
    assert not [item for item in check(told.receipt()).mismatches if item.path.startswith("observations.draws")]


def test_an_arm_of_today_may_be_reused() -> None:
    runs = [run for run in whole_runs() if any(item.origin and item.id.arm == "baseline" for item in run.seen.draws)]
    assert len(runs) > 20
    assert {check(run.receipt(), rules=TABLE).status for run in runs} == {"valid"}
