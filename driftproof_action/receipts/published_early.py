"""Published receipt versions 0.1 to 0.4: the base and what each version changed, as data.

Not: later versions (published_sampled). Nothing here runs while a receipt is read: the frozen files in schemas/ are used.
"""

from __future__ import annotations

from driftproof_action.receipts.shapes import (
    DIALECT,
    Edit,
    Schema,
    count,
    day,
    digest,
    excuse,
    flag,
    free_text,
    has,
    many,
    moment,
    null,
    nullable,
    number,
    put,
    record,
    rule,
    share,
    table,
    text,
    typed,
    widen,
    word,
)

ARMS = ("with_skill", "baseline")
CASE = "results.cases[]"
DRAW = f"{CASE}.generation.draws[]"
SURFACES = ("api", "claude-cli", "openai-api", "openai-cli")
HASHED = ("retained-local", "hashes-only")


def _pair(shape: Schema) -> Schema:
    return record(dict.fromkeys(ARMS, shape))


BASE: Schema = {"$schema": DIALECT} | record(
    {
        "schema_version": {"const": "0.1"},
        "skill": record({"name": text(), "version": text(), "content_hash": digest()}),
        "suite": record({"format": {"const": "agentskills.io/evals"}, "suite_hash": digest(), "case_count": count()}),
        "run": record(
            {"model_id": text(), "surface": word("api", "claude-cli"), "runner_version": text(), "date_utc": moment()},
            {"model_release_date": nullable(day())},
        ),
        "results": record(
            {
                "cases": many(
                    record(
                        {
                            "id": text(),
                            "mode": word(*ARMS),
                            "outcome": word("pass", "fail", "score"),
                            "score": share(),
                            "judge": record({"model_id": text(), "rubric_hash": digest()}),
                        },
                        {"reason": free_text()},
                    )
                ),
                "aggregates": _pair(record({"case_count": count(), "pass_count": count(), "mean_score": share()})),
            }
        ),
        "comparison": record({"with_skill_score": share(), "baseline_score": share(), "delta": number(-1, 1)}),
        "verification_level": word("UNVERIFIED", "DECLARED", "TESTED"),
        "receipt_hash": digest(),
    }
)

AGGREGATES = tuple(f"results.aggregates.{arm}" for arm in ARMS)

SAMPLED: tuple[Edit, ...] = (
    put(
        "run.judge",
        record(
            {"samples": count(1), "temperature": nullable(number()), "sampling": free_text()},
            {"surface": word("api", "claude-cli")},
        ),
        required=True,
    ),
    put(f"{CASE}.mean", share(), required=True),
    put(f"{CASE}.stddev", number(0), required=True),
    put(f"{CASE}.samples", many(share(), 1), required=True),
    put(f"{CASE}.threshold", nullable(share())),
    widen(f"{CASE}.outcome", "borderline"),
    *(put(f"{place}.stddev", number(0), required=True) for place in AGGREGATES),
    *(put(f"{place}.borderline_count", count()) for place in AGGREGATES),
    put("comparison.delta_uncertainty", number(0), required=True),
    put("editorial_reviews", many(record({"url": text(), "source": text(), "date": day()}))),
)

AUDITABLE: tuple[Edit, ...] = (
    put("run.registry", word("registered", "unregistered"), required=True),
    put("run.transcripts", word(*HASHED), required=True),
    put(f"{CASE}.generation_hash", digest(), required=True),
    put(f"{CASE}.judge_sample_hashes", many(digest(), 1), required=True),
)

TESTED = has(verification_level="TESTED")
_TIMED_OUT = has(case_status="failed_timeout")
EVIDENCE: Schema = {"required": ["generation_hash", "judge_sample_hashes"]} | typed(judge=typed(rubric_hash="string"))


