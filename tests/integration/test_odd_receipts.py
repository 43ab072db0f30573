"""Receipts that must not earn the verdict their numbers seem to give: each reads as docs/words.md says, through every reader."""

from __future__ import annotations

import json
from typing import Any

import pytest

from driftproof_action.commands import badge, validate
from driftproof_action.comparison.compare import compare
from driftproof_action.comparison.verdict import published_verdict
from driftproof_action.decisions.table import TABLE
from driftproof_action.errors import ReceiptError
from driftproof_action.receipts.read import load
from driftproof_action.receipts.sealing import measurement_hash, seal, to_file_bytes
from tests.integration.receipt_files import drawn, scored, shelf

UP = {"a": (0.9, 0.3), "b": (0.9, 0.3)}
GOOD = drawn(UP)
LOST: list[float | None] = [None, None, None]

ODD: dict[str, tuple[bytes, str, set[str]]] = {
    "whole": (GOOD, "PASSED", {"separated_up"}),
    "smoke": (drawn(UP, preset="quick"), "NOT_MEASURED", {"below_tested", "smoke"}),
    "narrowed": (drawn(UP, narrowed=True), "NOT_MEASURED", {"below_tested", "incomplete"}),
    "stub": (drawn(UP, kind="stub", surface="stub", transcripts="none"), "NOT_MEASURED", {"below_tested", "no_answered_by"}),
    "example": (drawn(UP, example=True), "NOT_MEASURED", {"below_tested"}),
    "cut short": (scored({"a": [0.9] * 3, "b": [0.9] * 3}, stop="budget"), "NOT_MEASURED", {"incomplete"}),
    "one arm of a case lost": (
        scored({"a": [0.9] * 3, "b": [0.9] * 3}, {"a": [0.3] * 3, "b": LOST}),
        "NOT_MEASURED",
        {"incomplete"},
    ),
    "all answers lost": (
        scored({"a": LOST, "b": LOST}, {"a": LOST, "b": LOST}),
        "NOT_MEASURED",
        {"no_numeric_lift", "incomplete", "no_readable_case"},
    ),
    "baseline lost": (
        scored({"a": [0.9] * 3, "b": [0.9] * 3}, {"a": LOST, "b": LOST}),
        "NOT_MEASURED",
        {"no_numeric_lift", "incomplete", "no_readable_case"},
    ),
    "one case, up": (drawn({"a": (0.9, 0.3)}), "PASSED", {"separated_up"}),
    "one case, down": (drawn({"a": (0.3, 0.9)}), "REGRESSED", {"separated_down"}),
    "one case, flat": (drawn({"a": (0.9, 0.9)}), "NO_EFFECT", set()),
}


@pytest.mark.parametrize("name", ODD)
def test_the_published_verdict_names_every_route(name: str) -> None:
    content, verdict, reasons = ODD[name]
    found = published_verdict(load(content, source=name, rules=TABLE))
    assert (found.verdict, set(found.reasons) - {"not_separated"}) == (verdict, reasons)


CUT = {"cut short": "INCONCLUSIVE", "one arm of a case lost": "INCONCLUSIVE"}
"""Of a run that is not whole our own rule says more than the published one: not that nothing was measured."""


@pytest.mark.parametrize("name", [name for name in ODD if name != "example"])
def test_the_stored_verdict_is_the_documented_one_and_the_badge_shows_no_lift(name: str) -> None:
    content, verdict, _ = ODD[name]
    decision, read = load(content, source=name, rules=TABLE).decision, shelf(r=content)
    assert decision is not None
    assert decision.verdict == CUT.get(name, verdict)
    assert json.loads(validate.run(["r"], True, read=read)[0])["receipts"][0]["status"] == "valid"
    shown = json.loads(badge.run("r", svg=False, read=read)[0])
    if verdict == "NOT_MEASURED":
        assert shown["message"].startswith(("not measured · ", "cannot tell · "))
        assert "0." not in shown["message"]


@pytest.mark.parametrize("name", [name for name, (_, verdict, _) in ODD.items() if verdict == "NOT_MEASURED"])
def test_what_earns_no_verdict_earns_no_comparison(name: str) -> None:
    good, odd = (load(content, source=name, rules=TABLE) for content in (GOOD, ODD[name][0]))
    for pair in ((good, odd), (odd, good), (odd, odd)):
        found = compare(*pair)
        assert (found.headline, found.delta) == ("NOT_MEASURED", None)
        assert {case.verdict for case in found.cases} == {"not measured"}


def test_a_single_case_has_no_band_of_the_suite() -> None:
    document = json.loads(ODD["one case, up"][0])
    assert document["comparison"]["delta_uncertainty"] is None
    assert document["comparison"]["delta_uncertainty_unavailable"] == "single_case"


def twice(document: dict[str, Any]) -> None:
    document["results"]["cases"].append(document["results"]["cases"][0])


def renamed(document: dict[str, Any]) -> None:
    document["results"]["cases"][1]["id"] = "b"


def louder(document: dict[str, Any]) -> None:
    document["results"]["cases"][0]["mean"] = 0.99


def lifted(document: dict[str, Any]) -> None:
    document["comparison"]["delta"] = 0.7


def decreed(document: dict[str, Any]) -> None:
    document["decision"]["verdict"] = "NO_EFFECT"


def promoted(document: dict[str, Any]) -> None:
    document["verification_level"] = "TESTED"


def older(document: dict[str, Any]) -> None:
    document["schema_version"] = "0.11"


def younger(document: dict[str, Any]) -> None:
    document["schema_version"] = "1.7"


@pytest.mark.parametrize(
    ("edit", "anchor"),
    [
        (twice, "receipt-rows"),
        (renamed, "receipt-rows"),
        (louder, "derived-mismatch"),
        (lifted, "derived-mismatch"),
        (decreed, "decision-mismatch"),
        (older, "receipt-schema"),
        (younger, "receipt-version"),
    ],
)
def test_an_edited_receipt_is_refused_even_when_it_is_sealed_anew(edit: Any, anchor: str) -> None:
    document = json.loads(GOOD)
    edit(document)
    with pytest.raises(ReceiptError) as first:
        load(to_file_bytes(document), source="r", rules=TABLE)
    assert first.value.exit_code == 4
    document["measurement_hash"] = measurement_hash(document)
    with pytest.raises(ReceiptError) as caught:
        load(to_file_bytes(seal(document)), source="r", rules=TABLE)
    assert (caught.value.exit_code, caught.value.anchor) == (4, anchor)


def test_a_stub_run_cannot_be_called_tested() -> None:
    document = json.loads(ODD["stub"][0])
    promoted(document)
    with pytest.raises(ReceiptError):
        load(to_file_bytes(seal(document)), source="r", rules=TABLE)
