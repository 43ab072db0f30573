from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from driftproof_action.domain.words import DRIFTS, VERDICTS
from driftproof_action.reports.headline import CLAUSES
from driftproof_action.reports.job import JobRow
from driftproof_action.reports.next_step import STEPS
from driftproof_action.reports.rows import DRIFT, LEADS, VERDICT, lead, leading, ordered, reason, rows_table, says, tally, worst_row
from tests.golden.situations import HAIKU, SONNET, STEADY, absent, row, ten_by_three, view


def _row(verdict: str, drift: str = "", *, slug: str = "a", model: str = HAIKU, kind: str = "model") -> JobRow:
    return row(view(STEADY, name=slug, model=model, kind=kind), verdict, absent(drift) if drift else None, slug=slug)


def test_every_verdict_leads_and_every_lead_has_a_clause_and_a_step() -> None:
    assert {word for kind, word in LEADS if kind == VERDICT} == set(VERDICTS)
    assert {word for kind, word in LEADS if kind == DRIFT} == set(DRIFTS) - {"FIRST_RECEIPT", "NO_SEPARATION"}
    assert set(CLAUSES) == set(STEPS) == set(LEADS)


def test_verdicts_keep_their_order_among_the_leads() -> None:
    assert [word for kind, word in LEADS if kind == VERDICT] == list(VERDICTS)


@pytest.mark.parametrize(("verdict", "drift"), list(product(VERDICTS, ["", *DRIFTS])))
def test_every_pair_of_words_has_a_lead(verdict: str, drift: str) -> None:
    kind, word = lead(_row(verdict, drift))
    assert word == (verdict if kind == VERDICT else drift)


@pytest.mark.parametrize(
    ("verdict", "drift", "expected"),
    [
        ("PASSED", "DRIFT", (DRIFT, "DRIFT")),
        ("REGRESSED", "DRIFT", (VERDICT, "REGRESSED")),
        ("PASSED", "FIRST_RECEIPT", (VERDICT, "PASSED")),
        ("NO_EFFECT", "IMPROVED", (DRIFT, "IMPROVED")),
        ("UNDERPOWERED", "IMPROVED", (VERDICT, "UNDERPOWERED")),
        ("NOT_MEASURED", "NOT_MEASURED", (VERDICT, "NOT_MEASURED")),
    ],
)
def test_the_worse_of_the_two_leads(verdict: str, drift: str, expected: tuple[str, str]) -> None:
    assert lead(_row(verdict, drift)) == expected


def test_a_word_that_is_no_verdict_is_refused() -> None:
    with pytest.raises(ValueError, match="'FINE' is no verdict"):
        lead(_row("FINE"))


def test_rows_stand_worst_first_and_alike_in_order_of_work() -> None:
    rows = [_row("PASSED", slug="a"), _row("NO_EFFECT", slug="b"), _row("PASSED", slug="c"), _row("REGRESSED", slug="d")]
    assert [one.skill_slug for one in ordered(rows)] == ["d", "b", "a", "c"]
    assert worst_row(rows) is rows[3]
    assert worst_row([]) is None
    assert tally(rows) == "1 × hurts, 1 × no clear difference and 2 × helps"


def test_the_leading_rows_are_one_skill_saying_one_thing() -> None:
    rows = [
        _row("PASSED", slug="a"),
        _row("PASSED", slug="a", model=SONNET),
        _row("PASSED", slug="b"),
        _row("PASSED", "IMPROVED", slug="b"),
    ]
    assert leading(rows) == [rows[3]]
    assert leading(rows[:3]) == rows[:2]


def test_what_was_not_measured_says_why() -> None:
    stub = _row("NOT_MEASURED", kind="stub")
    assert says(stub) == "not measured: stub run, no model was asked"
    assert reason(replace(stub, view=None, reason_code="", message="no <b>answer</b>")) == "no &#60;b&#62;answer&#60;/b&#62;"
    assert says(_row("PASSED")) == "helps"


def test_a_stub_has_no_lift_to_show() -> None:
    assert "+0.26" not in rows_table([_row("NOT_MEASURED", kind="stub")])
    assert "+0.26" in rows_table([_row("PASSED")])
    shipped = _row("PASSED", kind="stub")
    assert shipped.view is not None
    assert "+0.26" in rows_table([replace(shipped, view=replace(shipped.view, example=True))])


def test_a_long_table_folds_its_best_rows() -> None:
    shown, _, folded = rows_table(ten_by_three().rows).partition("<details>")
    assert shown.count("\n| `skill-") == 8
    assert "**got worse**" in shown
    assert folded.count("\n| `skill-") == 22
    assert rows_table([]) == ""
