from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.decisions.band_separation.published import NAME, PublishedBands, terms
from driftproof_action.decisions.table import TABLE
from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.observations import Frame, Observations, Stop, Withheld
from driftproof_action.domain.reading import Scalar
from driftproof_action.errors import ReceiptError
from tests.unit.decisions.tables import Truth, arm, frame, reveal, run

RULE = PublishedBands()


def asked(cases: Mapping[str, str] | None = None, low: int = 3, top: int = 10, **more: Scalar) -> Frame:
    return frame(NAME, cases or {"a": "a"}, {**terms(low, top, 2), **more})


def whole(with_skill: dict[str, list[float | None]], baseline: dict[str, list[float | None]], **more: Scalar) -> Observations:
    """A complete run over fixed scores, each series repeated as long as the rule asks on."""
    truth: Truth = {(id, "with_skill"): scores * 10 for id, scores in with_skill.items()} | {
        (id, "baseline"): scores * 10 for id, scores in baseline.items()
    }
    return run(RULE, asked({id: id for id in with_skill}, **more), truth)[0]


SCORE = st.one_of(st.none(), st.integers(0, 20).map(lambda n: n / 20), st.integers(90, 100).map(lambda n: n / 100))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Frame, Truth]:
    """Up to three cases, perhaps sharing a brief, under either protocol."""
    cases = draw(st.sampled_from([{"a": "a"}, {"a": "a", "b": "b"}, {"a": "s", "b": "s"}, {"a": "s", "b": "t", "c": "s"}]))
    low, top = draw(st.sampled_from([(3, 10), (5, 10), (1, 4), (2, 2)]))
    truth = {(case, side): draw(st.lists(SCORE, min_size=top, max_size=top)) for case in cases for side in ("with_skill", "baseline")}
    return asked(cases, low, top), truth


@given(worlds(), st.integers(0, 2**32), st.integers(1, 16))
def test_wanted_only_grows_and_order_does_not_matter(world: tuple[Frame, Truth], seed: int, slots: int) -> None:
    plan, truth = world
    seen, history = run(RULE, plan, truth, seed=seed, slots=slots)
    for earlier, later in pairwise(history):
        assert set(earlier.draws) <= set(later.draws)
    alone, _ = run(RULE, plan, truth, seed=0, slots=1)
    assert seen == alone
    assert RULE.decide(seen) == RULE.decide(alone)
    assert RULE.wanted(seen) == history[-1]
    assert len(seen.draws) <= len({case.brief for case in plan.cases}) * 2 * plan.number("max_draws")
    assert {draw.id for draw in seen.draws} == set(RULE.wanted(seen).draws)


@given(worlds(), st.integers(0, 2**32))
def test_wanted_only_grows_over_any_part_of_the_table(world: tuple[Frame, Truth], seed: int) -> None:
    """Also when rows turn up that nobody asked for yet, as on resuming an interrupted run."""
    plan, truth = world
    random, seen = Random(seed), Observations(plan)
    ids = [
        DrawId(brief, side, "first", i) for brief in {c.brief for c in plan.cases} for side in ("with_skill", "baseline") for i in range(2)
    ]
    random.shuffle(ids)
    before = set(RULE.wanted(seen).draws)
    for id in ids:
        reveal(seen, id, truth)
        after = set(RULE.wanted(seen).draws)
        assert before <= after
        before = after


@given(worlds(), st.integers(0, 2**32), st.integers(0, 30))
def test_a_run_cut_short_never_passes(world: tuple[Frame, Truth], seed: int, done: int) -> None:
    plan, truth = world
    seen, random = Observations(plan, stop=Stop("signal")), Random(seed)
    for _ in range(done):
        waiting = [draw for draw in RULE.wanted(seen).draws if seen.draw(draw) is None]
        if not waiting:
            break
        reveal(seen, random.choice(waiting), truth)
    decision = RULE.decide(seen)
    assert decision.verdict in {"REGRESSED", "INCONCLUSIVE", "NOT_MEASURED"}
    if decision.verdict != "REGRESSED":
        assert "signal" in decision.reasons


@settings(max_examples=1000, deadline=None)
@given(worlds(), st.integers(0, 2**32))
def test_order_of_cases_and_rows_is_nothing(world: tuple[Frame, Truth], seed: int) -> None:
    plan, truth = world
    seen, _ = run(RULE, plan, truth)
    draws, grades, cases = list(seen.draws), list(seen.grades), list(plan.cases)
    for rows in (draws, grades, cases):
        Random(seed).shuffle(rows)  # type: ignore[arg-type]
    turned = RULE.decide(Observations(dataclasses.replace(plan, cases=tuple(cases)), draws, grades, seen.stop))
    straight = RULE.decide(seen)
    assert (turned.verdict, turned.reasons) == (straight.verdict, straight.reasons)
    assert {item.about: item for item in turned.readings} == {item.about: item for item in straight.readings}


