from __future__ import annotations

from dataclasses import replace

import pytest

from driftproof_action.comparison.drift import Comparison, Fresh, JudgeMove, SuiteMove
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.reading import Reading, Scalar
from driftproof_action.domain.reply import Ending
from driftproof_action.reports.readings import (
    asides,
    chance,
    fell_on_fresh,
    guard_line,
    judge_line,
    moves,
    open_case,
    suite_interval,
    suite_sentence,
    suspects,
)
from driftproof_action.reports.terminal import plain
from tests.golden.situations import SITUATIONS, STEADY, absent, compared, criteria_seen, drift, likely_fell, row, view


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (1, 184756, "6 in 1,000,000"),
        (4, 184756, "3 in 100,000"),
        (924, 184756, "6 in 1,000"),
        (1848, 184756, "2 in 100"),
        (184756, 184756, "100 in 100"),
        (1, 100, "1 in 100"),
    ],
)
def test_a_chance_is_never_made_smaller_than_it_is(part: int, whole: int, said: str) -> None:
    assert chance(part, whole) == said
    number, of = (int(word.replace(",", "")) for word in said.split(" in "))
    assert number * whole >= part * of


def told(**numbers: Scalar | None) -> Reading:
    known = {"cases": 10, "mean": 0.21, "low95": 0.12, "high95": 0.3, "smallest_lift": 0.08, "sentence": "given"}
    return Reading("confirmation/suite", "suite", "suite_up", "", {**known, **numbers})


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        (told(), "Over these 10 cases the skill adds 0.21, between 0.12 and 0.30. Smallest lift this run could have shown: 0.08."),
        (told(mean=-0.21, low95=-0.3, high95=0.01), "Over these 10 cases the skill takes away 0.21, between −0.01 and 0.30."),
        (told(sentence="wide", cases=3), "Few cases, so this is wide."),
        (told(sentence="not_given"), ""),
        (told(mean=None), ""),
    ],
)
def test_the_suite_in_a_sentence(reading: Reading, said: str) -> None:
    sentence = suite_sentence(view(STEADY, readings=(reading,)))
    assert said in sentence
    assert bool(said) == bool(sentence)


def test_a_receipt_of_another_rule_says_it_from_its_rows() -> None:
    assert suite_sentence(view(STEADY)).startswith("Over these 10 cases the skill adds 0.26, between 0.25 and 0.27.")
    assert suite_interval(view(STEADY)) == "0.25 to 0.27 over these 10 cases"
    assert suite_sentence(view(STEADY, kind="stub")) == ""


def test_a_fall_is_told_by_its_fresh_answers() -> None:
    assert (
        fell_on_fresh(Fresh(0.86, 0.41, 10, 10, 4, 184756))
        == "0.86 → 0.41 on 10 fresh answers each (chance of this if nothing moved: 3 in 100,000)"
    )
    assert fell_on_fresh(Fresh(0.86, None, 10, 0)) == "0.86 → – on 10 and 0 fresh answers"


@pytest.mark.parametrize("reason", ["futility", "p", "floor", "lost_draws", "cap", "budget", "stopped"])
def test_every_reason_a_suspect_stays_open_is_told(reason: str) -> None:
    status = "not_confirmed" if reason in ("futility", "p", "floor", "lost_draws") else "unconfirmed"
    seen = view(STEADY, readings=(Reading("confirmation/down", "scope|x", status, reason),))
    said = suspects(row(seen, "UNDERPOWERED", None))
    assert "which is no finding" in said
    assert "scope" in said
    assert len(said) > 80


def test_what_the_suite_has_decided_and_what_was_confirmed_is_no_open_suspect() -> None:
    readings = (Reading("confirmation/down", "a", "unconfirmed", "suite_decides"), Reading("confirmation/down", "b", "confirmed"))
    assert suspects(row(view(STEADY, readings=readings), "REGRESSED", None)) == ""
    risen = Reading("confirmation/up", "c", "unconfirmed", "cap")
    assert suspects(row(view(STEADY, readings=(risen,)), "PASSED", None)) == ""


def test_a_case_only_the_first_answers_set_apart_says_so() -> None:
    fell = drift("scope", "regression", 0.8, 0.6)
    assert open_case(fell) == ""
    assert (
        open_case(replace(fell, reading="suspect", reason="cap")) == "lower on the first answers; not asked again, the clearest come first"
    )
    assert open_case(replace(fell, reading="cannot_tell")) == "lower than the stored answers; whether the skill did it, cannot be told"
    fresh = Fresh(0.7, 0.7, 3, 3)
    assert open_case(replace(fell, reading="not_confirmed", fresh=fresh, reason="futility")).endswith("no difference on fresh answers")