def tested(*, case: Schema, run: Schema, comparison: Schema) -> Edit:
    """What a TESTED receipt must hold beyond its version's shape."""
    return rule(
        "",
        TESTED,
        typed(
            skill=typed(content_hash="string"),
            suite=typed(format={"const": "agentskills.io/evals"}, suite_hash="string"),
            run=run,
            comparison=comparison,
            results=typed(cases={"items": {"if": case, "then": EVIDENCE}}),
        ),
    )


def measured_run(**more: Schema) -> Schema:
    """A run a model of ours answered, its hashes kept."""
    return typed(surface={"enum": list(SURFACES)}, transcripts={"enum": list(HASHED)}, **more)


THREE_NUMBERS = typed(baseline_score="number", delta="number", delta_uncertainty="number")

TWO_PROVIDERS: tuple[Edit, ...] = (
    put("run.provider", word("anthropic", "openai"), required=True),
    widen("run.surface", "openai-api", "openai-cli", "external"),
    widen("run.judge.surface", "openai-api", "openai-cli", "external"),
    widen("run.transcripts", "none"),
    put("run.source", text()),
    put("run.surface_overhead_note", free_text()),
    put("run.status", word("complete", "incomplete")),
    put("run.failed_case_count", count()),
    put("skill.tokens", count()),
    put("suite.format", text()),
    *null("skill.content_hash", "suite.suite_hash", f"{CASE}.judge.rubric_hash"),
    *null("comparison.baseline_score", "comparison.delta", "comparison.delta_uncertainty"),
    put(f"{CASE}.case_status", word("ok", "failed_timeout")),
    put(
        f"{CASE}.checks",
        many(record({"name": text(), "kind": word("regex", "contains", "not_contains", "min_length"), "pass": flag()})),
    ),
    excuse(CASE, "outcome", "score", "judge", "mean", "stddev", "samples", "generation_hash", "judge_sample_hashes"),
    rule(
        CASE,
        _TIMED_OUT,
        {"required": ["id", "mode", "case_status"]},
        {"required": ["outcome", "score", "mean", "stddev", "samples", "judge"]},
    ),
    tested(case={"not": _TIMED_OUT}, run=measured_run(), comparison=THREE_NUMBERS),
)

_USAGE = record(dict.fromkeys(("input_tokens", "output_tokens", "cached_tokens", "wall_ms"), nullable(count())))
_ARM_FIGURES = (
    "mean_input_tokens",
    "mean_output_tokens",
    "mean_cost_usd_per_call",
    "median_wall_ms",
    "wall_ms_p25",
    "wall_ms_p75",
    "wall_ms_iqr",
)
_ARM_COST = record({}, {"call_count": count()} | dict.fromkeys(_ARM_FIGURES, nullable(number())))
_COST_MOVES = (
    "skill_incremental_cost_usd_per_call",
    "skill_incremental_cost_usd_per_1k_calls",
    "output_tokens_delta",
    "median_wall_ms_delta",
)

ECONOMICS: tuple[Edit, ...] = (
    put(f"{CASE}.usage", _USAGE),
    put(f"{CASE}.judge_usage", _USAGE),
    put(
        "run.pricing_snapshot",
        record(
            {
                "frozen_at": free_text(),
                "source": free_text(),
                "currency": free_text(),
                "models": table(record({"input_per_mtok": number(), "output_per_mtok": number(), "registered": flag()})),
            },
            {"note": free_text()},
        ),
    ),
    put(
        "economics",
        record(
            {
                "basis": {"enum": ["metered", "metered-equivalent"]},
                "with_skill": _ARM_COST,
                "baseline": _ARM_COST,
                "judge_excluded": {"const": True},
            },
            {"surface": free_text()}
            | dict.fromkeys(_COST_MOVES, nullable(number()))
            | {
                "judge_overhead": record({}, {"note": free_text(), "total_cost_usd": nullable(number()), "case_rows_measured": count()}),
                "notes": record({}, dict.fromkeys(("absolute_cost", "cache_pricing", "latency"), free_text())),
            },
        ),
    ),
)
