"""A comparison as JSON: part of `result.json`, and `diff --json`. Not: the whole of either (result, commands/diff)."""

from __future__ import annotations

from driftproof_action.canonical import Json
from driftproof_action.comparison.drift import Comparison, Fresh, JudgeMove, SuiteMove


def comparison_to_json(comparison: Comparison) -> dict[str, Json]:
    """A comparison with the published verdict words, unchanged."""
    return {
        "headline": comparison.headline,
        "reason": comparison.reason,
        "code": comparison.code,
        "delta": comparison.delta,
        "cases": [
            {
                "id": case.id,
                "verdict": case.verdict,
                "old_mean": case.old_mean,
                "old_sd": case.old_sd,
                "new_mean": case.new_mean,
                "new_sd": case.new_sd,
                "delta": case.delta,
                "power": case.power,
                "reason": case.reason,
                "reading": case.reading,
                "gates": case.gates,
                "needed": case.needed,
                "old_n": case.old_n,
                "new_n": case.new_n,
                "old_lost": case.old_lost,
                "new_lost": case.new_lost,
                "fresh": _fresh(case.fresh) if case.fresh else None,
            }
            for case in comparison.cases
        ],
        "gates": comparison.worse,
        "same_day": comparison.same_day,
        "earlier_model": comparison.earlier_model or None,
        "suite": _suite(comparison.suite) if comparison.suite else None,
        "judge": _judge(comparison.judge) if comparison.judge else None,
        "changed": list(comparison.changed),
        "caveats": list(comparison.caveats),
        "left_out": [{"id": id, "reason": reason} for id, reason in comparison.left_out],
        "old_hash": comparison.old_hash,
        "new_hash": comparison.new_hash,
    }


def _judge(judge: JudgeMove) -> dict[str, Json]:
    return {"reading": judge.word, "answers": judge.answers, "mean": judge.mean, "low": judge.low, "high": judge.high}


def _fresh(fresh: Fresh) -> dict[str, Json]:
    return {
        "old_mean": fresh.old_mean,
        "new_mean": fresh.new_mean,
        "old_n": fresh.old_n,
        "new_n": fresh.new_n,
        "count": fresh.count,
        "total": fresh.total,
    }


def _suite(suite: SuiteMove) -> dict[str, Json]:
    ground: Json = None if suite.ground is None else {"mean": suite.ground, "low": suite.ground_low, "high": suite.ground_high}
    return {"reading": suite.word, "reason": suite.reason, "scores": suite.scores, "lift": suite.lift, "ground": ground}
