from __future__ import annotations

import json
import re
from typing import Any

import pytest

from driftproof_action.canonical import text_digest
from driftproof_action.commands.diff import CONDITIONS, run
from driftproof_action.errors import InputError, NotComparableError, ReceiptError
from tests.integration.receipt_files import answered, drawn, scored, shelf

SAME = (0.8, 0.3)
OLD = drawn({"keeps": SAME, "falls": (0.9, 0.3), "rises": (0.5, 0.3)})
NEW = drawn({"keeps": SAME, "falls": (0.4, 0.3), "rises": (0.9, 0.3)}, content="edited")


def page(old: bytes, new: bytes, **more: Any) -> str:
    return run("old", "new", read=shelf(old=old, new=new), **more)[0]


def data(old: bytes, new: bytes, **more: Any) -> dict[str, Any]:
    return dict(json.loads(page(old, new, as_json=True, **more)))


def test_json_is_printed_where_nothing_can_be_compared() -> None:
    text, code = run("old", "new", as_json=True, read=shelf(old=OLD, new=b"[]"))
    told = json.loads(text)
    assert (code, told["exit_code"]) == (4, 4)
    assert told["error"]["place"].startswith("new")
    assert told["error"].keys() == {"message", "place", "detail", "fix", "anchor"}
    text, code = run("old", "new", as_json=True, fail_on=("worse",), read=shelf(old=OLD, new=NEW))
    assert (code, json.loads(text)["error"]["place"]) == (2, "fail-on")


def test_json_names_headline_cases_and_what_moved() -> None:
    found = data(OLD, NEW)
    assert (found["headline"], found["code"], found["changed"], found["exit_code"]) == ("MIXED", "", ["skill"], 0)
    assert [(case["id"], case["verdict"], case["delta"]) for case in found["cases"]] == [
        ("falls", "regression", -0.5),
        ("keeps", "within noise", 0.0),
        ("rises", "improvement", 0.4),
    ]
    first = found["cases"][0]
    assert (first["old_mean"], first["new_mean"], first["gates"], first["reading"]) == (0.9, 0.4, True, "")
    assert (first["old_measured"], first["old_lost"], first["new_measured"], first["new_lost"]) == (3, 0, 3, 0)
    assert (found["old"]["lift"], found["new"]["model_id"]) == (0.433333, "claude-haiku-4-5-20251001")
    assert found["delta"] == -0.033333


def test_the_first_line_says_who_got_worse_and_better() -> None:
    text = page(OLD, NEW)
    first = text.splitlines()[0]
    assert first == "### `Greeting people` on `claude-haiku-4-5-20251001`: 1 of 3 cases got worse and 1 of 3 cases got better"
    assert "**Moved:** the skill's files." in text
    assert "| `falls` | 0.900 ± 0.000 | 0.400 ± 0.000 | −0.500 | regression |" in text
    assert text.index("`falls`") < text.index("`keeps`") < text.index("`rises`")


def test_across_models_the_lift_leads_and_raw_scores_are_not_ranked() -> None:
    old, new = (answered({"a": ((0.9, 0.9, 0.9), base)}, model=model) for model, base in (("one", (0.2,) * 3), ("two", (0.4,) * 3)))
    first = page(old, new).splitlines()[0]
    assert first == "### `notes` on `two` against `one`: lift +0.500, was +0.700; no clear difference"


def test_one_answer_each_is_said_and_does_not_gate() -> None:
    old, new = answered({"a": ((0.9, 0.9, 0.8), (0.5,) * 3)}), answered({"a": ((0.3, 0.3, 0.4), (0.5,) * 3)}, content="edited")
    text, code = run("old", "new", fail_on=("drift",), read=shelf(old=old, new=new))
    assert code == 0
    assert "1 of 1 case got worse" in text
    assert "one answer each, does not gate" in text
    assert "the band is the judge's spread over that answer" in text
    assert data(old, new)["cases"][0]["gates"] is False


def test_stub_runs_read_not_measured() -> None:
    stub = drawn({"a": (0.85, 0.42)}, kind="stub", surface="stub", transcripts="none")
    found = data(stub, stub)
    assert (found["headline"], found["code"], found["delta"]) == ("NOT_MEASURED", "below_tested", None)
    text = page(stub, stub)
    assert "no model was asked" in text
    assert text.splitlines()[0].endswith(": not measured")


