from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.decisions.pass_rate.measure import MeasuredRates
from driftproof_action.decisions.pass_rate.measure import terms as measure_terms
from driftproof_action.decisions.table import TABLE
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId
from driftproof_action.domain.observations import Frame, Observations, Stop
from driftproof_action.receipts.build import build
from driftproof_action.receipts.read import view
from driftproof_action.receipts.sealing import measurement_hash, seal
from driftproof_action.receipts.verify import check
from tests.unit.receipts.making import MODEL, decided, facts, receipt, run_of
from tests.unit.receipts.older import mutated

Document = dict[str, Any]


def _first(document: Document, holds: Callable[[Document], bool]) -> Document:
    return next(grade for grade in document["observations"]["grades"] if holds(grade))


def _scored(grade: Document) -> bool:
    return "score" in grade and bool(grade.get("samples"))


def _better(document: Document) -> None:
    _first(document, _scored)["score"] = 0.123


def _sample(document: Document) -> None:
    sample = _first(document, _scored)["samples"][0]
    sample["value"] = 0.111111 if sample["value"] != 0.111111 else 0.2


def _row(document: Document) -> None:
    row = next(row for row in document["results"]["cases"] if "generation" in row)
    row["reason"] = "better than it was"


def _draw_gone(document: Document) -> None:
    gone = document["observations"]["draws"].pop()
    key = {name: gone[name] for name in ("brief", "arm", "look", "index")}
    document["observations"]["grades"] = [grade for grade in document["observations"]["grades"] if key not in grade["draws"]]


def _verdict(document: Document) -> None:
    document["decision"]["verdict"] = "PASSED" if document["decision"]["verdict"] != "PASSED" else "REGRESSED"


def _reading(document: Document) -> None:
    document["decision"]["readings"][0]["word"] = "separated_up_and_away"


def _rule(document: Document) -> None:
    document["observations"]["frame"]["rule"] = "always_passes"


def _term(document: Document) -> None:
    document["observations"]["frame"]["terms"]["min_draws"] = "many"


def _twice(document: Document) -> None:
    document["observations"]["draws"].append(copy.deepcopy(document["observations"]["draws"][0]))


def _stray(document: Document) -> None:
    document["observations"]["grades"][0]["case"] = "nobody"


def _unknown_reduction(document: Document) -> None:
    _first(document, _scored)["reduction"] = "best_of"


def _complete(document: Document) -> None:
    document["run"]["status"] = "complete" if document["run"].get("status") == "incomplete" else "incomplete"


def _answered(document: Document) -> None:
    document["run"]["answered_by"]["reported_models"] = ["claude-opus-5"]


def _cost(document: Document) -> None:
    document["economics"]["with_skill"]["mean_input_tokens"] = 1


def _swapped(document: Document) -> None:
    rows = document["results"]["cases"]
    rows[0], rows[1] = rows[1], rows[0]


def _measured_otherwise(document: Document) -> None:
    document["skill"]["tree_hash"] = "0" * 64


def _published(document: Document) -> None:
    document["decision"]["published_verdict"] = None


LIES: list[tuple[Callable[[Document], None], str]] = [
    (_better, "reduction"),
    (_sample, "reduction"),
    (_row, "observations"),
    (_draw_gone, "coverage"),
    (_verdict, "decision"),
    (_reading, "decision"),
    (_rule, "decision"),
    (_term, "decision"),
    (_twice, "observations"),
    (_stray, "observations"),
    (_unknown_reduction, "reduction"),
    (_complete, "observations"),
    (_answered, "observations"),
    (_cost, "observations"),
    (_swapped, "rows"),
    (_measured_otherwise, "measurement_hash"),
    (_published, "decision"),
]


@pytest.mark.parametrize(("lie", "kind"), LIES, ids=[lie.__name__ for lie, _ in LIES])
def test_a_lie_that_was_sealed_again_is_named(lie: Callable[[Document], None], kind: str) -> None:
    document = receipt(7)
    assert check(document, rules=TABLE).status == "valid"
    lie(document)
    checked = check(seal(document), rules=TABLE)
    assert checked.status == "invalid"
    assert checked.hash_verified
    assert kind in {item.kind for item in checked.mismatches}


