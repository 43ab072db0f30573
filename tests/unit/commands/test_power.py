from __future__ import annotations

import json
import re
from typing import Any

import pytest

from driftproof_action.commands.power import run
from driftproof_action.errors import InputError, ReceiptError
from driftproof_action.receipts.sealing import to_file_bytes
from tests.contract.package_source import ROOT
from tests.integration.receipt_files import answered, drawn, shelf
from tests.unit.receipts.making import receipt

STEADY = drawn({"a": (0.9, 0.3), "b": (0.8, 0.3), "c": (0.9, 0.4)})
NOISY = to_file_bytes(receipt(3))


def page(content: bytes, effect: float = 0.1) -> str:
    text, code = run("r", effect=effect, as_json=False, read=shelf(r=content))
    assert code == 0
    return text


def data(content: bytes, effect: float = 0.1) -> dict[str, Any]:
    return dict(json.loads(run("r", effect=effect, as_json=True, read=shelf(r=content))[0]))


def test_the_page_sets_draws_against_what_they_show_and_cost() -> None:
    text = page(STEADY)
    assert text.startswith("### `Greeting people` on `claude-haiku-4-5-20251001`: what more draws would show\n")
    assert "| draws a case and arm | smallest lift over all cases | smallest fall of one case | calls | dollars |" in text
    assert "| 10 | 0.37 | 0.05 | 180 | – |" in text
    assert "Dollars are not known" in text
    assert "Fresh draws add at most 240." in text
    assert "| `a` | 0.000 | 3 | 0.05 | 2 |" in text
    assert "would not be shown by any number of draws: add cases" in text


def test_usage_and_frozen_prices_give_dollars() -> None:
    found = data(NOISY)
    priced = [row["usd"] for row in found["designs"]]
    told = json.loads(NOISY)["economics"]
    if told["judge_overhead"]["judged_draws_missing_usage"]:
        assert set(priced) == {None}
    else:
        assert priced == sorted(priced)
    assert [row["draws"] for row in found["designs"]] == [3, 5, 7, 10, 15, 20]
    assert found["confirmation"]["calls"] == 240


def test_json_is_as_documented() -> None:
    docs = (ROOT / "docs" / "power.md").read_text(encoding="utf-8").partition("## JSON")[2]
    found = data(STEADY)
    assert set(found) == {key for row in re.findall(r"(?m)^\| (`.+?) \|", docs) for key in re.findall(r"`(\w+)`", row)}
    for inner in (found["designs"][0], found["cases"][0], found["confirmation"]):
        assert all(f"`{key}`" in docs for key in inner)
    assert found["draws_for_lift"] is None
    assert {case["draws_for_fall"] for case in found["cases"]} == {2}


def test_one_answer_an_arm_tells_nothing_of_answers() -> None:
    single = answered({"a": ((0.9, 0.8, 0.9), (0.5,) * 3)})
    assert "nothing is known of the spread of answers" in page(single)
    assert "one answer an arm" in page(single)
    assert (data(single)["reason"], data(single)["designs"]) == ("no_spread", [])


def test_a_stub_and_a_claim_are_called_what_they_are() -> None:
    assert "The built-in stub gave these answers" in page(drawn({"a": (0.85, 0.42)}, kind="stub", surface="stub", transcripts="none"))
    assert "its spreads are claims" in page(drawn({"a": (0.9, 0.3)}, example=True))


@pytest.mark.parametrize("effect", [0.0, 0.0499, 1.01, float("nan"), float("inf"), -0.1])
def test_an_effect_outside_the_scale_is_refused(effect: float) -> None:
    with pytest.raises(InputError, match=r"0\.05 to 1"):
        run("r", effect=effect, as_json=False, read=shelf(r=STEADY))


@pytest.mark.parametrize("broken", [b"", b"{", STEADY.replace(b"0.9", b"0.8", 1)])
def test_an_invalid_receipt_is_refused(broken: bytes) -> None:
    with pytest.raises(ReceiptError):
        run("r", effect=0.1, as_json=False, read=shelf(r=broken))


def test_case_ids_cannot_break_out_of_the_page() -> None:
    text = page(answered({"<b>|@x`": ((0.9, 0.8, 0.9), (0.5,) * 3)}, name="<script>`|"))
    assert "<" not in re.sub(r"`[^`]*`", "", text)
    assert {re.sub(r"`[^`]*`", "", line).count("|") for line in text.splitlines() if line.startswith("|")} == {6}
