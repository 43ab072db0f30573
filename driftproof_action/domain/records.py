"""Rows to JSON and back, written out by hand for speed. Not: whole tables (table_records), files, schemas, hashes.

Keys with their default value are left out, so rows stay short; reading fills them in again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole, Origin
from driftproof_action.domain.reply import File, Reply
from driftproof_action.domain.usage import Usage

Row = dict[str, Any]


def present(**values: Any) -> Row:
    """The values that say something: None, empty texts and empty lists are left out."""
    return {key: value for key, value in values.items() if value is not None and value != "" and value != () and value != []}


def hole_to_json(hole: Hole | None) -> Row | None:
    return present(reason=hole.reason, detail=hole.detail) if hole else None


def hole_from_json(data: Mapping[str, Any] | None) -> Hole | None:
    return Hole(data["reason"], data.get("detail", "")) if data else None


def origin_to_json(origin: Origin | None) -> Row | None:
    return {"receipt_hash": origin.receipt_hash, "date": origin.date} if origin else None


def origin_from_json(data: Mapping[str, Any] | None) -> Origin | None:
    return Origin(data["receipt_hash"], data["date"]) if data else None


def usage_to_json(usage: Usage) -> Row:
    return present(
        attempts=usage.attempts if usage.attempts != 1 else None,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        wall_ms=usage.wall_ms,
        micro_usd=usage.micro_usd,
        written_tokens=usage.written_tokens,
    )


def usage_from_json(data: Mapping[str, Any] | None) -> Usage:
    data = data or {}
    return Usage(
        data.get("attempts", 1),
        data.get("input_tokens"),
        data.get("output_tokens"),
        data.get("cached_tokens"),
        data.get("wall_ms"),
        data.get("micro_usd"),
        data.get("written_tokens"),
    )


def draw_id_to_json(id: DrawId) -> Row:
    row: Row = {"brief": id.brief, "arm": id.arm, "look": id.look, "index": id.index}
    return row | ({"attempt": id.attempt} if id.attempt else {})


def draw_id_from_json(data: Mapping[str, Any]) -> DrawId:
    return DrawId(data["brief"], data["arm"], data["look"], data["index"], data.get("attempt", 0))


def draw_to_json(draw: Draw) -> Row:
    return draw_id_to_json(draw.id) | present(
        ending=draw.ending,
        detail=draw.detail,
        reply_hash=draw.reply_hash,
        reported_model=draw.reported_model,
        stop_reason=draw.stop_reason,
        usage=usage_to_json(draw.usage) or None,
        invisible=draw.invisible or None,
        run_id=draw.run_id,
        started_at=draw.started_at,
        origin=origin_to_json(draw.origin),
    )


def draw_from_json(data: Mapping[str, Any]) -> Draw:
    return Draw(
        draw_id_from_json(data),
        data["ending"],
        data.get("detail", ""),
        data.get("reply_hash"),
        data.get("reported_model"),
        data.get("stop_reason"),
        usage_from_json(data.get("usage")),
        data.get("run_id", ""),
        data.get("started_at", ""),
        origin_from_json(data.get("origin")),
        data.get("invisible", 0),
    )


def _parts_to_json(parts: tuple[tuple[str, bool], ...]) -> list[Row]:
    return [{"id": id, "met": met} for id, met in parts]


def _parts_from_json(data: list[Mapping[str, Any]] | None) -> tuple[tuple[str, bool], ...]:
    return tuple((part["id"], part["met"]) for part in data or ())


def sample_to_json(sample: Sample) -> Row:
    return {"index": sample.index, "attempt": sample.attempt} | present(
        value=sample.value,
        choice=sample.choice,
        hole=hole_to_json(sample.hole),
        reply_hash=sample.reply_hash,
        reported_model=sample.reported_model,
        usage=usage_to_json(sample.usage) or None,
        parts=_parts_to_json(sample.parts),
        notes=list(sample.notes),
        reason=sample.reason,
        serving_id=sample.serving_id,
    )


def sample_from_json(data: Mapping[str, Any]) -> Sample:
    return Sample(
        data["index"],
        data["attempt"],
        data.get("value"),
        data.get("choice"),
        hole_from_json(data.get("hole")),
        data.get("reply_hash"),
        data.get("reported_model"),
        usage_from_json(data.get("usage")),
        _parts_from_json(data.get("parts")),
        tuple(data.get("notes", ())),
        data.get("reason", ""),
        data.get("serving_id"),
    )


def grade_to_json(grade: Grade) -> Row:
    return {
        "grader": grade.id.grader,
        "case": grade.id.case,
        "draws": [draw_id_to_json(draw) for draw in grade.id.draws],
    } | present(
        outcome=grade.outcome,
        score=grade.score,
        hole=hole_to_json(grade.hole),
        decided_by=grade.decided_by,
        reduction=grade.reduction,
        parts=_parts_to_json(grade.parts),
        samples=[sample_to_json(sample) for sample in grade.samples],
        critical=grade.critical or None,
        origin=origin_to_json(grade.origin),
    )


def grade_from_json(data: Mapping[str, Any]) -> Grade:
    return Grade(
        GradeId(data["grader"], data["case"], tuple(draw_id_from_json(draw) for draw in data["draws"])),
        data.get("outcome"),
        data.get("score"),
        hole_from_json(data.get("hole")),
        data.get("decided_by", ""),
        data.get("reduction", ""),
        _parts_from_json(data.get("parts")),
        tuple(sample_from_json(sample) for sample in data.get("samples", ())),
        data.get("critical", False),
        origin_from_json(data.get("origin")),
    )


def reply_to_json(reply: Reply) -> Row:
    return present(
        ending=reply.ending,
        text=reply.text,
        detail=reply.detail,
        files=None if reply.files is None else [{"path": file.path, "text": file.text} for file in reply.files] or None,
        snapshot=True if reply.files is not None else None,
        reported_model=reply.reported_model,
        stop_reason=reply.stop_reason,
        usage=usage_to_json(reply.usage) or None,
        serving_id=reply.serving_id,
    )


def reply_from_json(data: Mapping[str, Any]) -> Reply:
    files = tuple(File(file["path"], file["text"]) for file in data.get("files", ())) if data.get("snapshot") else None
    return Reply(
        data["ending"],
        data.get("text", ""),
        data.get("detail", ""),
        files,
        data.get("reported_model"),
        data.get("stop_reason"),
        usage=usage_from_json(data.get("usage")),
        serving_id=data.get("serving_id"),
    )
