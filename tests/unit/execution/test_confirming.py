from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from driftproof_action.decisions.band_separation.confirmed import ConfirmedBands
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.draw import Look
from driftproof_action.domain.observations import Observations
from driftproof_action.domain.plan import Earmark
from driftproof_action.domain.usage import Usage
from driftproof_action.execution.budget import Budget
from driftproof_action.execution.projection import earmarks, project
from tests.unit.execution.worlds import Prices, Surface, confirmed_plan, run, table

RULE = ConfirmedBands()
ROOM: Mapping[Look, Earmark] = {"confirm": Earmark(40_000, 240)}


def one_hurts(ask: Ask) -> float:
    """c1 is worse with the skill, and worse with today's than with the committed one."""
    if "called c1" in ask.prompt:
        return {"": 0.7, "be good": 0.35}.get(ask.system, 0.8)
    return 0.7


def surface(jitter: float = 0.0, failures: float = 0.0) -> Surface:
    made = Surface(spread=0.04, jitter=jitter, failures=failures)
    made.level = one_hurts
    return made


def words(seen: Observations, rule: str) -> dict[str, tuple[str, str]]:
    return {item.about: (item.word, item.reason) for item in RULE.decide(seen).readings if item.rule == rule}


@pytest.mark.parametrize("slots", [1, 4, 16])
@pytest.mark.parametrize("old", ["", "be better"])
def test_the_table_does_not_depend_on_slots_or_arrival(tmp_path: Path, slots: int, old: str) -> None:
    plan = confirmed_plan(incumbent=old)
    [expected], _ = run(surface(failures=0.03), tmp_path / "reference", plans=(plan,), slots=1)
    assert {draw.id.look for draw in expected.draws} == {"first", "confirm"}
    for attempt in range(2):
        [seen], _ = run(surface(jitter=0.002, failures=0.03), tmp_path / f"{attempt}", plans=(plan,), slots=slots)
        assert table(seen) == table(expected)


def test_fresh_draws_are_journaled_like_any_other(tmp_path: Path) -> None:
    plan = confirmed_plan()
    first = surface()
    [seen], _ = run(first, tmp_path, plans=(plan,))
    assert words(seen, "confirmation/down")["c1"] == ("confirmed", "")
    again = surface()
    [resumed], _ = run(again, tmp_path, plans=(plan,))
    assert again.keys == []
    assert table(resumed) == table(seen)


def test_what_is_set_aside_is_there_when_a_suspect_needs_it(tmp_path: Path) -> None:
    """The first look alone would spend what is left; the earmark keeps it for the fresh draws."""
    plan = confirmed_plan()
    [free], _ = run(surface(), tmp_path / "free", plans=(plan,))
    assert free.stop
    assert free.stop.reason == "complete"
    calls = sum(draw.usage.attempts for draw in free.draws) + sum(len(grade.samples) for grade in free.grades)
    [kept], _ = run(surface(), tmp_path / "kept", plans=(plan,), max_calls=calls, earmarks={"confirm": Earmark(0, 60)})
    assert table(kept) == table(free)


def test_the_first_look_comes_before_what_is_set_aside(tmp_path: Path) -> None:
    plan = confirmed_plan()
    [seen], _ = run(surface(), tmp_path, plans=(plan,), max_calls=300, earmarks={"confirm": Earmark(0, 240)}, slots=1)
    firsts = [draw for draw in seen.draws if draw.id.look == "first"]
    assert len(firsts) >= 60  # more than the 60 calls beside the earmark would have paid for
    assert seen.stop
    assert seen.stop.reason == "budget" or any(draw.id.look == "confirm" for draw in seen.draws)


def test_an_earmark_is_kept_from_every_other_look() -> None:
    budget = Budget(max_micro_usd=100, max_calls=10, earmarks={"confirm": Earmark(60, 6)})
    assert budget.reserve("a", 40, calls=4)
    assert not budget.reserve("b", 1, calls=0)
    assert not budget.reserve("c", 0, calls=1)
    assert budget.reserve("d", 60, calls=6, look="confirm")
    assert not budget.reserve("e", 1, calls=0, look="confirm")


def test_what_was_not_needed_goes_back_to_all() -> None:
    budget = Budget(max_micro_usd=100, max_calls=10, earmarks={"confirm": Earmark(60, 6)})
    assert budget.reserve("d", 60, calls=6, look="confirm")
    budget.spend("d", 10, calls=1)
    budget.release("d")
    assert budget.reserve("a", 90, calls=9)


def test_an_earmark_may_be_given_up_once() -> None:
    budget = Budget(max_micro_usd=100, max_calls=10, earmarks={"confirm": Earmark(60, 6)})
    assert budget.waive()
    assert not budget.waive()
    assert budget.reserve("a", 100, calls=10)


@pytest.mark.parametrize("mark", [Earmark(101, 0), Earmark(0, 11)])
def test_an_earmark_above_the_cap_is_dropped(mark: Earmark) -> None:
    assert Budget(max_micro_usd=100, max_calls=10, earmarks={"confirm": mark}).reserve("a", 100, calls=10)


class Flat:
    """Every call costs 10 at most and 1 at least."""

    def worst_micro_usd(self, ask: Ask) -> int:
        return 10

    def fewest_micro_usd(self) -> int:
        return 1


def test_the_projection_counts_fresh_draws_and_not_what_a_receipt_hands_over() -> None:
    plain = project(confirmed_plan(), lambda _: Flat())
    # 6 cases x 2 arms x 5..8 draws x 3 calls, and 4 suspects x 2 x 10 draws x 3 calls
    assert (plain.fewest, plain.most) == (180, 288 + 240)
    assert plain.least_micro_usd == 180
    assert plain.most_micro_usd == (288 + 240) * 10
    assert plain.draw == Earmark(10 + 2 * 20, 3)  # a second ask may cost as much as the first
    drawn = project(confirmed_plan(incumbent="be better"), lambda _: Flat())
    assert (drawn.fewest, drawn.most) == (270, 432 + 420)
    assert earmarks(confirmed_plan(), plain.draw) == {"confirm": Earmark(80 * 50, 80 * 3)}


def test_one_case_takes_no_more_than_one_case_may() -> None:
    assert project(confirmed_plan(1), lambda _: Flat()).most == 48 + 60


def test_prices_of_the_fresh_look_stay_inside_the_cap(tmp_path: Path) -> None:
    class Dear(Prices):
        def cost(self, ask: Ask, usage: Usage) -> int:
            return self.dearest

    [_], [board] = run(surface(), tmp_path, plans=(confirmed_plan(),), prices=Dear(100), max_micro_usd=30_000, earmarks=ROOM)
    assert board.micro_usd <= 30_000
