from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from driftproof_action.comparison.hints import CODES, Hint, hints
from driftproof_action.domain.draw import DrawId, Look
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.observations import Observations
from driftproof_action.receipts.view import DrawView, ReceiptView
from driftproof_action.reports.hints import SENTENCES
from tests.contract.package_source import ROOT
from tests.unit.comparison.views import answer, receipt, row, with_rows
from tests.unit.receipts.making import frame

MID = (0.6, 0.7, 0.65)


def words(view: ReceiptView) -> list[tuple[str, tuple[str, ...]]]:
    return [(hint.code, hint.cases) for hint in hints(view)]


def only(view: ReceiptView) -> Hint:
    (hint,) = hints(view)
    return hint


def test_a_suite_with_room_says_nothing() -> None:
    assert hints(receipt(dict.fromkeys("abc", (MID, (0.3, 0.35, 0.4))))) == ()


def test_cases_without_room() -> None:
    view = receipt({"full": ((0.95, 0.95), (0.95, 1.0)), "void": ((0.05,), (0.0,)), "rises": ((1.0, 1.0), (0.94, 0.94)), "mid": (MID, MID)})
    assert words(view) == [("case_saturated", ("full",)), ("case_impossible", ("void",))]
    assert hints(view)[0].numbers == {"with_skill": 0.95, "baseline": 0.975}


def test_a_saturated_suite_needs_more_than_half_of_three_cases() -> None:
    full = ((1.0, 1.0), (1.0, 1.0))
    assert "suite_saturated" not in [hint.code for hint in hints(receipt({"a": full, "b": full}))]
    assert "suite_saturated" not in [hint.code for hint in hints(receipt({"a": full, "b": full, "c": (MID, MID), "d": (MID, MID)}))]
    assert hints(receipt({"a": full, "b": full, "c": (MID, MID)}))[0] == Hint("suite_saturated", (), {"saturated": 2, "cases": 3})


def test_a_baseline_that_scores_nothing() -> None:
    assert only(receipt(dict.fromkeys("abc", (MID, (0.0, 0.1))))).numbers == {"baseline_mean": 0.05, "cases": 3}
    assert hints(receipt(dict.fromkeys("abc", (MID, (0.1, 0.1))))) == ()


def test_a_threshold_inside_the_band_is_borderline_with_the_skill_only() -> None:
    edge = with_rows(
        receipt({"a": (MID, MID)}), row("a", "with_skill", MID, outcome="borderline"), row("a", "baseline", MID, outcome="borderline")
    )
    assert only(edge) == Hint("case_borderline", ("a",), {"mean": 0.65, "sd": 0.05, "threshold": 0.7})


def judged(spreads: Sequence[float], scores: Sequence[float], samples: int = 2) -> ReceiptView:
    draws = tuple(DrawView(i, score, sd, (score,) * samples) for i, (score, sd) in enumerate(zip(scores, spreads, strict=True)))
    return with_rows(receipt({"a": (scores, scores)}), *(row("a", arm, scores, draws=draws) for arm in ("with_skill", "baseline")))


def test_the_judges_own_scatter_against_that_of_the_answers() -> None:
    """Variance of a draw's mean by the judge: s^2 / k."""
    hint = only(judged((0.1, 0.1, 0.1), (0.5, 0.6, 0.7)))
    assert (hint.code, hint.cases, hint.numbers) == ("judge_scatter", (), {"judge_sd": 0.070711, "draw_sd": 0.1, "share": 0.5})
    assert hints(judged((0.09, 0.1, 0.1), (0.5, 0.6, 0.7))) == ()
    assert hints(judged((0.1, 0.1, 0.1), (0.5, 0.6, 0.7), samples=3)) == ()
    assert hints(judged((0.0, 0.0, 0.0), (0.5, 0.5, 0.5))) == ()
    assert only(judged((0.2, 0.2, 0.2), (0.5, 0.6, 0.7))).numbers["share"] == 1


