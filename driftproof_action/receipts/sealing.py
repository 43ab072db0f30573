"""A receipt's two hashes, and the bytes of its file. Not: what is in it (build), whether it is true (verify)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from driftproof_action.canonical import Json, digest
from driftproof_action.domain.records import sample_from_json
from driftproof_action.graders.reductions import chosen_samples

Document = dict[str, Any]


def seal(document: Mapping[str, Any]) -> Document:
    """The document with its receipt_hash over everything else, as the last key."""
    body = plain({key: value for key, value in document.items() if key != "receipt_hash"})
    return {**body, "receipt_hash": digest(body)}


def measurement_hash(document: Mapping[str, Any]) -> str:
    """What was measured, without clock and usage: equal for a receipt committed again, new for a new measurement.

    Source: spec/RECEIPT.md, measurement_hash. Reads the document alone, so a reader can do it again.
    """
    judge = document["run"]["judge"]
    rows = [
        {"case_hash": row["case_hash"], "mode": row["mode"], "draws": _measured(document["observations"], row["id"], row["mode"])}
        for row in document["results"]["cases"]
    ]
    content = {
        "tree_hash": document["skill"]["tree_hash"],
        "model_id": document["run"]["model_id"],
        "judge": judge and {key: judge.get(key) for key in ("model_id", "prompt_template_hash", "samples")},
        "parameters": document["run"]["parameters"],
        "rows": rows,
    }
    return digest(plain(content))


def _measured(observations: Mapping[str, Any], id: str, mode: str) -> list[dict[str, Any]]:
    """Every draw of a row in every look, in order of look and index; of repeated attempts the last."""
    case = next(case for case in observations["frame"]["cases"] if case["id"] == id)
    drawn: dict[tuple[str, int], Mapping[str, Any]] = {}
    for draw in observations["draws"]:
        key = (draw["look"], draw["index"])
        if (draw["brief"], draw["arm"]) == (case["brief"], mode) and drawn.get(key, {}).get("attempt", 0) <= draw.get("attempt", 0):
            drawn[key] = draw
    grades = {
        tuple(_key(draw) for draw in grade["draws"]): grade
        for grade in observations["grades"]
        if grade["case"] == id and grade["grader"] == case["grader"]
    }
    return [
        {
            "look": draw["look"],
            "index": draw["index"],
            "ending": draw["ending"],
            "generation_hash": draw.get("reply_hash"),
            "samples": _values(grades.get((_key(draw),))),
        }
        for _, draw in sorted(drawn.items())
    ]


def _key(draw: Mapping[str, Any]) -> tuple[Any, ...]:
    return draw["brief"], draw["arm"], draw["look"], draw["index"], draw.get("attempt", 0)


def _values(grade: Mapping[str, Any] | None) -> list[Any]:
    """The scores of a grading: its judge samples (the last attempt at each), or the one decided in code; [] for a hole."""
    if grade is None or "hole" in grade or "outcome" not in grade:
        return []
    values = [sample.value for sample in chosen_samples([sample_from_json(sample) for sample in grade.get("samples", ())])]
    if values and None not in values:
        return values
    return [grade["score"]] if "score" in grade else {"pass": [1], "fail": [0]}.get(grade["outcome"], [])


def plain(value: Any) -> Any:
    """Numbers as every reader of JSON spells them: no minus zero, no point where nothing follows it."""
    kind = type(value)
    if kind is str or kind is int or value is None or kind is bool:
        return value
    if kind is float:
        return int(value) if math.isfinite(value) and value == int(value) and abs(value) < 2**53 else value
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def to_file_bytes(document: Mapping[str, Json]) -> bytes:
    """The receipt as its file holds it: what fits stands on one line, the rest is indented by a space a level; UTF-8, one
    final line feed. Raises ValueError for NaN and infinities."""
    return (_spelled(plain(document), 0) + "\n").encode()


LINE = 140
"""Characters a value may take to stand on one line: a draw or a judge's sample does, a row does not."""


def _spelled(value: Any, depth: int) -> str:
    kind = type(value)
    if kind is str:
        return _TEXT(value)
    if kind is dict:
        parts = [f"{_TEXT(key)}: {_spelled(item, depth + 1)}" for key, item in value.items()]
        opened, closed = "{", "}"
    elif kind is list:
        parts = [_spelled(item, depth + 1) for item in value]
        opened, closed = "[", "]"
    else:
        return _ENCODE(value)
    if sum(map(len, parts)) + 2 * len(parts) <= LINE and not any("\n" in part for part in parts):
        return opened + ", ".join(parts) + closed
    indent = "\n" + " " * (depth + 1)
    return opened + indent + f",{indent}".join(parts) + "\n" + " " * depth + closed


_TEXT = json.encoder.encode_basestring
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
