"""What a plan can cost before the first call. Not: what it did cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from driftproof_action.domain.ask import Ask
from driftproof_action.domain.plan import Plan
from driftproof_action.errors import BudgetError


class Priced(Protocol):
    """What prices a call; registry.Model is one."""

    def worst_micro_usd(self, ask: Ask) -> int: ...
    def fewest_micro_usd(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Projection:
    """fewest, most: calls without retries and second asks. least_micro_usd: the fewest calls at one token in and out;
    most_micro_usd: the most calls, every byte a token and every answer at its cap."""

    fewest: int
    most: int
    least_micro_usd: int
    most_micro_usd: int

    def __add__(self, other: Projection) -> Projection:
        return Projection(
            self.fewest + other.fewest,
            self.most + other.most,
            self.least_micro_usd + other.least_micro_usd,
            self.most_micro_usd + other.most_micro_usd,
        )


NOTHING = Projection(0, 0, 0, 0)


def project(plan: Plan, price_of: Callable[[str], Priced]) -> Projection:
    """price_of: prices by model id. A brief's share of the rule's forecast is even over briefs and arms."""
    forecasts = plan.rule.forecast(plan.frame)
    withheld = {(item.brief, item.arm) for item in plan.frame.withheld}
    pairs = [(brief, arm) for brief in plan.briefs.values() for arm in plan.frame.arms if (brief.id, arm.name) not in withheld]
    total = NOTHING
    for brief, arm in pairs:
        judged = [
            ask
            for case in plan.frame.cases
            if case.brief == brief.id
            for name in (case.grader, *case.beside)
            for ask in plan.graders[name].largest(case, brief)
        ]
        ask = Ask(arm.surface, arm.model, arm.system, brief.prompt, brief.max_tokens, arm.temperature)
        calls = [(price_of(item.model), item) for item in (ask, *judged)]
        least = sum(price.fewest_micro_usd() for price, _ in calls)
        dearest = sum(price.worst_micro_usd(item) for price, item in calls)
        for forecast in forecasts:
            fewest, most = forecast.fewest // len(pairs), forecast.most // len(pairs)
            total += Projection(fewest * len(calls), most * len(calls), fewest * least, most * dearest)
    return total


def refuse_over_budget(projections: Sequence[Projection], *, max_micro_usd: int, max_calls: int) -> None:
    """Refuse before the first call when not even the fewest calls fit. Raises BudgetError naming limit, value and fix."""
    whole = sum(projections, NOTHING)
    if whole.fewest > max_calls:
        raise BudgetError(
            f"max-calls: {max_calls} calls are fewer than the {whole.fewest} this run needs at least",
            fix=f"set max-calls to {whole.fewest} or more, or measure fewer cases (case, max-cases)",
        )
    if whole.least_micro_usd > max_micro_usd:
        raise BudgetError(
            f"max-usd: {max_micro_usd / 1e6:.2f} USD is less than the fewest calls can cost ({whole.least_micro_usd / 1e6:.2f} USD)",
            fix="raise max-usd, or measure fewer cases (case, max-cases)",
        )