def test_cases_of_one_side_are_named() -> None:
    found = data(drawn({"a": SAME, "gone": SAME}), drawn({"a": SAME, "fresh": SAME}))
    assert {item["id"]: item["reason"] for item in found["left_out"]} == {
        "fresh": "only in the newer receipt",
        "gone": "only in the older receipt",
    }
    assert "- `gone`: only in the older receipt" in page(drawn({"a": SAME, "gone": SAME}), drawn({"a": SAME}))


@pytest.mark.parametrize(
    ("word", "old", "new", "code"),
    [
        ("drift", OLD, NEW, 1),
        ("any-drift", OLD, NEW, 1),
        ("drift", OLD, OLD, 0),
        ("regression", OLD, drawn({"a": (0.3, 0.9)}), 1),
        ("regression", OLD, NEW, 0),
        ("no-effect", OLD, drawn({"a": (0.9, 0.9)}), 1),
        ("underpowered", OLD, drawn({"a": (0.9, 0.9)}), 0),
        ("unmeasured", OLD, OLD, 0),
        ("unmeasured", OLD, drawn({"keeps": SAME}, kind="stub", surface="stub"), 1),
        ("refused", answered({"keeps": ((0.8,) * 3, (0.9,) * 3)}), OLD, 1),
        ("refused", answered({"keeps": ((0.8,) * 3, (0.3,) * 3)}), OLD, 0),
        ("none", OLD, NEW, 0),
    ],
)
def test_fail_on(word: str, old: bytes, new: bytes, code: int) -> None:
    text, given = run("old", "new", fail_on=(word,), read=shelf(old=old, new=new))
    found, again = run("old", "new", fail_on=(f"none, {word}",), as_json=True, read=shelf(old=old, new=new))
    assert (given, again) == (code, code)
    assert (f"Fails because {CONDITIONS[word][1]} (fail-on: {word})." in text) if code else ("Fails because" not in text)
    assert (json.loads(found)["exit_code"], bool(json.loads(found)["because"])) == (code, code == 1)


def test_without_fail_on_it_exits_zero_whatever_it_finds() -> None:
    assert run("old", "new", read=shelf(old=OLD, new=NEW))[1] == 0


def test_a_word_that_is_none_is_refused_with_the_list() -> None:
    with pytest.raises(InputError, match="any-drift"):
        run("old", "new", fail_on=("worse",), read=shelf(old=OLD, new=NEW))


def test_revision_mode_takes_two_revisions_of_one_skill() -> None:
    text, code = run("old", "new", mode="revision", read=shelf(old=OLD, new=NEW))
    assert code == 0
    assert "| case | pinned | current |" in text


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"model_id": "claude-sonnet-5"}, "model"),
        ({"surface": "claude-cli"}, "surface"),
        ({"provider": "openai"}, "provider"),
        ({"content": "content"}, "the same in both"),
    ],
)
def test_revision_mode_refuses_any_other_pair(change: dict[str, Any], named: str) -> None:
    cases = {"keeps": SAME}
    prices = {"prices": {"claude-sonnet-5": (3.0, 15.0, True), "claude-haiku-4-5": (1.0, 5.0, True)}} if "model_id" in change else {}
    new = drawn(cases, **{"content": "edited", **prices, **change})
    with pytest.raises(NotComparableError, match=named) as caught:
        run("old", "new", mode="revision", read=shelf(old=drawn(cases), new=new))
    assert caught.value.exit_code == 6
    assert data(drawn(cases), new)["headline"] == "NO_SEPARATION"


def tampered() -> bytes:
    document = json.loads(OLD)
    document["results"]["cases"][0]["mean"] = 0.99
    return json.dumps(document).encode()


def unruled() -> bytes:
    document = json.loads(OLD)
    document["decision"]["verdict"] = "REGRESSED"
    return json.dumps(document).encode()


@pytest.mark.parametrize("broken", [b"", b"[]", b"{", b'{"schema_version": "9.9"}', b'{"a": NaN}', b"\xff", tampered(), unruled()])
def test_an_invalid_receipt_on_either_side_is_refused_by_name(broken: bytes) -> None:
    for files in ({"old": broken, "new": NEW}, {"old": OLD, "new": broken}):
        with pytest.raises(ReceiptError) as caught:
            run("old", "new", read=shelf(**files))
        assert caught.value.exit_code == 4
        assert caught.value.place.split(":")[0] == next(name for name, content in files.items() if content is broken)


