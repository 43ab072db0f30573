from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from driftproof_action.commands.reserve import set_aside
from driftproof_action.commands.work import Work
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.plan import Earmark
from driftproof_action.execution.projection import project
from tests.unit.execution.worlds import confirmed_plan, lift_plan


class Flat:
    def worst_micro_usd(self, ask: Ask) -> int:
        return 1000

    def fewest_micro_usd(self) -> int:
        return 1


def works(*plans: Any) -> list[Work]:
    target: Any = SimpleNamespace(path="skills/x")
    model: Any = SimpleNamespace(id="m")
    return [Work(target, model, "m", "lift", plan, None, {}) for plan in plans]


def reserve(made: list[Work], **limits: Any) -> Any:
    return set_aside(made, [project(work.plan, lambda _: Flat()) for work in made], **limits)


DRAW = 5000
"""One call, two judge samples and as many second asks of twice the length, all at 1000."""


def test_all_of_it_is_set_aside_where_there_is_room() -> None:
    found = reserve(works(confirmed_plan()), max_micro_usd=10**9, max_calls=10**6)
    assert found.afforded
    assert found.aside == {"confirm": Earmark(80 * DRAW, 80 * 3)}
    assert found.works[0].plan.frame.terms["confirm"] is True


def test_never_more_than_half_of_a_limit() -> None:
    found = reserve(works(confirmed_plan(), confirmed_plan()), max_micro_usd=600_000, max_calls=10**6)
    assert found.aside == {"confirm": Earmark(300_000, 2 * 80 * 3)}
    calls = reserve(works(confirmed_plan()), max_micro_usd=10**9, max_calls=400)
    assert calls.aside["confirm"].calls == 200


@pytest.mark.parametrize(("usd", "calls"), [(2 * 20 * DRAW - 1, 10**6), (10**9, 180 + 59)])
def test_what_would_not_settle_one_suspect_is_not_begun(usd: int, calls: int) -> None:
    found = reserve(works(confirmed_plan()), max_micro_usd=usd, max_calls=calls)
    assert (found.afforded, found.aside) == (False, {})
    plan = found.works[0].plan
    assert plan.frame.terms["confirm"] is False
    assert [forecast.most for forecast in plan.rule.forecast(plan.frame) if forecast.look != "first"] == [0, 0]


def test_a_run_nobody_pays_for_needs_no_money() -> None:
    found = reserve(works(confirmed_plan()), max_micro_usd=None, max_calls=10**6)
    assert found.aside == {"confirm": Earmark(0, 240)}


def test_a_rule_without_a_second_look_sets_nothing_aside() -> None:
    found = reserve(works(lift_plan()), max_micro_usd=1, max_calls=1)
    assert (found.afforded, found.aside) == (True, {})
    assert "confirm" not in found.works[0].plan.frame.terms
