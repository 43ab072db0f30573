"""Receipts that were changed and sealed again throughout: what `run` says and what the frame says must be one story."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from driftproof_action.decisions.table import TABLE
from driftproof_action.receipts.run_ties import GUARDS
from driftproof_action.receipts.sealing import measurement_hash, seal
from driftproof_action.receipts.verify import check
from tests.unit.receipts.making import receipt

Document = dict[str, Any]
Forge = Callable[[Document], object]


def _terms(document: Document) -> Document:
    terms: Document = document["observations"]["frame"]["terms"]
    return terms


def _judged(document: Document, samples: int) -> None:
    """The judge's samples told alike in both places of the run."""
    document["run"]["judge"]["samples"] = samples
    for block in (document["run"], *document["run"].get("arms", {}).values(), *document["results"]["cases"]):
        if "judge_samples_per_generation" in block.get("counts", {}):
            block["counts"]["judge_samples_per_generation"] = samples


FORGERIES: dict[str, tuple[Forge, str, str]] = {
    "the other protocol": (lambda it: it["run"].update(protocol="confirmed"), "decision", "run.protocol"),
    "no protocol": (lambda it: it["run"].update(protocol=None), "decision", "run.protocol"),
    "another model": (lambda it: it["run"].update(model_id="claude-opus-5"), "observations", "observations.frame.arms[0].model"),
    "another model in one arm": (
        lambda it: it["observations"]["frame"]["arms"][1].update(model="claude-opus-5"),
        "observations",
        "observations.frame.arms[1].model",
    ),
    "more judging": (lambda it: it["run"]["parameters"].update(samples=9), "observations", "run.parameters.samples"),
    "no judging": (lambda it: it["run"]["parameters"].update(samples=None), "observations", "run.parameters.samples"),
    "more answers": (lambda it: it["run"]["parameters"].update(min_draws=4), "observations", "run.parameters.min_draws"),
    "a higher top": (lambda it: it["run"]["parameters"].update(max_draws=50), "observations", "run.parameters.max_draws"),
    "another judge count": (lambda it: _judged(it, 5), "observations", "run.judge.samples"),
    "another frame count": (lambda it: _terms(it).update(samples=5), "observations", "run.judge.samples"),
    "kind left out": (lambda it: _terms(it).pop("kind"), "observations", "observations.frame.terms.kind"),
    "kind of a stub": (lambda it: _terms(it).update(kind="stub"), "observations", "observations.frame.terms.kind"),
    "guard left out": (lambda it: _terms(it).pop("judge_guard"), "observations", "observations.frame.terms.judge_guard"),
    "no such guard": (lambda it: _terms(it).update(judge_guard="off"), "observations", "observations.frame.terms.judge_guard"),
    "a guard that is no word": (lambda it: _terms(it).update(judge_guard=True), "observations", "observations.frame.terms.judge_guard"),
    "a larger suite": (lambda it: it["suite"].update(case_count=4), "observations", "suite.case_count"),
    "a smaller suite": (lambda it: it["suite"].update(case_count=2), "observations", "suite.case_count"),
}


@pytest.mark.parametrize("name", FORGERIES)
@pytest.mark.parametrize("rules", [TABLE, None], ids=["with rules", "without rules"])
def test_both_say_the_same(name: str, rules: Any) -> None:
    forge, kind, path = FORGERIES[name]
    document = receipt(7)
    assert check(document, rules=rules).status == "valid"
    forge(document)
    document["measurement_hash"] = measurement_hash(document)
    found = check(seal(document), rules=rules)
    assert found.status == "invalid"
    assert found.hash_verified
    assert (kind, path) in {(item.kind, item.path) for item in found.mismatches}


def test_of_some_cases_the_suite_may_be_larger_and_never_smaller() -> None:
    def paths(count: int) -> set[str]:
        document = receipt(7, narrowed=True)
        document["suite"]["case_count"] = count
        return {item.path for item in check(seal(document)).mismatches}

    assert "suite.case_count" not in paths(3) | paths(40)
    assert "suite.case_count" in paths(2)


def test_both_guards_are_words_of_the_input() -> None:
    from driftproof_action.settings.fields import FIELDS

    assert next(field.choices for field in FIELDS if field.name == "judge-guard") == GUARDS


@pytest.mark.parametrize("held", [None, 4])
def test_a_measurement_may_leave_its_draws_unsaid_but_not_say_others(held: int | None) -> None:
    from tests.unit.receipts.test_verify_own import _measured

    document = _measured()
    document["run"]["parameters"].update(min_draws=held, max_draws=held)
    document["measurement_hash"] = measurement_hash(document)
    assert check(seal(document), rules=TABLE).status == "valid"
    document["run"]["parameters"]["max_draws"] = 40
    document["measurement_hash"] = measurement_hash(document)
    assert [item.path for item in check(seal(document), rules=TABLE).mismatches] == ["run.parameters.max_draws"]
