from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.canonical import digest, read_json
from driftproof_action.decisions.table import TABLE
from driftproof_action.domain.draw import Draw
from driftproof_action.domain.observations import Observations
from driftproof_action.receipts.build import build
from driftproof_action.receipts.read import load, view
from driftproof_action.receipts.sealing import measurement_hash, plain, seal, to_file_bytes
from driftproof_action.receipts.verify import check
from tests.unit.receipts.making import decided, facts, receipt, run_of

DICE = st.randoms(use_true_random=False)
STOPS = st.sampled_from([None, None, "budget", "signal"])


@settings(max_examples=150, deadline=None)
@given(DICE, STOPS)
def test_what_is_built_is_clean_and_gives_the_table_back(dice: random.Random, stop: str | None) -> None:
    ids, seen = run_of(dice, stop=stop)
    document = build(facts(ids), seen, decided(seen))
    checked = check(read_json(to_file_bytes(document), source="r.json"), rules=TABLE)
    assert [item.sentence() for item in checked.mismatches] == []
    assert checked.hash_verified
    seen_again = view(document)
    assert seen_again.observations == seen
    assert seen_again.decision == decided(seen)
    assert load(to_file_bytes(document), source="r.json", rules=TABLE).observations == seen


@settings(max_examples=40, deadline=None)
@given(DICE)
def test_a_stub_run_is_unverified_and_earns_nothing(dice: random.Random) -> None:
    ids, seen = run_of(dice, kind="stub")
    document = build(facts(ids, kind="stub", surface="stub", judge_surface="stub"), seen, decided(seen))
    assert document["verification_level"] == "UNVERIFIED"
    assert document["decision"]["verdict"] == "NOT_MEASURED"
    assert check(document, rules=TABLE).status == "valid"


@pytest.mark.parametrize(
    ("changes", "level"),
    [
        ({}, "TESTED"),
        ({"kind": "stub"}, "UNVERIFIED"),
        ({"preset": "quick"}, "UNVERIFIED"),
        ({"narrowed": True}, "UNVERIFIED"),
        ({"example": True}, "DECLARED"),
    ],
)
def test_the_level_says_how_it_was_run(changes: dict[str, Any], level: str) -> None:
    assert facts(["a"], **changes).level == level


def _moved(seen: Observations, **changes: Any) -> Observations:
    draws = [replace(draw, **{name: change(draw) for name, change in changes.items()}) for draw in seen.draws]
    return Observations(seen.frame, draws, seen.grades, seen.stop)


def test_the_measurement_hash_holds_no_clock_and_no_usage() -> None:
    ids, seen = run_of(random.Random(3), cases=2)
    later = _moved(
        seen,
        started_at=lambda _: "2027-01-01T00:00:00Z",
        run_id=lambda _: "run-2",
        usage=lambda draw: replace(draw.usage, wall_ms=1, attempts=3),
    )
    clock = {"generated_at": "2027-01-01T00:00:00.000Z", "finished_at": "2027-01-01T00:09:00.000Z", "run_id": "run-2"}
    first = build(facts(ids), seen, decided(seen))
    second = build(facts(ids, **clock), later, decided(later))
    assert first["receipt_hash"] != second["receipt_hash"]
    assert first["measurement_hash"] == second["measurement_hash"]


@pytest.mark.parametrize(
    "changes",
    [
        {"model_id": "claude-sonnet-5"},
        {"judge_model_id": "claude-opus-5"},
        {"judge_samples": 3},
        {"parameters": {"min_draws": 4}},
        {"judge_prompt_template_hash": "0" * 64},
    ],
)
def test_the_measurement_hash_moves_with_what_was_measured(changes: dict[str, Any]) -> None:
    ids, seen = run_of(random.Random(3), cases=2)
    before, after = (build(facts(ids, **with_), seen, decided(seen)) for with_ in ({}, changes))
    assert before["measurement_hash"] != after["measurement_hash"]


