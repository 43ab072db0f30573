"""The rows of a job: which is worst, what each says in people's words, and their table. Not: single cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from driftproof_action.domain.words import DRIFTS, VERDICTS, Word
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.figures import NOTHING, band, count, lift, listed, unbroken
from driftproof_action.reports.job import JobRow
from driftproof_action.reports.markdown import details, name, table, text
from driftproof_action.reports.unmeasured import stubbed, why

VERDICT, DRIFT = "verdict", "drift"
Lead = tuple[str, str]

LEADS: tuple[Lead, ...] = (
    (VERDICT, "REGRESSED"),
    (VERDICT, "REFUSED"),
    (DRIFT, "REFUSED"),
    (DRIFT, "DRIFT"),
    (DRIFT, "MIXED"),
    (VERDICT, "INCONCLUSIVE"),
    (DRIFT, "INCONCLUSIVE"),
    (VERDICT, "NOT_MEASURED"),
    (DRIFT, "RECEIPT_REMOVED"),
    (VERDICT, "UNDERPOWERED"),
    (DRIFT, "NOT_COMPARABLE"),
    (DRIFT, "BASE_UNAVAILABLE"),
    (DRIFT, "NOT_MEASURED"),
    (DRIFT, "IMPROVED"),
    (VERDICT, "NO_EFFECT"),
    (VERDICT, "PASSED"),
)
"""What a row is led by: the first of these that holds. Worst first; every verdict is here, so one always holds."""

ROWS_SHOWN = 8


def lead(row: JobRow) -> Lead:
    """What a reader should hear of a row first. Raises ValueError for a verdict that is no word of VERDICTS."""
    for kind, word in LEADS:
        if word == (row.verdict if kind == VERDICT else row.drift):
            return kind, word
    raise ValueError(f"{row.verdict!r} is no verdict")


def lead_word(row: JobRow) -> Word:
    kind, word = lead(row)
    return (VERDICTS if kind == VERDICT else DRIFTS)[word]


def ordered(rows: Sequence[JobRow]) -> list[JobRow]:
    """Worst first; rows alike keep the order of work."""
    return sorted(rows, key=lambda row: LEADS.index(lead(row)))


def worst_row(rows: Sequence[JobRow]) -> JobRow | None:
    """The row that scalars and headline speak of; None for no rows."""
    return ordered(rows)[0] if rows else None


def leading(rows: Sequence[JobRow]) -> list[JobRow]:
    """The worst row and the same skill's other rows that are led by the same word."""
    first = worst_row(rows)
    return [row for row in rows if first and row.skill_path == first.skill_path and lead(row) == lead(first)]


def unasked(row: JobRow) -> bool:
    """The stub answered: its lift is a constant of ours and no figure of the skill."""
    return stubbed(row.view)


def reason_code(row: JobRow) -> str:
    """Why the verdict is what it is; that the stub answered comes before what follows from it."""
    return "stub" if unasked(row) and row.verdict == "NOT_MEASURED" else row.reason_code


def reason(row: JobRow, *, render: Callable[[object], str] = text) -> str:
    """The reason of a row that was not measured, in words."""
    return why(reason_code(row), row.message, render=render)


def says(row: JobRow, *, render: Callable[[object], str] = text) -> str:
    """The verdict of a row in people's words; what was not measured says why."""
    plain = VERDICTS[row.verdict].plain
    return f"{plain}: {reason(row, render=render)}" if row.verdict == "NOT_MEASURED" else plain


def tally(rows: Sequence[JobRow]) -> str:
    """`3 got worse, 2 helps`: how many rows are led by which words, worst first."""
    counts = Counter(lead_word(row).plain for row in ordered(rows))
    return listed([f"{number} × {plain}" for plain, number in counts.items()])


def rows_table(rows: Sequence[JobRow], *, shown: int = ROWS_SHOWN) -> str:
    """Skill and model, lift now and before, move, verdict: worst first, the rest folded and counted."""
    if not rows:
        return ""
    compared = any(row.comparison and (row.base_view or _same_day(row) is not None) for row in rows)
    headers = ["skill · model", "lift now (band)", *(["lift before", "move"] if compared else []), "verdict"]
    lines = [_line(row, compared) for row in ordered(rows)]
    head = table(headers, lines[:shown])
    if len(lines) <= shown:
        return head
    folded = f"{count(len(lines) - shown, 'more row')}, none worse than these"
    return f"{head}\n\n{details(folded, table(headers, lines[shown:]))}"


def _now(view: ReceiptView) -> str:
    inside = band(view.delta, view.delta_uncertainty)
    return f"{lift(view.delta)} {unbroken(f'({inside})')}" if inside else lift(view.delta)


def _same_day(row: JobRow) -> float | None:
    """Today's lift of the committed skill, where every case was asked with it in this run."""
    found, now = row.comparison, row.view.delta if row.view else None
    if found is None or not found.same_day or found.delta is None or now is None or row.view is None:
        return None
    whole = sum(case.delta is not None for case in found.cases) == len(row.view.case_ids())
    return now - found.delta if whole else None


def _line(row: JobRow, compared: bool) -> list[str]:
    who = f"{name(row.skill_name or row.skill_slug)} · {text(row.model_id)}"
    now = _now(row.view) if row.view and not unasked(row) else NOTHING
    word = lead_word(row).plain
    verdict = VERDICTS[row.verdict].plain
    cell = says(row) if row.verdict == "NOT_MEASURED" or word == verdict else f"**{word}**; {verdict}"
    if not compared:
        return [who, now, cell]
    same_day = _same_day(row)
    before = lift(same_day) if same_day is not None else lift(row.base_view.delta) if row.base_view else NOTHING
    move = lift(row.comparison.delta) if row.comparison else NOTHING
    return [who, now, before, move, cell]
