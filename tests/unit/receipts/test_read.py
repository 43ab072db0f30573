from __future__ import annotations

import random
from dataclasses import replace

import pytest

from driftproof_action.errors import ReceiptError
from driftproof_action.receipts.build import build
from driftproof_action.receipts.read import FAULTS, load, view
from driftproof_action.receipts.sealing import seal, to_file_bytes
from driftproof_action.receipts.versions import at_least
from tests.unit.receipts.making import decided, facts, receipt, run_of
from tests.unit.receipts.older import PUBLISHED, changed, older


@pytest.mark.parametrize("version", PUBLISHED)
def test_one_view_of_every_version(version: str) -> None:
    seen = view(older(version))
    row = seen.rows["tidy", "with_skill"]
    sampled = at_least(version, "0.5")
    assert (seen.version, seen.method, seen.narrowed, seen.status) == (version, "lift", False, "complete")
    assert seen.case_ids() == ("tidy", "terse")
    assert seen.judge.model_id == "claude-haiku-4-5"
    assert seen.judge.samples == (2 if at_least(version, "0.2") else None)
    assert (row.source, row.n_measured, row.n_lost) == (("generation", 3, 0) if sampled else ("legacy", 1, 0))
    assert row.mean == (0.883333 if sampled else 0.85)
    assert [draw.mean for draw in row.draws] == ([0.875, 0.925, 0.85] if sampled else [])
    assert (row.sd > 0) == (version != "0.1")
    assert seen.kind == ("model" if at_least(version, "0.6") else None)
    assert (seen.observations, seen.decision, seen.measurement_hash) == (None, None, None)


def test_lost_draws_are_counted_named_and_have_no_mean() -> None:
    seen = view(older("0.7", lose=("terse", "baseline")))
    row = seen.rows["terse", "baseline"]
    assert (row.status, row.mean, row.n_measured, row.n_lost, row.losses_named) == ("failed_timeout", None, 0, 1, True)
    assert row.loss_reasons == {"timed out": 1}
    assert seen.status == "incomplete"


def test_losses_are_not_named_when_a_reason_or_a_draw_is_missing() -> None:
    document = older("0.7", lose=("terse", "baseline"))
    path = "results.cases.3.generation"
    draw = document["results"]["cases"][3]["generation"]["draws"][0]
    assert not view(changed(document, f"{path}.draws.0", {**draw, "reason": ""})).rows["terse", "baseline"].losses_named
    short = view(changed(changed(document, f"{path}.n_drawn", 2), f"{path}.n_unmeasured", 2)).rows["terse", "baseline"]
    assert (short.losses_named, short.n_lost) == (False, 2)


def test_an_arm_with_fewer_cases_than_the_suite_narrows_the_run() -> None:
    assert view(changed(older("0.6"), "suite.case_count", 3)).narrowed
    document = older("0.3")
    document["results"]["cases"].pop()
    assert view(seal(document)).narrowed
    assert view(receipt(7, narrowed=True)).narrowed


def test_an_arm_judged_elsewhere_does_not_take_the_count_of_the_run() -> None:
    document = changed(older("0.8"), "run.judge", {**older("0.8")["run"]["judge"]})
    assert view(document).judge.samples == 2
    del document["run"]["counts"]
    assert view(seal(document)).judge.samples == 2


def test_our_own_version_gives_back_what_went_in() -> None:
    ids, seen = run_of(random.Random(5), cases=2)
    document = build(facts(ids, endpoint="https://models.example", judge_endpoint=None, harness=("api", None)), seen, decided(seen))
    mine = view(document)
    assert mine.observations == seen
    assert mine.decision == decided(seen)
    assert (mine.tree_hash, mine.protocol, mine.endpoint, mine.harness) == (
        facts(ids).skill.tree_hash,
        "published",
        "https://models.example",
        ("api", None),
    )
    assert mine.parameters["min_draws"] == 3
    assert mine.rows[ids[0], "with_skill"].case_hash == document["observations"]["frame"]["cases"][0]["digest"]
    assert mine.economics == document.get("economics")


def test_the_reasons_of_lost_draws_are_words() -> None:
    for seed in range(40):
        for row in view(receipt(seed)).rows.values():
            if row.loss_reasons:
                assert sum(row.loss_reasons.values()) == row.n_lost
                assert all(" " not in reason for reason in row.loss_reasons)
                return
    raise AssertionError("no seed lost a draw")


def test_loading_says_what_is_wrong_where_and_what_to_do() -> None:
    document = changed(older("0.7"), "results.aggregates.with_skill.mean_score", 0.91)
    with pytest.raises(ReceiptError) as caught:
        load(to_file_bytes(document), source="receipts/tidy.json")
    assert caught.value.exit_code == 4
    assert caught.value.lines() == [
        "receipts/tidy.json: does not follow from its own draws",
        "  results.aggregates.with_skill.mean_score says 0.91, its cases give 0.8125",
        "  and 2 more: driftproof validate shows them",
        "  → restore the file from git, or measure again",
        "  docs/errors.md#derived-mismatch",
    ]


@pytest.mark.parametrize("data", [b"", b"{", b'{"a": NaN}', b'{"a": 1, "a": 2}', b"\xff", b"[" * 100_000])
def test_what_cannot_be_read_is_the_fault_of_a_receipt(data: bytes) -> None:
    with pytest.raises(ReceiptError) as caught:
        load(data, source="r.json")
    assert caught.value.exit_code == 4
    assert caught.value.place.startswith("r.json")


def test_a_remark_of_an_older_version_does_not_stop_its_reading() -> None:
    assert load(to_file_bytes(changed(older("0.3"), "comparison.delta", 0.5)), source="r.json").delta == 0.5


def test_every_class_of_mismatch_has_words() -> None:
    assert len({anchor for _, _, anchor in FAULTS.values()}) == len(FAULTS)
    assert replace(view(older("0.1")), level="X").level == "X"
