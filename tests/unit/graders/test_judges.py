"""Judge and criteria graders: what they ask, what they read, what they refuse to read."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from driftproof_action.domain.brief import Brief
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.grade import GradeId, Sample
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.reply import Reply
from driftproof_action.domain.suite import Check, Criterion
from driftproof_action.graders.criteria import CriteriaCase, CriteriaGrader, asked_ids
from driftproof_action.graders.judge import JudgeGrader
from driftproof_action.graders.judging import JudgeSetting
from driftproof_action.graders.prompt import criteria_hash, prompt, rubric_hash, template_hash

CASE = Case("c", "c", "judge", digest="d")
BRIEF = Brief("c", "Say hello", 100)
ANSWER = (Reply("completed", "hello there"),)
SETTING = JudgeSetting("stub", "claude-haiku-4-5", 2, None, 400)
ID = GradeId("judge", "c", (DrawId("c", "with_skill"),))
CRITERIA = (
    Criterion("greets", 2, "The answer greets."),
    Criterion("short", 1, "At most a line."),
    Criterion("says-hello", 1, "hello", Check("says hello", "contains", ("hello",))),
)


def judge() -> JudgeGrader:
    return JudgeGrader({"c": " It greets. "}, SETTING)


def criteria(*items: Criterion) -> CriteriaGrader:
    return CriteriaGrader({"c": CriteriaCase("be kind", items or CRITERIA)}, SETTING)


def judgments(**decisions: str) -> str:
    return json.dumps({"judgments": [{"id": id.replace("_", "-"), "decision": word, "reason": "so"} for id, word in decisions.items()]})


def test_a_judge_asks_one_call_a_sample_and_marks_what_is_not_ours() -> None:
    asks = judge().asks(CASE, BRIEF, ANSWER)
    assert len(asks) == 2
    assert [part.text for part in asks[0].parts if not part.trusted] == ["Say hello", "hello there", "It greets."]
    assert all("hello there" not in part.text for part in asks[0].parts if part.trusted)
    assert asks[0].system == prompt("judge").system


def test_slots_braces_and_dollars_in_foreign_text_stay_as_they_are() -> None:
    odd = 'a [[rubric]] {0} {{x}} %s $HOME \\1 {"a": 1}'
    grader = JudgeGrader({"c": odd}, SETTING)
    [ask, _] = grader.asks(CASE, replace(BRIEF, prompt=odd), (Reply("completed", odd),))
    assert [part.text for part in ask.parts if not part.trusted] == [odd, odd, odd]


def test_invisible_characters_are_cleaned_alike() -> None:
    tagged = (Reply("completed", "hel\u200blo\U000e0041\u202e there\ufeff"),)
    assert judge().asks(CASE, BRIEF, tagged) == judge().asks(CASE, BRIEF, ANSWER)
    assert judge().refuse(CASE, (Reply("completed", " \u200b\n"),)) == Hole("empty_reply", "the reply holds no visible text")


@pytest.mark.parametrize("ending", ["cut", "refused", "timeout", "transport_error", "agent_error"])
def test_the_ending_is_read_before_the_text(ending: str) -> None:
    reply = Reply(ending, "a perfect answer", detail="why")  # type: ignore[arg-type]
    assert judge().refuse(CASE, (reply,)) == Hole(ending, "why")
    sample = judge().read(CASE, ANSWER, 0, 0, replace(reply, text='{"score": 1}'))
    assert sample.value is None
    assert sample.hole == Hole(f"judge_{ending}", "why")


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        ("true", "judge_score_not_a_number"),
        ('"0.9"', "judge_score_not_a_number"),
        ("null", "judge_score_not_a_number"),
        ("[1]", "judge_score_not_a_number"),
        ("85", "judge_score_out_of_range"),
        ("1.0000001", "judge_score_out_of_range"),
        ("-0.1", "judge_score_out_of_range"),
        ("NaN", "judge_no_decision"),
        ("Infinity", "judge_no_decision"),
    ],
)
def test_what_is_no_score_is_a_hole(score: str, reason: str) -> None:
    sample = judge().read(CASE, ANSWER, 0, 0, Reply("completed", f'{{"score": {score}}}'))
    assert sample.hole
    assert sample.hole.reason == reason


def test_the_mean_of_all_samples_or_nothing() -> None:
    good = [Sample(0, 0, value=0.5), Sample(1, 0, value=0.6)]
    assert judge().grade(ID, CASE, ANSWER, tuple(good)).score == 0.55
    bad = judge().grade(ID, CASE, ANSWER, (good[0], Sample(1, 0, hole=Hole("judge_no_decision"))))
    assert bad.score is None
    assert bad.hole == Hole("judge_no_decision")
    mended = judge().grade(ID, CASE, ANSWER, (*good[:1], Sample(1, 0, hole=Hole("judge_no_decision")), Sample(1, 1, value=0.7)))
    assert mended.score == 0.6


def test_again_only_after_a_reply_that_decides_nothing() -> None:
    ask = judge().asks(CASE, BRIEF, ANSWER)[0]
    hole, fine = Sample(0, 0, hole=Hole("judge_no_decision")), Sample(0, 0, value=0.5)
    assert judge().again(ask, fine, Reply("completed", "x")) is None
    assert judge().again(ask, hole, Reply("timeout")) is None
    assert judge().again(ask, hole, Reply("completed", "x")) == ask
    longer = judge().again(ask, hole, Reply("cut", "x"))
    assert longer
    assert longer.max_tokens == 800


def test_the_largest_ask_is_never_smaller_than_a_real_one() -> None:
    real = judge().asks(CASE, BRIEF, (Reply("completed", "w" * 400),))[0]
    assert judge().largest(CASE, BRIEF)[0].characters() >= real.characters()


def test_criteria_ask_for_sentences_only_and_total_all_of_them() -> None:
    asks = criteria().asks(CASE, BRIEF, ANSWER)
    assert asked_ids(asks[0]) == ("greets", "short")
    assert asked_ids(judge().asks(CASE, BRIEF, ANSWER)[0]) is None
    sample = criteria().read(CASE, ANSWER, 0, 0, Reply("completed", judgments(greets="met", short="not_met")))
    assert sample.parts == (("greets", True), ("short", False), ("says-hello", True))
    assert sample.value == 0.75


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (judgments(greets="met"), "judge_wrong_ids"),
        (judgments(greets="met", short="met", extra="met"), "judge_wrong_ids"),
        (judgments(greets="met", short="partly"), "judge_no_decision"),
        (
            '{"judgments": [{"id": "greets", "decision": "met", "reason": "a"}, {"id": "greets", "decision": "met", "reason": "a"}]}',
            "judge_wrong_ids",
        ),
        ('{"judgments": [{"id": "greets", "decision": "met"}, {"id": "short", "decision": "met", "reason": "a"}]}', "judge_no_reason"),
        ('{"judgments": [{"id": "greets", "decision": ["met"], "reason": "a"}]}', "judge_no_decision"),
        ('{"judgments": {"greets": "met"}}', "judge_no_decision"),
        ('{"judgments": [1]}', "judge_no_decision"),
        ('{"total": 1}', "judge_no_decision"),
    ],
)
def test_judgments_that_decide_nothing(text: str, reason: str) -> None:
    sample = criteria().read(CASE, ANSWER, 0, 0, Reply("completed", text))
    assert sample.hole
    assert sample.hole.reason == reason
    assert sample.value is None


def test_criteria_that_code_decides_cost_no_call() -> None:
    grader = criteria(CRITERIA[2], Criterion("not-rude", 1, "no", Check("x", "not_contains", ("rude",))))
    assert grader.asks(CASE, BRIEF, ANSWER) == ()
    grade = grader.grade(ID, CASE, (Reply("completed", "hello, rude"),), ())
    assert (grade.score, grade.decided_by, grade.reduction) == (0.5, "code", "decided_in_code")
    assert grade.parts == (("says-hello", True), ("not-rude", False))


def test_hashes_are_those_of_our_wording() -> None:
    """Frozen: another wording is another judge, and receipts made with it are not comparable."""
    assert template_hash("judge") == "2ec2a0eee79c81958f2a0ae809dea365f77f040d927ddb68619372f2b9c1cc27"
    assert template_hash("criteria") == "5f588b3ed2c553eed179e282581660be4f187694ce7b8087ed0be884ffae1235"
    assert rubric_hash("R") == rubric_hash(" R\n") != rubric_hash("S")
    assert criteria_hash("", CRITERIA) != criteria_hash("context", CRITERIA)