def test_a_better_story_told_throughout_is_still_caught_by_coverage() -> None:
    """Leaving out the draws one does not like and rebuilding everything else honestly."""
    ids, seen = run_of(random.Random(7), cases=2)
    kept = seen.draws[:-1]
    table = Observations(seen.frame, kept, [grade for grade in seen.grades if grade.id.draws[0] != seen.draws[-1].id], Stop("complete"))
    document = build(facts(ids), table, decided(table))
    assert "coverage" in {item.kind for item in check(document, rules=TABLE).mismatches}


def test_draws_nobody_wanted_are_named() -> None:
    ids, seen = run_of(random.Random(11), cases=1)
    id = DrawId(ids[0], "with_skill", "first", 40)
    seen.add_draw(Draw(id, "completed", reply_hash="a" * 64))
    document = build(facts(ids), seen, decided(seen))
    assert [item.path for item in check(document, rules=TABLE).mismatches if item.kind == "coverage"]


def test_without_rules_decision_and_coverage_are_left_alone() -> None:
    document = receipt(7)
    _verdict(document)
    assert check(seal(document)).status == "valid"


def test_a_receipt_that_is_not_tested_earns_no_verdict() -> None:
    document = receipt(7)
    document["verification_level"] = "UNVERIFIED"
    document["decision"]["verdict"] = document["decision"]["published_verdict"] = "PASSED"
    assert [(item.kind, item.path) for item in check(seal(document)).mismatches] == [("decision", "decision.verdict")]
    narrowed = receipt(7)
    narrowed["run"]["narrowed"] = True
    assert [item.path for item in check(seal(narrowed)).mismatches] == ["verification_level"]


def _measured(kind: str = "model") -> Document:
    arm = Arm("with_skill", "measured", "api/x", "api", MODEL, "", "d", "inline")
    cases = tuple(Case(id, id, "checks", digest="b" * 64) for id in ("a", "b"))
    seen = Observations(Frame(MeasuredRates.name, (arm,), cases, {**measure_terms(4), "kind": kind}), stop=Stop("complete"))
    for id in MeasuredRates().wanted(seen).draws:
        seen.add_draw(Draw(id, "completed", reply_hash="c" * 64, reported_model="claude-haiku-4-5"))
        met = id.index % 2 == 0
        grade = Grade(
            GradeId("checks", id.brief, (id,)),
            "pass" if met else "fail",
            decided_by="checks",
            reduction="all_pass",
            parts=(("greets", met),),
        )
        seen.add_grade(grade)
    given = facts(
        ["a", "b"],
        method="measure",
        judge_model_id=None,
        protocol=None,
        kind=kind,
        surface="api" if kind == "model" else "stub",
        parameters={"min_draws": 4, "max_draws": 4, "max_tokens": 512},
    )
    return build(given, seen, MeasuredRates().decide(seen))


BASES = {"lift": receipt(7), "measure": _measured()}


@pytest.mark.parametrize("kind", ["model", "stub"])
def test_a_measurement_has_one_arm_and_no_comparison(kind: str) -> None:
    document = _measured(kind)
    assert [item.sentence() for item in check(document, rules=TABLE).mismatches] == []
    assert "comparison" not in document
    assert document["run"]["judge"] is None
    assert document["results"]["cases"][0]["checks"] == [{"name": "greets", "pass": False, "kind": "contains"}]
    seen = view(document)
    assert (seen.method, seen.delta, seen.baseline_score, seen.narrowed) == ("measure", None, None, False)
    assert seen.with_skill_score == 0.5
    assert document["measurement_hash"] == measurement_hash(document)


def test_a_lift_needs_its_comparison() -> None:
    document = receipt(7)
    del document["comparison"]
    assert [(item.kind, item.path) for item in check(seal(document)).mismatches] == [("schema", "comparison")]


@settings(max_examples=400, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 4), st.sampled_from(["lift", "measure"]))
def test_no_receipt_however_odd_makes_the_checks_fall_over(dice: random.Random, changes: int, method: str) -> None:
    document: Any = BASES[method]
    for _ in range(changes):
        document = mutated(dice, document)
    if not isinstance(document, dict):
        return
    checked = check(seal(document), rules=TABLE)
    if checked.status == "valid":
        view(seal(document))