def grade(arm: str, index: int, *votes: bool, look: Look = "first", grader: str = "criteria", case: str = "a") -> Grade:
    id = GradeId(grader, case, (DrawId(case, arm, look, index),))
    if len(votes) == 1:
        return Grade(id, "scored", 0.5, parts=(("p", votes[0]),))
    return Grade(id, "scored", 0.5, samples=tuple(Sample(n, 0, 0.5, parts=(("p", met),)) for n, met in enumerate(votes)))


def checked(*grades: Grade) -> ReceiptView:
    return receipt({"a": (MID, MID)}, observations=Observations(frame([]), grades=grades))


def arms(with_skill: Sequence[tuple[bool, ...]], baseline: Sequence[tuple[bool, ...]]) -> ReceiptView:
    sides = (("with_skill", with_skill), ("baseline", baseline))
    return checked(*(grade(arm, index, *votes) for arm, all_votes in sides for index, votes in enumerate(all_votes)))


YES, NO = (True, True), (False, False)


@pytest.mark.parametrize(
    ("with_skill", "baseline", "found"),
    [
        ([YES] * 3, [YES] * 3, ["check_never_fails"]),
        ([NO] * 3, [NO] * 3, ["check_never_met"]),
        ([YES] * 3, [NO] * 3, []),
        ([YES] * 2, [YES] * 2, []),
        ([(True,)] * 3, [(True,)] * 2, ["check_never_fails"]),
        ([YES, YES, YES, NO], [NO] * 4, ["check_flips"]),
        ([YES] * 4 + [NO], [NO] * 5, []),
        ([YES, YES, NO], [NO] * 3, []),
        ([YES, (True, False), YES, YES], [(True, False), NO, NO, NO], ["check_disputed"]),
        ([YES] * 5, [], []),
    ],
)
def test_checks_and_criteria(with_skill: list[tuple[bool, ...]], baseline: list[tuple[bool, ...]], found: list[str]) -> None:
    view = arms(with_skill, baseline)
    assert [hint.code for hint in hints(view)] == found
    assert {(hint.cases, hint.check) for hint in hints(view)} <= {(("a",), "p")}


def test_fresh_answers_and_holes_are_not_read() -> None:
    told = [grade("with_skill", n, True, look="confirm") for n in range(5)] + [grade("baseline", n, True, look="confirm") for n in range(5)]
    hole = Grade(GradeId("criteria", "a", (DrawId("a", "baseline"),)), hole=Hole("timeout"), parts=(("p", True),))
    assert hints(checked(*told, hole)) == ()


def test_a_second_ask_replaces_the_first() -> None:
    again = [
        Grade(
            GradeId("criteria", "a", (DrawId("a", arm, "first", n),)),
            "scored",
            0.5,
            samples=(Sample(0, 0, None, hole=Hole("judge_no_decision"), parts=(("p", False),)), Sample(0, 1, 0.5, parts=(("p", True),))),
        )
        for arm in ("with_skill", "baseline")
        for n in range(3)
    ]
    assert [hint.code for hint in hints(checked(*again))] == ["check_never_fails"]


def test_a_stub_has_none_and_an_example_has() -> None:
    full: Any = {"a": ((1.0, 1.0), (1.0, 1.0))}
    assert hints(receipt(full, kind="stub", level="UNVERIFIED")) == ()
    assert words(receipt(full, kind="stub", level="DECLARED", example=True)) == [("case_saturated", ("a",))]


def test_older_receipts_of_one_answer_are_read_as_far_as_they_go() -> None:
    rows = [answer("a", arm, 1.0, 0.0) for arm in ("with_skill", "baseline")]
    assert words(with_rows(receipt(version="0.3"), *rows)) == [("case_saturated", ("a",))]


def test_every_hint_is_a_heading_of_the_docs_with_its_numbers_and_has_a_sentence() -> None:
    page = (ROOT / "docs" / "hints.md").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^### (.+)$", page) == sorted(
        re.findall(r"(?m)^### (.+)$", page), key=lambda head: CODES.index(head.replace("-", "_"))
    )
    for word in CODES:
        section = page.partition(f"### {Hint(word, (), {}).anchor}\n")[2].partition("\n#")[0]
        assert f"`{word}`" in section
    assert set(SENTENCES) == set(CODES)
