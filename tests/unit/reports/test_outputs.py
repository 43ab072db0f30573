from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.domain.words import DRIFTS, VERDICTS
from driftproof_action.reports.outputs import MESSAGE_LIMIT, OUTPUTS, PLAIN, RESULTS_BYTES, outputs, outputs_table, shell_json
from tests.golden.situations import (
    HAIKU,
    SITUATIONS,
    SONNET,
    STEADY,
    absent,
    compared,
    drift,
    got_worse,
    hostile,
    job,
    likely_fell,
    not_measured,
    row,
    view,
)

DECLARED = (
    *("verdict", "delta", "worst_state", "drift", "reason_code", "exit_code", "regressed_models", "missing_models", "draws_needed"),
    *("lost_draws", "message", "color", "receipt", "receipt_count", "receipts_dir", "badge", "report_dir", "result_file", "results"),
    *("comment_url", "plan", "cost_usd", "calls", "calls_saved", "skills_measured", "skills_unmeasured", "artifact_name"),
)
FILLED = {
    *("verdict", "delta", "worst_state", "drift", "reason_code", "exit_code", "message", "color", "receipt", "receipt_count"),
    *("receipts_dir", "badge", "result_file", "results", "calls", "cost_usd", "comment_url"),
}


def test_the_table_is_what_users_were_promised() -> None:
    assert tuple(output.name for output in OUTPUTS) == DECLARED
    assert {output.name for output in OUTPUTS if output.filled} == FILLED
    assert outputs_table().count("\n") == len(DECLARED) + 2
    assert all(len(line.split(" | ")) == 3 for line in outputs_table().splitlines())


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_value_is_safe_inside_double_quotes(name: str) -> None:
    values = outputs(SITUATIONS[name](), result_file="driftproof-out/result.json")
    assert tuple(values) == DECLARED
    for key, value in values.items():
        assert not re.search(r"[\n\r$`\\]", value) or key == "results"
        if key == "results":
            assert value.isascii()
            assert not re.search(r"[\n\r$`'!]", value)
            json.loads(value)
        else:
            assert PLAIN.fullmatch(value), (key, value)
    assert all(values[output.name] == "" for output in OUTPUTS if not output.filled)


@given(st.text(), st.text(), st.text())
def test_no_text_of_others_breaks_an_output(name: str, model: str, message: str) -> None:
    one = row(
        view(STEADY), "NOT_MEASURED", None, skill_name=name, model_id=model, message=message, reason_code=message, receipt_path=message
    )
    for key, value in outputs(job(one)).items():
        assert key == "results" or PLAIN.fullmatch(value)


def test_the_address_of_a_comment() -> None:
    url = "https://github.example/owner/skills/pull/7#issuecomment-1"
    assert outputs(got_worse(), comment_url=url)["comment_url"] == url
    assert outputs(got_worse(), comment_url="https://x/$(id)")["comment_url"] == ""


def test_values_of_a_fall() -> None:
    values = outputs(got_worse(), result_file="driftproof-out/result.json")
    assert values["verdict"] == "PASSED"
    assert values["drift"] == "DRIFT"
    assert values["worst_state"] == "helped"
    assert values["delta"] == "0.235"
    assert values["exit_code"] == "1"
    assert values["color"] == "red"
    assert values["message"] == "commit-messages got worse on claude-haiku-4-5: 1 of 10 cases fell"
    assert values["receipts_dir"] == "driftproof-out/receipts"
    assert values["cost_usd"] == "0.62"
    assert values["calls"] == "214"


def test_a_stub_has_no_lift_and_says_why() -> None:
    values = outputs(not_measured())
    assert (values["verdict"], values["delta"], values["reason_code"], values["color"]) == ("NOT_MEASURED", "", "stub", "lightgrey")
    assert json.loads(values["results"])[0]["delta"] is None


def test_verdict_and_drift_are_each_the_worst() -> None:
    rows = [row(view(STEADY), verdict, absent(word)) for verdict, word in (("PASSED", "DRIFT"), ("INCONCLUSIVE", "NO_SEPARATION"))]
    values = outputs(job(*rows))
    assert (values["verdict"], values["worst_state"], values["drift"]) == ("INCONCLUSIVE", "inconclusive", "DRIFT")
    assert values["message"].endswith("got worse on claude-haiku-4-5: 0 of 0 cases fell")
    assert {json.loads(values["results"])[0]["verdict"]} <= set(VERDICTS)
    assert values["drift"] in DRIFTS


def test_nothing_ran() -> None:
    values = outputs(job())
    assert (values["verdict"], values["worst_state"], values["drift"], values["receipt_count"]) == ("NOT_MEASURED", "none", "", "0")
    assert values["results"] == "[]"
    assert values["reason_code"] == "nothing_ran"


def test_a_path_that_cannot_be_said_plainly_is_not_said() -> None:
    one = row(view(STEADY), "PASSED", None, receipt_path="driftproof-out/$(x)/a.json", badge_path="b`x`.json")
    values = outputs(job(one), result_file="a\nb")
    assert values["receipt"] == values["badge"] == values["receipts_dir"] == values["result_file"] == ""


def test_the_message_names_a_skill_by_its_slug() -> None:
    assert outputs(hostile())["message"].startswith("red-script-org-1-touch-x hurts on claude-xy")


def test_the_message_says_what_likely_got_worse_and_that_the_judge_moved() -> None:
    told = outputs(likely_fell())["message"]
    assert told == (
        "commit-messages helps on claude-haiku-4-5, no clear difference from the last receipt, "
        "case breaking-change likely got worse, the judge moved"
    )
    one = likely_fell().rows[0]
    other = replace(one, model_id=SONNET, comparison=compared("NO_SEPARATION"))
    assert "case breaking-change likely got worse on claude-haiku-4-5, the judge moved" in outputs(job(one, other))["message"]


@given(st.text())
def test_a_clause_that_finds_no_room_in_the_message_is_left_out_whole(id: str) -> None:
    """The id's every character stays safe, and no clause ends halfway."""
    case = replace(drift(id, "regression", 0.8, 0.6), reading="likely", gates=False)
    rows = [row(view(STEADY, model=model), "PASSED", compared("NO_SEPARATION", [case])) for model in (HAIKU, "claude-" + "y" * 80)]
    told = outputs(job(*rows))["message"]
    assert PLAIN.fullmatch(told)
    assert len(told) <= MESSAGE_LIMIT
    assert told.endswith("likely got worse on claude-haiku-4-5")


def test_results_keep_their_size_and_count_what_is_left_out() -> None:
    one = row(view(STEADY), "PASSED", None, skill_path="漢" * 300)
    told = outputs(job(*[one] * 200))["results"]
    assert len(told) <= RESULTS_BYTES
    *shown, last = json.loads(told)
    assert len(shown) + last["left_out"] == 200
    assert shown[0]["model"] == HAIKU


@given(
    st.recursive(st.none() | st.booleans() | st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_shell_json_is_json_without_what_a_shell_acts_on(value: object) -> None:
    shown = shell_json(value)
    assert json.loads(shown) == value
    assert shown.isascii()
    assert not re.search(r"[$`'!\n]", shown)


def test_a_lift_of_nothing_is_a_bare_zero() -> None:
    flat = replace(view(STEADY), delta=-0.0000001)
    assert outputs(job(row(flat, "NO_EFFECT", None)))["delta"] == "0"
