"""What grading an answer takes at most, before anybody has seen it. Not: prices (registry), the sum of a job (projection)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from driftproof_action.domain.ask import Ask
from driftproof_action.domain.brief import Brief
from driftproof_action.domain.plan import Plan
from driftproof_action.execution.unit import Prices


def judged(plan: Plan, brief: Brief) -> list[Ask]:
    """The largest asks that grading one answer to a brief may take, over all cases that share it."""
    return [
        ask
        for case in plan.frame.cases
        if case.brief == brief.id
        for name in (case.grader, *case.beside)
        for ask in plan.graders[name].largest(case, brief)
    ]


def twice(ask: Ask) -> Ask:
    """The one second ask a judge may get: at twice the cap."""
    return replace(ask, max_tokens=2 * ask.max_tokens)


def worst(prices: Prices, asks: Sequence[Ask]) -> int:
    """Micro-dollars of these asks and the second ask of each, at their dearest."""
    return sum(prices.worst(ask) + prices.worst(twice(ask)) for ask in asks)
