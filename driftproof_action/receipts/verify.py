"""Says whether a receipt is what it claims to be, and names every place where it is not. Not: who made it (a signature is).

In order: a known version, its schema, unique rows, the sample count of 0.8, the seal, every derived number, and for 1.0
what only observations can show. A receipt that does not fit its schema is not read further.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from driftproof_action.canonical import Json, digest
from driftproof_action.domain.rule import Rule
from driftproof_action.errors import DocumentError
from driftproof_action.receipts.mismatch import Mismatch
from driftproof_action.receipts.recompute import recomputed
from driftproof_action.receipts.schema_check import misfits, show
from driftproof_action.receipts.versions import SCHEMAS, at_least, schema

MOST = 50
"""Mismatches listed of one receipt."""


@dataclass(frozen=True, slots=True)
class Checked:
    """version: as the receipt spells it, None when it names none we know. hash_verified: None when there is no seal to try.
    mismatches: in the order of the checks, at most MOST."""

    document: Json
    version: str | None
    hash_verified: bool | None
    mismatches: tuple[Mismatch, ...]

    @property
    def status(self) -> str:
        """`invalid`, `remarks` (only mismatches that older versions forgive) or `valid`."""
        if any(item.fatal for item in self.mismatches):
            return "invalid"
        return "remarks" if self.mismatches else "valid"


def check(document: Json, *, rules: Mapping[str, Rule] | None = None) -> Checked:
    """Never raises on any JSON value. rules: by the name a receipt stores; None leaves coverage and decision unread."""
    version = document.get("schema_version") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(version, str) or version not in SCHEMAS:
        return Checked(document, None, None, (_unknown(document, version),))
    shape = schema(version)
    found: list[Mismatch] = [
        Mismatch("schema", item.path, item.found, item.demand, f"the schema of {version}")
        for item in islice(misfits(document, shape), MOST)
    ]
    sealed, seal = _seal(document)
    if found:
        return Checked(document, version, sealed, tuple([*found, *seal][:MOST]))
    found += _rows(document)
    if not found:
        found += _samples(document, version)
    found += seal
    if not any(item.kind == "rows" for item in found):
        found += islice(recomputed(document), MOST)
        if "observations" in document:
            from driftproof_action.receipts.verify_own import rechecked  # only 1.0 receipts pay for the readers of rows

            found += islice(rechecked(document, rules=rules), MOST)
    return Checked(document, version, sealed, tuple(found[:MOST]))


def _unknown(document: Json, version: Any) -> Mismatch:
    known = ", ".join(SCHEMAS)
    if not isinstance(document, dict):
        return Mismatch("version", "", show(document), "an object", "a receipt")
    says = show(version) if "schema_version" in document else "nothing"
    return Mismatch("version", "schema_version", says, known, "this release")


def _seal(document: Mapping[str, Any]) -> tuple[bool | None, list[Mismatch]]:
    says = document.get("receipt_hash")
    if not isinstance(says, str):
        return None, []
    try:
        gives = digest({key: value for key, value in document.items() if key != "receipt_hash"})
    except DocumentError as error:
        return False, [Mismatch("hash", "receipt_hash", show(says), error.message, "the rest of the receipt")]
    if gives == says:
        return True, []
    return False, [Mismatch("hash", "receipt_hash", show(says), gives, "the rest of the receipt")]


def _rows(document: Mapping[str, Any]) -> Iterator[Mismatch]:
    first: dict[tuple[str, str], int] = {}
    for index, row in enumerate(document["results"]["cases"]):
        key = (row["id"], row["mode"])
        if key in first:
            yield Mismatch(
                "rows", f"results.cases[{index}]", f"{show(key[0])} in {key[1]} again", f"it at [{first[key]}]", "an earlier row"
            )
        first.setdefault(key, index)


def _samples(document: Mapping[str, Any], version: str) -> Iterator[Mismatch]:
    run = document["run"]
    judge, counts = (run.get("judge") or {}).get("samples"), (run.get("counts") or {}).get("judge_samples_per_generation")
    if at_least(version, "0.8") and judge is not None and counts is not None and judge != counts:
        yield Mismatch("samples", "run.judge.samples", show(judge), show(counts), "run.counts")
