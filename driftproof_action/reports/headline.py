"""The first line people see: which skill, what about it, on which model. Not: what to do about it (next_step)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from driftproof_action.domain.words import DRIFTS, VERDICTS
from driftproof_action.reports.cases import fallen, hurt, risen
from driftproof_action.reports.figures import count, listed
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.markdown import code, seen, text
from driftproof_action.reports.rows import DRIFT, VERDICT, Lead, lead, leading, reason
from driftproof_action.reports.terminal import plain
from driftproof_action.reports.unmeasured import UNCLEAR_REASONS

Render = Callable[[object], str]

SKILL_LIMITS = (12, 36)
"""The longest skill name a headline shows: as much as the rest of it leaves, within these."""
MODEL_LIMIT = 28
MODELS_LIMIT = 44
HEADLINE_LIMIT = 92
"""Visible characters. What to do follows at once, and must begin within the first 120 a list of comments shows."""

EMPTY_CODES = frozenset({0, 7})
"""Exit codes of a job without rows that say no more than that: any other has a reason of its own."""

CLAUSES: Mapping[Lead, str] = {
    (VERDICT, "REGRESSED"): "{skill} hurts on {models}",
    (VERDICT, "REFUSED"): "{skill} is refused on {models}: not what was sealed",
    (DRIFT, "REFUSED"): "{skill}: {verdict} on {models}, the comparison is refused",
    (DRIFT, "DRIFT"): "{skill} got worse on {models}",
    (DRIFT, "MIXED"): "{skill}: better in some cases, worse in others on {models}",
    (VERDICT, "INCONCLUSIVE"): "{skill}: cannot tell on {models}",
    (DRIFT, "INCONCLUSIVE"): "{skill}: {verdict} on {models}, unclear if it got worse",
    (VERDICT, "NOT_MEASURED"): "{skill} was not measured on {models}",
    (DRIFT, "RECEIPT_REMOVED"): "{skill}: {verdict} on {models}, its last receipt was removed",
    (VERDICT, "UNDERPOWERED"): "{skill}: not enough answers yet to tell on {models}",
    (DRIFT, "NOT_COMPARABLE"): "{skill}: {verdict} on {models}, not comparable with before",
    (DRIFT, "BASE_UNAVAILABLE"): "{skill}: {verdict} on {models}, the base commit is not here",
    (DRIFT, "NOT_MEASURED"): "{skill}: {verdict} on {models}, not measured before",
    (DRIFT, "IMPROVED"): "{skill} got better on {models}",
    (VERDICT, "NO_EFFECT"): "{skill}: no clear difference on {models}",
    (VERDICT, "PASSED"): "{skill} helps on {models}",
}
"""One clause for every lead of rows.LEADS."""


def clause(rows: Sequence[JobRow], *, skill: Render, model: Render) -> tuple[str, str]:
    """What the leading rows say, and the detail that may follow if there is room (empty, or starting with its separator).

    rows: as `rows.leading` gives them, one at least. skill, model: guard the sink.
    """
    first = rows[0]
    names = [_clip(seen(row.model_id), MODEL_LIMIT) for row in rows]
    few = len(names) <= 2 and sum(map(len, names)) <= MODELS_LIMIT
    models = listed([model(name) for name in names]) if few else count(len(names), "model")
    words = {"models": models, "verdict": VERDICTS[first.verdict].plain}
    told = CLAUSES[lead(first)]
    room = HEADLINE_LIMIT - len(told.format(skill="", **words | {"models": "x" * min(MODELS_LIMIT, sum(map(len, names)))}))
    shown = _clip(seen(first.skill_name or first.skill_slug), sorted((*SKILL_LIMITS, room))[1])
    return told.format(skill=skill(shown), **words), _tail(rows, model)


def _clip(value: str, limit: int) -> str:
    return value if len(value) <= limit else value[: limit - 1] + "…"


def _tail(rows: Sequence[JobRow], render: Render) -> str:
    first = rows[0]
    kind, word = lead(first)
    if (kind, word) == (VERDICT, "NOT_MEASURED"):
        reasons = {reason(row, render=render) for row in rows}
        return f": {reasons.pop()}" if len(reasons) == 1 else ""
    if (kind, word) == (VERDICT, "INCONCLUSIVE"):
        return f", {UNCLEAR_REASONS[first.reason_code]}" if first.reason_code in UNCLEAR_REASONS else ""
    if (kind, word) == (VERDICT, "REGRESSED"):
        if len(rows) == 1 and first.view and first.reason_code == "suite":
            return ": worse with it over the suite"
        down = len(hurt(first.view)) if len(rows) == 1 and first.view else 0
        return f": worse with it in {down} of {count(first.view.case_count, 'case')}" if down and first.view else ""
    if first.comparison is None:
        return ""
    if kind == VERDICT and word in {"PASSED", "NO_EFFECT"} and all(row.drift == "NO_SEPARATION" for row in rows):
        return f", {DRIFTS['NO_SEPARATION'].plain}" if word == "PASSED" else ", with or without it, now or before"
    if len(rows) > 1:
        return ""
    fell, rose, total = len(fallen(first)), len(risen(first)), len(first.comparison.cases)
    fresh = ", confirmed on fresh answers" if any(case.fresh for case in fallen(first)) else ""
    details = {
        "DRIFT": f": {fell} of {count(total, 'case')} fell{fresh}"
        if first.comparison.code != "suite"
        else ": scores and lift fell over the suite",
        "IMPROVED": f": {rose} of {count(total, 'case')} rose",
        "MIXED": f": of {count(total, 'case')} {rose} rose and {fell} fell",
    }
    return details.get(word, "") if kind == DRIFT else ""


def _nothing_ran(result: JobResult, render: Render) -> tuple[str, str]:
    if result.exit_code not in EMPTY_CODES and result.because:
        told = result.error.lines()[0] if result.error else result.because
        return "Nothing was measured", f": {render(told)}"
    if not result.skipped:
        return "Nothing was measured", ": no skill with a suite was found"
    path, reason = result.skipped[0]
    return f"Nothing was measured, {count(len(result.skipped), 'skill')} skipped", f": {render(path)}, {render(reason)}"


def sentence(result: JobResult, *, skill: Render, model: Render) -> str:
    """The headline in full, whatever its length, for sinks without a narrow first line."""
    rows = leading(result.rows)
    return "".join(clause(rows, skill=skill, model=model) if rows else _nothing_ran(result, model))


def _tail_fits(result: JobResult) -> bool:
    return len(sentence(result, skill=plain, model=plain)) <= HEADLINE_LIMIT


def headline(result: JobResult) -> str:
    """The heading of comment and summary: at most HEADLINE_LIMIT visible characters with its detail, else without."""
    rows = leading(result.rows)
    head, tail = clause(rows, skill=code, model=text) if rows else _nothing_ran(result, text)
    return f"### {'Example: ' if result.example else ''}{head}{tail if _tail_fits(result) else ''}"


def rest_of_headline(result: JobResult) -> str:
    """The detail that found no room in the heading, as a sentence; empty when it did."""
    rows = leading(result.rows)
    _, tail = clause(rows, skill=code, model=text) if rows else _nothing_ran(result, text)
    if not tail or _tail_fits(result):
        return ""
    told = tail.lstrip(":, ")
    return f"{told[0].upper()}{told[1:]}." if told[0].isalpha() else f"{told}."
