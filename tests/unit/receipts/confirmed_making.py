"""Whole tables that confirmed readings are content with, as a random source gives them. Not: a test."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from driftproof_action.canonical import text_digest
from driftproof_action.decisions.band_separation.confirmed import ConfirmedBands
from driftproof_action.decisions.band_separation.constants import terms
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole, Origin
from driftproof_action.domain.observations import Frame, Observations, Stop
from driftproof_action.domain.usage import Usage
from driftproof_action.graders.reductions import mean_of_samples
from driftproof_action.receipts.build import build
from tests.unit.receipts.making import MODEL, facts

RULE = ConfirmedBands()
ORIGIN = Origin("ab" * 32, "2026-11-01T10:00:00.000Z")
Level = Callable[[str, str, str], float]
"""Quality of an answer by (case, arm, look)."""


def asked(cases: int, *, low: int = 5, top: int = 8, incumbent: str = "", confirm: bool = True, models: int = 1) -> Frame:
    names = ("with_skill", "baseline", *(("incumbent",) if incumbent else ()))
    arms = tuple(Arm(name, name, "api/x", "api", MODEL, "", text_digest(name), "none", None) for name in names)
    nouns = tuple(Case(f"case-{n}", f"case-{n}", "judge", digest=text_digest(f"case-{n}"), threshold=0.7) for n in range(cases))
    return Frame(RULE.name, arms, nouns, terms(low, top, 2, incumbent=incumbent, confirm=confirm, models_in_job=models))


def play(
    dice: random.Random,
    frame: Frame,
    level: Level,
    *,
    spread: float = 0.05,
    lost: float = 0.0,
    stop: str = "",
    stored: int = 5,
    reused: tuple[str, ...] = (),
) -> Observations:
    """The whole run, or as much of it as is there when it is cut short. stored: draws a receipt hands over, of the incumbent and
    of the arms that are reused."""
    seen = Observations(frame, stop=Stop(stop or "complete"))
    for arm in (*(["incumbent"] if frame.terms["incumbent"] == "stored" else []), *reused):
        for case in frame.cases:
            for index in range(stored):
                _answer(dice, seen, DrawId(case.brief, arm, "first", index), level, spread=spread, lost=lost, origin=ORIGIN)
    while missing := [id for id in RULE.wanted(seen).draws if seen.draw(id) is None]:
        if stop and dice.random() < 0.2:
            break
        for id in missing:
            _answer(dice, seen, id, level, spread=spread, lost=lost)
    return seen


def _answer(
    dice: random.Random, seen: Observations, id: DrawId, level: Level, *, spread: float, lost: float, origin: Origin | None = None
) -> None:
    name = GradeId("judge", id.brief, (id,))
    if dice.random() < lost:
        seen.add_draw(Draw(id, "timeout", "slow", run_id="run-1", origin=origin))
        seen.add_grade(Grade(name, hole=Hole("timeout"), origin=origin))
        return
    used = Usage(1, 100, 20, None, 30, 5)
    answer = text_digest(f"{id} {dice.random()}")
    seen.add_draw(Draw(id, "completed", "", answer, MODEL, "end_turn", used, "run-1", "2026-11-29T10:00:01Z", origin))
    quality = dice.gauss(level(id.brief, id.arm, id.look), spread)
    samples = tuple(
        Sample(index, 0, round(min(1.0, max(0.0, quality + dice.gauss(0, 0.03))) * 20) / 20, None, None, answer, "claude-haiku-4-5", used)
        for index in range(2)
    )
    score = mean_of_samples(samples)
    assert not isinstance(score, Hole)
    seen.add_grade(Grade(name, "scored", score, decided_by="judge", reduction="mean_of_samples", samples=samples, origin=origin))


def confirmed_receipt(seen: Observations, **changes: Any) -> dict[str, Any]:
    told = {"protocol": "confirmed", "parameters": {"min_draws": 5, "max_draws": 8, "samples": 2, "max_tokens": 4096, "temperature": None}}
    if seen.frame.arm_of("incumbent"):
        told |= {"incumbent_commit": "c0" * 20, "incumbent_tree_hash": text_digest("old tree")}
    return build(facts([case.id for case in seen.frame.cases], **{**told, **changes}), seen, RULE.decide(seen))
