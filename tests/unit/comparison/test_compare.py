from __future__ import annotations

import dataclasses
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.comparison.compare import compare
from driftproof_action.comparison.drift import Comparison
from tests.unit.comparison.views import JUDGE, answer, receipt, row, with_rows

FLAT, HIGH, LOW = (0.8, 0.8, 0.8), (0.95, 0.95, 0.95), (0.5, 0.5, 0.5)


def sides(*cases: tuple[str, tuple[float | None, ...], tuple[float | None, ...]], **new: Any) -> Comparison:
    """Cases as (id, older scores, newer scores); the answers without the skill are the same on both sides."""
    old = receipt({id: (before, LOW) for id, before, _ in cases})
    return compare(old, receipt({id: (after, LOW) for id, _, after in cases}, **new))


def words(found: Comparison) -> dict[str, str]:
    return {case.id: case.verdict for case in found.cases}


@pytest.mark.parametrize(
    ("cases", "headline"),
    [
        ([("a", FLAT, LOW), ("b", FLAT, HIGH)], "MIXED"),
        ([("a", FLAT, LOW), ("b", FLAT, FLAT)], "DRIFT"),
        ([("a", FLAT, HIGH), ("b", FLAT, FLAT)], "IMPROVED"),
        ([("a", FLAT, FLAT)], "NO_SEPARATION"),
        ([("a", FLAT, (0.5, 0.5, None)), ("b", FLAT, FLAT)], "NO_SEPARATION"),
        ([("a", FLAT, (0.5, 0.5, None))], "INCONCLUSIVE"),
        ([("a", FLAT, (0.95, 0.95, None))], "INCONCLUSIVE"),
        ([("a", (0.8, 0.8, None), LOW), ("b", FLAT, LOW)], "DRIFT"),
    ],
)
def test_headlines(cases: list[tuple[str, tuple[float | None, ...], tuple[float | None, ...]]], headline: str) -> None:
    assert sides(*cases).headline == headline


def test_words_of_the_cases() -> None:
    found = sides(
        ("fell", FLAT, LOW),
        ("rose", FLAT, HIGH),
        ("same", FLAT, (0.79, 0.81, 0.8)),
        ("floor", FLAT, (0.84, 0.84, 0.84)),
        ("lost", FLAT, (0.5, None, 0.5)),
    )
    assert words(found) == {
        "fell": "regression",
        "rose": "improvement",
        "same": "within noise",
        "floor": "within noise (below effect floor)",
        "lost": "inconclusive",
    }


def test_reading_order_is_regressions_then_the_unseparated_then_improvements() -> None:
    found = sides(
        ("rose", FLAT, HIGH),
        ("floor", FLAT, (0.84, 0.84, 0.84)),
        ("fell", FLAT, (0.6, 0.6, 0.6)),
        ("lost", FLAT, (0.5, None, 0.5)),
        ("fell-deeper", FLAT, LOW),
        ("same", FLAT, FLAT),
    )
    assert [case.id for case in found.cases] == ["fell-deeper", "fell", "lost", "same", "floor", "rose"]


def test_exactly_the_floor_moves_the_word() -> None:
    assert words(sides(("a", (0.8, 0.8), (0.75, 0.75)))) == {"a": "regression"}
    assert words(sides(("a", (0.8, 0.8), (0.750001, 0.750001)))) == {"a": "within noise (below effect floor)"}


def test_delta_is_the_mean_move_and_never_minus_zero() -> None:
    assert sides(("a", FLAT, LOW), ("b", FLAT, FLAT)).delta == -0.15
    assert str(sides(("a", FLAT, FLAT)).delta) == "0.0"


def test_figures_power_and_need_stand_on_the_case() -> None:
    (case,) = sides(("a", (0.8, 0.83, 0.8), (0.8, 0.83, 0.8))).cases
    assert (case.old_mean, case.old_sd, case.new_mean, case.delta) == (0.81, 0.017321, 0.81, 0.0)
    assert (case.power, case.reason, case.needed, case.old_n, case.new_n) == ("underpowered", "draws", 11, 3, 3)
    (sure,) = sides(("a", FLAT, FLAT)).cases
    assert (sure.power, sure.reason, sure.needed) == ("not_separated", "", None)


