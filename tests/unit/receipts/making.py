"""Runs of our own invention: whole tables as a random source gives them, and the facts beside them. Not: real results."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from driftproof_action.canonical import text_digest
from driftproof_action.decisions.band_separation.published import PublishedBands, terms
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.observations import Frame, Observations, Stop, Withheld
from driftproof_action.domain.reading import Decision
from driftproof_action.domain.skill import Skill, SkillFile
from driftproof_action.domain.suite import Check, Criterion, Suite, SuiteCase
from driftproof_action.domain.usage import NO_USAGE, Usage
from driftproof_action.graders.reductions import mean_of_samples, weighted_share
from driftproof_action.receipts.build import build
from driftproof_action.receipts.facts import ReceiptFacts

MODEL = "claude-haiku-4-5-20251001"
CHECK = Check("greets", "contains", ("Hello",))


def facts(cases: list[str], **changes: Any) -> ReceiptFacts:
    """Of a live run of the whole suite; `changes` make it another."""
    suite_cases = tuple(
        SuiteCase(id, f"Do {id}.", "Is it done?", CRITERIA, 0.7, checks=(CHECK,), case_hash=text_digest(id)) for id in cases
    )
    skill = Skill(
        "skills/greeting",
        "Greeting people",
        "1.2.0",
        "Greets.",
        "# Greet\n",
        text_digest("content"),
        text_digest("tree"),
        "git",
        3,
        (SkillFile("references/tone.md", 40),),
    )
    base = ReceiptFacts(
        method="lift",
        skill=skill,
        suite=Suite(
            "evals/evals.json", "skill-creator", "runnable", suite_cases, text_digest("suite"), "0d9e30f4-4282-645d-fb64-17021fe46e3a"
        ),
        model_id=MODEL,
        model_release_date="2025-10-01",
        provider="anthropic",
        surface="api",
        runner_version="1.0.0",
        generated_at="2026-11-29T10:00:00.000Z",
        finished_at="2026-11-29T10:05:00.000Z",
        registry="registered",
        transcripts="hashes-only",
        judge_model_id="claude-haiku-4-5",
        judge_prompt_template_hash=text_digest("judge"),
        judge_criteria_template_hash=text_digest("criteria"),
        judge_samples=2,
        judge_temperature=0.0,
        judge_sampling="api-temperature-0",
        judge_surface="api",
        rubric_hashes={id: text_digest("rubric" + id) for id in cases},
        protocol="published",
        parameters={"min_draws": 3, "max_draws": 5, "samples": 2, "max_tokens": 4096, "temperature": None},
        prices={MODEL: (1.0, 5.0, True), "claude-haiku-4-5": (1.0, 5.0, True)},
        prices_source="registry/models.json",
        kind="model",
        isolation="none",
        run_id="run-1",
    )
    return replace(base, **changes)


CRITERIA = (Criterion("a", 2, "It does a."), Criterion("b", 1, "It does b."))


def share(parts: tuple[tuple[str, bool], ...]) -> float:
    """What a sample that met these parts is worth."""
    return weighted_share(parts, {item.id: item.weight for item in CRITERIA})


def frame(cases: list[Case], **more: Any) -> Frame:
    arms = tuple(Arm(name, name, "api/x", "api", MODEL, "", text_digest(name), "none", None) for name in ("with_skill", "baseline"))
    return Frame(PublishedBands.name, arms, tuple(cases), {**terms(3, 5, 2), **more})


def run_of(
    dice: random.Random, *, cases: int | None = None, stop: str | None = None, kind: str = "model"
) -> tuple[list[str], Observations]:
    """(case ids, a table the published rule is content with): scored and lost draws, criteria, grades decided in code, checks
    beside, second asks, withheld briefs. stop: cut short by this, with some wanted draws missing."""
    ids = [f"case-{n}" for n in range(cases or dice.randint(1, 3))]
    nouns = [_case(dice, id) for id in ids]
    table = frame(nouns, **({} if kind == "model" else {"kind": kind}))
    withheld = tuple(Withheld(id, "baseline", Hole("files_missing", "a.csv")) for id in ids if dice.random() < 0.1)
    seen = Observations(replace(table, withheld=withheld), stop=Stop(stop or "complete"))
    rule = PublishedBands()
    while missing := [id for id in rule.wanted(seen).draws if seen.draw(id) is None]:
        if stop and dice.random() < 0.3:
            break
        for id in missing:
            _answer(dice, seen, id)
    return ids, seen


def _case(dice: random.Random, id: str) -> Case:
    grader = dice.choice(("judge", "judge", "criteria"))
    beside = ("checks",) if dice.random() < 0.5 else ()
    return Case(id, id, grader, beside, digest=text_digest(id), threshold=dice.choice((0.7, 0.5, 0.0, 1.0)))


def _answer(dice: random.Random, seen: Observations, id: DrawId) -> None:
    if any((item.brief, item.arm) == (id.brief, id.arm) for item in seen.frame.withheld):
        seen.add_draw(Draw(id, "withheld", "files_missing"))
        _hole(seen, id, Hole("files_missing", "a.csv"))
        return
    if dice.random() < 0.15:
        ending = dice.choice(("timeout", "timeout", "cut", "transport_error", "refused"))
        text = text_digest(str(dice.random())) if ending in ("cut", "refused") else None
        seen.add_draw(
            Draw(id, ending, "no\nluck " * dice.randint(0, 60), text, MODEL if text else None, "max_tokens" if ending == "cut" else None)
        )
        _hole(seen, id, Hole(ending))
        return
    used = (
        Usage(1, dice.randint(1, 900), dice.randint(1, 900), dice.choice((None, 5)), dice.randint(1, 9000), 12)
        if dice.random() < 0.8
        else NO_USAGE
    )
    seen.add_draw(Draw(id, "completed", "", text_digest(str(dice.random())), MODEL, "end_turn", used, "run-1", "2026-11-29T10:00:01Z"))
    for case in seen.frame.cases:
        if case.brief == id.brief:
            seen.add_grade(_graded(dice, case, id))
            if case.beside:
                seen.add_grade(_checked(dice, case, id))


def _hole(seen: Observations, id: DrawId, hole: Hole) -> None:
    for case in seen.frame.cases:
        if case.brief == id.brief:
            seen.add_grade(Grade(GradeId(case.grader, case.id, (id,)), hole=hole))


def _checked(dice: random.Random, case: Case, id: DrawId) -> Grade:
    met = dice.random() < 0.5
    return Grade(
        GradeId("checks", case.id, (id,)), "pass" if met else "fail", decided_by="checks", reduction="all_pass", parts=(("greets", met),)
    )


def _graded(dice: random.Random, case: Case, id: DrawId) -> Grade:
    name = GradeId(case.grader, case.id, (id,))
    if case.grader == "criteria" and dice.random() < 0.2:
        parts = (("a", dice.random() < 0.5), ("b", dice.random() < 0.5))
        return Grade(name, "scored", share(parts), decided_by="code", reduction="decided_in_code", parts=parts)
    samples: list[Sample] = []
    for index in range(2):
        used = Usage(1, 100, 10, None, 20, 1) if dice.random() < 0.8 else NO_USAGE
        if dice.random() < 0.15:
            samples.append(Sample(index, 0, hole=Hole("judge_no_decision", "two objects"), reply_hash=text_digest("?"), usage=used))
            if dice.random() < 0.5:
                continue
        attempt = sum(sample.index == index for sample in samples)
        value = dice.choice((0.0, 1.0, 0.1 + 0.2, dice.random(), round(dice.random(), 2)))
        parts = (("a", value > 0.5), ("b", value > 0.2)) if case.grader == "criteria" else ()
        value = share(parts) if parts else value
        notes = ("quote_not_found",) if dice.random() < 0.1 else ()
        said = dice.choice(("", "because"))
        samples.append(Sample(index, attempt, value, None, None, text_digest(str(value)), "claude-haiku-4-5", used, parts, notes, said))
    score = mean_of_samples(samples)
    if isinstance(score, Hole):
        return Grade(name, hole=score, decided_by="judge", samples=tuple(samples))
    return Grade(name, "scored", score, decided_by="judge", reduction="mean_of_samples", samples=tuple(samples))


def decided(seen: Observations) -> Decision:
    return PublishedBands().decide(seen)


def receipt(seed: int = 7, **changes: Any) -> dict[str, Any]:
    """A sealed receipt of a whole run that loses nothing often."""
    ids, seen = run_of(random.Random(seed), cases=3)
    return build(facts(ids, **changes), seen, decided(seen))
