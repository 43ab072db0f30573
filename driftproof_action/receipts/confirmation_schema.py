"""The shapes of what 1.0 stores of confirmed readings and of the committed skill. Not: how they come about (confirmation)."""

from __future__ import annotations

from driftproof_action.decisions.band_separation.constants import CONSTANTS
from driftproof_action.receipts.confirmation import FAMILIES
from driftproof_action.receipts.shapes import count, digest, flag, free_text, many, nullable, number, record, share, text, word

STOPPINGS = ("min_reached", "stabilised", "max_reached", "unmeasured_exhausted", "below_min", "escalating", "reused")
"""Why a series has no further draw."""

_RULE_SETTINGS = record(
    {"name": text()}
    | {name: number() for name in CONSTANTS}
    | {
        "models_in_job": count(1),
        "alpha_case_spent": number(),
        "alpha_suite_spent": number(),
        "confirm": flag(),
        "redraw": flag(),
        "incumbent": word("", "stored", "drawn"),
    }
)
_STATISTICS = {"cases": count()} | {
    name: nullable(count() if name == "df" else number())
    for name in ("mean", "sd", "se", "df", "t", "p_down", "p_up", "low95", "high95", "low99", "high99")
}
_SUITE_READ = {"reading": word("suite_down", "suite_up", "suite_flat", "not_given"), "reason": free_text()} | _STATISTICS
_DIFFERENCE = record(
    {"case": text(), "gap": number(), "low": number(), "high": number(), "smallest_fall": nullable(number())},
)
_FAMILY = record({"name": word(*FAMILIES), "suspects": count(), "drawn": count(), "confirmed": count(), "other": text()})
_FRESH_DRAW = record(
    {"arm": text(), "draw_index": count(), "status": word("measured", "unmeasured"), "mean": nullable(share()), "samples": many(share())},
    {"reason": text()},
)
_SUSPECT = record(
    {
        "family": word(*FAMILIES),
        "case": text(),
        "status": word("confirmed", "not_confirmed", "unconfirmed", "likely", "cannot_tell"),
        "reason": free_text(),
        "direction": word("down", "up"),
        "suspect_by": word("r1", "welch", "both"),
        "rank": count(),
    }
    | dict.fromkeys(("first_gap", "p1", "t", "df", "target_mean", "target_sd", "other_mean", "other_sd"), number())
    | dict.fromkeys(("target_n", "other_n"), count()),
    {"stop": word("", "futility", "complete", "lost")}
    | dict.fromkeys(("fresh_target_n", "fresh_target_lost", "fresh_other_n", "fresh_other_lost"), count())
    | dict.fromkeys(("fresh_target_mean", "fresh_other_mean", "gap", "worst_gap"), nullable(number()))
    | dict.fromkeys(("count", "total"), nullable(count()))
    | dict.fromkeys(("holm_rank", "holm_numerator", "holm_denominator"), count())
    | dict.fromkeys(("lift_moved", "lift_p"), number())
    | {"draws": many(_FRESH_DRAW)},
)
CONFIRMATION = record(
    {
        "rule": _RULE_SETTINGS,
        "suite": record(
            _SUITE_READ
            | {
                "with_skill_look": word("first", "redraw"),
                "baseline_look": word("first", "redraw"),
                "alpha": number(),
                "sentence": word("given", "wide", "not_given"),
                "smallest_lift": nullable(number()),
                "differences": many(_DIFFERENCE),
            }
        ),
        "families": many(_FAMILY),
        "cases": many(_SUSPECT),
    },
    {
        "incumbent_suite": record(_SUITE_READ),
        "past": record({"receipt_hash": nullable(digest()), "date": nullable(free_text()), "model_id": text()}),
    },
)
INCUMBENT = record(
    {
        "commit": nullable(text()),
        "tree_hash": nullable(digest()),
        "model_id": text(),
        "origin": nullable(record({"receipt_hash": digest(), "date": free_text()})),
        "cases": many(
            record(
                {"id": text(), "case_hash": nullable(digest()), "mean": nullable(share()), "stddev": nullable(number())}
                | dict.fromkeys(("n_drawn", "n_measured", "n_unmeasured"), count())
                | {"stopping_reason": nullable(word(*STOPPINGS))}
            )
        ),
    }
)
