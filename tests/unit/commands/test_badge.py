from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest

from driftproof_action.commands.badge import run
from driftproof_action.errors import FileError, ReceiptError
from driftproof_action.reports.badge import SHIELDS
from tests.unit.receipts.making import receipt
from tests.unit.receipts.older import changed, older


def _badge(document: dict[str, Any]) -> dict[str, Any]:
    text, code = run("a.json", svg=False, read=lambda _: json.dumps(document).encode())
    assert code == 0
    told: dict[str, Any] = json.loads(text)
    return told


def test_a_receipt_of_ours_shows_the_verdict_it_stores() -> None:
    document = receipt()
    told = _badge(document)
    assert told["schemaVersion"] == 1
    word, model, day = told["message"].split(" · ")
    assert (model, day) == ("claude-haiku-4-5", "29 Nov")
    assert word
    assert told["color"] in SHIELDS.values()
    assert document["decision"]["verdict"] != "NOT_MEASURED" or word == "not measured"


def test_an_older_receipt_is_read_by_the_published_rule() -> None:
    assert _badge(older("0.11", lose=("tidy", "baseline")))["message"].startswith("not measured · claude-sonnet-5")
    assert _badge(older("0.1"))["color"] == "lightgrey"
    assert _badge(older("0.10"))["message"] == "helps · claude-sonnet-5 · 4 May"


def test_the_picture_is_one() -> None:
    text, code = run("a.json", svg=True, read=lambda _: json.dumps(older("0.10")).encode())
    assert code == 0
    assert ElementTree.fromstring(text).attrib["aria-label"] == "driftproof: helps · claude-sonnet-5 · 4 May"


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"schema_version": "9"}', b"\xff", b'{"a": 1, "a": 2}'])
@pytest.mark.parametrize("svg", [True, False])
def test_what_is_no_receipt_ends_with_4(data: bytes, svg: bool) -> None:
    with pytest.raises(ReceiptError) as caught:
        run("a.json", svg=svg, read=lambda _: data)
    assert caught.value.exit_code == 4


def test_a_receipt_that_was_touched_gets_no_badge() -> None:
    touched = json.loads(json.dumps(older("0.10")))
    touched["run"]["model_id"] = "claude-opus-5"
    with pytest.raises(ReceiptError):
        _badge(touched)
    with pytest.raises(ReceiptError):
        _badge(changed(older("0.10"), "results.cases.0.mean", 0.99))


def test_a_missing_file_is_not_a_bad_receipt() -> None:
    def read(path: str) -> bytes:
        raise FileError("is not there", place=path)

    with pytest.raises(FileError):
        run("a.json", svg=False, read=read)