def test_wanted_goes_out_draw_by_draw_with_the_arms_side_by_side() -> None:
    wanted = RULE.wanted(Observations(asked({"a": "a", "b": "b"}, 2, 10))).draws
    assert [(draw.index, draw.brief, draw.arm) for draw in wanted] == [
        (0, "a", "with_skill"),
        (0, "a", "baseline"),
        (0, "b", "with_skill"),
        (0, "b", "baseline"),
        (1, "a", "with_skill"),
        (1, "a", "baseline"),
        (1, "b", "with_skill"),
        (1, "b", "baseline"),
    ]


def test_cases_of_one_brief_share_its_draws_and_the_neediest_decides() -> None:
    truth: Truth = {
        ("a", "with_skill"): [0.9] * 10,
        ("b", "with_skill"): [0.0, 1.0, 0.5, 0.0, 1.0, 0.0, 1.0, 0.5, 0.5, 0.5],
        ("a", "baseline"): [0.5] * 10,
        ("b", "baseline"): [0.5] * 10,
    }
    seen, _ = run(RULE, asked({"a": "s", "b": "s"}), truth)
    drawn = [draw.id for draw in seen.draws if draw.id.arm == "with_skill"]
    assert len(drawn) == 6
    assert len(seen.draws) == 6 + 3
    readings = {item.about: item.numbers for item in RULE.decide(seen).readings}
    assert (readings["a"]["with_skill_n"], readings["b"]["with_skill_n"]) == (6, 6)


def test_arms_of_other_roles_are_left_alone() -> None:
    plan = asked()
    plan = dataclasses.replace(plan, arms=(*plan.arms, arm("incumbent")))
    assert {draw.arm for draw in RULE.wanted(Observations(plan)).draws} == {"with_skill", "baseline"}


@pytest.mark.parametrize(
    ("with_skill", "baseline", "verdict", "reason"),
    [
        ({"a": [0.9]}, {"a": [0.5]}, "PASSED", "separated_up"),
        ({"a": [0.5]}, {"a": [0.9]}, "REGRESSED", "separated_down"),
        ({"a": [0.9], "b": [0.5]}, {"a": [0.5], "b": [0.9]}, "REGRESSED", "separated_down"),
        ({"a": [0.9]}, {"a": [0.9]}, "NO_EFFECT", "not_separated"),
        ({"a": [0.94]}, {"a": [0.9]}, "NO_EFFECT", "not_separated"),
        ({"a": [0.95]}, {"a": [0.9]}, "PASSED", "separated_up"),
        ({"a": [0.0, 1.0]}, {"a": [0.0, 1.0]}, "UNDERPOWERED", "spread"),
        ({"a": [0.9, 0.87, 0.9]}, {"a": [0.9, 0.87, 0.9]}, "UNDERPOWERED", "draws"),
        ({"a": [0.9, None, 0.9]}, {"a": [0.5]}, "INCONCLUSIVE", "lost_draws"),
        ({"a": [0.5, None, 0.5]}, {"a": [0.7]}, "INCONCLUSIVE", "lost_draws"),
        ({"a": [0.1, None, 0.1]}, {"a": [0.9]}, "REGRESSED", "separated_down"),
        ({"a": [0.9, None, 0.9]}, {"a": [0.9]}, "UNDERPOWERED", "lost_draws"),
        ({"a": [0.9], "b": [0.9, None]}, {"a": [0.5], "b": [0.9]}, "INCONCLUSIVE", "lost_draws"),
        ({"a": [0.9], "b": [0.9, 0.9, None, 0.9]}, {"a": [0.5], "b": [0.1]}, "PASSED", "separated_up"),
        ({"a": [0.9], "b": [None]}, {"a": [0.5], "b": [0.5]}, "INCONCLUSIVE", "incomplete"),
        ({"a": [0.5], "b": [None]}, {"a": [0.9], "b": [0.5]}, "REGRESSED", "separated_down"),
        ({"a": [0.9], "b": [0.5]}, {"a": [0.9], "b": [0.5]}, "UNDERPOWERED", "suite_band"),
        ({"a": [0.9], "b": [0.88]}, {"a": [0.9], "b": [0.88]}, "NO_EFFECT", "not_separated"),
        ({"a": [None]}, {"a": [None]}, "NOT_MEASURED", "no_readable_case"),
    ],
)
def test_ladder(with_skill: dict[str, list[float | None]], baseline: dict[str, list[float | None]], verdict: str, reason: str) -> None:
    decision = RULE.decide(whole(with_skill, baseline))
    assert (decision.verdict, decision.reasons[0]) == (verdict, reason)


