"""The example receipts in the package are what the engine and the writer make today, and say what they are meant to show."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from driftproof_action.comparison.compare import compare
from driftproof_action.comparison.verdict import published_verdict
from driftproof_action.receipts.read import load
from tests.golden.example_receipts import EXAMPLES, make

FOLDER = Path(__file__).resolve().parents[2] / "driftproof_action" / "examples" / "receipts"


@pytest.mark.parametrize("name", EXAMPLES)
def test_they_are_made_by_the_code_of_today(name: str) -> None:
    """UPDATE_GOLDEN=1 writes them anew."""
    made = make(name)
    if os.environ.get("UPDATE_GOLDEN") == "1":
        (FOLDER / f"{name}.json").write_bytes(made)
    assert (FOLDER / f"{name}.json").read_bytes() == made


@pytest.mark.parametrize(("name", "headline"), [("improved", "IMPROVED"), ("regressed", "DRIFT")])
def test_they_say_what_they_are_meant_to_show(name: str, headline: str) -> None:
    old, new = (load((FOLDER / f"{stem}.json").read_bytes(), source=stem) for stem in ("base", name))
    assert new.example
    assert new.level == "DECLARED"
    assert compare(old, new).headline == "NOT_MEASURED"
    assert compare(old, new, examples=True).headline == headline
    assert compare(old, new, examples=True).changed == ("skill",)
    assert published_verdict(new).verdict == "NOT_MEASURED"
    assert published_verdict(new, examples=True).verdict != "NOT_MEASURED"
