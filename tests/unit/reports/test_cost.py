from __future__ import annotations

import dataclasses

import pytest

from driftproof_action.comparison.skill_cost import ArmCost, SkillCost
from driftproof_action.reports.cost import skill_cost_block, skill_cost_to_json
from tests.contract.package_source import ROOT

ARM = ArmCost(31, 1204.4, 388.2, 900.0, 0.003145, 4200.0, 3100.0, 5800.0)
COST = SkillCost(
    "metered", {"with_skill": ARM, "baseline": dataclasses.replace(ARM, usd=0.0017)}, 0.001445, 1.445, 1830, 0.1148, 0.31, 98, 2
)


def test_both_arms_stand_side_by_side() -> None:
    text = skill_cost_block(COST)
    assert "| with the skill | 31 | 1,204 | 900 | 388 | 0.003145 | 4.2 (3.1 to 5.8) |" in text
    assert "| without | 31 | 1,204 | 900 | 388 | 0.001700 | 4.2 (3.1 to 5.8) |" in text
    assert "- The skill adds 0.001445 USD a call, 1.45 USD for 1,000 calls, cached tokens at the full price." in text
    assert "- SKILL.md has about 1,830 tokens: 0.1148 of lift for every 1,000." in text
    assert "- Judging took 0.31 USD over 100 judged answers; 2 of them did not tell all their tokens, so it was more." in text


def test_a_cheaper_skill_saves() -> None:
    text = skill_cost_block(dataclasses.replace(COST, dearer=-0.0002, per_1k=-0.2))
    assert "The skill saves 0.000200 USD a call, 0.20 USD for 1,000 calls" in text


def test_no_ratio_is_told_of_a_lift_below_the_floor() -> None:
    text = skill_cost_block(dataclasses.replace(COST, value=None))
    assert "SKILL.md has about 1,830 tokens." in text
    assert "for every 1,000" not in text


def test_what_was_not_told_is_a_dash_and_no_zero() -> None:
    bare = ArmCost(2, None, None, None, None, None, None, None)
    text = skill_cost_block(SkillCost("metered", {"with_skill": bare}, None, None, None, None, None, None, None))
    assert "| with the skill | 2 | – | – | – | – | – |" in text
    assert "0.0" not in text
    assert "without" not in text
    assert "(3" not in skill_cost_block(dataclasses.replace(COST, arms={"with_skill": dataclasses.replace(ARM, p25_ms=None)}))
    assert skill_cost_block(dataclasses.replace(COST, arms={})) == ""


@pytest.mark.parametrize("basis", ["metered-equivalent", "source-list-price-estimate", "source-reported"])
def test_figures_nobody_was_charged_say_so(basis: str) -> None:
    assert len(skill_cost_block(dataclasses.replace(COST, basis=basis))) > len(skill_cost_block(COST))


def test_json_is_as_documented() -> None:
    docs = (ROOT / "docs" / "result.md").read_text(encoding="utf-8").partition("### `cost`")[2].partition("\n## ")[0]
    told = skill_cost_to_json(COST)
    arms = told["arms"]
    assert isinstance(arms, dict)
    for key in (*told, *dict(arms["with_skill"])):  # type: ignore[arg-type]
        assert f"`{key}`" in docs
