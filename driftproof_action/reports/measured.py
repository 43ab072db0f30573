"""What a receipt measured and under which conditions, in a few lines. Not: what came out."""

from __future__ import annotations

from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.changes import caveats, what_moved
from driftproof_action.reports.figures import count, date, short
from driftproof_action.reports.job import JobRow
from driftproof_action.reports.markdown import code, details, text
from driftproof_action.reports.unmeasured import stubbed

BAND = "A band is the mean ± one standard deviation: it describes the spread, it is no confidence interval."


def conditions(view: ReceiptView) -> str:
    """Judge, gradings, answers, cases, day: one line."""
    drawn = [row.n_measured + row.n_lost for row in view.rows.values()]
    answers = f"{min(drawn)}" if drawn and min(drawn) == max(drawn) else f"{min(drawn)} to {max(drawn)}" if drawn else "0"
    judge = f"judge {text(view.judge.model_id)}" if view.judge.model_id else "judge not recorded"
    gradings = f", {count(view.judge.samples, 'grading')} an answer" if view.judge.samples else ""
    day = f", {date(view.date_utc)}" if date(view.date_utc) else ""
    asked = "the built-in stub in place of a model and a judge" if stubbed(view) else judge + gradings
    return f"{count(view.case_count, 'case')}, {answers} answers a case and side; {asked}{day}."


def seal(row: JobRow) -> str:
    """Which receipt this is, and which commit it was compared with."""
    if row.view is None:
        return f"No receipt was written: {text(row.message)}" if row.message else "No receipt was written."
    both = row.comparison is not None and row.comparison.old_hash
    base = f", compared with commit {code(short(row.base_commit))}" if row.base_commit and both else ""
    return f"Receipt {code(short(row.view.receipt_hash))}, {text(row.view.level)}{base}."


def what_was_measured(row: JobRow) -> str:
    """The folded block of a comment: conditions, what moved, remarks, receipt."""
    asked = row.view is not None and not stubbed(row.view)
    lines = [conditions(row.view) if row.view else "", what_moved(row), seal(row), BAND if asked else ""]
    body = "\n".join(f"- {line}" for line in lines if line)
    remarks = caveats(row)
    return details("What was measured" if asked else "What was run", f"{body}\n{remarks}" if remarks else body)
