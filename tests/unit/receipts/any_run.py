"""Any run of either rule of a lift, or of a measurement: small, and with everything in it that a receipt derives a number from.

Published and confirmed readings, briefs that cases share, criteria and scores, grades decided in code, checks beside, second
asks, lost answers, withheld briefs, arms taken over from a receipt, the committed skill stored and drawn, usage told in part,
runs that were cut short. Not: a test.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from driftproof_action.canonical import text_digest
from driftproof_action.decisions.band_separation import constants, published
from driftproof_action.decisions.band_separation.confirmed import ConfirmedBands
from driftproof_action.decisions.band_separation.published import PublishedBands
from driftproof_action.decisions.pass_rate import measure
from driftproof_action.decisions.pass_rate.measure import MeasuredRates
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole, Origin
from driftproof_action.domain.observations import Frame, Observations, Stop, Withheld
from driftproof_action.domain.reading import Decision, Scalar
from driftproof_action.domain.rule import Rule
from driftproof_action.domain.usage import NO_USAGE, Usage
from driftproof_action.graders.answer import ADDRESSES_JUDGE
from driftproof_action.graders.reductions import mean_of_samples
from driftproof_action.receipts.build import build
from driftproof_action.receipts.facts import ReceiptFacts
from tests.unit.receipts.making import MODEL, facts, share

ORIGIN = Origin("ab" * 32, "2026-11-01T10:00:00.000Z")
JUDGE = "claude-haiku-4-5"
OLDER = {"": (), "stored": ("incumbent",), "drawn": ("incumbent",), "past": ("past", "past_baseline")}
"""Arms of another day, by how the first look of the committed skill came about; `past`: nobody asks it again."""
RULES: Sequence[Rule] = (PublishedBands(), PublishedBands(), *[ConfirmedBands()] * 3, MeasuredRates())
Dice = random.Random


@dataclass(frozen=True)
class AnyRun:
    rule: Rule
    facts: ReceiptFacts
    seen: Observations

    @cached_property
    def decision(self) -> Decision:
        return self.rule.decide(self.seen)

    def receipt(self) -> dict[str, Any]:
        return build(self.facts, self.seen, self.decision)


@dataclass(frozen=True)
class World:
    """What answers are like. levels: quality by (brief, arm); spread: of the answers of one arm; lost, silent: how often one has
    no score, or tells no usage; speaking: the arm whose answers speak to the judge, "" for none."""

    levels: Mapping[tuple[str, str], float]
    spread: float
    lost: float
    silent: float
    speaking: str
    samples: int


def any_run(dice: Dice) -> AnyRun:
    rule = dice.choice(RULES)
    cases = _cases(dice, judged=not isinstance(rule, MeasuredRates))
    low = dice.choice((2, 3)) if len(cases) < 5 else 2
    before = dice.choice(("", "", "stored", "drawn", "past")) if isinstance(rule, ConfirmedBands) else ""
    samples, incumbent = dice.choice((1, 1, 2)), before.replace("past", "")
    names = ["with_skill"] if isinstance(rule, MeasuredRates) else ["with_skill", "baseline", *OLDER[before]]
    older = dice.choice((MODEL, "claude-haiku-3-5"))
    arms = tuple(_arm(name, older if name in OLDER[before] else MODEL) for name in names)
    frame = Frame(rule.name, arms, cases, _terms(dice, rule, low, samples=samples, incumbent=incumbent))
    briefs = sorted({case.brief for case in cases})
    often = dice.choice((0.0, 0.0, 0.0, 0.2))
    aside = [Withheld(brief, name, Hole("files_missing", "a.csv")) for brief in briefs for name in names if dice.random() < often]
    moved = dice.choice((0.0, -0.5, -0.5, 0.3))
    levels = {(brief, name): 0.6 + (moved if name == "with_skill" and dice.random() < 0.7 else 0.0) for brief in briefs for name in names}
    world = World(
        levels,
        dice.choice((0.0, 0.05, 0.2)),
        dice.choice((0.0, 0.0, 0.05, 0.3)),
        dice.choice((0.0, 0.3)),
        dice.choice(("", "", "", "baseline")),
        samples,
    )
    stop = dice.choice(("complete", "complete", "complete", "complete", "budget", "signal"))
    seen = Observations(replace(frame, withheld=tuple(aside)), stop=Stop(stop))
    taken = [*([] if before == "drawn" else OLDER[before]), *(["baseline"] if "baseline" in names and dice.random() < 0.15 else [])]
    known, then = dice.choice((3, 4, 5, 12)), replace(world, samples=dice.choice((1, 2)))
    for id in [DrawId(brief, name, "first", index) for name in taken for brief in briefs for index in range(known)]:
        _answer(dice, seen, id, then, origin=ORIGIN)
    if taken and taken[0] in ("incumbent", "past") and dice.random() < 0.6:
        _keep(dice, seen, taken[0])
    while missing := [id for id in _wanted(rule, seen) if seen.draw(id) is None]:
        if stop != "complete" and dice.random() < 0.3:
            break
        for id in missing:
            _answer(dice, seen, id, world)
    for id in rule.wanted(seen).extra if stop == "complete" else ():
        if id.look == "anchor":
            _grade_all(dice, seen, id, world)
    return AnyRun(rule, _facts(dice, seen, rule), seen)


def _cases(dice: Dice, *, judged: bool) -> tuple[Case, ...]:
    out = []
    for number in range(dice.choice((1, 1, 2, 2, 3, 5))):
        grader = dice.choice(("judge", "criteria")) if judged else "checks"
        beside = ("checks",) if judged and dice.random() < 0.3 else ()
        id, brief = f"case-{number}", f"brief-{number if dice.random() < 0.8 else 0}"
        out.append(Case(id, brief, grader, beside, digest=text_digest(id), threshold=dice.choice((0.7, 0.5, 0.0, 1.0)) if judged else None))
    return tuple(out)


def _terms(dice: Dice, rule: Rule, low: int, *, samples: int, incumbent: str) -> dict[str, Scalar]:
    top = low + dice.choice((0, 1, 2))
    if isinstance(rule, MeasuredRates):
        return dict(measure.terms(low))
    guard: dict[str, Scalar] = {"judge_guard": dice.choice(("warn", "strict"))}
    if isinstance(rule, PublishedBands):
        return {**published.terms(low, top, samples), **guard}
    confirm, redraw = dice.random() < 0.8, dice.random() < 0.7
    models = dice.choice((1, 1, 3))
    return {**constants.terms(low, top, samples, models_in_job=models, confirm=confirm, redraw=redraw, incumbent=incumbent), **guard}


def _arm(name: str, model: str) -> Arm:
    return Arm(name, name, f"api/{model}", "api", model, "", text_digest(name), "none", None)


def _facts(dice: Dice, seen: Observations, rule: Rule) -> ReceiptFacts:
    terms = seen.frame.terms
    price = dice.choice(((1.0, 5.0, True), (0.8, 4.0, True), (3.0, 15.0, False)))
    told: dict[str, Any] = {"prices": {MODEL: price, JUDGE: (1.0, 5.0, True)}}
    if isinstance(rule, MeasuredRates):
        draws = dice.choice((terms["draws"], None))
        told |= {"method": "measure", "protocol": None, "judge_model_id": None, "parameters": {"min_draws": draws, "max_draws": draws}}
    else:
        told["protocol"] = "published" if isinstance(rule, PublishedBands) else "confirmed"
        told["judge_samples"] = terms["samples"]
        told["parameters"] = {name: terms[name] for name in ("min_draws", "max_draws", "samples")} | {"max_tokens": 4096}
    if arm := seen.frame.arm_of("incumbent"):  # an earlier model is asked today's skill, which `facts` has
        older = arm.model != MODEL
        told |= {"incumbent_commit": None if older else "c0" * 20, "incumbent_tree_hash": text_digest("tree" if older else "old tree")}
    return facts([case.id for case in seen.frame.cases], **told)


def _answer(dice: Dice, seen: Observations, id: DrawId, world: World, *, origin: Origin | None = None) -> None:
    cases = [case for case in seen.frame.cases if case.brief == id.brief]
    closed = any((item.brief, item.arm) == (id.brief, id.arm) for item in seen.frame.withheld)
    ending = "withheld" if closed else dice.choice(("timeout", "cut", "refused")) if dice.random() < world.lost else "completed"
    model = next(arm.model for arm in seen.frame.arms if arm.name == id.arm)
    if ending != "completed":
        text = text_digest(str(dice.random())) if ending in ("cut", "refused") else None
        seen.add_draw(Draw(id, ending, "no luck", text, model if text else None, origin=origin))  # type: ignore[arg-type]
        for case in cases:
            seen.add_grade(Grade(GradeId(case.grader, case.id, (id,)), hole=Hole(ending), origin=origin))
        return
    answer = text_digest(str(dice.random()))
    used = _usage(dice, world)
    seen.add_draw(Draw(id, "completed", "", answer, model, "end_turn", used, "run-1", "2026-11-29T10:00:01Z", origin))
    _grade_all(dice, seen, id, world, origin=origin)


def _wanted(rule: Rule, seen: Observations) -> tuple[DrawId, ...]:
    wanted = rule.wanted(seen)
    return (*wanted.draws, *wanted.extra)


def _keep(dice: Dice, seen: Observations, arm: str) -> None:
    """Old answers to be graded again today."""
    for draw in [draw for draw in seen.draws if draw.id.arm == arm and draw.ending == "completed" and dice.random() < 0.9]:
        seen.add_draw(replace(draw, id=replace(draw.id, look="anchor")))


def _grade_all(dice: Dice, seen: Observations, id: DrawId, world: World, *, origin: Origin | None = None) -> None:
    for case in [case for case in seen.frame.cases if case.brief == id.brief]:
        for grader in dict.fromkeys((case.grader, *case.beside)):
            name = GradeId(grader, case.id, (id,))
            seen.add_grade(_checked(dice, name, origin) if grader == "checks" else _graded(dice, name, world, origin))


def _usage(dice: Dice, world: World) -> Usage:
    if dice.random() < world.silent:
        return dice.choice((NO_USAGE, Usage(1, 200, None), Usage(1, wall_ms=70)))
    cached = dice.choice((None, 5))
    return Usage(1, dice.randint(50, 900), dice.randint(1, 900), cached, dice.randint(1, 9000), 12)


def _checked(dice: Dice, name: GradeId, origin: Origin | None) -> Grade:
    parts = (("greets", dice.random() < 0.6),)
    met = "pass" if parts[0][1] else "fail"
    return Grade(name, met, decided_by="checks", reduction="all_pass", parts=parts, origin=origin)  # type: ignore[arg-type]


def _graded(dice: Dice, name: GradeId, world: World, origin: Origin | None) -> Grade:
    id = name.draws[0]
    quality = dice.gauss(world.levels[id.brief, id.arm], world.spread)
    if name.grader == "criteria" and dice.random() < 0.2:
        parts = (("a", dice.random() < quality), ("b", dice.random() < quality))
        return Grade(name, "scored", share(parts), decided_by="code", reduction="decided_in_code", parts=parts, origin=origin)
    samples: list[Sample] = []
    for index in range(world.samples):
        again = 0
        if dice.random() < world.lost / 3:
            samples.append(Sample(index, 0, hole=Hole("judge_no_decision"), reply_hash=text_digest("?"), usage=_usage(dice, world)))
            if dice.random() < 0.5:
                continue
            again = 1
        value = round(min(1.0, max(0.0, quality + dice.gauss(0, 0.04))) * 20) / 20
        value = dice.choice((value, value, value, round(value / 3, 6)))
        met = (("a", quality > 0.4), ("b", dice.random() < quality)) if name.grader == "criteria" else ()
        notes = (ADDRESSES_JUDGE,) if id.arm == world.speaking else ()
        value = share(met) if met else value
        samples.append(Sample(index, again, value, None, None, text_digest(str(value)), JUDGE, _usage(dice, world), met, notes))
    score = mean_of_samples(samples)
    if isinstance(score, Hole):
        return Grade(name, hole=score, decided_by="judge", samples=tuple(samples), origin=origin)
    return Grade(name, "scored", score, decided_by="judge", reduction="mean_of_samples", samples=tuple(samples), origin=origin)
