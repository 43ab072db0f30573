"""Made-up observation tables for the rules. Not: a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.observations import Frame, Observations, Stop, Wanted
from driftproof_action.domain.reading import Scalar
from driftproof_action.domain.rule import Rule

Truth = Mapping[tuple[str, str], Sequence[float | None]]
"""(case, arm) → what every draw would score if it were made; None: a hole."""


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
            seen.add_grade(grade(case.id, draw, truth[case.id, draw.arm][draw.index]))


def run(rule: Rule, asked: Frame, truth: Truth, *, seed: int = 0, slots: int = 1) -> tuple[Observations, list[Wanted]]:
    """Play a whole run: up to `slots` draws fly at once and land in an order only the seed knows."""
    random, seen, history = Random(seed), Observations(asked), list[Wanted]()
    flying: list[DrawId] = []
    while True:
        wanted = rule.wanted(seen)
        history.append(wanted)
        waiting = [draw for draw in wanted.draws if seen.draw(draw) is None and draw not in flying]
        flying += waiting[: slots - len(flying)]
        if not flying:
            seen.stop = Stop("complete")
            return seen, history
        reveal(seen, flying.pop(random.randrange(len(flying))), truth)
