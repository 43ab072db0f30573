from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from driftproof_action.commands.validate import run
from driftproof_action.errors import FileError
from driftproof_action.receipts.sealing import seal, to_file_bytes
from tests.unit.receipts.making import receipt
from tests.unit.receipts.older import changed, older

FILES = {
    "own.json": to_file_bytes(receipt(7)),
    "old.json": to_file_bytes(older("0.7")),
    "remark.json": to_file_bytes(changed(older("0.2"), "results.aggregates.baseline.mean_score", 0.9)),
    "edited.json": to_file_bytes(changed(older("0.7"), "results.aggregates.with_skill.mean_score", 0.91)),
    "broken.json": b'{"schema_version": "0.1",\n "skill": NaN}',
    "unsealed.json": to_file_bytes(older("0.1") | {"receipt_hash": "0" * 64}),
}


@pytest.fixture
def read() -> Callable[[str], bytes]:
    def reader(path: str) -> bytes:
        if path not in FILES:
            raise FileError("is not there", place=path, fix="check the path")
        return FILES[path]

    return reader


def test_a_valid_receipt_is_one_line(read: Callable[[str], bytes]) -> None:
    text, code = run(["old.json"], False, read=read)
    assert code == 0
    assert text == f"old.json: valid (version 0.7, seal verified, {older('0.7')['receipt_hash'][:12]})\n"


def test_our_own_receipt_is_valid_by_its_rule(read: Callable[[str], bytes]) -> None:
    text, code = run(["own.json"], False, read=read)
    assert (code, text.count("\n")) == (0, 1)
    assert text.startswith("own.json: valid (version 1.0-draft, seal verified, ")


def test_the_decision_is_made_again_without_being_asked() -> None:
    document = receipt(7)
    document["decision"]["readings"][0]["word"] = "better"
    text, code = run(["r.json"], False, read=lambda _: to_file_bytes(seal(document)))
    assert code == 4
    assert "  decision: decision.readings[0].word says" in text
    assert run(["r.json"], False, read=lambda _: to_file_bytes(seal(document)), rules={})[1] == 4


def test_an_older_receipt_that_does_not_follow_is_valid_with_remarks(read: Callable[[str], bytes]) -> None:
    text, code = run(["remark.json"], False, read=read)
    assert code == 0
    assert "remark.json: valid, with 3 remarks (version 0.2, seal verified" in text
    assert "  derived: results.aggregates.baseline.mean_score says 0.9, its cases give 0.575" in text


def test_an_invalid_receipt_says_what_where_and_what_to_do(read: Callable[[str], bytes]) -> None:
    text, code = run(["edited.json"], False, read=read)
    assert code == 4
    assert text.splitlines() == [
        "edited.json: does not follow from its own draws",
        "  derived: results.aggregates.with_skill.mean_score says 0.91, its cases give 0.8125",
        "  derived: comparison.with_skill_score says 0.8125, its aggregates give 0.91",
        "  derived: comparison.delta says 0.25, its aggregates give 0.3475",
        "  → restore the file from git, or measure again",
        "  docs/errors.md#derived-mismatch",
    ]


def test_what_is_no_json_names_the_line(read: Callable[[str], bytes]) -> None:
    text, code = run(["broken.json"], False, read=read)
    assert code == 4
    assert text.splitlines()[0] == "broken.json:2: holds NaN, which is not JSON"


@pytest.mark.parametrize(
    ("paths", "code"),
    [
        (["old.json", "missing.json"], 2),
        (["missing.json", "edited.json"], 4),
        (["old.json", "own.json"], 0),
        ([], 2),
        (["unsealed.json"], 4),
    ],
)
def test_the_exit_code_is_that_of_the_worst(paths: list[str], code: int, read: Callable[[str], bytes]) -> None:
    assert run(paths, False, read=read)[1] == code
    assert run(paths, True, read=read)[1] == code


def test_json_lists_every_receipt_with_its_findings(read: Callable[[str], bytes]) -> None:
    text, code = run(["old.json", "edited.json", "broken.json", "missing.json"], True, read=read)
    told = json.loads(text)
    assert told["exit_code"] == code == 4
    assert [entry["status"] for entry in told["receipts"]] == ["valid", "invalid", "unreadable", "missing"]
    assert [entry["hash_verified"] for entry in told["receipts"]] == [True, True, None, None]
    assert set(told["receipts"][0]) == {"path", "status", "schema_version", "receipt_hash", "hash_verified", "findings", "error"}
    assert told["receipts"][1]["findings"][0] == {
        "class": "derived",
        "path": "results.aggregates.with_skill.mean_score",
        "says": "0.91",
        "gives": "0.8125",
        "source": "its cases",
        "fatal": True,
        "sentence": "results.aggregates.with_skill.mean_score says 0.91, its cases give 0.8125",
    }
    assert told["receipts"][2]["error"] == {
        "message": "holds NaN, which is not JSON",
        "place": "broken.json:2",
        "detail": "",
        "fix": "use null, or leave the key out",
        "anchor": "strict-json",
    }
    assert told["receipts"][3]["error"]["message"] == "is not there"
