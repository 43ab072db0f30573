"""What a job cost, in one line, and what the skill's answers cost. Not: what it may cost (settings), nor prices (registry)."""

from __future__ import annotations

from collections.abc import Mapping

from driftproof_action.canonical import Json
from driftproof_action.comparison.skill_cost import ARMS, ArmCost, SkillCost
from driftproof_action.reports.figures import MINUS, NOTHING, count, money
from driftproof_action.reports.job import JobResult
from driftproof_action.reports.markdown import details, table

SIDES: Mapping[str, str] = {"with_skill": "with the skill", "baseline": "without"}
BASES: Mapping[str, str] = {
    "metered": "",
    "metered-equivalent": "Tokens were counted, not charged: dollars are what they would have cost.",
    "source-list-price-estimate": "Figures are an estimate of the tool the results come from.",
    "source-reported": "Figures are those the source reported.",
}
"""What stands beside figures of each basis."""


def cost_line(result: JobResult) -> str:
    """Money and calls; a stub run says that nobody was asked and nothing was paid."""
    if result.mode == "stub":
        return f"0.00 USD · no model was asked, the built-in stub gave {count(result.calls, 'reply', 'replies')}"
    return f"{money(result.micro_usd)} · {count(result.calls, 'call')}"


def skill_cost_block(cost: SkillCost) -> str:
    """What an answer costs with the skill and without, what the skill adds, and what judging took; folded. Never one number
    of it all, and no ratio unless the lift clears the floor."""
    if not cost.arms:
        return ""
    headers = ["", "answers", "tokens in", "of them cached", "tokens out", "dollars an answer", "seconds (middle half)"]
    rows = [[SIDES[arm], *_arm(cost.arms[arm])] for arm in ARMS if arm in cost.arms]
    lines = [line for line in (_added(cost), _value(cost), _judging(cost), BASES[cost.basis]) if line]
    return details("What an answer costs", table(headers, rows) + "\n\n" + "\n".join(f"- {line}" for line in lines))


def _arm(arm: ArmCost) -> list[str]:
    tokens = [NOTHING if value is None else f"{value:,.0f}" for value in (arm.input_tokens, arm.cached_tokens, arm.output_tokens)]
    return [str(arm.answers), *tokens, _usd(arm.usd), _seconds(arm)]


def _seconds(arm: ArmCost) -> str:
    if arm.median_ms is None:
        return NOTHING
    half = "" if arm.p25_ms is None or arm.p75_ms is None else f" ({arm.p25_ms / 1000:.1f} to {arm.p75_ms / 1000:.1f})"
    return f"{arm.median_ms / 1000:.1f}{half}"


def _usd(value: float | None) -> str:
    """Six places, which a single answer needs; a true minus."""
    return NOTHING if value is None else f"{MINUS if value < 0 else ''}{abs(value):.6f}"


def _added(cost: SkillCost) -> str:
    if cost.dearer is None or cost.per_1k is None:
        return ""
    what = "adds" if cost.dearer >= 0 else "saves"
    for_many = f"{abs(cost.per_1k):.2f} USD for 1,000 calls"
    return f"The skill {what} {_usd(abs(cost.dearer))} USD a call, {for_many}, cached tokens at the full price."


def _value(cost: SkillCost) -> str:
    if cost.skill_tokens is None:
        return ""
    told = f"SKILL.md has about {cost.skill_tokens:,} tokens"
    return f"{told}: {cost.value:.4f} of lift for every 1,000." if cost.value is not None else f"{told}."


def _judging(cost: SkillCost) -> str:
    if cost.judging_usd is None:
        return ""
    over = "" if cost.judged is None else f" over {count(cost.judged + (cost.missing or 0), 'judged answer')}"
    floor = f"; {cost.missing} of them did not tell all their tokens, so it was more" if cost.missing else ""
    return f"Judging took {money(round(cost.judging_usd * 1_000_000))}{over}{floor}. It is in none of the figures above."


def skill_cost_to_json(cost: SkillCost) -> dict[str, Json]:
    """The figures as docs/result.md names them."""
    return {
        "basis": cost.basis,
        "arms": {
            arm: {
                "answers": told.answers,
                "input_tokens": told.input_tokens,
                "cached_tokens": told.cached_tokens,
                "output_tokens": told.output_tokens,
                "usd": told.usd,
                "median_ms": told.median_ms,
                "p25_ms": told.p25_ms,
                "p75_ms": told.p75_ms,
            }
            for arm, told in cost.arms.items()
        },
        "added_usd_per_call": cost.dearer,
        "added_usd_per_1k_calls": cost.per_1k,
        "skill_tokens": cost.skill_tokens,
        "lift_per_1k_tokens": cost.value,
        "judging_usd": cost.judging_usd,
        "judged_draws_counted": cost.judged,
        "judged_draws_missing_usage": cost.missing,
    }
