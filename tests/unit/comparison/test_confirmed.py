from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from driftproof_action.comparison.compare import compare
from driftproof_action.comparison.confirmed import confirm
from driftproof_action.comparison.drift import Comparison
from driftproof_action.domain.reading import Decision, Reading, Scalar
from driftproof_action.receipts.view import ReceiptView
from tests.unit.comparison.views import answer, receipt

HIGH, LOW, BASE = (0.80, 0.81, 0.79, 0.80, 0.80), (0.50, 0.51, 0.49, 0.50, 0.50), (0.60, 0.61, 0.59, 0.60, 0.60)
FRESH: Mapping[str, Scalar | None] = {
    "fresh_other_mean": 0.8,
    "fresh_target_mean": 0.5,
    "fresh_other_n": 10,
    "fresh_target_n": 9,
    "count": 3,
    "total": 184756,
}
NOTHING = Comparison("FIRST_RECEIPT", "never stored before", None, (), (), ())


def view(fallen: int = 0, *, cases: int = 6, readings: tuple[Reading, ...] = (), **more: object) -> ReceiptView:
    """cases whose first `fallen` score lower with the skill."""
    table = {f"c{n}": (LOW if n < fallen else HIGH, BASE) for n in range(cases)}
    return replace(receipt(table, tree_hash="f" * 64), decision=Decision("PASSED", "", (), readings), **more)  # type: ignore[arg-type]


def tried(case: str, word: str, reason: str = "") -> Reading:
    return Reading("confirmation/drift", case, word, reason, FRESH if word != "unconfirmed" else {})


def asked(case: str, word: str, old: float, new: float) -> Reading:
    numbers = {
        "incumbent_mean": old,
        "with_skill_mean": new,
        "incumbent_n": 5,
        "with_skill_n": 6,
        "incumbent_sd": 0.01,
        "with_skill_sd": 0.02,
    }
    return Reading("incumbent", case, word, "", numbers)


def test_only_fresh_answers_make_a_fall_and_it_gates() -> None:
    new = view(2, readings=(asked("c0", "separated_down", 0.8, 0.5), tried("c0", "confirmed"), tried("c1", "not_confirmed", "futility")))
    found = confirm(compare(receipt_of_before(), new), receipt_of_before(), new)
    assert (found.headline, found.code, found.gates, found.worse) == ("DRIFT", "confirmed_case", True, True)
    cases = {case.id: case for case in found.cases}
    assert (cases["c0"].reading, cases["c0"].gates, cases["c0"].stands) == ("confirmed", True, True)
    assert cases["c0"].fresh
    assert (cases["c0"].fresh.old_mean, cases["c0"].fresh.new_n, cases["c0"].fresh.count) == (0.8, 9, 3)
    assert (cases["c1"].reading, cases["c1"].reason, cases["c1"].gates, cases["c1"].stands) == ("not_confirmed", "futility", False, False)


def receipt_of_before() -> ReceiptView:
    return receipt({f"c{n}": (HIGH, BASE) for n in range(6)})


def test_a_fall_the_bands_missed_is_one_when_fresh_answers_say_so() -> None:
    new = view(0, readings=(asked("c3", "not_separated", 0.8, 0.76), tried("c3", "confirmed")))
    found = confirm(compare(receipt_of_before(), new), receipt_of_before(), new)
    assert found.headline == "DRIFT"
    assert next(case for case in found.cases if case.id == "c3").verdict == "regression"


def test_stored_answers_alone_cannot_tell_and_never_gate() -> None:
    new = view(1)
    published = compare(receipt_of_before(), new)
    found = confirm(published, receipt_of_before(), new)
    assert published.headline == "DRIFT"
    assert published.worse
    assert (found.headline, found.code, found.worse) == ("NO_SEPARATION", "cannot_tell", False)
    assert [case.reading for case in found.cases if case.verdict == "regression"] == ["cannot_tell"]
    assert "1 of 6 cases stands apart on the first answers, none confirmed" in found.reason


def test_scores_and_lift_that_fall_over_the_suite_gate_without_a_case() -> None:
    new = view(6)
    found = confirm(compare(receipt_of_before(), new), receipt_of_before(), new)
    assert (found.headline, found.code, found.worse) == ("DRIFT", "suite", True)
    assert found.suite
    assert found.suite.word == "suite_drift_down"
    assert found.suite.scores == pytest.approx(-0.3)
    assert not any(case.gates for case in found.cases)


def test_a_ground_that_moved_is_told_and_never_gates() -> None:
    new = receipt({f"c{n}": (tuple(x - 0.2 for x in HIGH), tuple(x - 0.2 for x in BASE)) for n in range(6)}, tree_hash="f" * 64)
    found = confirm(compare(receipt_of_before(), new), receipt_of_before(), new)
    assert (found.headline, found.worse) == ("NO_SEPARATION", False)
    assert found.suite
    assert (found.suite.word, found.suite.ground_moved) == ("ground_moved", True)


def test_an_improvement_of_single_cases_is_not_called_one() -> None:
    old = receipt({f"c{n}": (LOW if n < 1 else HIGH, BASE) for n in range(6)})
    found = confirm(compare(old, view(0)), old, view(0))
    assert (found.headline, found.worse) == ("NO_SEPARATION", False)
    risen = receipt({f"c{n}": (LOW, BASE) for n in range(6)})
    assert confirm(compare(risen, view(0)), risen, view(0)).headline == "IMPROVED"


def test_without_a_receipt_the_committed_skill_is_what_is_compared_with() -> None:
    new = view(0, readings=(asked("c0", "separated_down", 0.8, 0.5), asked("c1", "underpowered", 0.7, 0.72)))
    found = confirm(NOTHING, None, new)
    assert (found.headline, found.same_day, found.worse, found.changed) == ("FIRST_RECEIPT", True, False, ("skill",))
    assert [(case.id, case.delta, case.verdict) for case in found.cases] == [("c0", -0.3, "regression"), ("c1", 0.02, "within noise")]
    assert [case.reading for case in found.cases] == ["suspect", ""]
    assert found.delta == pytest.approx(-0.14)
    fell = confirm(NOTHING, None, view(0, readings=(*(new.decision.readings if new.decision else ()), tried("c0", "confirmed"))))
    assert (fell.headline, fell.worse) == ("DRIFT", True)


@pytest.mark.parametrize("headline", ["FIRST_RECEIPT", "NOT_COMPARABLE", "RECEIPT_REMOVED", "BASE_UNAVAILABLE", "REFUSED"])
def test_why_there_is_no_receipt_to_compare_with_stays_told(headline: str) -> None:
    found = confirm(replace(NOTHING, headline=headline), None, view(0))
    assert (found.headline, found.reason, found.worse) == (headline, NOTHING.reason, False)


def test_one_answer_an_arm_never_gates() -> None:
    rows = {(id, arm): answer(id, arm, score, 0.01) for id in ("c0", "c1", "c2") for arm, score in (("with_skill", 0.9), ("baseline", 0.6))}
    old = replace(receipt(), rows=rows, version="0.3", case_count=3)
    new = view(3, cases=3)
    found = confirm(compare(old, new), old, new)
    assert not found.worse
    assert found.headline not in ("DRIFT", "MIXED")