def test_what_is_held_against_stored_answers_says_so() -> None:
    fell = replace(drift("scope", "regression", 0.8, 0.6), reading="likely", fresh=Fresh(0.8, 0.6, 5, 10, 1, 3003))
    assert open_case(fell).startswith("likely lower than the stored answers: 0.80 → 0.60 on 10 fresh answers (chance")
    assert open_case(replace(fell, reading="cannot_tell", reason="lift")).endswith("the answers without the skill fell too")
    readings = (Reading("confirmation/past", "scope", "likely"), Reading("confirmation/past", "merge", "cannot_tell", "futility"))
    said = suspects(row(view(STEADY, readings=readings), "PASSED", replace(absent("NO_SEPARATION"), cases=(fell,))))
    assert said.startswith("Likely lower than the stored answers. The cause cannot be told, so the job is not red for it: `scope` 0.80")
    assert "Looked lower than the stored answers, which is no finding: `merge` (no difference on fresh answers)" in said


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ("completed", "The same skill was asked on `claude-<old>` today too."),
        ("not_allowed", "`claude-<old>` gave no answer today, so its stored answers are all there is of it."),
        (None, ""),
    ],
)
def test_against_an_earlier_model_people_read_which(ending: Ending | None, said: str) -> None:
    readings = (Reading("confirmation/drift", "scope", "not_confirmed", "p"),)
    seen = criteria_seen(2)
    if ending:
        seen.add_draw(Draw(DrawId("scope", "incumbent", "confirm", 0), ending))
    earlier = replace(absent("NO_SEPARATION"), earlier_model="claude-<old>")
    told = row(view(STEADY, readings=readings, observations=seen), "PASSED", earlier)
    assert suspects(told).startswith("Looked lower than the earlier model on the first answers")
    assert moves(told) == said


def test_change_and_ground_are_told_apart() -> None:
    cases = (drift("a", "within noise", 0.8, 0.75),)
    both = replace(absent("FIRST_RECEIPT"), cases=cases, delta=-0.05, same_day=True)
    assert moves(row(view(STEADY), "PASSED", both)) == "This change alone, both versions asked today: −0.05 over 1 case."
    ground = SuiteMove("ground_moved", "", -0.1, 0.0, -0.1, -0.12, -0.08)
    said = moves(row(view(STEADY), "PASSED", Comparison("NO_SEPARATION", "", -0.1, cases, (), (), suite=ground)))
    assert "The answers without the skill moved by −0.10 (−0.12 to −0.08) since the last receipt: part of the difference is not" in said
    assert "the model, its host or the judge moved" in said
    assert moves(row(view(STEADY), "PASSED", None)) == ""


@pytest.mark.parametrize(
    ("word", "low", "high", "said"),
    [
        ("moved", -0.08, -0.04, "−0.06 (−0.08 to −0.04), the judge moved."),
        ("steady", -0.01, 0.01, "0.00 (−0.01 to +0.01), the judge grades as it did."),
        ("open", -0.05, 0.05, "0.00 (−0.05 to +0.05), too uncertain to tell whether the judge moved."),
    ],
)
def test_what_old_answers_graded_again_say_is_told_as_it_was_seen(word: str, low: float, high: float, said: str) -> None:
    judge = JudgeMove(word, 24, (low + high) / 2, low, high)
    assert judge_line(judge) == f"24 old answers graded again by today's judge: {said}"
    told = asides([row(view(STEADY), "PASSED", replace(absent("NO_SEPARATION"), judge=judge))], render=plain)
    assert told == (["the judge moved"] if word == "moved" else [])


def test_too_few_old_answers_say_nothing_of_the_judge() -> None:
    assert judge_line(JudgeMove("not_given", 19)) == judge_line(None) == ""
    assert asides([row(view(STEADY), "PASSED", replace(absent("NO_SEPARATION"), judge=JudgeMove("not_given", 19)))], render=plain) == []


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (["r2"], "case r2 likely got worse"),
        (["3", "4", "7"], "case 3 and 2 more likely got worse"),
        (["x\x1b\u202e"], "case x\\x1b\\u202e likely got worse"),
        (["x" * 61], f"case {'x' * 59}… likely got worse"),
        ([""], "a case likely got worse"),
    ],
)
def test_what_likely_got_worse_is_told_in_a_clause(ids: list[str], said: str) -> None:
    cases = [replace(drift(id, "regression", 0.8, 0.6), reading="likely", gates=False) for id in ids]
    other = replace(drift("z", "regression", 0.8, 0.6), reading="cannot_tell", gates=False)
    one = row(view(STEADY), "PASSED", compared("NO_SEPARATION", [*cases, other]))
    assert asides([one], render=plain) == [said]
    two = replace(one, model_id="claude-<b>")
    assert asides([one, two], render=plain) == [f"{said} on claude-haiku-4-5", f"{said} on claude-<b>"]


@pytest.mark.parametrize("name", sorted(set(SITUATIONS) - {"likely_fell"}))
def test_where_nothing_likely_fell_and_no_judge_moved_no_clause_is_added(name: str) -> None:
    assert asides(SITUATIONS[name]().rows, render=plain) == []
    assert len(asides(likely_fell().rows, render=plain)) == 2


@pytest.mark.parametrize("arm", ["with_skill", "baseline"])
def test_answers_that_speak_to_the_grader_are_remarked(arm: str) -> None:
    said = guard_line(view(STEADY, readings=(Reading("judge_guard", arm, "addresses_judge"),)))
    assert said.startswith(f"Answers {'with' if arm == 'with_skill' else 'without'} the skill speak to the grader")
    assert guard_line(view(STEADY)) == ""
