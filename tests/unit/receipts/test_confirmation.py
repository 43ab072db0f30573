from __future__ import annotations

import random
from typing import Any

from driftproof_action.decisions.table import TABLE
from driftproof_action.receipts.build import seal
from driftproof_action.receipts.verify import check
from tests.unit.receipts.confirmed_making import ORIGIN, asked, confirmed_receipt, play
from tests.unit.receipts.making import receipt


def hurts_one(case: str, arm: str, look: str) -> float:
    return 0.4 if (case, arm) == ("case-1", "with_skill") else 0.75


def found(document: dict[str, Any]) -> list[str]:
    return [item.path for item in check(document, rules=TABLE).mismatches]


def test_a_case_that_fell_is_written_out_with_its_fresh_draws() -> None:
    seen = play(random.Random(3), asked(6), hurts_one)
    document = confirmed_receipt(seen)
    [case] = [row for row in document["confirmation"]["cases"] if row["status"] == "confirmed"]
    assert (case["family"], case["case"], case["stop"], case["total"]) == ("down", "case-1", "complete", 184756)
    assert [draw["arm"] for draw in case["draws"][:4]] == ["with_skill", "baseline"] * 2
    assert len(case["draws"]) == 20
    row = next(row for row in document["results"]["cases"] if row["id"] == "case-1" and row["mode"] == "with_skill")
    assert row["generation"]["n_drawn"] <= 8  # fresh draws never enter the first look's set
    assert document["decision"]["reasons"] == ["confirmed_case"]
    families = {row["name"]: row["confirmed"] for row in document["confirmation"]["families"]}
    assert families == {"down": 1, "up": 0}


def test_a_stored_incumbent_names_its_receipt_and_says_reused() -> None:
    seen = play(random.Random(4), asked(6, incumbent="stored"), hurts_one)
    document = confirmed_receipt(seen)
    assert document["incumbent"]["origin"] == {"receipt_hash": ORIGIN.receipt_hash, "date": ORIGIN.date}
    assert {row["stopping_reason"] for row in document["incumbent"]["cases"]} == {"reused"}
    assert [row for row in document["confirmation"]["cases"] if row["family"] == "drift" and row["status"] == "confirmed"]
    assert {row["mode"] for row in document["results"]["cases"]} == {"with_skill", "baseline"}


def test_the_published_verdict_stands_beside_ours() -> None:
    suspects = 0
    for seed in range(30):
        seen = play(random.Random(seed), asked(10, top=10), lambda *_: 0.7, spread=0.1)
        document = confirmed_receipt(seen)
        decision = document["decision"]
        suspects += decision["published_verdict"] != decision["verdict"]
        assert decision["verdict"] not in ("REGRESSED", "PASSED")
    assert suspects >= 2  # nothing changed in any of them


def test_another_rule_has_no_such_block() -> None:
    assert "confirmation" not in receipt()
    document = receipt()
    seen = play(random.Random(1), asked(3), hurts_one)
    document["confirmation"] = confirmed_receipt(seen)["confirmation"]
    assert found(seal(document))


def test_leaving_the_fresh_draws_out_is_caught() -> None:
    document = confirmed_receipt(play(random.Random(3), asked(6), hurts_one))
    for table in ("draws", "grades"):
        rows = document["observations"][table]
        document["observations"][table] = [row for row in rows if (row if table == "draws" else row["draws"][0])["look"] == "first"]
    assert {"observations.stop.reason"} <= set(found(seal(document)))
