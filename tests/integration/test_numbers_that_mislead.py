"""Numbers that look like a finding and are none: equal inputs that score differently, a side that was never measured, doubles at
an edge. Each with the smallest input that shows it."""

from __future__ import annotations

import json
import re

import pytest

from driftproof_action.analysis.bands import Band, separation
from driftproof_action.commands import badge, diff, power
from driftproof_action.comparison.compare import compare
from driftproof_action.comparison.confirmed import confirm
from driftproof_action.decisions.table import TABLE
from driftproof_action.domain.arithmetic import mean
from driftproof_action.graders.reductions import weighted_share
from driftproof_action.receipts.draw_sets import outcome
from driftproof_action.receipts.read import load
from driftproof_action.reports.cases import with_and_without
from driftproof_action.reports.receipt_summary import receipt_summary
from tests.integration.receipt_files import scored, shelf

# ---- the same skill, measured twice -----------------------------------------------------------------------------

ALL = {id: [1.0] * 4 for id in "abcd"}
ONE_OFF = ALL | {"c": [1.0, 0.0, 1.0, 1.0]}


@pytest.mark.parametrize(("before", "after"), [(ALL, ONE_OFF), (ONE_OFF, ALL)])
def test_one_answer_that_flips_on_equal_inputs_is_no_drift(before: dict[str, list[float]], after: dict[str, list[float]]) -> None:
    old, new = scored(before), scored(after)
    text, code = diff.run("old", "new", fail_on=("drift", "any-drift", "regression"), read=shelf(old=old, new=new))
    assert code == 0
    assert text.splitlines()[0].endswith(": no clear difference")
    assert "**Moved:** nothing that both receipts record." in text
    assert "in none of 4 cases do the two bands stand apart by 0.05 or more; smaller moves may be there" in text.lower()
    assert "| 0.750 ± 0.500 |" in text
    found = compare(*(load(content, source="r", rules=TABLE) for content in (old, new)))
    assert (found.headline, found.changed, found.gating("regression")) == ("NO_SEPARATION", (), 0)
    (case,) = [case for case in found.cases if case.id == "c"]
    assert (case.verdict, case.power, case.old_n, case.new_n) == ("within noise", "underpowered", 4, 4)


def test_a_case_that_fell_altogether_on_an_unchanged_skill_gates_nothing() -> None:
    """The published reading calls it a regression; nobody can have broken a skill that is the same to the byte."""
    old, new = (load(scored(cases), source="r", rules=TABLE) for cases in (ALL, ALL | {"c": [0.0] * 4}))
    published = compare(old, new)
    assert (published.headline, published.changed) == ("DRIFT", ())
    found = confirm(published, old, new)
    assert found.headline != "DRIFT"
    assert not found.gates
    (case,) = [case for case in found.cases if case.id == "c"]
    assert (case.verdict, case.gates) == ("regression", False)
    assert case.reading in ("suspect", "cannot_tell")


# ---- a side that was never measured -----------------------------------------------------------------------------

ONE_SIDED = scored({"a": [0.8] * 3, "b": [0.8] * 3}, {"a": [None] * 3, "b": [None] * 3})


def test_without_a_measured_baseline_there_is_no_lift_anywhere() -> None:
    document, view = json.loads(ONE_SIDED), load(ONE_SIDED, source="r", rules=TABLE)
    assert document["comparison"]["delta"] is None
    assert document["results"]["aggregates"]["baseline"]["mean_score"] is None
    assert (view.delta, view.decision and view.decision.verdict) == (None, "NOT_MEASURED")
    shown = [
        with_and_without(view),
        receipt_summary(view, verdict="NOT_MEASURED"),
        badge.run("r", svg=False, read=shelf(r=ONE_SIDED))[0],
        diff.run("r", "r", lift_breakdown=True, read=shelf(r=ONE_SIDED))[0],
        power.run("r", effect=0.1, as_json=False, read=shelf(r=ONE_SIDED))[0],
    ]
    for text in shown:
        assert not re.search(r"\+0\.[1-9]|0\.80? to |lift \+", text)
    assert shown[0].count("not measured") == 2
    assert "| 0.80 ± 0.00 | not measured: timed out | – |".replace(" ", "") in shown[0].replace("\u00a0", "").replace(" ", "")


# ---- doubles at an edge -----------------------------------------------------------------------------------------


def test_seven_of_ten_meets_seven_tenths() -> None:
    """Exactly on its threshold a case is borderline when nothing scatters, never a failure."""
    scores = [1.0] * 7 + [0.0] * 3
    assert mean(scores) == 0.7
    assert outcome(mean([0.7] * 10), 0.0, 0.7) == "borderline"
    assert weighted_share([(str(n), n < 7) for n in range(10)], {str(n): 0.1 for n in range(10)}) == 0.7
    assert outcome(0.699999, 0.0, 0.7) == "fail"
    assert outcome(0.700001, 0.0, 0.7) == "pass"


@pytest.mark.parametrize(("high", "low"), [(step / 20, (step - 1) / 20) for step in range(1, 21)])
def test_every_step_of_the_floor_counts_as_the_floor(high: float, low: float) -> None:
    """As doubles half of them are a hair less than 0.05."""
    assert separation(Band(high, 0.0, 5), Band(low, 0.0, 5)) == 1
    assert separation(Band(low, 0.0, 5), Band(high, 0.0, 5)) == -1
    assert separation(Band(high - 0.000001, 0.0, 5), Band(low, 0.0, 5)) == 0


def test_some_steps_are_less_than_the_floor_as_doubles() -> None:
    assert any(step / 20 - (step - 1) / 20 < 0.05 for step in range(1, 21))


def test_thirds_and_tenths_add_up() -> None:
    assert mean([0.1, 0.2]) * 2 == 0.3
    assert 0.1 + 0.2 != 0.3
    exact = scored({"a": [0.1 + 0.2] * 3, "b": [0.3] * 3})
    cases = json.loads(exact)["results"]["cases"]
    assert {row["mean"] for row in cases} == {0.3}


def test_what_is_shown_and_what_gates_agree_at_the_floor() -> None:
    """0.8 → 0.75 is told as a fall of 0.050 and is one; 0.8 → 0.751 is told as smaller and is none."""
    for now, word, shown in ((0.75, "regression", "−0.050"), (0.751, "within noise (below effect floor)", "−0.049")):
        files = shelf(old=scored({"a": [0.8] * 3}), new=scored({"a": [now] * 3}))
        text = diff.run("old", "new", read=files)[0]
        assert f"| {shown} | {word} |" in text
