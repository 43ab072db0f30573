from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.decisions.band_separation.confirmed import ConfirmedBands
from driftproof_action.decisions.band_separation.confirmed_readings import NAME, published_verdict_of
from driftproof_action.decisions.band_separation.constants import terms
from driftproof_action.decisions.band_separation.published import PublishedBands
from driftproof_action.decisions.table import TABLE
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.observations import Frame, Observations, Stop, Withheld
from driftproof_action.domain.reading import Decision, Reading, Scalar
from driftproof_action.domain.table_records import decision_from_json, decision_to_json
from driftproof_action.errors import ReceiptError
from driftproof_action.graders.judging import JudgeSetting
from driftproof_action.methods.lift import LiftInput, plan
from tests.unit.decisions.tables import Truth, arm, everything, finish, frame, reveal, run, stored
from tests.unit.execution import worlds

RULE = ConfirmedBands()
ARMS = ("with_skill", "baseline")


def asked(cases: Mapping[str, str], low: int = 5, top: int = 10, *, arms: Sequence[str] = ARMS, **more: Scalar) -> Frame:
    own = {key: more.pop(key) for key in ("models_in_job", "confirm", "redraw", "incumbent") if key in more}
    return frame(NAME, cases, {**terms(low, top, 2, **own), **more}, arms)  # type: ignore[arg-type]


def steady(**gaps: float) -> Truth:
    """Baseline 0.5 in every case, with the skill so much more; every draw like the others."""
    truth: dict[tuple[str, ...], list[float | None]] = {}
    for id, gap in gaps.items():
        truth[id, "with_skill"], truth[id, "baseline"] = [round(0.5 + gap, 6)] * 10, [0.5] * 10
    return truth


def play(truth: Truth, **more: Scalar) -> tuple[Observations, Decision]:
    seen, _ = run(RULE, asked({key[0]: key[0] for key in truth}, **more), truth)
    return seen, RULE.decide(seen)


def reading(decision: Decision, rule: str, about: str) -> Reading:
    (found,) = [item for item in decision.readings if (item.rule, item.about) == (rule, about)]
    return found


def fresh_draws(seen: Observations, look: str = "confirm") -> list[tuple[str, str, int]]:
    return [(draw.id.brief, draw.id.arm, draw.id.index) for draw in seen.draws if draw.id.look == look]


# ---- any world ------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Played:
    plan: Frame
    truth: Truth
    start: Observations


