"""The pages under spec/ say what the schemas and the code say. Not: whether they say it well."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import fields

import pytest

from driftproof_action.commands.validate import run
from driftproof_action.decisions.table import TABLE
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, Sample
from driftproof_action.domain.observations import Frame
from driftproof_action.domain.reading import Decision, Reading
from driftproof_action.domain.usage import Usage
from driftproof_action.receipts.read import FAULTS
from driftproof_action.receipts.sealing import to_file_bytes
from driftproof_action.receipts.verify_own import CODED
from driftproof_action.receipts.versions import OWN, SCHEMAS, schema
from tests.contract.package_source import ROOT
from tests.contract.spec_table import expanded, paths, rows
from tests.unit.receipts.making import receipt

SPEC = ROOT / "spec"
PAGE = (SPEC / "RECEIPT.md").read_text(encoding="utf-8")
LISTED = [(path, kind, pattern.endswith("*")) for pattern, kind, _ in rows(PAGE) for path in expanded(pattern.removesuffix("*"))]


def test_every_path_of_the_schema_is_in_the_table_with_its_type() -> None:
    assert set(paths(schema(OWN))) - set(LISTED) == set()


def test_the_table_names_no_path_the_schema_lacks() -> None:
    assert set(LISTED) - set(paths(schema(OWN))) == set()


def test_no_path_is_explained_twice() -> None:
    assert [path for path, times in Counter(path for path, _, _ in LISTED).items() if times > 1] == []
    assert len(LISTED) > 300


def test_every_version_has_an_entry_newest_first() -> None:
    heads = re.findall(r"^## (\S+)$", (SPEC / "CHANGES.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heads == list(reversed(SCHEMAS))


def test_what_1_0_adds_is_in_its_entry() -> None:
    entry = (SPEC / "CHANGES.md").read_text(encoding="utf-8").split("## 0.11")[0]
    older = {path for path, _, _ in paths(schema("0.11"))}
    added = {path for path, _, _ in paths(schema(OWN))} - older
    tops = [path for path in added if not path.endswith("[]") and path.rpartition(".")[0].removesuffix("[]") not in added]
    assert len(tops) > 15
    assert [path for path in tops if f"{path.rpartition('.')[2]}`" not in entry and f"`{path}`" not in entry] == []


@pytest.mark.parametrize(
    ("noun", "place", "elsewhere"),
    [
        (Draw, "observations.draws[]", {"id"}),
        (Grade, "observations.grades[]", {"id"}),
        (Sample, "observations.grades[].samples[]", set()),
        (Usage, "observations.draws[].usage", set()),
        (Arm, "observations.frame.arms[]", {"system"}),
        (Case, "observations.frame.cases[]", set()),
        (Frame, "observations.frame", set()),
        (Reading, "decision.readings[]", set()),
        (Decision, "decision", set()),
        (DrawId, "observations.draws[]", set()),
    ],
)
def test_every_field_of_the_table_has_a_place(noun: type, place: str, elsewhere: set[str]) -> None:
    """A field added to a noun and not to the schema would make every receipt that holds it invalid."""
    there = {path for path, _, _ in paths(schema(OWN))}
    assert [field.name for field in fields(noun) if field.name not in elsewhere and f"{place}.{field.name}" not in there] == []


@pytest.mark.parametrize("kind", FAULTS)
def test_every_class_of_finding_is_in_the_reading_rules(kind: str) -> None:
    assert f"[{kind}]" in PAGE


@pytest.mark.parametrize("name", ["mean_of_samples", "all_pass", *CODED])
def test_every_reduction_is_explained(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_the_json_of_validate_is_as_written() -> None:
    document = receipt(7)
    document["receipt_hash"] = "0" * 64
    told = json.loads(run(["r.json"], True, read=lambda _: to_file_bytes(document), rules=TABLE)[0])
    printed = PAGE.split("## What `validate` prints")[1].split("## ")[0]
    for key in (*told, *told["receipts"][0], *told["receipts"][0]["findings"][0]):
        assert f'"{key}"' in printed


def test_the_schema_page_names_files_that_are_there() -> None:
    for name in re.findall(r"`((?:driftproof_action|spec)/[a-z0-9_./-]+|vectors/[a-z]+\.json)`", PAGE):
        assert (ROOT / name).exists() or (SPEC / name).exists()