@pytest.mark.parametrize(
    ("change", "headline", "code", "verdict"),
    [
        ({"status": "incomplete"}, "NOT_MEASURED", "incomplete", "not measured"),
        ({"narrowed": True}, "NOT_MEASURED", "incomplete", "not measured"),
        ({"level": "UNVERIFIED", "kind": "stub"}, "NOT_MEASURED", "below_tested", "not measured"),
        ({"level": "DECLARED", "kind": "external"}, "NOT_MEASURED", "below_tested", "not measured"),
        ({"kind": "external"}, "NOT_MEASURED", "below_tested", "not measured"),
        ({"preset": "quick"}, "NOT_MEASURED", "smoke", "not measured"),
        ({"method": "measure"}, "NOT_COMPARABLE", "method", "n/a"),
        ({"judge": dataclasses.replace(JUDGE, model_id="other-judge")}, "NOT_COMPARABLE", "judge_model", "n/a"),
        ({"judge": dataclasses.replace(JUDGE, prompt_template_hash="b" * 64)}, "NOT_COMPARABLE", "judge_template", "n/a"),
        ({"judge": dataclasses.replace(JUDGE, temperature=None)}, "NOT_COMPARABLE", "judge_sampling", "n/a"),
    ],
)
def test_what_stands_in_the_way_of_a_verdict(change: dict[str, Any], headline: str, code: str, verdict: str) -> None:
    """On either side; the figures stay, the verdicts go."""
    for found in (sides(("a", FLAT, LOW), **change), compare(receipt({"a": (FLAT, LOW)}, **change), receipt({"a": (LOW, LOW)}))):
        assert (found.headline, found.code, found.delta) == (headline, code, None)
        (case,) = found.cases
        assert (case.verdict, case.reason, case.power) == (verdict, code, "")
        assert case.delta == -0.3


def test_both_stub_is_not_measured() -> None:
    stub = receipt({"a": (FLAT, LOW)}, level="UNVERIFIED", kind="stub", surface="stub")
    found = compare(stub, stub)
    assert (found.headline, found.code) == ("NOT_MEASURED", "below_tested")
    assert "stub" in found.reason


def test_the_first_barrier_in_published_order_is_named() -> None:
    found = sides(("a", FLAT, LOW), status="incomplete", kind="stub", level="UNVERIFIED", judge=dataclasses.replace(JUDGE, model_id="x"))
    assert found.code == "incomplete"


def test_another_date_stamp_is_the_same_model() -> None:
    found = sides(("a", FLAT, FLAT), model_id="model-x", judge=dataclasses.replace(JUDGE, model_id="judge-model-20991231"))
    assert (found.headline, found.changed) == ("NO_SEPARATION", ())


# ---- across versions --------------------------------------------------------------------------------------------


def test_across_versions_the_answers_without_the_skill_must_reproduce() -> None:
    old = receipt({"a": (FLAT, LOW), "b": (FLAT, LOW)}, version="0.11")
    moved = receipt({"a": (FLAT, LOW), "b": (FLAT, HIGH)})
    found = compare(old, moved)
    assert (found.headline, found.code) == ("NOT_COMPARABLE", "baseline_did_not_reproduce")
    assert {case.id: (case.verdict, case.reason) for case in found.cases} == {
        "a": ("refused", ""),
        "b": ("refused", "baseline_did_not_reproduce"),
    }
    assert compare(old, receipt({"a": (LOW, LOW), "b": (FLAT, LOW)})).headline == "DRIFT"
    assert compare(dataclasses.replace(old, version="1.0-draft"), moved).headline == "NO_SEPARATION"


def test_touching_baseline_bands_reproduce() -> None:
    old = with_rows(receipt({"a": (FLAT, LOW)}, version="0.11"), row("a", "baseline", LOW, mean=0.5, sd=0.125))
    new = with_rows(receipt({"a": (FLAT, LOW)}), row("a", "baseline", LOW, mean=0.75, sd=0.125))
    assert compare(old, new).headline == "NO_SEPARATION"
    assert compare(old, with_rows(new, row("a", "baseline", LOW, mean=0.76, sd=0.125))).code == "baseline_did_not_reproduce"


def test_a_baseline_that_is_not_there_cannot_reproduce() -> None:
    old = receipt({"a": (FLAT, LOW)}, version="0.11")
    new = receipt({"a": (FLAT, LOW)})
    without = dataclasses.replace(new, rows={key: value for key, value in new.rows.items() if key[1] != "baseline"})
    assert compare(old, without).code == "baseline_missing"
    assert compare(old, with_rows(new, row("a", "baseline", (None, None)))).code == "baseline_unmeasured"