def test_another_answer_is_another_measurement() -> None:
    ids, seen = run_of(random.Random(3), cases=2)

    def other(draw: Draw) -> str | None:
        return "1" * 64 if draw.reply_hash else None

    moved = _moved(seen, reply_hash=other)
    assert measurement_hash(build(facts(ids), seen, decided(seen))) != measurement_hash(build(facts(ids), moved, decided(moved)))


def test_the_measurement_hash_is_the_written_formula() -> None:
    document = receipt(5)
    case = document["observations"]["frame"]["cases"][0]
    first = measurement_hash(document)
    content: dict[str, Any] = {
        "tree_hash": document["skill"]["tree_hash"],
        "model_id": document["run"]["model_id"],
        "judge": {key: document["run"]["judge"][key] for key in ("model_id", "prompt_template_hash", "samples")},
        "parameters": document["run"]["parameters"],
        "rows": [],
    }
    for row in document["results"]["cases"]:
        drawn = [draw for draw in document["observations"]["draws"] if (draw["brief"], draw["arm"]) == (row["id"], row["mode"])]
        listed = row.get("generation", {}).get("draws", [])
        content["rows"].append(
            {
                "case_hash": row["case_hash"],
                "mode": row["mode"],
                "draws": [
                    {
                        "look": "first",
                        "index": draw["index"],
                        "ending": draw["ending"],
                        "generation_hash": draw.get("reply_hash"),
                        "samples": shown["samples"],
                    }
                    for draw, shown in zip(drawn, listed, strict=True)
                ],
            }
        )
    assert case["id"] == document["results"]["cases"][0]["id"]
    assert first == digest(content)


def test_rows_stand_in_the_order_of_the_suite_with_the_skill_first() -> None:
    ids, seen = run_of(random.Random(1), cases=3)
    document = build(facts(list(reversed(ids))), seen, decided(seen))
    rows = [(row["id"], row["mode"]) for row in document["results"]["cases"]]
    assert rows == [(id, mode) for id in reversed(ids) for mode in ("with_skill", "baseline")]
    assert check(document, rules=TABLE).status == "valid"


def test_a_case_lost_in_one_arm_leaves_both_aggregates_and_is_named() -> None:
    for seed in range(60):
        ids, seen = run_of(random.Random(seed), cases=3)
        document = build(facts(ids), seen, decided(seen))
        gone = document["results"]["aggregates"].get("excluded_cases")
        if gone:
            assert document["run"]["status"] == "incomplete"
            assert document["run"]["failed_case_count"] == len(gone)
            assert {document["results"]["aggregates"][arm]["case_count"] for arm in ("with_skill", "baseline")} == {3 - len(gone)}
            return
    raise AssertionError("no seed lost a case")


def test_a_run_cut_short_is_incomplete() -> None:
    ids, seen = run_of(random.Random(4), stop="budget")
    assert build(facts(ids), seen, decided(seen))["run"]["status"] == "incomplete"


def test_files_hold_no_minus_zero_and_no_nan() -> None:
    assert to_file_bytes({"a": -0.0, "b": 1.0, "c": [0.5, "é"], "d": True}) == '{"a": 0, "b": 1, "c": [0.5, "é"], "d": true}\n'.encode()
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            to_file_bytes({"a": bad})


def test_what_fits_stands_on_one_line_and_the_rest_is_indented() -> None:
    long = {"rows": [{"index": n, "hash": "f" * 64} for n in range(3)], "short": []}
    lines = to_file_bytes(long).decode().splitlines()
    assert lines[1] == ' "rows": ['
    assert lines[2] == '  {"index": 0, "hash": "' + "f" * 64 + '"},'
    assert lines[-2:] == [' "short": []', "}"]
    assert json.loads(to_file_bytes(long)) == long


def test_sealing_twice_changes_nothing() -> None:
    document = receipt()
    assert seal(document) == document
    assert list(document)[-1] == "receipt_hash"
    assert json.loads(to_file_bytes(document)) == plain(document)
