"""Published receipts and schemas, for those who have a folder of them (DRIFTPROOF_CORPUS). Without one nothing is claimed here."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from driftproof_action.canonical import canonical_bytes, read_json
from driftproof_action.decisions.table import TABLE
from driftproof_action.receipts.schema_check import misfits
from driftproof_action.receipts.sealing import seal
from driftproof_action.receipts.verify import check
from driftproof_action.receipts.versions import SCHEMAS, schema
from tests.unit.receipts.older import mutated

MUTANTS = 200


def _receipts(corpus: Path | None) -> list[tuple[str, dict[str, Any]]]:
    folders = [corpus / "receipts", corpus / "synthetic"] if corpus else []
    files = [file for folder in folders for file in sorted(folder.rglob("*.json"))]
    read = [(file.name, read_json(file.read_bytes(), source=str(file))) for file in files]
    return [(name, document) for name, document in read if isinstance(document, dict) and "schema_version" in document]


def _references(corpus: Path | None) -> dict[str, Draft202012Validator]:
    found = {}
    for version in SCHEMAS:
        for name in (f"receipt.v{version}.schema.json", f"receipt.v{version}.reconstructed.schema.json"):
            if corpus and (corpus / "schemas" / name).is_file():
                found[version] = Draft202012Validator(json.loads((corpus / "schemas" / name).read_text(encoding="utf-8")))
    return found


def _mutants(document: dict[str, Any], seed: str) -> list[dict[str, Any]]:
    """MUTANTS copies whose canonical form really changed."""
    dice, before = random.Random(seed), canonical_bytes(document)
    out: list[dict[str, Any]] = []
    while len(out) < MUTANTS:
        mutant = mutated(dice, document)
        if canonical_bytes(mutant) != before and mutant.get("schema_version") == document["schema_version"]:
            out.append(mutant)
    return out


def test_every_published_receipt_is_valid(corpus: Path | None) -> None:
    for name, document in _receipts(corpus):
        checked = check(document, rules=TABLE)
        assert (name, checked.status, [item.sentence() for item in checked.mismatches]) == (name, "valid", [])


def test_our_schemas_accept_and_refuse_what_the_published_ones_do(corpus: Path | None) -> None:
    references = _references(corpus)
    shapes = {version: schema(version) for version in SCHEMAS}
    apart = []
    for name, document in _receipts(corpus):
        version = document["schema_version"]
        for mutant in [document, *_mutants(document, name)]:
            if references[version].is_valid(mutant) != (not misfits(mutant, shapes[version])):
                apart.append((name, misfits(mutant, shapes[version])[:2]))
    assert apart == []


def test_a_changed_receipt_is_never_valid(corpus: Path | None) -> None:
    for name, document in _receipts(corpus):
        for mutant in _mutants(document, name):
            assert check(mutant).status == "invalid"
            assert check(seal(mutant)).hash_verified is not False