# ---- receipts of older versions ---------------------------------------------------------------------------------


def test_one_answer_each_reads_as_published_and_never_gates() -> None:
    old = with_rows(receipt(version="0.3"), answer("a", "with_skill", 0.9, 0.01), answer("a", "baseline", 0.5, 0.01))
    new = with_rows(receipt(version="0.3"), answer("a", "with_skill", 0.5, 0.01), answer("a", "baseline", 0.5, 0.01))
    found = compare(old, new)
    (case,) = found.cases
    assert (found.headline, case.verdict, case.reading, case.gates) == ("DRIFT", "regression", "single_answer", False)
    assert (found.gating("regression"), found.count("regression"), case.old_n) == (0, 1, 1)
    same = compare(old, old).cases[0]
    assert (same.verdict, same.power, same.reason, same.needed) == ("within noise", "underpowered", "single_draw", 2)


def test_drawn_answers_of_a_published_version_are_not_confirmed() -> None:
    found = compare(receipt({"a": (FLAT, LOW)}, version="0.11"), receipt({"a": (LOW, LOW)}, version="0.11"))
    assert (found.cases[0].verdict, found.cases[0].reading, found.cases[0].gates) == ("regression", "not_confirmed", False)


def test_our_own_version_gates() -> None:
    found = sides(("a", FLAT, LOW))
    assert (found.cases[0].reading, found.cases[0].gates, found.gating("regression")) == ("", True, 1)


def test_examples_are_read_only_on_demand() -> None:
    old, new = (receipt({"a": (scores, LOW)}, level="DECLARED", example=True) for scores in (FLAT, LOW))
    assert compare(old, new).code == "below_tested"
    shown = compare(old, new, examples=True)
    assert shown.headline == "DRIFT"
    assert "made up" in shown.caveats[0]
    claimed = dataclasses.replace(old, example=False)
    assert compare(claimed, new, examples=True).code == "below_tested"


# ---- laws -------------------------------------------------------------------------------------------------------

SCORES = st.lists(st.one_of(st.none(), st.integers(0, 20).map(lambda n: n / 20)), min_size=1, max_size=4).map(tuple)
CASES = st.dictionaries(st.sampled_from("abcd"), st.tuples(SCORES, SCORES), min_size=1)
TURNED = {"regression": "improvement", "improvement": "regression"}
TURNED_HEADLINE = {"DRIFT": "IMPROVED", "IMPROVED": "DRIFT"}


@given(CASES)
def test_turning_the_sides_turns_the_words(cases: dict[str, tuple[tuple[float | None, ...], tuple[float | None, ...]]]) -> None:
    old, new = (receipt({id: (scores[side], LOW) for id, scores in cases.items()}) for side in (0, 1))
    there, back = compare(old, new), compare(new, old)
    assert words(back) == {id: TURNED.get(word, word) for id, word in words(there).items()}
    assert back.headline == TURNED_HEADLINE.get(there.headline, there.headline)


@given(CASES)
def test_a_receipt_never_drifts_from_itself(cases: dict[str, tuple[tuple[float | None, ...], tuple[float | None, ...]]]) -> None:
    view = receipt({id: (scores[0], scores[1]) for id, scores in cases.items()})
    found = compare(view, view)
    assert found.headline in {"NO_SEPARATION", "NOT_MEASURED"}
    assert (found.changed, found.left_out) == ((), ())


@settings(max_examples=500, deadline=None)
@given(CASES, st.lists(st.integers(0, 20).map(lambda step: step / 20), min_size=1, max_size=9))
def test_a_verdict_up_or_down_stands_whatever_the_lost_answers_would_have_scored(
    cases: dict[str, tuple[tuple[float | None, ...], tuple[float | None, ...]]], fills: list[float]
) -> None:
    old, new = (receipt({id: (scores[side], LOW) for id, scores in cases.items()}) for side in (0, 1))
    fill = cycle(fills)
    filled = {id: [[next(fill) if score is None else score for score in side] for side in sides] for id, sides in cases.items()}
    whole = compare(*(receipt({id: (scores[side], LOW) for id, scores in filled.items()}) for side in (0, 1)))
    would = {case.id: case.verdict for case in whole.cases}
    for case in compare(old, new).cases:
        if case.verdict in TURNED:
            assert would[case.id] == case.verdict
            assert abs(case.delta or 0.0) >= 0.05
