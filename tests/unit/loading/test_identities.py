"""loading/identities: the published check values, and what moves which hash."""

from __future__ import annotations

from dataclasses import replace

import pytest

from driftproof_action.canonical import digest
from driftproof_action.domain.suite import CaseFile, Check, Criterion, SuiteCase
from driftproof_action.loading.identities import case_hash, suite_canary, suite_hash

PLAIN = SuiteCase("c1", "P", "R", (), 0.7)


def test_published_suite_hashes() -> None:
    assert suite_hash([PLAIN]) == "0dbacdd42372d6cb5837a836f56969728417054fc1c10a806795b402bff3d0e3"
    listed = SuiteCase("c1", "P", "", (Criterion("k1", 2, "d"),), 0.7)
    assert suite_hash([listed]) == "4374404311e4a029fcf566c2bb959809286d74b5cbd34b24510166b8d993c49c"


def test_published_canaries() -> None:
    assert suite_canary("demo", ["b", "a"]) == "0d9e30f4-4282-645d-fb64-17021fe46e3a"
    assert suite_canary("documentation-and-adrs", ["comment-intent-not-implementation"]) == "86e8fbf6-9c40-ec04-dacc-03e730017455"


def test_ids_of_a_canary_are_in_utf16_order() -> None:
    assert suite_canary("x", ["\U0001f600", "\ufb33"]) == suite_canary("x", ["\ufb33", "\U0001f600"])


def test_case_hash_by_its_check_value() -> None:
    assert case_hash(PLAIN) == "a875d2d7bef3c95d2693278656460aa5111b76c3e6d9bb56324e04511ee110e8"


def test_case_hash_is_the_digest_of_what_the_page_shows() -> None:
    check = Check("has-no-x", "not_contains", ("x",), "i")
    case = SuiteCase(
        "c1",
        "P",
        "",
        (Criterion("k1", 1, "d", Check("long", "min_length", minimum=20)), Criterion("k2", 2, "e")),
        0.5,
        checks=(check,),
        files=(CaseFile("evals/a.txt", "0" * 64, 3, "abc"),),
    )
    assert case_hash(case) == digest(
        {
            "id": "c1",
            "prompt": "P",
            "rubric": "",
            "pass_threshold": 0.5,
            "criteria": [
                {"id": "k1", "weight": 1, "description": "d", "check": {"name": "long", "kind": "min_length", "minimum": 20}},
                {"id": "k2", "weight": 2, "description": "e"},
            ],
            "checks": [{"name": "has-no-x", "kind": "not_contains", "values": ["x"], "flags": "i"}],
            "files": [{"path": "evals/a.txt", "sha256": "0" * 64}],
        }
    )


@pytest.mark.parametrize(
    "change",
    [
        {"id": "c2"},
        {"prompt": "Q"},
        {"rubric": "S"},
        {"pass_threshold": 0.6},
        {"criteria": (Criterion("k1", 1, "d"),)},
        {"checks": (Check("a", "contains", ("x",)),)},
        {"files": (CaseFile("a", "1" * 64, 1, "x"),)},
    ],
)
def test_everything_judged_by_moves_case_hash(change: dict[str, object]) -> None:
    assert case_hash(replace(PLAIN, **change)) != case_hash(PLAIN)  # type: ignore[arg-type]


def test_suite_hash_does_not_see_checks_and_files() -> None:
    more = replace(PLAIN, checks=(Check("a", "contains", ("x",)),), files=(CaseFile("a", "1" * 64, 1, "x"),), line=7, example=True)
    assert suite_hash([more]) == suite_hash([PLAIN])
    assert case_hash(replace(PLAIN, line=9)) == case_hash(PLAIN)
