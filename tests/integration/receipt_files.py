"""Sealed receipts as bytes: our own version from made-up draws, and an old one with single answers. Not: a test."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from driftproof_action.canonical import text_digest
from driftproof_action.decisions.band_separation.published import PublishedBands
from driftproof_action.domain.arithmetic import mean, quadrature, sd
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.observations import Frame, Observations, Stop
from driftproof_action.receipts.build import build
from driftproof_action.receipts.facts import ReceiptFacts
from driftproof_action.receipts.sealing import seal, to_file_bytes
from tests.unit.receipts.making import MODEL, facts, frame

Scores = Mapping[str, tuple[float, float]]
"""case → (score of every answer with the skill, without it)."""


def drawn(cases: Scores, **changes: Any) -> bytes:
    """A receipt of our own version; every answer of an arm scores alike. changes: of the facts of the run; `content` and
    `name` of the skill."""
    told = facts(list(cases), **{key: value for key, value in changes.items() if key not in ("content", "name")})
    content, name = changes.get("content", "content"), changes.get("name", told.skill.name)
    skill = dataclasses.replace(told.skill, name=name, content_hash=text_digest(content), tree_hash=text_digest(content))
    told = dataclasses.replace(told, skill=skill)
    plan = _frame(told, cases)
    seen, rule = Observations(plan, stop=Stop("complete")), PublishedBands()
    while missing := [id for id in rule.wanted(seen).draws if seen.draw(id) is None]:
        for id in missing:
            score = cases[id.brief][0 if id.arm == "with_skill" else 1]
            reply = text_digest(f"{id}{score}")
            seen.add_draw(Draw(id, "completed", reply_hash=reply, reported_model=told.model_id, stop_reason="end_turn", run_id="run-1"))
            samples = tuple(Sample(index, 0, score, reply_hash=reply, reported_model="claude-haiku-4-5") for index in range(2))
            grade = GradeId("judge", id.brief, (id,))
            seen.add_grade(Grade(grade, "scored", score, decided_by="judge", reduction="mean_of_samples", samples=samples))
    return json.dumps(build(told, seen, rule.decide(seen))).encode()


def scored(
    with_skill: Mapping[str, Sequence[float | None]],
    baseline: Mapping[str, Sequence[float | None]] | None = None,
    *,
    stop: str = "complete",
    **changes: Any,
) -> bytes:
    """A receipt of our own version whose answers score as given, in order of drawing; None is an answer that timed out. Without
    `baseline` every answer of that arm scores 0.3, as many as with the skill. changes: of the facts of the run.

    The table is taken as it is: the rule might have wanted more, so a reader may call it incomplete, but never wrong.
    """
    longest = max(len(scores) for scores in with_skill.values())
    told = facts(list(with_skill), **changes)
    told = dataclasses.replace(told, parameters={**told.parameters, "min_draws": longest, "max_draws": longest})
    other = baseline or {id: [0.3] * len(scores) for id, scores in with_skill.items()}
    plan = _frame(told, with_skill)
    plan = dataclasses.replace(plan, terms={**plan.terms, "min_draws": longest, "max_draws": longest})
    seen = Observations(plan, stop=Stop(stop))
    for arm, cases in (("with_skill", with_skill), ("baseline", other)):
        for id, scores in cases.items():
            for index, score in enumerate(scores):
                _score(seen, DrawId(id, arm, "first", index), score)
    return to_file_bytes(build(told, seen, PublishedBands().decide(seen)))


def _score(seen: Observations, id: DrawId, score: float | None) -> None:
    grade = GradeId("judge", id.brief, (id,))
    if score is None:
        seen.add_draw(Draw(id, "timeout", "no reply in 600 s", run_id="run-1"))
        seen.add_grade(Grade(grade, hole=Hole("timeout")))
        return
    reply = text_digest(f"{id}{score}")
    seen.add_draw(Draw(id, "completed", reply_hash=reply, reported_model=MODEL, stop_reason="end_turn", run_id="run-1"))
    samples = tuple(Sample(index, 0, score, reply_hash=reply, reported_model="claude-haiku-4-5") for index in range(2))
    seen.add_grade(Grade(grade, "scored", score, decided_by="judge", reduction="mean_of_samples", samples=samples))


def _frame(told: ReceiptFacts, ids: Iterable[str]) -> Frame:
    """The frame of a run that asked this model this many times."""
    plan = frame([Case(id, id, "judge", digest=text_digest(id), threshold=0.7) for id in ids], **_terms(told))
    return dataclasses.replace(plan, arms=tuple(dataclasses.replace(arm, model=told.model_id) for arm in plan.arms))


def _terms(told: ReceiptFacts) -> dict[str, Any]:
    """What the rule must know of the run."""
    return {"kind": told.kind} | ({"preset": told.preset} if told.preset else {}) | ({"narrowed": True} if told.narrowed else {})


def answered(cases: Mapping[str, tuple[Sequence[float], Sequence[float]]], **changes: Any) -> bytes:
    """A receipt of version 0.3: one answer an arm, scored several times. changes: `model`, `name`, `content`, `level`."""
    rows = [
        _answered_row(id, arm, samples)
        for id, sides in cases.items()
        for arm, samples in zip(("with_skill", "baseline"), sides, strict=True)
    ]
    arms = {arm: [row["mean"] for row in rows if row["mode"] == arm] for arm in ("with_skill", "baseline")}
    spreads = {arm: sd(means) for arm, means in arms.items()}
    document = {
        "schema_version": "0.3",
        "skill": {"name": changes.get("name", "notes"), "version": "1.0.0", "content_hash": text_digest(changes.get("content", "notes"))},
        "suite": {"format": "agentskills.io/evals", "suite_hash": text_digest("suite"), "case_count": len(cases)},
        "run": {
            "model_id": changes.get("model", "model-one"),
            "surface": "claude-cli",
            "runner_version": "0.3.0",
            "date_utc": "2026-02-03T04:05:06.000Z",
            "registry": "registered",
            "transcripts": "hashes-only",
            "judge": {"samples": 3, "temperature": None, "sampling": "surface-controlled", "surface": "claude-cli"},
        },
        "results": {
            "cases": rows,
            "aggregates": {
                arm: {
                    "case_count": len(means),
                    "pass_count": sum(row["outcome"] == "pass" for row in rows if row["mode"] == arm),
                    "borderline_count": sum(row["outcome"] == "borderline" for row in rows if row["mode"] == arm),
                    "mean_score": mean(means),
                    "stddev": spreads[arm],
                }
                for arm, means in arms.items()
            },
        },
        "comparison": {
            "with_skill_score": mean(arms["with_skill"]),
            "baseline_score": mean(arms["baseline"]),
            "delta": mean([mean(arms["with_skill"]) - mean(arms["baseline"])]),
            "delta_uncertainty": quadrature(spreads["with_skill"], spreads["baseline"]),
        },
        "verification_level": changes.get("level", "TESTED"),
    }
    return json.dumps(seal(document)).encode()


def _answered_row(id: str, arm: str, samples: Sequence[float]) -> dict[str, Any]:
    middle, spread = mean(samples), sd(samples)
    outcome = "borderline" if middle - spread <= 0.7 <= middle + spread else "pass" if middle >= 0.7 else "fail"
    return {
        "id": id,
        "mode": arm,
        "outcome": outcome,
        "score": middle,
        "mean": middle,
        "stddev": spread,
        "samples": list(samples),
        "generation_hash": text_digest(id + arm),
        "judge_sample_hashes": [text_digest(f"{id}{arm}{index}") for index in range(len(samples))],
        "threshold": 0.7,
        "reason": "said the judge",
        "judge": {"model_id": "judge-model", "rubric_hash": text_digest("rubric" + id)},
    }


def shelf(**files: bytes) -> Callable[[str], bytes]:
    """A reader of these files and no others."""
    return files.__getitem__
