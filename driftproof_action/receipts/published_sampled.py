"""Published receipt versions 0.5 to 0.11, and the table of all changes. Not: version 1.0 (own_schema)."""

from __future__ import annotations

from collections.abc import Mapping

from driftproof_action.receipts.published_early import (
    AGGREGATES,
    ARMS,
    AUDITABLE,
    BASE,
    CASE,
    DRAW,
    ECONOMICS,
    SAMPLED,
    THREE_NUMBERS,
    TWO_PROVIDERS,
    measured_run,
    tested,
)
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
    lacks,
    many,
    moment,
    null,
    nullable,
    number,
    pattern,
    put,
    record,
    relax,
    rule,
    text,
    typed,
    unrule,
    widen,
    word,
)

_DRAW_SET = record(
    {
        "n_drawn": count(),
        "n_measured": count(),
        "n_unmeasured": count(),
        "stopping_reason": {"enum": ["min_reached", "stabilised", "max_reached", "unmeasured_exhausted", "below_min", "escalating"]},
        "draws": many(
            record(
                {"draw_index": count(), "status": {"enum": ["measured", "unmeasured"]}},
                {
                    "generation_hash": nullable(free_text()),
                    "samples": many(number()),
                    "judge_sample_hashes": many(free_text()),
                    "mean": nullable(number()),
                    "stddev": nullable(number()),
                    "reason": free_text(),
                    "usage": {"type": "object"},
                    "judge_usage": {"type": "object"},
                },
                open=True,
            )
        ),
    },
    {
        "n_planned": count(1),
        "mean": nullable(number()),
        "sd": nullable(number()),
        "judge_sd_mean": nullable(number()),
        "variance_ratio": nullable(number()),
        "variance_ratio_unavailable": nullable(word("single_judge_sample", "judge_sd_zero", "no_measured_draws", "judge_samples_unknown")),
    },
    open=True,
)
_SOME_DRAWS = {"contains": {"required": ["generation"]}}

DRAW_RULES: tuple[Edit, ...] = (
    rule(
        "",
        {"required": ["results"], "properties": {"results": {"required": ["cases"], "properties": {"cases": _SOME_DRAWS}}}},
        {"required": ["generation_sampled"]} | typed(generation_sampled={"const": True}),
    ),
    rule(
        "",
        has(generation_sampled=True),
        {"properties": {"results": {"properties": {"cases": _SOME_DRAWS}}, "suite": {"required": ["canary"]}}},
    ),
)
"""Draws and the mark that says there are draws go together."""

_ANSWERS_SAMPLED: tuple[Edit, ...] = (
    put("generation_sampled", flag()),
    put("suite.canary", pattern("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", 36)),
    put(f"{CASE}.generation", _DRAW_SET),
    rule(
        f"{CASE}.generation",
        {"required": ["variance_ratio"]} | typed(variance_ratio="null"),
        {"required": ["variance_ratio_unavailable"]} | typed(variance_ratio_unavailable="string"),
    ),
    rule(DRAW, has(status="unmeasured"), typed(mean="null", stddev="null", samples={"maxItems": 0})),
    rule(
        DRAW,
        has(status="measured"),
        {"required": ["generation_hash", "samples", "mean", "stddev"]} | typed(generation_hash="string", mean="number"),
    ),
    put(
        "results.aggregates.excluded_cases",
        many(record({"id": free_text(), "reason": free_text()}, {"modes": many({"enum": list(ARMS)})}, open=True)),
    ),
    *DRAW_RULES,
)

FINE = {"anyOf": [lacks("case_status"), typed(case_status={"const": "ok"})]}
_UNMARKED = "delta_uncertainty_unavailable"


def _row_rule(measured: Schema) -> Edit:
    return rule(CASE, FINE, measured, {"required": ["id", "mode", "case_status"]})


_MEASURED_ROW: Schema = {"required": ["outcome", "score", "mean", "stddev", "samples", "judge"]}

THREE_OR_MARK: Schema = {
    "allOf": [
        {"if": lacks(_UNMARKED), "then": THREE_NUMBERS},
        {
            "if": has(delta_uncertainty_unavailable="single_case"),
            "then": typed(with_skill_score="number", baseline_score="number", delta="number"),
        },
    ]
}

_TESTED_06 = tested(
    case=FINE,
    run=measured_run(answered_by=typed(kind={"const": "model"}), judge=typed(prompt_template_hash="string")),
    comparison=THREE_OR_MARK,
)

