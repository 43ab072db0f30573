"""Whole tables to JSON and back: frames, observations, decisions. Not: single rows (records), files, schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.observations import Frame, Observations, Stop, Withheld
from driftproof_action.domain.reading import Decision, Reading
from driftproof_action.domain.records import Row, draw_from_json, draw_to_json, grade_from_json, grade_to_json, hole_to_json, present


def _arm_to_json(arm: Arm) -> Row:
    """The system text is left out (it is the skill's, and its digest is inside `digest`)."""
    return present(
        name=arm.name,
        role=arm.role,
        place=arm.place,
        surface=arm.surface,
        model=arm.model,
        digest=arm.digest,
        delivery=arm.delivery,
        temperature=arm.temperature,
    )


def _arm_from_json(data: Mapping[str, Any]) -> Arm:
    return Arm(
        data["name"],
        data["role"],
        data["place"],
        data["surface"],
        data["model"],
        "",
        data["digest"],
        data["delivery"],
        data.get("temperature"),
    )


def _case_to_json(case: Case) -> Row:
    return present(
        id=case.id,
        brief=case.brief,
        grader=case.grader,
        beside=list(case.beside),
        pairwise=case.pairwise,
        kind=case.kind,
        split=case.split,
        digest=case.digest,
        threshold=case.threshold,
    )


def _case_from_json(data: Mapping[str, Any]) -> Case:
    return Case(
        data["id"],
        data["brief"],
        data["grader"],
        tuple(data.get("beside", ())),
        data.get("pairwise"),
        data.get("kind", ""),
        data.get("split", ""),
        data.get("digest", ""),
        data.get("threshold"),
    )


def frame_to_json(frame: Frame) -> Row:
    return {
        "rule": frame.rule,
        "arms": [_arm_to_json(arm) for arm in frame.arms],
        "cases": [_case_to_json(case) for case in frame.cases],
        "terms": dict(frame.terms),
        "withheld": [{"brief": item.brief, "arm": item.arm, "hole": hole_to_json(item.hole)} for item in frame.withheld],
    }


def frame_from_json(data: Mapping[str, Any]) -> Frame:
    return Frame(
        data["rule"],
        tuple(_arm_from_json(arm) for arm in data["arms"]),
        tuple(_case_from_json(case) for case in data["cases"]),
        dict(data["terms"]),
        tuple(
            Withheld(item["brief"], item["arm"], Hole(item["hole"]["reason"], item["hole"].get("detail", ""))) for item in data["withheld"]
        ),
    )


def _withheld_from_json(data: Mapping[str, Any]) -> Withheld:
    return Withheld(data["brief"], data["arm"], Hole(data["hole"]["reason"], data["hole"].get("detail", "")))


def observations_to_json(seen: Observations) -> Row:
    return {
        "frame": frame_to_json(seen.frame),
        "draws": [draw_to_json(draw) for draw in seen.draws],
        "grades": [grade_to_json(grade) for grade in seen.grades],
        "stop": present(reason=seen.stop.reason, detail=seen.stop.detail) if seen.stop else None,
    }


def observations_from_json(data: Mapping[str, Any]) -> Observations:
    stop = data["stop"]
    return Observations(
        frame_from_json(data["frame"]),
        [draw_from_json(draw) for draw in data["draws"]],
        [grade_from_json(grade) for grade in data["grades"]],
        Stop(stop["reason"], stop.get("detail", "")) if stop else None,
    )


def decision_to_json(decision: Decision) -> Row:
    return {
        "verdict": decision.verdict,
        "label": decision.label,
        "reasons": list(decision.reasons),
        "readings": [
            present(rule=item.rule, about=item.about, word=item.word, reason=item.reason) | {"numbers": dict(item.numbers)}
            for item in decision.readings
        ],
    }


def _reading_from_json(data: Mapping[str, Any]) -> Reading:
    return Reading(data["rule"], data["about"], data["word"], data.get("reason", ""), dict(data["numbers"]))


def decision_from_json(data: Mapping[str, Any]) -> Decision:
    return Decision(
        data["verdict"],
        data["label"],
        tuple(data["reasons"]),
        tuple(
            Reading(item["rule"], item["about"], item["word"], item.get("reason", ""), dict(item["numbers"])) for item in data["readings"]
        ),
    )