def a_world(seed: int) -> Played:
    """Up to seven cases that may share briefs, holes, an incumbent drawn or stored or answers nobody can be asked for again, a
    baseline taken over from a receipt."""
    random = Random(seed)
    count = random.choice([1, 2, 3, 5, 6])
    briefs = {f"c{n}": f"b{n if random.random() < 0.8 else 0}" for n in range(count)}
    incumbent = random.choice(["", "", "stored", "drawn", "past"])
    beside = {"": [], "past": ["past", "past_baseline"]}.get(incumbent, ["incumbent"])
    arms = (*ARMS, *beside)
    low, top = random.choice([(2, 4), (2, 3), (3, 3), (3, 5)])
    plan = asked(
        briefs,
        low,
        top,
        arms=arms,
        incumbent="" if incumbent == "past" else incumbent,
        models_in_job=random.choice([1, 1, 3]),
        confirm=random.random() < 0.9,
        redraw=random.random() < 0.8,
    )
    whole, holes, sd = random.choice([0, 0, -0.2, -0.5, 0.3]), random.choice([0, 0, 0.1, 0.5]), random.choice([0.0, 0.05, 0.2])
    truth: dict[tuple[str, ...], list[float | None]] = {}
    for id in briefs:
        own = random.choice([0, 0, -0.5, 0.4])
        for name in arms:
            for look in ("first", "redraw", "confirm"):
                centre = 0.6 + (whole + own if name == "with_skill" else 0.0)
                scores = [min(1.0, max(0.0, round(random.gauss(centre, sd) * 20) / 20)) for _ in range(10)]
                truth[id, name, look] = [None if random.random() < holes else score for score in scores]
    start = Observations(plan)
    reused = [
        name
        for name in arms[1:]
        if (name == "baseline" and random.random() < 0.3) or (name == "incumbent" and incumbent == "stored") or name.startswith("past")
    ]
    for name in reused:
        rows = stored(plan, name, {id: truth[id, name, "first"][: random.choice([1, 3, 8])] for id in briefs if random.random() < 0.9})
        start = Observations(plan, [*start.draws, *rows.draws], [*start.grades, *rows.grades])
    return Played(plan, truth, start)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_wanted_only_grows_and_slots_and_order_do_not_matter(world: int, seed: int) -> None:
    played = a_world(world)
    alone = finish(RULE, played.plan, played.truth, played.start)
    for slots in (1, 4, 16):
        seen, history = run(RULE, played.plan, played.truth, seed=seed, slots=slots, start=played.start)
        for earlier, later in pairwise(history):
            assert set(earlier.draws) <= set(later.draws)
            assert {*earlier.draws, *earlier.extra} <= {*later.draws, *later.extra}
        assert seen == alone
        assert RULE.decide(seen) == RULE.decide(alone)
        assert {draw.id for draw in seen.draws} == set(everything(RULE, seen))
    paid = [draw.id.look for draw in alone.draws if draw.origin is None]
    forecasts = RULE.forecast(played.plan)
    for look in ("first", "redraw", "confirm"):
        assert paid.count(look) <= sum(item.most for item in forecasts if item.look == look)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_wanted_only_grows_over_any_part_of_the_table(world: int, seed: int) -> None:
    """Also when rows of later looks turn up early, as on resuming an interrupted run."""
    played, random = a_world(world), Random(seed)
    whole = finish(RULE, played.plan, played.truth, played.start)
    ids = [draw.id for draw in whole.draws if draw.origin is None]
    random.shuffle(ids)
    seen = Observations(played.plan, played.start.draws, played.start.grades)
    before = set(everything(RULE, seen))
    for id in ids:
        seen.add_draw(Draw(id, "completed"))
        if random.random() < 0.1:
            assert before <= set(everything(RULE, seen))  # answered, not graded yet
        reveal(seen, id, played.truth)
        if random.random() < 0.5:
            after = set(everything(RULE, seen))
            assert before <= after
            before = after
    seen.stop = whole.stop
    assert RULE.decide(seen) == RULE.decide(whole)


@settings(max_examples=1000, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**32), st.integers(0, 120), st.sampled_from(["signal", "budget"]))
def test_a_run_cut_short_never_passes_and_a_confirmed_case_stands(world: int, seed: int, done: int, stop: str) -> None:
    played, random = a_world(world), Random(seed)
    seen = Observations(played.plan, played.start.draws, played.start.grades, Stop(stop))
    for _ in range(done):
        waiting = [draw for draw in everything(RULE, seen) if seen.draw(draw) is None]
        if not waiting:
            break
        reveal(seen, random.choice(waiting), played.truth)
    decision = RULE.decide(seen)
    assert decision.verdict in {"REGRESSED", "INCONCLUSIVE", "NOT_MEASURED"}
    confirmed = [item for item in decision.readings if item.rule == "confirmation/down" and item.word == "confirmed"]
    if confirmed or reading(decision, "confirmation/suite", "suite").word == "suite_down":
        assert decision.verdict == "REGRESSED"


