"""What a plan can cost before the first call. Not: what it did cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from driftproof_action.domain.ask import Ask
from driftproof_action.domain.draw import Look
from driftproof_action.domain.plan import Earmark, Plan
from driftproof_action.errors import BudgetError
from driftproof_action.execution.costs import judged, twice


class Priced(Protocol):
    """What prices a call; registry.Model is one."""

    def worst_micro_usd(self, ask: Ask) -> int: ...
    def fewest_micro_usd(self) -> int: ...


FREE = Earmark(0, 0)


@dataclass(frozen=True, slots=True)
class Projection:
    """fewest, most: calls without retries and second asks. least_micro_usd: the fewest calls at one token in and out;
    most_micro_usd: the most calls, every byte a token and every answer at its cap. draw: what
    the dearest draw with its grading must have in reserve, second asks included."""

    fewest: int
    most: int
    least_micro_usd: int
    most_micro_usd: int
    draw: Earmark = FREE

    def __add__(self, other: Projection) -> Projection:
        return Projection(
            self.fewest + other.fewest,
            self.most + other.most,
            self.least_micro_usd + other.least_micro_usd,
            self.most_micro_usd + other.most_micro_usd,
            Earmark(max(self.draw.micro_usd, other.draw.micro_usd), max(self.draw.calls, other.draw.calls)),
        )


NOTHING = Projection(0, 0, 0, 0)


def project(plan: Plan, price_of: Callable[[str], Priced]) -> Projection:
    """price_of: prices by model id. The first look is even over briefs and arms but those a receipt hands over; what another
    look may take is reckoned at the dearest draw, for nobody knows yet which cases it will ask."""
    costs = _costs(plan, price_of)
    if not costs:
        return NOTHING
    handed = {draw.id.arm for draw in plan.prior_draws if draw.id.look == "first"}
    first = [cost for (_, arm), cost in costs.items() if arm not in handed]
    priciest = max(cost.most_micro_usd for cost in costs.values())
    total = Projection(0, 0, 0, 0)
    for cost in costs.values():
        total += Projection(0, 0, 0, 0, cost.draw)
    for forecast in plan.rule.forecast(plan.frame):
        if forecast.look == "first":
            for cost in first:
                total += _times(cost, forecast.fewest // len(first), forecast.most // len(first))
        else:
            total += Projection(0, forecast.most * total.draw.calls, 0, forecast.most * priciest)
    for id in plan.kept:
        grading = [(price_of(ask.model), ask) for ask in judged(plan, plan.briefs[id.brief])]
        total += Projection(0, len(grading), 0, sum(price.worst_micro_usd(ask) for price, ask in grading))
    return total


def earmarks(plan: Plan, draw: Earmark) -> Mapping[Look, Earmark]:
    """What the looks after the first may take at most. draw: the dearest with its grading."""
    later = (forecast for forecast in plan.rule.forecast(plan.frame) if forecast.look != "first" and forecast.most and not forecast.extra)
    return {forecast.look: Earmark(forecast.most * draw.micro_usd, forecast.most * draw.calls) for forecast in later}


def _costs(plan: Plan, price_of: Callable[[str], Priced]) -> Mapping[tuple[str, str], Projection]:
    """One draw with its grading, by brief and arm; those withheld, or of an arm nobody is asked under, are left out."""
    withheld = {(item.brief, item.arm) for item in plan.frame.withheld}
    out = {}
    for brief in plan.briefs.values():
        grading = judged(plan, brief)
        for arm in plan.frame.arms:
            if (brief.id, arm.name) in withheld or arm.name in plan.unasked:
                continue
            ask = Ask(arm.surface, arm.model, arm.system, brief.prompt, brief.max_tokens, arm.temperature)
            calls = [(price_of(item.model), item) for item in (ask, *grading)]
            least = sum(price.fewest_micro_usd() for price, _ in calls)
            worst = sum(price.worst_micro_usd(item) for price, item in calls)
            second = sum(price_of(item.model).worst_micro_usd(twice(item)) for item in grading)
            out[brief.id, arm.name] = Projection(len(calls), len(calls), least, worst, Earmark(worst + second, len(calls)))
    return out


def _times(cost: Projection, fewest: int, most: int) -> Projection:
    return Projection(fewest * cost.fewest, most * cost.most, fewest * cost.least_micro_usd, most * cost.most_micro_usd)


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
