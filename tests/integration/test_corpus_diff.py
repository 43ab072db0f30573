"""The published comparisons of a folder of sample receipts, reproduced, for those who have the folder (DRIFTPROOF_CORPUS).

Not: the only evidence; test_diff and the comparison's unit tests stand on receipts of our own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from driftproof_action.commands.diff import run

WORDS = {"WITHIN NOISE": "NO_SEPARATION"}
MODELS = ("claude-sonnet-4-6", "claude-sonnet-5")
Pair = tuple[dict[str, Any], dict[str, Any]]


@pytest.fixture
def pairs(corpus: Path | None) -> list[Pair]:
    """(what was published, what we find) of every pair; nothing without the folder."""
    out: list[Pair] = []
    if corpus is not None:
        folder = corpus / "receipts" / "report-001"
        for skill, expected in json.loads((folder / "expected-drift.json").read_text("utf-8")).items():
            old, new = (str(folder / f"{skill}__{model}.json") for model in MODELS)
            out.append((expected, json.loads(run(old, new, as_json=True, read=lambda path: Path(path).read_bytes())[0])))
        assert out
    return out


def test_case_for_case_and_headline_for_headline(pairs: list[Pair]) -> None:
    for expected, found in pairs:
        assert found["headline"] == WORDS.get(expected["headline"], expected["headline"])
        shown = [
            (
                case["id"],
                f"{case['old_mean']:.3f} ± {case['old_sd']:.3f}",
                f"{case['new_mean']:.3f} ± {case['new_sd']:.3f}",
                f"{case['delta']:+.3f}",
                case["verdict"],
            )
            for case in found["cases"]
        ]
        assert shown == [(id, case["a"], case["b"], case["delta"], case["verdict"]) for id, case in expected["cases"].items()]
