"""Answers of an earlier receipt, graded again: nobody is asked for them, and they are never worth a stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from driftproof_action.canonical import text_digest
from driftproof_action.decisions.band_separation import constants
from driftproof_action.decisions.band_separation.confirmed import ConfirmedBands
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId
from driftproof_action.domain.hole import Origin
from driftproof_action.domain.observations import Observations
from driftproof_action.domain.plan import Earmark, Plan
from driftproof_action.domain.reading import Reading
from driftproof_action.domain.reply import Ending, Reply
from driftproof_action.execution.keys import Keys
from driftproof_action.execution.projection import project
from driftproof_action.graders.judging import JudgeSetting
from driftproof_action.methods.lift import LiftInput, Past, plan
from tests.unit.execution.test_confirming import Flat
from tests.unit.execution.worlds import MODEL, Surface, rubric_case, run, table

RULE, ORIGIN = ConfirmedBands(), Origin("a" * 64, "2026-01-01")
CASES, EACH = 6, 4


def kept_plan(*, then: float = 0.8, text: str = "quality=0.800") -> Plan:
    """Stored answers with the skill, all of one text and scored `then`; the first four of every case are graded again."""
    suite = tuple(rubric_case(f"c{n}") for n in range(CASES))
    arms = [Arm(name, name, "fake", "fake", MODEL, "", f"digest of {name}") for name in ("past", "past_baseline")]
    draws: list[Draw] = []
    grades: list[Grade] = []
    kept: dict[DrawId, Reply] = {}
    for case in suite:
        for arm in arms:
            for index in range(5):
                id = DrawId(case.id, arm.name, "first", index)
                draws.append(Draw(id, "completed", reply_hash=text_digest(text), origin=ORIGIN))
                score = then if arm.name == "past" else 0.5
                grades.append(Grade(GradeId("judge", case.id, (id,)), outcome="scored", score=score, origin=ORIGIN))
        for index in range(EACH):
            id = DrawId(case.id, "past", "anchor", index)
            draws.append(Draw(id, "completed", reply_hash=text_digest(text), origin=ORIGIN))
            kept[id] = Reply("completed", text)
    past = Past((arms[0], arms[1]), tuple(draws), tuple(grades), kept)
    terms = constants.terms(5, 8, 2)
    return plan(LiftInput("be good", suite, "fake", MODEL, None, 100, JudgeSetting("fake", MODEL, 2), terms, past=past), RULE)


def judge(seen: Observations) -> Reading:
    (found,) = [item for item in RULE.decide(seen).readings if item.rule == "anchor"]
    return found


class Watched(Surface):
    """arms: of every answer that was asked for."""

    def answer(self, ask: Ask, workspace: object, key: str, about: object) -> Reply:  # type: ignore[override]
        self.arms = {*getattr(self, "arms", set()), *(draw.arm for draw in about.draws if about.role == "target")}  # type: ignore[attr-defined]
        return super().answer(ask, None, key, about)  # type: ignore[arg-type]


@pytest.mark.parametrize("slots", [1, 16])
def test_old_answers_are_graded_and_nobody_is_asked_for_them(tmp_path: Path, slots: int) -> None:
    surface = Watched(spread=0.04)
    [seen], _ = run(surface, tmp_path, plans=(kept_plan(),), slots=slots)
    assert seen.stop
    assert seen.stop.reason == "complete"
    assert surface.arms == {"with_skill", "baseline"}
    again = [draw for draw in seen.draws if draw.id.look == "anchor"]
    assert len(again) == CASES * EACH
    assert all(draw.origin == ORIGIN for draw in again)
    assert all(len(grade.samples) == 2 and grade.origin is None for grade in seen.grades if grade.id.draws[0].look == "anchor")
    assert (judge(seen).word, judge(seen).numbers["answers"]) == ("steady", CASES * EACH)
    coverage = seen.coverage(RULE.wanted(seen))
    assert coverage["expected"] == coverage["graded"]


def test_a_judge_that_grades_them_otherwise_has_moved(tmp_path: Path) -> None:
    [seen], _ = run(Surface(spread=0.04), tmp_path, plans=(kept_plan(then=0.9),))
    found = judge(seen)
    assert found.word == "moved"
    assert isinstance(found.numbers["mean"], float)
    assert found.numbers["mean"] == pytest.approx(-0.1, abs=0.02)


def test_gradings_are_journaled_and_another_text_is_not_taken_for_the_same(tmp_path: Path) -> None:
    [seen], _ = run(Surface(spread=0.04), tmp_path, plans=(kept_plan(),))
    again = Surface(spread=0.04)
    [resumed], _ = run(again, tmp_path, plans=(kept_plan(),))
    assert again.keys == []
    assert table(resumed) == table(seen)
    other = Surface(spread=0.04)
    run(other, tmp_path, plans=(kept_plan(text="quality=0.700"),))
    assert len(other.keys) == 2 * CASES * EACH
    id = DrawId("c0", "past", "anchor", 0)
    assert Keys(kept_plan()).draw(id) != Keys(kept_plan(text="quality=0.700")).draw(id)


def test_without_room_they_are_left_out_and_the_run_is_whole(tmp_path: Path) -> None:
    rest = tuple(draw for draw in kept_plan().prior_draws if draw.id.look == "first")
    plain = replace(kept_plan(), kept={}, prior_draws=rest)
    [without], boards = run(Surface(spread=0.04), tmp_path / "without", plans=(plain,))
    for room, some in ((0, False), (15, True), (2 * CASES * EACH, True)):
        [seen], after = run(Surface(spread=0.04), tmp_path / str(room), plans=(kept_plan(),), max_calls=boards[0].calls + room)
        again = [grade for grade in seen.grades if grade.id.draws[0].look == "anchor"]
        assert seen.stop == without.stop
        assert bool(again) is some
        assert not any(grade.hole for grade in again)
        assert after[0].calls <= boards[0].calls + room
        assert RULE.decide(seen).verdict == RULE.decide(without).verdict
    assert judge(seen).word == "steady"


def test_what_is_needed_comes_first_and_what_was_set_aside_for_it_is_free_then(tmp_path: Path) -> None:
    [seen], boards = run(
        Surface(spread=0.04), tmp_path, plans=(kept_plan(),), slots=8, max_calls=400, earmarks={"confirm": Earmark(0, 200)}
    )
    first = sum(draw.origin is None for draw in seen.draws if draw.id.look == "first")
    assert boards[0].calls >= 3 * first + 2 * CASES * EACH
    assert judge(seen).numbers["answers"] == CASES * EACH


def extra(ask_of: object) -> bool:
    return any(draw.look == "anchor" for draw in ask_of.draws)  # type: ignore[attr-defined]


class Breaking(Surface):
    """From the third old answer on every call ends as told. hit: what is done then."""

    def __init__(self, reply: Reply | None, hit: Callable[[], None] = lambda: None) -> None:
        super().__init__(spread=0.04)
        self.reply, self.hit, self.extras = reply, hit, 0

    def answer(self, ask: Ask, workspace: object, key: str, about: object) -> Reply:  # type: ignore[override]
        self.extras += extra(about)
        if self.extras >= 3:
            self.hit()
            if self.reply:
                return self.reply
        return super().answer(ask, None, key, about)  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", ["not_allowed", "wrong_model", "rate_limited"])
def test_what_a_verdict_does_not_need_cannot_spoil_it(tmp_path: Path, ending: Ending) -> None:
    """Refused at the very end: the measurement is whole, and no more is sent than it takes to see it."""
    [whole], _ = run(Surface(spread=0.04), tmp_path / "whole", plans=(kept_plan(),))
    surface = Breaking(Reply(ending, "no more", retryable=ending == "rate_limited"))
    [seen], [board] = run(surface, tmp_path / "cut", plans=(kept_plan(),), slots=1)
    assert seen.stop
    assert seen.stop.reason == "complete"
    assert (RULE.decide(seen).verdict, RULE.decide(seen).reasons) == (RULE.decide(whole).verdict, RULE.decide(whole).reasons)
    assert judge(seen).word == "not_given"
    assert surface.extras <= {"not_allowed": 3, "rate_limited": 60, "wrong_model": 2 * CASES * EACH}[ending]
    assert (board.stop is not None) is (ending == "not_allowed")


def test_a_signal_at_the_end_leaves_the_measurement_whole_and_resuming_pays_the_rest(tmp_path: Path) -> None:
    stop = threading.Event()
    first = Breaking(None, stop.set)
    [seen], _ = run(first, tmp_path, plans=(kept_plan(),), slots=2, stop=stop)
    assert seen.stop
    assert seen.stop.reason == "complete"
    assert first.extras < 2 * CASES * EACH
    second = Breaking(None)
    [resumed], _ = run(second, tmp_path, plans=(kept_plan(),), slots=2)
    assert not set(first.keys) & set(second.keys)
    assert first.extras + second.extras == 2 * CASES * EACH
    assert judge(resumed).numbers["answers"] == CASES * EACH


def test_no_extra_goes_out_while_a_board_lacks_what_it_needs(tmp_path: Path) -> None:
    class Half(Breaking):
        def answer(self, ask: Ask, workspace: object, key: str, about: object) -> Reply:  # type: ignore[override]
            if ask.system == "be bad" and about.role == "target":  # type: ignore[attr-defined]
                return Reply("not_allowed", "no")
            return super().answer(ask, workspace, key, about)

    bad = kept_plan()
    bad = replace(bad, frame=replace(bad.frame, arms=(replace(bad.frame.arms[0], system="be bad", digest="bad"), *bad.frame.arms[1:])))
    surface = Half(None)
    [whole, cut], _ = run(surface, tmp_path, plans=(kept_plan(), bad))
    assert whole.stop
    assert cut.stop
    assert (whole.stop.reason, cut.stop.reason) == ("complete", "not_allowed")
    assert surface.extras == 0


def test_an_arm_nobody_may_be_asked_under_is_never_asked(tmp_path: Path) -> None:
    """Whatever a table lacks: a stored row that is missing is a hole."""
    whole = kept_plan()
    gone = DrawId("c0", "past", "first", 2)
    cut = replace(
        whole,
        prior_draws=tuple(draw for draw in whole.prior_draws if draw.id != gone),
        prior_grades=tuple(grade for grade in whole.prior_grades if grade.id.draws[0] != gone),
    )
    surface = Watched(spread=0.04)
    [seen], _ = run(surface, tmp_path, plans=(cut,))
    assert surface.arms == {"with_skill", "baseline"}
    draw = seen.draw(gone)
    assert draw
    assert (draw.ending, draw.detail) == ("withheld", "answer_not_kept")


def test_two_rows_of_different_answers_are_no_pair(tmp_path: Path) -> None:
    [seen], _ = run(Surface(spread=0.04), tmp_path, plans=(kept_plan(then=0.9),))
    rows = [replace(draw, reply_hash="0" * 64) if draw.id.look == "anchor" else draw for draw in seen.draws]
    found = judge(Observations(seen.frame, rows, seen.grades, seen.stop))
    assert (found.word, found.numbers["answers"]) == ("not_given", 0)


def test_their_gradings_are_in_the_projection() -> None:
    whole, bare = kept_plan(), replace(kept_plan(), kept={})
    more = project(whole, lambda _: Flat())
    assert more.most - project(bare, lambda _: Flat()).most == 2 * CASES * EACH
    assert more.fewest == 2 * CASES * 5 * 3  # the stored arms cost nothing
