"""The receipt version we write: 0.11 and what 1.0 adds, in the same edits. Not: how a receipt is made (build)."""

from __future__ import annotations

from typing import get_args

from driftproof_action.domain.draw import Look
from driftproof_action.domain.grade import Outcome
from driftproof_action.domain.reply import Ending
from driftproof_action.domain.words import VERDICTS
from driftproof_action.receipts.confirmation_schema import CONFIRMATION, INCUMBENT
from driftproof_action.receipts.published_early import CASE, DRAW, HASHED, SURFACES
from driftproof_action.receipts.published_sampled import DRAW_RULES, FINE, SMOKE_RULE, THREE_OR_MARK, published_schema
from driftproof_action.receipts.shapes import (
    Edit,
    Schema,
    count,
    digest,
    edited,
    excuse,
    flag,
    free_text,
    has,
    keyword,
    many,
    nullable,
    number,
    pattern,
    put,
    record,
    rule,
    share,
    table,
    text,
    typed,
    unrule,
    widen,
    word,
)

VERSION = "1.0-draft"
METHODS = ("lift", "measure")


def _stamp() -> Schema:
    return pattern(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z$", 27)


def _scalar() -> Schema:
    return {"type": ["string", "number", "boolean"]}


_HOLE = record({"reason": text()}, {"detail": free_text()})
_ORIGIN = record({"receipt_hash": digest(), "date": free_text()})
_TOKENS = dict.fromkeys(("attempts", "input_tokens", "output_tokens", "cached_tokens", "wall_ms", "micro_usd", "written_tokens"), count())
_USED = record({}, _TOKENS)
_DRAW_ID = {"brief": text(), "arm": text(), "look": word(*get_args(Look)), "index": count()}
_AGAIN = {"attempt": count()}
_PARTS = many(record({"id": text(), "met": flag()}))

_ARM = record(
    dict.fromkeys(("name", "role", "place", "surface", "model", "digest"), text()) | {"delivery": word("none", "inline", "install")},
    {"temperature": number()},
)
_ASKED = record(
    {"id": text(), "brief": text(), "grader": text()},
    {
        "beside": many(text(), 1),
        "pairwise": text(),
        "kind": text(),
        "split": text(),
        "digest": text(),
        "threshold": share(),
    },
)
_FRAME = record(
    {
        "rule": text(),
        "arms": many(_ARM, 1),
        "cases": many(_ASKED),
        "terms": table(_scalar()),
        "withheld": many(record({"brief": text(), "arm": text(), "hole": _HOLE})),
    }
)
_DRAWN = record(
    _DRAW_ID | {"ending": word(*get_args(Ending))},
    _AGAIN
    | {
        "detail": text(),
        "reply_hash": digest(),
        "reported_model": text(),
        "stop_reason": text(),
        "usage": _USED,
        "invisible": count(1),
        "run_id": text(),
        "started_at": text(),
        "origin": _ORIGIN,
    },
)
_SAMPLE = record(
    {"index": count(), "attempt": count()},
    {
        "value": share(),
        "choice": text(),
        "hole": _HOLE,
        "reply_hash": digest(),
        "reported_model": text(),
        "usage": _USED,
        "parts": _PARTS,
        "notes": many(text(), 1),
        "reason": text(),
        "serving_id": text(),
    },
)
_GRADED = record(
    {"grader": text(), "case": text(), "draws": many(record(_DRAW_ID, _AGAIN), 1)},
    {
        "outcome": word(*get_args(Outcome)),
        "score": share(),
        "hole": _HOLE,
        "decided_by": text(),
        "reduction": text(),
        "parts": _PARTS,
        "samples": many(_SAMPLE, 1),
        "critical": flag(),
        "origin": _ORIGIN,
    },
)
_READING = record(
    {"rule": text(), "about": text(), "word": text(), "numbers": table(nullable(_scalar()))},
    {"reason": text()},
)
_CRITERIA = record(
    {
        "total": share(),
        "pass": nullable(flag()),
        "judgments": many(record({"id": text(), "decision": word("met", "not_met")})),
        "ignored": many(free_text()),
    }
)

_TESTED_RUN = typed(surface={"enum": list(SURFACES)}, transcripts={"enum": list(HASHED)}, answered_by=typed(kind={"const": "model"}))

CHANGES: tuple[Edit, ...] = (
    put("schema_version", {"const": VERSION}),
    put("method", word(*METHODS), required=True),
    put("measurement_hash", digest(), required=True),
    put("skill.tree_hash", nullable(digest()), required=True),
    put("skill.tree_source", word("git", "folder")),
    put("skill.unseen_files", many(record({"path": text(), "bytes": count()})), required=True),
    put("suite.source", record({"file": text(), "shape": text(), "mapping_version": text()}), required=True),
    put("run.run_id", text(), required=True),
    put("run.generated_at", _stamp()),
    put("run.date_utc", nullable(_stamp())),
    put("run.protocol", nullable(word("published", "confirmed")), required=True),
    put(
        "run.parameters",
        record(dict.fromkeys(("min_draws", "max_draws", "samples", "max_tokens"), nullable(count())) | {"temperature": nullable(number())}),
        required=True,
    ),
    put("run.endpoint", nullable(text())),
    put("run.grading_code_hash", digest()),
    put("run.narrowed", flag()),
    put("run.example", flag()),
    put("run.judge.endpoint", nullable(text()), required=True),
    put("run.judge.criteria_template_hash", digest()),
    keyword("run.judge", "type", ["object", "null"]),
    excuse("", "comparison"),
    excuse("results.aggregates", "baseline"),
    excuse("economics", "baseline"),
    *(put(f"economics.judge_overhead.{key}", count()) for key in ("judged_draws_counted", "judged_draws_missing_usage")),
    put(f"{CASE}.case_hash", nullable(digest()), required=True),
    put(f"{CASE}.criteria", many(record({"id": text(), "weight": {"type": "number", "exclusiveMinimum": 0}}), 1)),
    keyword(f"{CASE}.judge", "type", ["object", "null"]),
    excuse(f"{CASE}.checks[]", "kind"),
    keyword(f"{CASE}.generation", "additionalProperties", False),
    keyword(DRAW, "additionalProperties", False),
    put(f"{DRAW}.ending", word(*get_args(Ending)), required=True),
    put(f"{DRAW}.generation_hash", nullable(digest())),
    put(f"{DRAW}.samples", many(share())),
    put(f"{DRAW}.judge_sample_hashes", many(digest())),
    put(f"{DRAW}.criteria_judgments", many(_CRITERIA, 1)),
    put(
        f"{DRAW}.auxiliary_calls",
        many(
            record(
                {
                    "phase": word("generation", "judge"),
                    "model": text(),
                    "input_tokens": nullable(count()),
                    "output_tokens": nullable(count()),
                }
            ),
            1,
        ),
    ),
    *(put(f"{DRAW}.{key}", record(dict.fromkeys(tuple(_TOKENS)[1:5], nullable(count())))) for key in ("usage", "judge_usage")),
    keyword("results.aggregates.excluded_cases[]", "additionalProperties", False),
    put(
        "observations",
        record(
            {
                "frame": _FRAME,
                "draws": many(_DRAWN),
                "grades": many(_GRADED),
                "stop": {"type": ["object", "null"]} | {k: v for k, v in _HOLE.items() if k != "type"},
            }
        ),
        required=True,
    ),
    put(
        "decision",
        record(
            {
                "verdict": word(*VERDICTS),
                "label": free_text(),
                "reasons": many(text()),
                "readings": many(_READING),
                "published_verdict": nullable(word(*VERDICTS)),
            }
        ),
        required=True,
    ),
    put("confirmation", CONFIRMATION),
    put("incumbent", INCUMBENT),
    widen(f"{CASE}.generation.stopping_reason", "reused"),
    unrule(""),
    rule(
        "",
        has(verification_level="TESTED"),
        typed(
            skill=typed(content_hash="string"),
            suite=typed(format={"const": "agentskills.io/evals"}, suite_hash="string"),
            run=_TESTED_RUN,
            comparison=THREE_OR_MARK,
            results=typed(cases={"items": {"if": FINE, "then": {"required": ["generation_hash"]}}}),
        ),
    ),
    *DRAW_RULES,
    SMOKE_RULE,
    rule(
        "",
        has(method="lift"),
        {"required": ["comparison"], "properties": {"results": typed(aggregates={"required": ["baseline"]})}},
    ),
    rule(
        "",
        {"required": ["run"], "properties": {"run": has(example=True)}},
        typed(verification_level={"not": {"const": "TESTED"}}),
    ),
)


def own_schema() -> Schema:
    """The schema of the version we write."""
    schema = edited(published_schema("0.11"), CHANGES)
    return schema | {
        "$id": f"https://driftproofhq.com/spec/receipt.v{VERSION}.schema.json",
        "title": f"Driftproof receipt {VERSION}",
    }
