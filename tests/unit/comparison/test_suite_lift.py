from __future__ import annotations

import dataclasses

import pytest

from driftproof_action.comparison.suite_lift import suite_lift
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.hole import Origin
from driftproof_action.domain.observations import Frame, Observations
from tests.unit.comparison.views import answer, receipt

HELPS = {id: ([0.9, 0.9, 0.9], [base, base, base]) for id, base in zip("abcde", (0.6, 0.65, 0.7, 0.75, 0.8), strict=True)}


def test_mean_interval_and_smallest_lift_over_these_cases() -> None:
    found = suite_lift(receipt(HELPS))
    assert (found.word, found.reason, found.other_day, found.single) == ("given", "", False, False)
    assert found.statistics is not None
    assert found.statistics.mean == pytest.approx(0.2)
    assert found.statistics.interval(0.95) == pytest.approx((0.100753, 0.299247), abs=1e-6)
    assert found.smallest == pytest.approx(0.198214, abs=1e-6)


@pytest.mark.parametrize(
    ("cases", "word", "reason"), [(4, "wide", ""), (3, "wide", ""), (2, "not_given", "few_cases"), (0, "not_given", "few_cases")]
)
def test_few_cases(cases: int, word: str, reason: str) -> None:
    found = suite_lift(receipt(dict(list(HELPS.items())[:cases])))
    assert (found.word, found.reason, found.statistics is None) == (word, reason, word == "not_given")


def test_why_it_is_not_given() -> None:
    assert suite_lift(receipt(HELPS, preset="quick")).reason == "smoke"
    assert suite_lift(receipt(HELPS, narrowed=True)).reason == "narrowed"
    assert suite_lift(receipt({**HELPS, "f": ([None], [0.5])})).reason == "unmeasured_case"


def test_one_answer_an_arm_and_another_day_are_said() -> None:
    rows = {(id, arm): answer(id, arm, score, 0.02) for id in "abc" for arm, score in (("with_skill", 0.9), ("baseline", 0.6))}
    assert suite_lift(receipt(rows=rows)).single
    view = receipt(HELPS)
    seen = Observations(Frame("r", (), ()), [Draw(DrawId("a", "baseline"), "completed", origin=Origin("f" * 64, "2026-01-01"))])
    assert suite_lift(dataclasses.replace(view, observations=seen)).other_day
