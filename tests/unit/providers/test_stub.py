"""The stub: fixed without a script, line by line with one."""

from __future__ import annotations

import json
import time

import pytest

from driftproof_action.domain.ask import Ask
from driftproof_action.domain.brief import Brief
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.reply import Reply
from driftproof_action.domain.suite import Criterion
from driftproof_action.errors import InputError
from driftproof_action.graders.criteria import CriteriaCase, CriteriaGrader
from driftproof_action.graders.judging import JudgeSetting
from driftproof_action.ports import About
from driftproof_action.providers.stub import ANSWER, StubSurface, read_script

ASK = Ask("stub", "m", "", "p", 10)


def about(role: str, arm: str = "with_skill", case: str = "c", index: int = 0) -> About:
    return About(role, case, (DrawId(case, arm, "first", index),))  # type: ignore[arg-type]


def script(*rows: object) -> StubSurface:
    return StubSurface(read_script(json.dumps(rows).encode(), source="script.json"))


@pytest.mark.parametrize(("arm", "score"), [("with_skill", 0.85), ("baseline", 0.42)])
def test_the_published_scores_for_free(arm: str, score: float) -> None:
    reply = StubSurface().answer(ASK, None, "k", about("judge", arm))
    assert json.loads(reply.text)["score"] == score
    assert reply.usage.micro_usd == 0
    assert StubSurface().answer(ASK, None, "k", about("target", arm)).text == ANSWER


@pytest.mark.parametrize(("arm", "value"), [("with_skill", 1.0), ("baseline", 0.0)])
def test_an_unscripted_criteria_ask_is_met_with_the_skill_only(arm: str, value: float) -> None:
    grader = CriteriaGrader({"c": CriteriaCase("", (Criterion("a", 1, "A"), Criterion("b", 1, "B")))}, JudgeSetting("stub", "m", 1))
    case, answer = Case("c", "c", "criteria"), (Reply("completed", "x"),)
    reply = StubSurface().answer(grader.asks(case, Brief("c", "p"), answer)[0], None, "k", about("judge", arm))
    assert grader.read(case, answer, 0, 0, reply).value == value


def test_the_first_match_serves_and_times_runs_out() -> None:
    surface = script(
        {"role": "target", "arm": "baseline", "draw": 1, "error": "rate_limited", "times": 1},
        {"role": "target", "case": "c", "reply": "scripted"},
        {"role": "judge", "reply": {"score": 0.1}},
    )
    assert surface.answer(ASK, None, "k", about("target", "baseline", index=1)).ending == "rate_limited"
    assert surface.answer(ASK, None, "k", about("target", "baseline", index=1)).text == "scripted"
    assert surface.answer(ASK, None, "k", about("target", case="other")).text == ANSWER
    assert json.loads(surface.answer(ASK, None, "k", about("judge")).text) == {"score": 0.1}


def test_an_error_may_hold_text_and_a_delay_only_waits() -> None:
    surface = script({"role": "target", "error": "cut", "reply": "half", "delay_ms": 20}, {"role": "judge", "delay_ms": 20})
    began = time.monotonic()
    reply = surface.answer(ASK, None, "k", about("target"))
    assert (reply.ending, reply.text, reply.retryable) == ("cut", "half", False)
    assert json.loads(surface.answer(ASK, None, "k", about("judge")).text)["score"] == 0.85
    assert time.monotonic() - began >= 0.04


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"role": "judge"}, "says nothing"),
        ({"role": "both", "reply": ""}, "role"),
        ({"role": "judge", "reply": "", "colour": 1}, "colour"),
        ({"role": "judge", "error": "oops"}, "error"),
        ({"role": "judge", "reply": "", "draw": True}, "draw"),
        ({"role": "judge", "reply": "", "arm": 3}, "arm"),
        ([], "object"),
    ],
)
def test_a_bad_line_is_named(row: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        script(row)
    assert caught.value.place == "script.json: entry 0"


def test_a_script_is_a_list() -> None:
    with pytest.raises(InputError, match="list"):
        read_script(b"{}", source="s.json")