@settings(max_examples=1000, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_what_is_said_follows_from_the_rows_and_not_from_their_order(world: int, seed: int) -> None:
    played, random = a_world(world), Random(seed)
    seen = finish(RULE, played.plan, played.truth, played.start)
    decision = RULE.decide(seen)
    assert decision_from_json(decision_to_json(decision)) == decision
    check_suspects(decision)
    assert published_verdict_of(decision) == PublishedBands().decide(seen).verdict
    keys = [(item.rule, item.about) for item in decision.readings]
    assert len(keys) == len(set(keys))
    draws, grades, cases = list(seen.draws), list(seen.grades), list(played.plan.cases)
    for rows in (draws, grades, cases):
        random.shuffle(rows)  # type: ignore[arg-type]
    turned = RULE.decide(Observations(dataclasses.replace(played.plan, cases=tuple(cases)), draws, grades, seen.stop))
    assert (turned.verdict, turned.reasons) == (decision.verdict, decision.reasons)
    for item in turned.readings:
        other = reading(decision, item.rule, item.about)
        assert (item.word, item.reason) == (other.word, other.reason)
        assert dict(item.numbers) == pytest.approx(dict(other.numbers), abs=2e-6)


def check_suspects(decision: Decision) -> None:
    """Whatever is confirmed was suspect, passes Holm in whole numbers and clears the floor with lost draws at their worst."""
    for item in decision.readings:
        if item.rule in ("confirmation/down", "confirmation/up", "confirmation/drift"):
            assert item.numbers["suspect_by"] in ("r1", "welch", "both")
            assert abs(float(item.numbers["first_gap"] or 0)) >= 0.05
            if item.word == "confirmed":
                numerator, denominator = item.numbers["holm_numerator"], item.numbers["holm_denominator"]
                count, total = item.numbers["count"], item.numbers["total"]
                assert isinstance(count, int)
                assert isinstance(total, int)
                assert isinstance(numerator, int)
                assert isinstance(denominator, int)
                assert count * denominator <= numerator * total
                assert float(item.numbers["worst_gap"] or 0) >= 0.05


def test_the_exact_test_sees_nothing_of_the_first_look() -> None:
    """The same fresh draws behind another first look: same count, same size."""
    fresh = {
        ("a", "with_skill", "confirm"): [0.3, 0.4, 0.2, 0.5, 0.3, 0.4, 0.2, 0.3, 0.4, 0.3],
        ("a", "baseline", "confirm"): [0.6, 0.5] * 5,
    }
    found = [reading(play({**steady(a=gap), **fresh})[1], "confirmation/down", "a").numbers for gap in (-0.3, -0.1)]
    assert found[0]["first_gap"] != found[1]["first_gap"]
    for name in ("count", "total", "gap", "fresh_target_mean", "holm_numerator", "holm_denominator"):
        assert found[0][name] == found[1][name]


# ---- verdicts -------------------------------------------------------------------------------------------------------


def test_a_fall_of_one_case_is_confirmed_on_fresh_draws() -> None:
    seen, decision = play(steady(a=-0.3, b=0.0))
    assert (decision.verdict, decision.reasons) == ("REGRESSED", ("confirmed_case",))
    assert fresh_draws(seen) == [("a", side, i) for side in sorted(ARMS) for i in range(10)]
    found = reading(decision, "confirmation/down", "a")
    assert (found.word, found.reason) == ("confirmed", "")
    assert found.numbers == {
        "suspect_by": "both",
        "direction": "down",
        "first_gap": -0.3,
        "p1": 0.0,
        "t": 32.863353,
        "df": 8.0,
        "target_n": 5,
        "target_mean": 0.2,
        "target_sd": 0.0,
        "other_n": 5,
        "other_mean": 0.5,
        "other_sd": 0.0,
        "rank": 0,
        "fresh_target_n": 10,
        "fresh_target_lost": 0,
        "fresh_target_mean": 0.2,
        "fresh_other_n": 10,
        "fresh_other_lost": 0,
        "fresh_other_mean": 0.5,
        "stop": "complete",
        "gap": 0.3,
        "worst_gap": 0.3,
        "count": 1,
        "total": 184_756,
        "holm_rank": 0,
        "holm_numerator": 5,
        "holm_denominator": 1000,
    }
    assert reading(decision, "confirmation/family", "down").numbers == {"suspects": 1, "drawn": 1, "confirmed": 1, "other": "baseline"}


def test_a_fall_that_fresh_draws_do_not_show_blocks_nothing_and_stops_early() -> None:
    truth = {**steady(a=-0.3, b=0.3), ("a", "with_skill", "confirm"): [0.5] * 10}
    seen, decision = play(truth)
    assert (decision.verdict, decision.reasons) == ("PASSED", ("confirmed_case",))
    found = reading(decision, "confirmation/down", "a")
    assert (found.word, found.reason, found.numbers["stop"], found.numbers["count"]) == ("not_confirmed", "futility", "futility", None)
    assert len([row for row in fresh_draws(seen) if row[0] == "a"]) == 6
    assert (published_verdict_of(decision), reading(decision, "published", "suite").reason) == ("REGRESSED", "separated_down")


def test_without_anything_confirmed_a_suspect_leaves_it_open() -> None:
    _, decision = play({**steady(a=-0.3, b=0.0), ("a", "with_skill", "confirm"): [0.5] * 10})
    assert (decision.verdict, decision.reasons) == ("UNDERPOWERED", ("not_confirmed",))


def test_the_suite_decides_and_draws_nobody_afresh() -> None:
    seen, decision = play(steady(a=-0.1, b=-0.12, c=-0.08, d=-0.1, e=-0.11))
    assert (decision.verdict, decision.reasons) == ("REGRESSED", ("suite",))
    assert fresh_draws(seen) == []
    found = reading(decision, "confirmation/down", "b")
    assert (found.word, found.reason) == ("unconfirmed", "suite_decides")
    suite = reading(decision, "confirmation/suite", "suite")
    assert (suite.word, suite.numbers["cases"], suite.numbers["df"], suite.numbers["sentence"]) == ("suite_down", 5, 4, "given")
    assert suite.numbers["mean"] == -0.102
    assert suite.numbers["high99"] is not None
    assert float(suite.numbers["high99"]) < 0
    assert [reading(decision, "confirmation/difference", id).numbers["gap"] for id in "abcde"] == [-0.1, -0.12, -0.08, -0.1, -0.11]


def test_a_suite_that_rises_while_one_case_falls_says_both() -> None:
    truth = steady(a=-0.3, b=0.3, c=0.3, d=0.3, e=0.3, f=0.3, g=0.3, h=0.3, i=0.3, j=0.3, k=0.3, l=0.3)
    _, decision = play(truth)
    assert (decision.verdict, decision.reasons) == ("REGRESSED", ("confirmed_case",))
    assert reading(decision, "confirmation/suite", "suite").word == "suite_up"
    assert reading(decision, "confirmation/up", "b").reason == "suite_decides"


def test_no_more_than_three_fall_and_one_rise_are_drawn() -> None:
    seen, decision = play(steady(a=-0.4, b=-0.2, c=-0.3, d=-0.1, e=0.2, f=0.4))
    assert {row[0] for row in fresh_draws(seen)} == {"a", "b", "c", "f"}
    assert (reading(decision, "confirmation/down", "d").word, reading(decision, "confirmation/down", "d").reason) == ("unconfirmed", "cap")
    assert reading(decision, "confirmation/up", "e").reason == "cap"
    assert reading(decision, "confirmation/down", "d").numbers["rank"] == 3


def test_what_the_budget_does_not_hold_is_not_confirmed() -> None:
    seen, decision = play(steady(a=-0.3, b=0.0), confirm=False)
    assert fresh_draws(seen) == []
    assert (decision.verdict, decision.reasons) == ("UNDERPOWERED", ("unconfirmed",))
    assert reading(decision, "confirmation/down", "a").reason == "budget"
    assert RULE.forecast(seen.frame)[2].most == 0


def test_several_models_share_the_error_rates() -> None:
    """Three suspects at a p of 1 in 200 models: the threshold goes down with the number planned."""
    truth = steady(a=-0.3)
    assert play(truth, models_in_job=900)[1].verdict == "REGRESSED"
    assert play(truth, models_in_job=1000)[0].frame.terms["alpha_case_spent"] == 0.005 / 1000
    odd = {**truth, ("a", "with_skill", "confirm"): [0.2] * 9 + [0.5]}
    assert play(odd)[1].verdict == "REGRESSED"
    decision = play(odd, models_in_job=1000)[1]
    assert (decision.verdict, reading(decision, "confirmation/down", "a").reason) == ("UNDERPOWERED", "p")
    assert reading(decision, "confirmation/down", "a").numbers["holm_denominator"] == 1_000_000


def test_nothing_to_see_is_no_effect_unless_the_cases_scatter() -> None:
    assert play(steady(a=0.0, b=0.01))[1].verdict == "NO_EFFECT"
    wide = {("a", "with_skill"): [0.9] * 10, ("a", "baseline"): [0.9] * 10, **steady(b=0.0)}
    assert play(wide)[1].reasons == ("suite_band", "cases")


def test_lost_draws_of_the_first_look_leave_it_open_where_the_published_ladder_says_so() -> None:
    lost: Truth = {("a", "with_skill"): [0.9, None] * 5, ("a", "baseline"): [0.5] * 10, **steady(b=0.0)}
    _, decision = play(lost)
    assert (decision.verdict, decision.reasons) == ("INCONCLUSIVE", ("lost_draws",))


def test_an_unmeasured_case_is_no_pass() -> None:
    truth = {**steady(a=0.3), ("b", "with_skill"): [None] * 10, ("b", "baseline"): [0.5] * 10}
    _, decision = play(truth)
    assert (decision.verdict, decision.reasons) == ("INCONCLUSIVE", ("incomplete", "case_unmeasured"))
    assert reading(decision, "confirmation/suite", "suite").numbers["sentence"] == "not_given"
    assert play({key: [None] * 10 for key in steady(a=0.0)})[1].verdict == "NOT_MEASURED"


def test_cases_set_aside_before_the_first_call_do_not_stand_in_the_way() -> None:
    truth = {**steady(a=0.3), ("b", "with_skill"): [None] * 10, ("b", "baseline"): [None] * 10}
    plan = asked({"a": "a", "b": "b"})
    plan = dataclasses.replace(plan, withheld=tuple(Withheld("b", side, Hole("files_missing")) for side in ARMS))
    seen, _ = run(RULE, plan, truth)
    assert RULE.decide(seen).verdict == "PASSED"
    first, redraw, confirm = RULE.forecast(plan)
    assert (first.fewest, first.most, redraw.most, confirm.most) == (10, 20, 0, 20)


@pytest.mark.parametrize(
    ("more", "reason"), [({"kind": "stub"}, "below_tested"), ({"preset": "quick"}, "smoke"), ({"narrowed": True}, "narrowed")]
)
def test_what_may_earn_no_verdict_is_not_measured(more: dict[str, Scalar], reason: str) -> None:
    decision = play(steady(a=-0.3, b=0.0, c=0.0), **more)[1]
    assert (decision.verdict, decision.reasons) == ("NOT_MEASURED", (reason,))
    assert reading(decision, "confirmation/suite", "suite").numbers["sentence"] == "not_given"


@pytest.mark.parametrize(
    ("cases", "sentence"), [("a", "not_given"), ("ab", "not_given"), ("abc", "wide"), ("abcd", "wide"), ("abcde", "given")]
)
def test_the_sentence_asks_for_three_cases_and_is_wide_below_five(cases: str, sentence: str) -> None:
    numbers = reading(play(steady(**dict.fromkeys(cases, 0.1)))[1], "confirmation/suite", "suite").numbers
    assert numbers["sentence"] == sentence
    assert (numbers["smallest_lift"] is None) == (sentence == "not_given")
    assert (numbers["low95"] is None) == (len(cases) < 2)


# ---- arms that were not drawn today -----------------------------------------------------------------------------------


def reused(gaps: Mapping[str, float], then: float, **more: Scalar) -> tuple[Observations, Decision]:
    """The baseline's first look comes from a receipt that scored it `then`; today it scores 0.5."""
    plan = asked({id: id for id in gaps}, **more)
    seen, _ = run(RULE, plan, steady(**gaps), start=stored(plan, "baseline", {id: [then] * 3 for id in gaps}))
    return seen, RULE.decide(seen)


def test_a_reused_arm_that_makes_the_suite_look_down_is_drawn_again() -> None:
    same = dict.fromkeys("abcde", 0.0)
    seen, decision = reused(same, 0.6, redraw=True)
    assert {row[1] for row in fresh_draws(seen, "redraw")} == {"baseline"}
    assert len(fresh_draws(seen, "redraw")) == 25
    suite = reading(decision, "confirmation/suite", "suite")
    assert (suite.word, suite.numbers["baseline_look"], suite.numbers["mean"]) == ("suite_flat", "redraw", 0.0)
    assert decision.verdict == "UNDERPOWERED"
    assert {item.reason for item in decision.readings if item.rule == "confirmation/down"} == {"futility", "cap"}
    fallen = reused(dict.fromkeys("abcde", -0.1), 0.6, redraw=True)[1]
    assert (fallen.verdict, fallen.reasons) == ("REGRESSED", ("suite",))


def test_a_reused_arm_screens_and_does_not_decide() -> None:
    seen, decision = reused(dict.fromkeys("abcde", 0.1), 0.5)
    assert fresh_draws(seen, "redraw") == []
    suite = reading(decision, "confirmation/suite", "suite")
    assert (suite.word, suite.reason, suite.numbers["sentence"]) == ("not_given", "reused_arm", "given")
    assert (decision.verdict, decision.reasons) == ("PASSED", ("confirmed_case",))
    assert {row[1] for row in fresh_draws(seen)} == set(ARMS)


def test_a_second_look_nobody_can_pay_is_named() -> None:
    seen, decision = reused(dict.fromkeys("abcde", 0.0), 0.6, redraw=False)
    assert fresh_draws(seen, "redraw") == []
    suite = reading(decision, "confirmation/suite", "suite")
    assert (suite.word, suite.reason, suite.numbers["baseline_look"]) == ("not_given", "budget", "first")


def incumbent(gaps: Mapping[str, float], old: Mapping[str, float], kind: str) -> tuple[Observations, Decision]:
    """`old`: how far the incumbent lies above the baseline."""
    plan = asked({id: id for id in gaps}, arms=(*ARMS, "incumbent"), incumbent=kind)
    truth = {**steady(**gaps), **{(id, "incumbent"): [round(0.5 + gap, 6)] * 10 for id, gap in old.items()}}
    start = stored(plan, "incumbent", {id: [round(0.5 + gap, 6)] * 5 for id, gap in old.items()}) if kind == "stored" else None
    seen, _ = run(RULE, plan, truth, start=start)
    return seen, RULE.decide(seen)


@pytest.mark.parametrize("kind", ["stored", "drawn"])
def test_drift_draws_the_old_skill_again_and_shares_the_fresh_answers(kind: str) -> None:
    seen, decision = incumbent({"a": -0.2, "b": 0.0}, {"a": 0.2, "b": 0.0}, kind)
    assert [row for row in fresh_draws(seen) if row[1] == "incumbent"] == [("a", "incumbent", i) for i in range(10)]
    assert len([row for row in fresh_draws(seen) if row[1] == "with_skill"]) == 10
    drift = reading(decision, "confirmation/drift", "a")
    assert (drift.word, drift.numbers["gap"], drift.numbers["other_mean"]) == ("confirmed", 0.4, 0.7)
    assert reading(decision, "confirmation/down", "a").numbers["gap"] == 0.2
    assert reading(decision, "incumbent", "a").word == "separated_down"
    assert reading(decision, "incumbent", "a").numbers["incumbent_mean"] == 0.7
    suite = reading(decision, "incumbent/suite", "suite")
    assert (suite.word, suite.reason, suite.numbers["mean"]) == ("not_given", "reused_arm" if kind == "stored" else "few_cases", -0.2)
    first = [draw for draw in seen.draws if draw.id.arm == "incumbent" and draw.id.look == "first"]
    assert all((draw.origin is not None) == (kind == "stored") for draw in first)


def test_drift_alone_does_not_turn_the_verdict_and_a_rise_is_never_drawn() -> None:
    seen, decision = incumbent({"a": 0.1, "b": 0.0}, {"a": 0.3, "b": -0.3}, "stored")
    assert decision.verdict == "PASSED"
    assert reading(decision, "confirmation/drift", "a").word == "confirmed"
    assert {row[0] for row in fresh_draws(seen) if row[1] == "incumbent"} == {"a"}
    assert RULE.forecast(seen.frame)[2].most == 2 * 10 * (2 + 2)


def test_the_suite_against_an_incumbent_of_today_is_read_and_does_not_gate() -> None:
    same = dict.fromkeys("abcde", 0.1)
    decision = incumbent(same, dict.fromkeys("abcde", 0.3), "drawn")[1]
    assert decision.verdict == "PASSED"
    assert reading(decision, "incumbent/suite", "suite").word == "suite_down"


def test_the_ground_that_moved_confirms_no_drift() -> None:
    """Stored answers of the old skill scored higher; drawn today it scores like the new one."""
    plan = asked({"a": "a"}, arms=(*ARMS, "incumbent"), incumbent="stored")
    truth = {**steady(a=0.0), ("a", "incumbent"): [0.5] * 10}
    seen, _ = run(RULE, plan, truth, start=stored(plan, "incumbent", {"a": [0.9] * 5}))
    found = reading(RULE.decide(seen), "confirmation/drift", "a")
    assert (found.word, found.reason) == ("not_confirmed", "futility")


# ---- the engine -----------------------------------------------------------------------------------------------------


def test_one_four_and_sixteen_slots_give_the_same_table(tmp_path: Path) -> None:
    """Through the engine itself, with lost answers, second asks and answers in any order."""
    judge = JudgeSetting("fake", worlds.MODEL, 2)
    suite = tuple(worlds.criteria_case(f"c{n}") if n % 2 else worlds.rubric_case(f"c{n}") for n in range(4))
    given = LiftInput("be good", suite, "fake", worlds.MODEL, None, 100, judge, terms(3, 5, 2))
    tables = []
    for slots in (1, 4, 16):
        surface = worlds.Surface(spread=0.2, failures=0.05, garbage=0.1, jitter=0.001)
        (seen,), _ = worlds.run(surface, tmp_path / str(slots), plans=(plan(given, RULE),), slots=slots)
        assert seen.coverage(RULE.wanted(seen))["expected"] == len(seen.draws)
        tables.append(worlds.table(seen))
        assert fresh_draws(seen)
    assert tables[0] == tables[1] == tables[2]


# ---- the frame ------------------------------------------------------------------------------------------------------


def test_a_frame_without_its_arms_is_not_measured() -> None:
    plan = dataclasses.replace(asked({"a": "a"}), arms=(arm("with_skill"),))
    assert RULE.decide(Observations(plan)).reasons == ("arm_missing",)
    assert RULE.wanted(Observations(plan)).draws == ()


@pytest.mark.parametrize(
    "broken",
    [
        {"min_draws": 0},
        {"models_in_job": 0},
        {"models_in_job": "1"},
        {"confirm": 1},
        {"redraw": "yes"},
        {"incumbent": "other"},
        {"alpha_case": 0.05},
        {"alpha_case_spent": 0.05},
        {"alpha_suite_spent": 0.05},
        {"fresh": 5},
        {"suspect_p": 0.2},
        {"effect_floor": 0.01},
    ],
)
def test_terms_of_another_rule_are_refused(broken: dict[str, Scalar]) -> None:
    plan = asked({"a": "a"})
    plan = dataclasses.replace(plan, terms={**plan.terms, **broken})
    for face in (RULE.wanted, RULE.decide):
        with pytest.raises(ReceiptError, match=next(iter(broken))):
            face(Observations(plan))


def test_draws_alternate_between_the_arms() -> None:
    seen = Observations(asked({"a": "a", "b": "b"}))
    truth = steady(a=-0.3, b=-0.2)
    for draw in RULE.wanted(seen).draws:
        reveal(seen, draw, truth)
    fresh = [draw for draw in RULE.wanted(seen).draws if draw.look == "confirm"]
    assert fresh[:5] == [
        DrawId("a", "with_skill", "confirm", 0),
        DrawId("a", "baseline", "confirm", 0),
        DrawId("b", "with_skill", "confirm", 0),
        DrawId("b", "baseline", "confirm", 0),
        DrawId("a", "with_skill", "confirm", 1),
    ]
    assert len(fresh) == 12


def test_the_table_finds_the_rule_by_its_stored_name() -> None:
    assert isinstance(TABLE[NAME], ConfirmedBands)
