from __future__ import annotations

import random
from typing import Any

from driftproof_action.comparison.hints import hints
from driftproof_action.receipts.build import build
from driftproof_action.receipts.read import view
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.comment import comment
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.result import to_json
from driftproof_action.reports.summary import summary
from tests.unit.receipts.making import decided, facts, run_of


def measured(seed: int = 7, **changes: Any) -> ReceiptView:
    ids, seen = run_of(random.Random(seed), cases=3, kind=changes.get("kind", "model"))
    return view(build(facts(ids, **changes), seen, decided(seen)))


def job(mine: ReceiptView, mode: str = "live") -> JobResult:
    assert mine.decision
    row = JobRow("skills/greeting", "greeting", "greeting", mine.model_id, "haiku", mine.decision.verdict, "", "", view=mine)
    return JobResult((row,), mode, 0, "nothing that fail-on names was found")


def test_cost_and_hints_stand_in_the_summary_and_in_the_result_but_not_in_the_comment() -> None:
    mine = measured()
    text = summary(job(mine))
    assert "What an answer costs" in text
    assert "judged answer" in text
    assert "none of them part of the verdict" in text
    (row,) = to_json(job(mine))["rows"]  # type: ignore[misc,union-attr]
    assert isinstance(row, dict)
    assert [hint["code"] for hint in row["hints"]] == [hint.code for hint in hints(mine)]  # type: ignore[union-attr,call-overload,index]
    assert row["cost"]["basis"] == "metered"  # type: ignore[index,call-overload]
    shown = comment(job(mine))
    assert "What an answer costs" not in shown
    assert "none of them part of the verdict" not in shown


def test_of_a_stub_neither_is_told() -> None:
    mine = measured(kind="stub", surface="stub", transcripts="none")
    text = summary(job(mine, "stub"))
    assert "What an answer costs" not in text
    assert "none of them part of the verdict" not in text
    (row,) = to_json(job(mine, "stub"))["rows"]  # type: ignore[misc,union-attr]
    assert isinstance(row, dict)
    assert (row["cost"], row["hints"]) == (None, [])
