from __future__ import annotations

import copy
from typing import Any

import pytest

from driftproof_action.receipts.sealing import seal
from driftproof_action.receipts.verify import MOST, check
from driftproof_action.receipts.versions import at_least
from tests.unit.receipts.older import PUBLISHED, changed, older


@pytest.mark.parametrize("version", PUBLISHED)
def test_every_published_version_is_read(version: str) -> None:
    checked = check(older(version))
    assert [item.sentence() for item in checked.mismatches] == []
    assert (checked.status, checked.hash_verified, checked.version) == ("valid", True, version)


@pytest.mark.parametrize("version", [version for version in PUBLISHED if at_least(version, "0.6")])
def test_a_lost_row_leaves_both_arms(version: str) -> None:
    document = older(version, lose=("terse", "baseline"))
    assert [item.sentence() for item in check(document).mismatches] == []
    assert document["results"]["aggregates"]["with_skill"]["case_count"] == 1


@pytest.mark.parametrize("version", PUBLISHED)
def test_a_broken_seal_is_named(version: str) -> None:
    document = older(version) | {"receipt_hash": "0" * 64}
    (found,) = check(document).mismatches
    assert (found.kind, found.path, found.fatal) == ("hash", "receipt_hash", True)


DERIVED = [
    ("results.aggregates.with_skill.mean_score", 0.91, "0.1"),
    ("results.aggregates.baseline.pass_count", 2, "0.1"),
    ("results.aggregates.with_skill.case_count", 1, "0.1"),
    ("comparison.delta", 0.5, "0.1"),
    ("comparison.with_skill_score", 0.99, "0.1"),
    ("comparison.delta_uncertainty", 0.5, "0.2"),
    ("results.aggregates.with_skill.stddev", 0.5, "0.2"),
    ("results.aggregates.with_skill.borderline_count", 2, "0.2"),
    ("results.cases.0.mean", 0.5, "0.2"),
    ("results.cases.0.score", 0.5, "0.2"),
    ("results.cases.0.stddev", 0.5, "0.2"),
    ("results.cases.0.outcome", "fail", "0.2"),
    ("results.cases.0.generation.mean", 0.5, "0.5"),
    ("results.cases.0.generation.sd", 0.5, "0.5"),
    ("results.cases.0.generation.judge_sd_mean", 0.5, "0.5"),
    ("results.cases.0.generation.variance_ratio", 9.5, "0.5"),
    ("results.cases.0.generation.n_drawn", 4, "0.5"),
    ("results.cases.0.generation.n_measured", 2, "0.5"),
    ("results.cases.0.generation.n_unmeasured", 1, "0.5"),
    ("results.cases.0.generation.n_truncated", 1, "0.6"),
    ("results.cases.0.generation.draws.1.mean", 0.5, "0.5"),
    ("results.cases.0.generation.draws.1.stddev", 0.5, "0.5"),
    ("results.cases.0.generation.draws.1.draw_index", 7, "0.5"),
    ("results.cases.0.samples", [0.1, 0.2], "0.5"),
    ("results.cases.0.generation_hash", "0" * 64, "0.5"),
    ("run.counts.generations_per_arm", 9, "0.8"),
]


@pytest.mark.parametrize("version", PUBLISHED)
@pytest.mark.parametrize(("path", "value", "since"), DERIVED)
def test_a_derived_number_that_does_not_follow_is_named(version: str, path: str, value: Any, since: str) -> None:
    """From 0.7 on the receipt is invalid by it, before it is a remark."""
    if not at_least(version, since):
        assert check(older(version)).status == "valid"
        return
    checked = check(changed(older(version), path, value))
    assert checked.hash_verified
    named = path.replace(".0", "[0]").replace(".1.", "[1].")
    assert named in {item.path for item in checked.mismatches}
    assert {item.kind for item in checked.mismatches} == {"derived"}
    assert checked.status == ("invalid" if at_least(version, "0.7") else "remarks")


def test_a_mismatch_is_said_in_one_sentence() -> None:
    checked = check(changed(older("0.7"), "results.aggregates.with_skill.mean_score", 0.91))
    first = checked.mismatches[0].sentence()
    assert first == "results.aggregates.with_skill.mean_score says 0.91, its cases give 0.8125"


@pytest.mark.parametrize("version", PUBLISHED)
def test_a_row_twice_is_an_error_in_every_version(version: str) -> None:
    document = older(version)
    document["results"]["cases"].append(copy.deepcopy(document["results"]["cases"][0]))
    checked = check(seal(document))
    assert checked.status == "invalid"
    assert (checked.mismatches[0].kind, checked.mismatches[0].path) == ("rows", "results.cases[4]")


@pytest.mark.parametrize("version", [version for version in PUBLISHED if at_least(version, "0.2") and not at_least(version, "0.8")])
def test_a_sample_count_that_rows_do_not_have_is_named(version: str) -> None:
    checked = check(changed(older(version), "run.judge.samples", 4))
    assert {(item.kind, item.path) for item in checked.mismatches} == {("derived", "run.judge.samples")}


def test_two_sample_counts_must_be_one_from_0_8_on() -> None:
    document = changed(older("0.8"), "run.judge.samples", 5)
    assert [item.kind for item in check(document).mismatches] == ["samples"]


@pytest.mark.parametrize("word", ["0.12", "0.13", "constructor", "toString", "__proto__", "", "1.0", None, 1, True, ["0.1"], {}])
def test_an_unknown_version_lists_the_known(word: Any) -> None:
    (found,) = check(older("0.1") | {"schema_version": word}).mismatches
    assert found.kind == "version"
    assert found.gives == "0.1, 0.2, 0.3, 0.3.1, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.10, 0.11, 1.0-draft"


@pytest.mark.parametrize("document", [None, [], "x", 1, True, {}, {"receipt_hash": 1}])
def test_anything_else_is_no_receipt(document: Any) -> None:
    checked = check(document)
    assert (checked.status, checked.version) == ("invalid", None)


def test_the_schema_is_chosen_by_version_never_by_a_name_inside() -> None:
    document = seal(older("0.1") | {"$id": "https://driftproofhq.com/spec/receipt.v0.2.schema.json"})
    assert [(item.kind, item.path) for item in check(document).mismatches] == [("schema", '"$id"')]


def test_findings_are_bounded() -> None:
    document = older("0.1")
    document["results"]["cases"] = [{} for _ in range(500)]
    assert len(check(document).mismatches) == MOST


def test_an_imported_receipt_keeps_what_its_source_decided() -> None:
    """Outcomes and totals of an import were made elsewhere; the lift still follows from its two scores."""
    document = older("0.9")
    document["run"] |= {"surface": "external", "transcripts": "none"}
    document["run"]["answered_by"]["kind"] = "external"
    document["verification_level"] = "DECLARED"
    document["results"]["cases"][0]["outcome"] = "fail"
    document["results"]["aggregates"]["with_skill"]["mean_score"] = 0.8
    assert check(seal(document)).status == "valid"
    assert [item.path for item in check(changed(document, "comparison.delta", 0.0)).mismatches] == ["comparison.delta"]
