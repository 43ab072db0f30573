from __future__ import annotations

import dataclasses

import pytest

from driftproof_action.comparison.suite_drift import Quartet, read_suite_drift, suite_drift
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.hole import Origin
from driftproof_action.domain.observations import Frame, Observations
from tests.unit.comparison.views import answer, receipt

BASE = [(0.80, 0.60), (0.85, 0.55), (0.75, 0.65), (0.90, 0.50), (0.82, 0.58), (0.78, 0.62)]


def moved(skill: float = 0.0, ground: float = 0.0, cases: int = 6) -> list[Quartet]:
    """Every case moves alike but for a hundredth."""
    wobble = [0.01, -0.01, 0.0, 0.005, -0.005, 0.0]
    return [
        Quartet(str(n), w, b, round(w + skill + ground + wobble[n], 6), round(b + ground - wobble[n], 6))
        for n, (w, b) in enumerate(BASE[:cases])
    ]


@pytest.mark.parametrize(
    ("skill", "ground", "word"),
    [
        (0.0, 0.0, "none"),
        (-0.1, 0.0, "suite_drift_down"),
        (0.1, 0.0, "suite_drift_up"),
        (0.0, -0.1, "ground_moved"),
        (-0.2, 0.1, "suite_drift_down"),
        (-0.04, 0.0, "none"),
        (-0.1, 0.1, "none"),
    ],
)
def test_scores_and_lift_must_fall_together(skill: float, ground: float, word: str) -> None:
    found = suite_drift(moved(skill, ground))
    assert (found.word, found.reason, found.gates) == (word, "", word == "suite_drift_down")


def test_numbers_stand_beside_the_word() -> None:
    found = suite_drift(moved(-0.1, -0.05))
    assert found.scores is not None
    assert found.lift is not None
    assert found.ground is not None
    assert found.scores.mean == pytest.approx(-0.15)
    assert found.lift.mean == pytest.approx(-0.1)
    interval = found.ground_interval()
    assert interval is not None
    assert interval[0] < -0.05 < interval[1] < 0


@pytest.mark.parametrize(("cases", "withhold", "reason"), [(4, "", "few_cases"), (6, "reused_arm", "reused_arm"), (1, "", "few_cases")])
def test_what_may_not_gate_says_why(cases: int, withhold: str, reason: str) -> None:
    found = suite_drift(moved(-0.3, cases=cases), withhold=withhold)
    assert (found.word, found.reason, found.gates) == ("not_given", reason, False)
    assert (found.scores is None) == (found.ground_interval() is None) == (cases < 2)


OLD = receipt({str(n): ([w] * 3, [b] * 3) for n, (w, b) in enumerate(BASE)})
NEW = receipt({str(n): ([w - 0.3] * 3, [b] * 3) for n, (w, b) in enumerate(BASE)})
IDS = [str(n) for n in range(6)]


def test_two_receipts_are_read_over_the_cases_both_measured() -> None:
    found = read_suite_drift(OLD, NEW, IDS)
    assert (found.word, found.gates) == ("suite_drift_down", True)
    assert found.scores is not None
    assert (found.scores.n, found.scores.mean) == (6, pytest.approx(-0.3))
    assert read_suite_drift(OLD, NEW, [*IDS[:4], "gone"]).reason == "few_cases"


def test_reused_arms_and_single_answers_do_not_gate() -> None:
    rows = Observations(Frame("r", (), ()), [Draw(DrawId("0", "baseline"), "completed", origin=Origin("f" * 64, "2026-01-01"))])
    reused = read_suite_drift(OLD, dataclasses.replace(NEW, observations=rows), IDS)
    assert (reused.word, reused.reason) == ("not_given", "reused_arm")
    again = Observations(
        Frame("r", (), ()), [Draw(DrawId("0", "incumbent", "confirm"), "completed", origin=Origin("f" * 64, "2026-01-01"))]
    )
    assert read_suite_drift(OLD, dataclasses.replace(NEW, observations=again), IDS).gates
    single = {(id, arm): answer(id, arm, 0.9 if arm == "with_skill" else 0.6, 0.02) for id in IDS for arm in ("with_skill", "baseline")}
    found = read_suite_drift(receipt(rows=single), NEW, IDS)
    assert (found.reason, found.scores is None) == ("single_answer", False)
