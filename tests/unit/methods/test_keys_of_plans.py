"""What an answer and a grade are remembered under: everything that decides who gives them."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from driftproof_action.decisions.band_separation import published
from driftproof_action.decisions.pass_rate.measure import MeasuredRates
from driftproof_action.domain.suite import Check, Criterion, SuiteCase
from driftproof_action.graders.judging import JudgeSetting
from driftproof_action.methods import lift, measure

CASE = SuiteCase("c", "Do it.", "It is done.", (Criterion("a", 1, "A"),), 0.7, (Check("c1", "contains", ("x",)),), case_hash="h")
JUDGE = JudgeSetting("api", "claude-haiku-4-5", 2, 0.0, 400, "https://api.anthropic.com")
LIFT = lift.LiftInput(
    "be good", (CASE,), "api", "claude-haiku-4-5", None, 100, JUDGE, published.terms(3, 5, 2), endpoint="https://api.anthropic.com"
)
MEASURE = measure.MeasureInput("be good", (CASE,), "api", "claude-haiku-4-5", None, 100, {"draws": 3}, "https://api.anthropic.com")

OTHERS = {
    "surface": "cli",
    "model": "claude-sonnet-5",
    "endpoint": "https://gateway.example.com",
    "temperature": 0.5,
    "samples": 3,
    "max_tokens": 800,
}


def arms(given: lift.LiftInput | measure.MeasureInput) -> dict[str, str]:
    made = lift.plan(given, published.PublishedBands()) if isinstance(given, lift.LiftInput) else measure.plan(given, MeasuredRates())
    return {arm.name: arm.digest for arm in made.frame.arms}


@pytest.mark.parametrize("given", [LIFT, MEASURE], ids=["lift", "measure"])
@pytest.mark.parametrize("name", ["surface", "model", "endpoint", "temperature"])
def test_another_asked_is_another_arm(given: lift.LiftInput | measure.MeasureInput, name: str) -> None:
    before, after = arms(given), arms(replace(given, **{name: OTHERS[name]}))  # type: ignore[arg-type]
    assert before.keys() == after.keys()
    assert all(before[arm] != after[arm] for arm in before)


@pytest.mark.parametrize("name", [field.name for field in fields(JudgeSetting)])
def test_everything_of_a_judge_is_in_what_its_grades_are_remembered_under(name: str) -> None:
    before = lift.plan(LIFT, published.PublishedBands()).graders
    other = replace(JUDGE, **{name: OTHERS[name]})  # type: ignore[arg-type]
    after = lift.plan(replace(LIFT, judge=other), published.PublishedBands()).graders
    assert before["judge"].digest != after["judge"].digest
    assert before["criteria"].digest != after["criteria"].digest
    assert before["checks"].digest == after["checks"].digest
