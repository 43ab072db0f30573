"""Answers and judge replies kept beside a receipt, for reading side by side and for grading again. Not: receipts; never committed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from driftproof_action.canonical import read_json, text_digest
from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.grade import GradeId
from driftproof_action.domain.observations import Observations
from driftproof_action.domain.plan import Plan
from driftproof_action.errors import DocumentError
from driftproof_action.execution.keys import Keys
from driftproof_action.ports import Files, Journal
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.markdown import code, fence, name

FORMAT = "driftproof-kept-answers/1"
TEXTS_LIMIT = 64 * 1024 * 1024
SHOWN = 20_000
"""Characters of one answer in the page people read; the JSON holds all of it."""


def find_texts(files: Files, folder: str, *, receipt_hash: str) -> Mapping[str, str]:
    """The texts kept beside a receipt in the folder `answers`, by sha256; {} where there are none. A text that is not what its
    digest says is left out.

    Raises DriftproofError where the file is there and cannot be read.
    """
    place = f"{folder}/answers"
    ending = f"-{receipt_hash[:12]}.json"
    found = [entry.path for entry in files.entries(place) if entry.path.endswith(ending)] if files.kind(place) == "folder" else []
    if not found:
        return {}
    data = read_json(files.read(found[0], limit=TEXTS_LIMIT), source=found[0], limit=TEXTS_LIMIT)
    texts = data.get("texts") if isinstance(data, dict) and data.get("format") == FORMAT else None
    if not isinstance(texts, dict):
        raise DocumentError(
            "holds no kept answers", place=found[0], fix="delete it, or restore it as it was written", anchor="kept-answers"
        )
    return {key: text for key, text in texts.items() if isinstance(text, str) and text_digest(text) == key}


def kept_answers(plan: Plan, seen: Observations, journal: Journal, *, receipt_hash: str) -> dict[str, Any]:
    """Every text by its sha256, and which draw and which judge sample it belongs to."""
    keys, texts, draws = Keys(plan), dict[str, str](), list[dict[str, Any]]()
    for draw in seen.draws:
        record = journal.reply(keys.draw(draw.id))
        answer = _keep(texts, record.reply.text) if record and record.reply else None
        judged = list(_judge_replies(plan, seen, keys, draw.id, journal=journal, texts=texts))
        row = {"case": draw.id.brief, "arm": draw.id.arm, "look": draw.id.look, "index": draw.id.index}
        draws.append(row | {"ending": draw.ending, "answer": answer, "judge": judged})
    return {"format": FORMAT, "receipt_hash": receipt_hash, "texts": texts, "draws": draws}


def _judge_replies(
    plan: Plan, seen: Observations, keys: Keys, draw: DrawId, *, journal: Journal, texts: dict[str, str]
) -> Iterator[dict[str, Any]]:
    for case in plan.frame.cases:
        if case.brief != draw.brief:
            continue
        id = GradeId(case.grader, case.id, (draw,))
        grade = seen.grading(id)
        for sample in grade.samples if grade else ():
            record = journal.reply(keys.sample(id, sample.index, sample.attempt))
            if record and record.reply:
                yield {"sample": sample.index, "attempt": sample.attempt, "reply": _keep(texts, record.reply.text)}


def _keep(texts: dict[str, str], text: str) -> str | None:
    if not text:
        return None
    digest = text_digest(text)
    texts[digest] = text
    return digest


def side_by_side(kept: dict[str, Any], view: ReceiptView) -> str:
    """The first answer of each case with the skill and without it, as Markdown."""
    first: dict[tuple[str, str], str] = {}
    for draw in kept["draws"]:
        if draw["answer"]:
            first.setdefault((draw["case"], draw["arm"]), kept["texts"][draw["answer"]])
    blocks = [f"# Answers of {name(view.skill_name)} on {code(view.model_id)}", "The first answer of each case in each arm."]
    for id in view.case_ids():
        blocks.append(f"## {code(id)}")
        for arm, title in (("with_skill", "With the skill"), ("baseline", "Without it")):
            if (id, arm) in first:
                blocks.append(fence(first[id, arm], label=title, limit=SHOWN))
    return "\n\n".join(blocks) + "\n"
