from __future__ import annotations

from dataclasses import replace

import pytest

from driftproof_action.domain.reading import Reading
from driftproof_action.errors import BudgetError, InputError
from driftproof_action.reports.job import JobRow
from driftproof_action.reports.next_step import NOT_MEASURED_STEPS, SPREAD_STEPS, STEPS, next_step, when_compared
from tests.golden.situations import STEADY, absent, job, row, view


def _short(reason: str, needed: int | None) -> JobRow:
    suite = Reading("r", "suite", "read", reason, {"draws_needed": needed})
    return row(view(STEADY, verdict="UNDERPOWERED", readings=(suite,)), "UNDERPOWERED", None)


@pytest.mark.parametrize(
    ("reason", "needed", "said"),
    [
        ("draws", 12, "set `max-draws: 12`"),
        ("single_draw", 2, "set `max-draws: 2`"),
        ("draws", None, "raise `max-draws`"),
        ("spread", None, SPREAD_STEPS["spread"]),
        ("lost_draws", None, SPREAD_STEPS["lost_draws"]),
        ("", None, "raise `max-draws`"),
    ],
)
def test_too_few_answers(reason: str, needed: int | None, said: str) -> None:
    assert next_step(job(_short(reason, needed))).startswith(said)


def test_what_was_not_measured_goes_by_its_reason_then_by_the_stop() -> None:
    bare = row(None, "NOT_MEASURED", None, reason_code="no_key")
    assert next_step(job(bare)) == NOT_MEASURED_STEPS["no_key"]
    assert next_step(job(replace(bare, reason_code="incomplete"), stopped="minutes")) == NOT_MEASURED_STEPS["minutes"]
    assert next_step(job(replace(bare, reason_code="incomplete"))) == STEPS["verdict", "NOT_MEASURED"]


def test_a_run_cut_short_is_told_what_to_raise() -> None:
    cut = row(view(STEADY), "INCONCLUSIVE", None, reason_code="incomplete")
    assert next_step(job(cut, stopped="budget")) == NOT_MEASURED_STEPS["budget"]
    assert next_step(job(cut)) == STEPS["verdict", "INCONCLUSIVE"]


def test_only_a_first_receipt_is_told_when_it_is_compared() -> None:
    assert when_compared(row(view(STEADY), "PASSED", absent("RECEIPT_REMOVED"))) == ""
    assert when_compared(row(view(STEADY), "PASSED", absent("FIRST_RECEIPT"))).startswith("First receipt")
    assert when_compared(row(None, "NOT_MEASURED", absent("FIRST_RECEIPT"))).startswith("No measured receipt")


def test_every_step_is_one_sentence_that_starts_small() -> None:
    for step in (*STEPS.values(), *NOT_MEASURED_STEPS.values(), *SPREAD_STEPS.values()):
        assert step[0].islower()
        assert step.endswith(".")


def test_answers_that_speak_to_the_grader_are_read_before_good_news_is_believed() -> None:
    loud = Reading("judge_guard", "with_skill", "addresses_judge", "", {"with_skill": 0.4, "baseline": 0.0})
    passed = row(view(STEADY, verdict="PASSED", readings=(loud,)), "PASSED", None)
    assert next_step(job(passed)).startswith("read answers of both sides")
    strict = replace(passed, verdict="INCONCLUSIVE", reason_code="addresses_judge")
    assert next_step(job(strict)).startswith("read answers of both sides")
    assert next_step(job(row(view(STEADY, verdict="PASSED"), "PASSED", None))).startswith("nothing")


def test_without_rows_the_deed_is_the_errors_own_advice() -> None:
    failed = replace(job(exit_code=3), error=BudgetError("too little", fix="raise <max-usd>."))
    assert next_step(failed) == "raise &#60;max-usd&#62;."
    assert next_step(replace(failed, error=InputError("wrong"))) == "mend what is named here, then run it again."
    assert next_step(replace(job(exit_code=4), refused_changes=(("a.json", "why"),))) == STEPS["verdict", "REFUSED"]
    assert next_step(replace(job(exit_code=130), stopped="signal")) == NOT_MEASURED_STEPS["signal"]
    assert next_step(job()).startswith("give a folder")