_WHAT_ANSWERED: tuple[Edit, ...] = (
    put(
        "run.answered_by",
        record(
            {
                "kind": word("model", "stub", "external"),
                "attested": flag(),
                "reported_model": nullable(text()),
                "reported_models": nullable(many(text())),
                "isolation": word("eval-user", "same-user", "none"),
            }
        ),
        required=True,
    ),
    widen("run.surface", "stub"),
    widen("run.judge.surface", "stub"),
    put("run.judge.model_id", text(), required=True),
    put("run.judge.prompt_template_hash", nullable(digest()), required=True),
    put(f"{DRAW}.stop_reason", nullable(free_text()), required=True),
    put(f"{DRAW}.truncated", flag(), required=True),
    put(f"{DRAW}.reported_model", nullable(free_text())),
    put(f"{CASE}.generation.n_truncated", count(), required=True),
    widen(f"{CASE}.case_status", "failed_unmeasured"),
    unrule(CASE),
    _row_rule(_MEASURED_ROW),
    put("results.aggregates.band_rule", text(), required=True),
    *null(*(f"{place}.{key}" for place in AGGREGATES for key in ("mean_score", "stddev"))),
    *(
        rule(place, {"required": ["case_count"]} | typed(case_count={"minimum": least}), typed(**{key: "number"}))
        for place in AGGREGATES
        for least, key in ((1, "mean_score"), (2, "stddev"))
    ),
    *null("comparison.with_skill_score"),
    put(f"comparison.{_UNMARKED}", word("single_case", "no_cases")),
    rule("comparison", {"required": [_UNMARKED]}, typed(delta_uncertainty="null")),
    unrule(""),
    _TESTED_06,
    *DRAW_RULES,
)

_COUNTS = record({}, {"generations_per_arm": count(), "judge_samples_per_generation": count(1)})

_COUNTS_AND_CLOCKS: tuple[Edit, ...] = (
    excuse("run.judge", "samples"),
    put("run.counts", _COUNTS),
    put(f"{CASE}.counts", _COUNTS),
    put(
        "run.arms",
        record({}, dict.fromkeys(ARMS, record({}, {"model_id": text(), "generated_at": moment(), "counts": _COUNTS}))),
    ),
    put("run.generated_at", moment()),
    put("run.judged_at", moment()),
    put(
        "run.grader_revision",
        record({"prompt_template_hash": nullable(free_text()), "rubric_hashes": many(nullable(free_text()))}),
    ),
    keyword("run", "dependentRequired", {"judged_at": ["grader_revision"], "grader_revision": ["judged_at"]}),
    widen(f"{CASE}.case_status", "no_observations"),
    relax(f"{CASE}.samples", "minItems"),
    unrule(CASE),
    _row_rule(_MEASURED_ROW | typed(samples={"minItems": 1})),
)

_IMPORTS: tuple[Edit, ...] = (
    put("skill.unit", word("skill", "plugin")),
    widen("run.provider", "unknown"),
    *null("run.date_utc"),
    rule("run", {"not": has(surface="external")}, typed(date_utc="string")),
    put("run.harness", record({"name": text(), "version": nullable(free_text())})),
    put(
        "run.import",
        record(
            {
                "tool": text(),
                "format": text(),
                "format_version": {"type": ["string", "integer", "null"]},
                "source_sha256": digest(),
                "imported_at": moment(),
            },
            {"sidecars": many(record({"file": text(), "sha256": digest()})), "notices": many(text())},
        ),
    ),
    put(f"{CASE}.label", text()),
    put(f"{CASE}.activation", many(record({"indicator": text(), "fired": count(), "runs": count(1)}), 1)),
    put(f"{CASE}.excluded_draws", many(record({"draw_index": count(1), "reason": text()}), 1)),
    widen("economics.basis", "source-list-price-estimate", "source-reported"),
    *(put(f"economics.{arm}.mean_total_tokens", nullable(number())) for arm in ARMS),
)

_WHICH_ANSWER: tuple[Edit, ...] = (
    put("run.capture", record({"mode": {"enum": ["text", "files"]}})),
    put(
        f"{DRAW}.captured_files",
        many(record({"path": free_text(), "bytes": {"type": "integer"}, "included": flag()})),
    ),
)

SMOKE_RULE = rule(
    "",
    {"required": ["run"], "properties": {"run": {"required": ["preset"]}}},
    typed(verification_level={"not": {"const": "TESTED"}}),
)

_SMOKE: tuple[Edit, ...] = (
    put("run.preset", word("quick")),
    SMOKE_RULE,
)

CHANGES: Mapping[str, tuple[Edit, ...]] = {
    "0.1": (),
    "0.2": SAMPLED,
    "0.3": AUDITABLE,
    "0.3.1": TWO_PROVIDERS,
    "0.4": ECONOMICS,
    "0.5": _ANSWERS_SAMPLED,
    "0.6": _WHAT_ANSWERED,
    "0.7": (),
    "0.8": _COUNTS_AND_CLOCKS,
    "0.9": _IMPORTS,
    "0.10": _WHICH_ANSWER,
    "0.11": _SMOKE,
}
"""Oldest first. 0.3.1 is its interop revision."""


def published_schema(version: str) -> Schema:
    """The schema of a published version, made from the base and every change up to it. Raises KeyError for another word."""
    schema = BASE
    for step, changes in CHANGES.items():
        schema = edited(schema, (*changes, put("schema_version", {"const": step})))
        if step == version:
            head = {"$id": f"https://driftproofhq.com/spec/receipt.v{version}.schema.json", "title": f"Driftproof receipt {version}"}
            return {"$schema": schema["$schema"]} | head | {key: value for key, value in schema.items() if key != "$schema"}
    raise KeyError(version)