@pytest.mark.parametrize(
    ("terms_more", "reason"), [({"kind": "stub"}, "below_tested"), ({"preset": "quick"}, "smoke"), ({"narrowed": True}, "narrowed")]
)
def test_what_may_earn_no_verdict_is_not_measured(terms_more: dict[str, Scalar], reason: str) -> None:
    for baseline in (0.5, 1.0):
        decision = RULE.decide(whole({"a": [0.9]}, {"a": [baseline]}, **terms_more))
        assert (decision.verdict, decision.reasons) == ("NOT_MEASURED", (reason,))


def test_a_model_run_may_earn_one() -> None:
    assert RULE.decide(whole({"a": [0.9]}, {"a": [0.5]}, kind="model", preset="", narrowed=False)).verdict == "PASSED"


def test_a_missing_row_under_a_complete_stop_is_seen() -> None:
    seen = whole({"a": [0.9]}, {"a": [0.5]})
    fewer = Observations(seen.frame, seen.draws[:-1], seen.grades[:-1], Stop("complete"))
    assert RULE.decide(fewer).reasons == ("incomplete", "unsettled")


def test_readings_carry_the_numbers_they_stand_on() -> None:
    decision = RULE.decide(whole({"a": [0.9, 0.85, 0.8]}, {"a": [0.5]}))
    case, suite = decision.readings
    assert (case.rule, case.about, case.word, case.reason) == (NAME, "a", "separated_up", "")
    assert case.numbers == {
        "with_skill_mean": 0.85,
        "with_skill_sd": 0.05,
        "with_skill_n": 3,
        "with_skill_lost": 0,
        "with_skill_stop": "min_reached",
        "baseline_mean": 0.5,
        "baseline_sd": 0.0,
        "baseline_n": 3,
        "baseline_lost": 0,
        "baseline_stop": "min_reached",
        "gap": 0.35,
        "resolution": 0.107735,
        "draws_needed": None,
    }
    assert suite.about == "suite"
    counts = {"cases": 1, "measured_cases": 1, "gap": 0.35, "draws_needed": None, "up": 1, "down": 0}
    assert suite.numbers == counts | {"band": None, "between_cases": None}


def test_an_unmeasured_case_names_the_commonest_hole() -> None:
    reading = RULE.decide(whole({"a": [None]}, {"a": [0.5]})).readings[0]
    assert (reading.word, reading.reason, reading.numbers["with_skill_stop"]) == ("not_measured", "timeout", "unmeasured_exhausted")
    assert RULE.decide(Observations(asked())).readings[0].reason == "not_drawn"


def test_withheld_briefs_end_at_the_minimum_and_cost_nothing() -> None:
    plan = asked({"a": "a", "b": "b"}, 5, 10)
    plan = dataclasses.replace(plan, withheld=tuple(Withheld("b", side, Hole("files_missing")) for side in ("with_skill", "baseline")))
    truth: Truth = {
        ("a", "with_skill"): [0.9] * 10,
        ("a", "baseline"): [0.5] * 10,
        ("b", "with_skill"): [None] * 10,
        ("b", "baseline"): [None] * 10,
    }
    seen, _ = run(RULE, plan, truth)
    assert len(seen.draws) == 20
    assert RULE.decide(seen).reasons == ("separated_up",)
    (forecast,) = RULE.forecast(plan)
    assert (forecast.look, forecast.fewest, forecast.most) == ("first", 10, 20)


def test_a_frame_without_its_arms_is_not_measured() -> None:
    plan = dataclasses.replace(asked(), arms=(arm("with_skill"),))
    assert RULE.decide(Observations(plan)).reasons == ("arm_missing",)


@pytest.mark.parametrize(
    "broken",
    [
        {"min_draws": 0},
        {"min_draws": True},
        {"min_draws": "3"},
        {"max_draws": 2},
        {"max_draws": 10**12},
        {"effect_floor": 0.01},
        {"power_z": 3},
    ],
)
def test_terms_of_another_rule_are_refused(broken: dict[str, Scalar]) -> None:
    plan = asked(**broken)
    for face in (RULE.wanted, RULE.decide):
        with pytest.raises(ReceiptError, match=next(iter(broken))):
            face(Observations(plan))


def test_missing_bounds_are_refused_by_name() -> None:
    with pytest.raises(ReceiptError, match="min_draws"):
        RULE.wanted(Observations(frame(NAME, {"a": "a"}, {})))


def test_the_table_finds_the_rule_by_its_stored_name() -> None:
    assert isinstance(TABLE[asked().rule], PublishedBands)
    assert all(name == rule.name for name, rule in TABLE.items())
