"""Today's answers against those of a receipt whose skill or model nobody asks again: drawn in one arm, never gating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.decisions.band_separation.confirmed import ConfirmedBands
from driftproof_action.decisions.band_separation.confirmed_readings import NAME
from driftproof_action.decisions.band_separation.constants import terms
from driftproof_action.domain.observations import Frame, Observations
from driftproof_action.domain.reading import Decision, Reading, Scalar
from tests.unit.decisions.tables import Truth, finish, frame, run, stored

RULE = ConfirmedBands()
ARMS = ("with_skill", "baseline", "past", "past_baseline")


def asked(ids: Sequence[str], **more: Scalar) -> Frame:
    return frame(NAME, {id: id for id in ids}, {**terms(5, 10, 2), **more}, ARMS)


def play(
    now: Mapping[str, float], then: Mapping[str, float], *, ground: tuple[float, float] = (0.4, 0.4), answers: int = 5, **more: Scalar
) -> tuple[Observations, Decision]:
    """Every draw of a case scores alike. now, then: with the skill, by case; ground: without it, then and now."""
    plan = asked(list(now), **more)
    truth: Truth = {
        **{(id, "with_skill"): [score] * 10 for id, score in now.items()},
        **{(id, "baseline"): [ground[1]] * 10 for id in now},
    }
    rows = [stored(plan, "past", {id: [score] * answers for id, score in then.items()})]
    rows.append(stored(plan, "past_baseline", {id: [ground[0]] * answers for id in then}))
    start = Observations(plan, [draw for part in rows for draw in part.draws], [grade for part in rows for grade in part.grades])
    seen = finish(RULE, plan, truth, start)
    return seen, RULE.decide(seen)


def read(decision: Decision, case: str) -> Reading:
    (found,) = [item for item in decision.readings if (item.rule, item.about) == ("confirmation/past", case)]
    return found


def fresh(seen: Observations) -> list[tuple[str, str]]:
    return [(draw.id.brief, draw.id.arm) for draw in seen.draws if draw.id.look == "confirm"]


SAME = {"a": 0.8, "b": 0.8, "c": 0.8}


def test_a_case_that_fell_is_drawn_with_the_skill_alone_and_reads_likely() -> None:
    seen, decision = play({**SAME, "a": 0.5}, SAME)
    found = read(decision, "a")
    assert (found.word, found.reason, found.numbers["stop"]) == ("likely", "", "complete")
    assert (found.numbers["gap"], found.numbers["count"], found.numbers["total"]) == (0.3, 1, 3003)
    assert (found.numbers["fresh_target_n"], found.numbers["fresh_other_n"], found.numbers["lift_moved"]) == (10, 0, -0.3)
    assert "holm_rank" not in found.numbers
    assert [side for side in fresh(seen) if side[0] == "a"] == [("a", "with_skill")] * 10
    assert decision.verdict == "PASSED"


def test_the_stored_arms_are_never_asked() -> None:
    seen, _ = play({**SAME, "a": 0.5}, SAME)
    assert all(draw.origin for draw in seen.draws if draw.id.arm.startswith("past"))
    assert not any(id.arm.startswith("past") and id.index >= 5 for id in RULE.wanted(seen).draws)


def test_ground_that_fell_with_it_cannot_tell() -> None:
    _, decision = play({**SAME, "a": 0.5}, SAME, ground=(0.7, 0.4))
    assert (read(decision, "a").word, read(decision, "a").reason) == ("cannot_tell", "lift")


def test_a_fall_of_the_first_answers_alone_is_let_go_after_three() -> None:
    plan = asked(["a", "b"])
    truth: Truth = {
        ("a", "with_skill", "first"): [0.5] * 10,
        ("a", "with_skill", "confirm"): [0.8] * 10,
        ("a", "baseline"): [0.5] * 10,
        ("b", "with_skill"): [0.8] * 10,
        ("b", "baseline"): [0.8] * 10,
    }
    rows = [stored(plan, arm, {"a": [0.8] * 5, "b": [0.8] * 5}) for arm in ("past", "past_baseline")]
    start = Observations(plan, [draw for part in rows for draw in part.draws], [grade for part in rows for grade in part.grades])
    seen, _ = run(RULE, plan, truth, start=start, slots=4, seed=3)
    found = read(RULE.decide(seen), "a")
    assert (found.word, found.reason) == ("cannot_tell", "futility")
    assert fresh(seen) == [("a", "with_skill")] * 3


@pytest.mark.parametrize(("answers", "reason"), [(1, None), (3, "old_draws"), (4, "")])
def test_too_few_stored_answers_are_not_drawn_against(answers: int, reason: str | None) -> None:
    """One answer has no band, so the case is not even suspect; three could never be rare enough among three cases."""
    _, decision = play({**SAME, "a": 0.5}, SAME, answers=answers)
    if reason is None:
        assert not [item for item in decision.readings if item.rule == "confirmation/past"]
        return
    assert read(decision, "a").reason == reason
    assert ("stop" in read(decision, "a").numbers) is (reason == "")


def test_the_clearest_three_are_drawn_and_the_budget_is_reckoned_for_them() -> None:
    now, then = dict.fromkeys("abcde", 0.4), dict.fromkeys("abcde", 0.8)
    seen, decision = play(now, then)
    assert len(fresh(seen)) == 30
    assert [read(decision, id).reason for id in "abcde"].count("cap") == 2
    assert [(item.most, item.extra) for item in RULE.forecast(seen.frame)[2:]] == [(2 * 10 * 4, False), (10 * 3, True)]
    assert RULE.forecast(seen.frame)[0].fewest == 2 * 5 * 5
    _, without = play(now, then, confirm=False)
    assert {read(without, id).reason for id in "abcde"} == {"budget"}


def test_a_case_the_receipt_does_not_hold_is_no_suspect() -> None:
    _, decision = play({**SAME, "new": 0.1}, SAME)
    assert not [item for item in decision.readings if item.rule == "confirmation/past"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=6), st.integers(0, 20), st.integers(0, 20))
def test_stored_answers_never_change_the_verdict(levels: list[tuple[int, int]], ground: int, before: int) -> None:
    now = {f"c{n}": level[0] / 20 for n, level in enumerate(levels)}
    then = {f"c{n}": level[1] / 20 for n, level in enumerate(levels)}
    seen, decision = play(now, then, ground=(before / 20, ground / 20))
    plain = frame(NAME, {id: id for id in now}, terms(5, 10, 2))
    truth: Truth = {
        **{(id, "with_skill"): [score] * 10 for id, score in now.items()},
        **{(id, "baseline"): [ground / 20] * 10 for id in now},
    }
    alone = RULE.decide(finish(RULE, plain, truth))
    assert (decision.verdict, decision.reasons) == (alone.verdict, alone.reasons)
    assert {id.look for id in RULE.wanted(seen).draws if id.arm.startswith("past")} <= {"first"}
