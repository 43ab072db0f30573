"""Made-up observation tables for the rules. Not: a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId
from driftproof_action.domain.hole import Hole, Origin
from driftproof_action.domain.observations import Frame, Observations, Stop, Wanted
from driftproof_action.domain.reading import Scalar
from driftproof_action.domain.rule import Rule

Truth = Mapping[tuple[str, ...], Sequence[float | None]]
"""(case, arm), or (case, arm, look) where looks differ → what every draw would score if it were made; None: a hole."""


def arm(name: str) -> Arm:
    return Arm(name, name, "here", "stub", "model-x", "", f"digest-{name}")


def frame(rule: str, cases: Mapping[str, str], terms: Mapping[str, Scalar], arms: Sequence[str] = ("with_skill", "baseline")) -> Frame:
    """cases: case id → brief."""
    return Frame(
        rule, tuple(arm(name) for name in arms), tuple(Case(id, brief, "judge", threshold=0.7) for id, brief in cases.items()), terms
    )


def grade(case: str, draw: DrawId, score: float | None) -> Grade:
    id = GradeId("judge", case, (draw,))
    return Grade(id, hole=Hole("timeout")) if score is None else Grade(id, outcome="scored", score=score)


def reveal(seen: Observations, draw: DrawId, truth: Truth) -> None:
    """The draw ends and every case of its brief is graded."""
    seen.add_draw(Draw(draw, "completed"))
    for case in seen.frame.cases:
        if case.brief == draw.brief:
            scores = truth.get((case.id, draw.arm, draw.look)) or truth[case.id, draw.arm]
            seen.add_grade(grade(case.id, draw, scores[draw.index]))


def stored(asked: Frame, arm: str, scores: Mapping[str, Sequence[float | None]]) -> Observations:
    """A table that starts with an arm's first look taken over from a receipt; scores: by case id."""
    seen = Observations(asked)
    for case in asked.cases:
        for index, score in enumerate(scores.get(case.id, ())):
            draw = DrawId(case.brief, arm, "first", index)
            seen.add_draw(Draw(draw, "completed", origin=Origin("a" * 64, "2026-01-01")))
            seen.add_grade(grade(case.id, draw, score))
    return seen


def everything(rule: Rule, seen: Observations) -> tuple[DrawId, ...]:
    """What is needed and what is only asked for."""
    wanted = rule.wanted(seen)
    return (*wanted.draws, *wanted.extra)


def run(
    rule: Rule, asked: Frame, truth: Truth, *, seed: int = 0, slots: int = 1, start: Observations | None = None
) -> tuple[Observations, list[Wanted]]:
    """Play a whole run: up to `slots` draws fly at once and land in an order only the seed knows. start: rows at hand."""
    random, history = Random(seed), list[Wanted]()
    seen = Observations(asked, start.draws, start.grades) if start else Observations(asked)
    flying: list[DrawId] = []
    while True:
        wanted = rule.wanted(seen)
        history.append(wanted)
        waiting = [draw for draw in (*wanted.draws, *wanted.extra) if seen.draw(draw) is None and draw not in flying]
        flying += waiting[: slots - len(flying)]
        if not flying:
            seen.stop = Stop("complete")
            return seen, history
        reveal(seen, flying.pop(random.randrange(len(flying))), truth)


def finish(rule: Rule, asked: Frame, truth: Truth, start: Observations | None = None) -> Observations:
    """The whole run at once: everything wanted lands before the rule is asked again."""
    seen = Observations(asked, start.draws, start.grades) if start else Observations(asked)
    while waiting := [draw for draw in everything(rule, seen) if seen.draw(draw) is None]:
        for draw in waiting:
            reveal(seen, draw, truth)
    seen.stop = Stop("complete")
    return seen