EVIL = "x](javascript:0) <img src=x> @everyone #1 `|` \u202e| a\nb"


def test_what_a_receipt_says_cannot_break_out_of_the_page() -> None:
    cases = {EVIL[:40]: ((0.9, 0.9, 0.9), (0.5,) * 3)}
    old, new = answered(cases, name=EVIL, model=EVIL), answered(cases, name=EVIL, model="<script>" + EVIL)
    text = page(old, new)
    bare = re.sub(r"`[^`]*`", "", text)
    assert not re.search(r"<|@|\]\(|(?<!&)#1|\u202e", bare)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {re.sub(r"`[^`]*`", "", line).count("|") for line in rows[:3]} == {7}
    assert json.loads(page(old, new, as_json=True))["cases"][0]["id"] == EVIL[:40]


def test_numbers_never_read_minus_zero() -> None:
    nearly = answered({"a": ((0.9, 0.9, 0.8998), (0.5,) * 3)})
    text = page(answered({"a": ((0.9, 0.9, 0.9), (0.5,) * 3)}), nearly)
    assert "| 0.000 | within noise |" in text
    assert not re.search(r"[-−]0\.0+\b(?![0-9])", text)


def test_the_seal_covers_what_is_compared() -> None:
    assert data(OLD, NEW)["old_hash"] == json.loads(OLD)["receipt_hash"]
    assert text_digest("x") not in page(OLD, NEW)


# ---- lift by case, lost draws ------------------------------------------------------------------------------------


def test_lift_breakdown_adds_both_receipts_by_themselves() -> None:
    assert "Lift by case" not in page(OLD, NEW)
    assert "lift_breakdown" not in data(OLD, NEW)
    text = page(OLD, NEW, lift_breakdown=True)
    assert text.startswith(page(OLD, NEW))
    older, newer = text.partition("#### Lift by case, older")[2].split("#### Lift by case, newer")
    assert "| `falls` | 0.900 ± 0.000 | 0.300 ± 0.000 | +0.600 | helps | +0.350 | 3 of 3, 3 of 3 |" in older
    assert "| `falls` | 0.400 ± 0.000 | 0.300 ± 0.000 | +0.100 | helps | +0.550 | 3 of 3, 3 of 3 |" in newer
    told = data(OLD, NEW, lift_breakdown=True)["lift_breakdown"]
    assert (told["old"]["lift"], told["new"]["lift"], told["old"]["reason"]) == (0.433333, 0.4, "")
    assert "#### Lift by case, pinned" in page(OLD, NEW, lift_breakdown=True, mode="revision")


@pytest.mark.parametrize(
    ("receipt", "reason"),
    [
        (drawn({"a": SAME}, kind="stub", surface="stub", transcripts="none"), "below_tested"),
        (drawn({"a": SAME}, preset="quick"), "below_tested"),
        (drawn({"a": SAME}, narrowed=True), "below_tested"),
        (answered({"a": ((0.9,) * 3, (0.5,) * 3)}), "not_a_model"),
        (drawn({"a": SAME}), ""),
    ],
)
def test_a_receipt_without_a_lift_by_case_keeps_the_page(receipt: bytes, reason: str) -> None:
    found = data(receipt, OLD, lift_breakdown=True)
    assert found["lift_breakdown"]["old"]["reason"] == reason
    assert found["lift_breakdown"]["new"]["reason"] == ""
    assert page(receipt, OLD, lift_breakdown=True).startswith("### ")


def test_measured_of_drawn_of_both_sides_stands_in_every_row_once_a_case_lost_draws() -> None:
    whole, losing = scored({"a": [0.9] * 3, "b": [0.8] * 3}), scored({"a": [0.9, None, 0.9], "b": [0.8] * 3})
    assert "measured of drawn" not in page(whole, whole)
    text = page(whole, losing)
    assert "| beside it | measured of drawn |" in text
    assert re.search(r"\| `a` \|.*\| 3 of 3, 2 of 3 \|", text)
    assert re.search(r"\| `b` \|.*\| 3 of 3, 3 of 3 \|", text)
    assert re.search(r"\| `b` \|.*\| 3 of 3, 3 of 3 \|", page(losing, whole))
    (a,) = [case for case in data(whole, losing)["cases"] if case["id"] == "a"]
    assert (a["old_measured"], a["old_lost"], a["new_measured"], a["new_lost"]) == (3, 0, 2, 1)
