from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.decisions.table import TABLE
from driftproof_action.receipts.build import seal
from driftproof_action.receipts.read import view
from driftproof_action.receipts.verify import check
from tests.unit.receipts.confirmed_making import ORIGIN, RULE, asked, confirmed_receipt, play
from tests.unit.receipts.making import receipt

DICE = st.randoms(use_true_random=False)


def hurts_one(case: str, arm: str, look: str) -> float:
    return 0.4 if (case, arm) == ("case-1", "with_skill") else 0.75


def found(document: dict[str, Any]) -> list[str]:
    return [item.path for item in check(document, rules=TABLE).mismatches]


@settings(max_examples=150, deadline=None)
@given(DICE, st.integers(1, 7), st.sampled_from(["", "stored", "drawn"]), st.sampled_from(["", "", "", "budget"]), st.booleans())
def test_what_is_built_is_clean_and_gives_the_table_back(dice: random.Random, cases: int, incumbent: str, stop: str, confirm: bool) -> None:
    levels = {(f"case-{n}", arm): dice.choice((0.5, 0.7, 0.75)) for n in range(cases) for arm in ("with_skill", "baseline", "incumbent")}
    frame = asked(cases, incumbent=incumbent, confirm=confirm, models=dice.randint(1, 3))
    spread, lost = dice.choice((0.02, 0.1)), dice.choice((0.0, 0.1))
    seen = play(dice, frame, lambda case, arm, _: levels[case, arm], spread=spread, lost=lost, stop=stop)
    document = confirmed_receipt(seen)
    assert found(document) == []
    read = view(document)
    assert read.observations == seen
    assert read.decision == RULE.decide(seen)
    assert document["confirmation"]["rule"]["models_in_job"] == frame.terms["models_in_job"]
    assert ("incumbent" in document) == bool(incumbent)


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


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from leaves(inner, (*path, key))
    if not isinstance(value, dict | list):
        yield path, value


def put(document: dict[str, Any], path: tuple[Any, ...], value: Any) -> None:
    here: Any = document
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value


@pytest.mark.parametrize("incumbent", ["", "stored"])
def test_every_derived_number_that_is_changed_and_sealed_again_is_caught(incumbent: str) -> None:
    seen = play(random.Random(11), asked(6, incumbent=incumbent), hurts_one, lost=0.05)
    whole = confirmed_receipt(seen)
    parts = {key: whole[key] for key in ("confirmation", "decision")} | (
        {"incumbent": {"cases": whole["incumbent"]["cases"]}} if incumbent else {}
    )
    numbers = [(path, value) for path, value in leaves(parts) if isinstance(value, int | float) and not isinstance(value, bool)]
    assert len(numbers) > 250
    for path, value in random.Random(5).sample(numbers, 60):
        document = copy.deepcopy(whole)
        put(document, path, value + 1 if isinstance(value, int) else round(value + 0.000001, 6))
        assert found(seal(document)), path


def test_leaving_the_fresh_draws_out_is_caught() -> None:
    document = confirmed_receipt(play(random.Random(3), asked(6), hurts_one))
    for table in ("draws", "grades"):
        rows = document["observations"][table]
        document["observations"][table] = [row for row in rows if (row if table == "draws" else row["draws"][0])["look"] == "first"]
    assert {"observations.stop.reason"} <= set(found(seal(document)))
