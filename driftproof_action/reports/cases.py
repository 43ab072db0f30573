"""Single cases: which fell or rose and why, all of them with and without the skill. Not: rows of a whole skill."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping, Sequence

from driftproof_action.comparison.drift import CaseDrift
from driftproof_action.domain.observations import Observations
from driftproof_action.receipts.view import ReceiptView, RowView
from driftproof_action.reports.figures import NOTHING, band, count, lift, listed, score, unbroken
from driftproof_action.reports.job import JobRow
from driftproof_action.reports.markdown import code, details, fence, joined, seen, table, text
from driftproof_action.reports.readings import fell_on_fresh, hurt_on_fresh, is_confirmed_protocol, open_case, suspects
from driftproof_action.reports.unmeasured import DRAW_REASONS

CASE_WORDS: Mapping[str, str] = {
    "regression": "fell",
    "improvement": "rose",
    "within noise": "no clear difference",
    "within noise (below effect floor)": "moved by less than 0.05",
    "inconclusive": "cannot tell, answers were lost",
    "refused": "refused",
    "not measured": "not measured",
    "n/a": "not compared",
}
"""The vocabulary of CaseDrift.verdict in people's words."""

WITH, WITHOUT = "with_skill", "baseline"
CASES_SHOWN = 3
FLOOR = 0.05
"""The smallest difference the published rule speaks of."""
CRITERIA_SHOWN = 3
CRITERION_LIMIT = 120
QUOTE_LIMIT = 200
QUOTE_WIDTH = 84
"""Characters of a line in a fence; longer ones make people scroll sideways."""
CASE_LIMIT = 60


def fallen(row: JobRow) -> list[CaseDrift]:
    """Cases that read lower than before, the deepest fall first; what was to be confirmed and was not is none of them."""
    return sorted(_of(row, "regression"), key=lambda case: case.delta or 0.0)


def risen(row: JobRow) -> list[CaseDrift]:
    """Cases that read higher than before, the highest rise first."""
    return sorted(_of(row, "improvement"), key=lambda case: -(case.delta or 0.0))


def _of(row: JobRow, verdict: str) -> list[CaseDrift]:
    return [case for case in row.comparison.cases if case.verdict == verdict and case.stands] if row.comparison else []


def gap(view: ReceiptView, case: str) -> float | None:
    """Mean with the skill minus mean without it; None when either side was not measured."""
    with_skill, without = view.rows.get((case, WITH)), view.rows.get((case, WITHOUT))
    if with_skill is None or without is None or with_skill.mean is None or without.mean is None:
        return None
    return with_skill.mean - without.mean


def hurt(view: ReceiptView) -> list[tuple[str, float]]:
    """(case, difference) of the cases that read lower with the skill than without, the deepest first.

    Which those are the receipt's decision says: those confirmed on fresh answers, else by the bands; where it has none, every
    case at least 0.05 lower. A suite that fell as a whole names the cases that fell furthest.
    """
    if is_confirmed_protocol(view) and (fresh := hurt_on_fresh(view)):
        return [(case, gap(view, case) or 0.0) for case in fresh]
    read = {reading.about for reading in view.decision.readings if reading.word == "separated_down"} if view.decision else set()
    gaps = [(case, gap(view, case)) for case in view.case_ids()]
    low = [(case, value) for case, value in gaps if value is not None and (case in read if read else value <= -FLOOR)]
    return sorted(low, key=lambda item: item[1])


def moved_cases(row: JobRow) -> str:
    """The cases that fell, each with its numbers, flipped criteria and the judge's words; then those that rose, by name."""
    down, up = fallen(row), risen(row)
    shown = {case.id for case in down[:CASES_SHOWN]}
    blocks = [_hurting(row.view, shown, quotes=row.quotes)] if row.view and row.verdict == "REGRESSED" else []
    blocks += [_fall(row, case) for case in down[:CASES_SHOWN]]
    if len(down) > CASES_SHOWN:
        blocks.append(f"Also fell: {_by_name(down[CASES_SHOWN:])}.")
    if up:
        blocks.append(f"Rose: {_by_name(up)}.")
    return joined([*blocks, suspects(row)])


def _by_name(cases: Sequence[CaseDrift]) -> str:
    moves = [f"{code(case.id, limit=CASE_LIMIT)} {score(case.old_mean)} → {score(case.new_mean)}" for case in cases]
    return listed(moves, most=6)


def _fall(row: JobRow, case: CaseDrift) -> str:
    if case.fresh is not None:
        head = f"**{code(case.id, limit=CASE_LIMIT)}** {fell_on_fresh(case.fresh)}"
        return joined(["  \n".join([head, *_flipped(row, case.id)]), _quotes(row, case.id)])
    bands = [band(case.old_mean, case.old_sd), band(case.new_mean, case.new_sd)]
    between = f" (bands {bands[0]} and {bands[1]})" if all(bands) else ""
    answers = f", {case.old_n} answers before, {case.new_n} now" if case.old_n and case.new_n else ""
    without = row.view.rows.get((case.id, WITHOUT)) if row.view and row.verdict == "REGRESSED" else None
    beside = f"; {score(without.mean)} without the skill" if without and without.mean is not None else ""
    head = f"**{code(case.id, limit=CASE_LIMIT)}** {score(case.old_mean)} → {score(case.new_mean)}{between}{answers}{beside}"
    return joined(["  \n".join([head, *_flipped(row, case.id)]), _quotes(row, case.id)])


def _quotes(row: JobRow, case: str) -> str:
    """What the judge said of the case before and now."""
    sides = [(label, view.rows.get((case, WITH))) for label, view in (("before", row.base_view), ("now", row.view)) if view]
    return _said(sides) if row.quotes else ""


def _said(sides: Sequence[tuple[str, RowView | None]]) -> str:
    """One fence of the judge's own words, a labelled line a side, wrapped; empty when it gave none."""
    lines: list[str] = []
    width = max((len(label) for label, _ in sides), default=0) + 2
    for label, found in sides:
        if found and found.reason and found.mean is not None:
            words = seen(" ".join(found.reason.split()))
            words = words if len(words) <= QUOTE_LIMIT else f"{words[: QUOTE_LIMIT - 1]}…"
            lines += textwrap.wrap(words, QUOTE_WIDTH, initial_indent=f"{label}:".ljust(width), subsequent_indent=" " * width)
    return fence("\n".join(lines), label="The judge's words:", limit=10 * QUOTE_LIMIT) if lines else ""


def met(seen: Observations | None, case: str) -> dict[str, tuple[int, int]]:
    """Criterion id → (answers that met it, answers decided) over the first look of the arm with the skill."""
    out: dict[str, tuple[int, int]] = {}
    arm = seen.frame.arm_of(WITH) if seen else None
    if seen is None or arm is None:
        return out
    for grade in seen.grades:
        if grade.id.case != case or grade.hole or len(grade.id.draws) != 1:
            continue
        draw = grade.id.draws[0]
        if draw.arm == arm.name and draw.look == "first":
            for id, was_met in grade.parts:
                yes, total = out.get(id, (0, 0))
                out[id] = (yes + was_met, total + 1)
    return out


def _flipped(row: JobRow, case: str) -> list[str]:
    now = met(row.view.observations if row.view else None, case)
    before = met(row.base_view.observations if row.base_view else None, case)
    falls = []
    for id, (yes, total) in now.items():
        then = before.get(id)
        if then and then[0] / then[1] - yes / total >= 0.2:
            line = f"✗ {_criterion(row, case, id)}: met in {then[0]} of {then[1]} before, {yes} of {total} now"
            falls.append((yes / total - then[0] / then[1], line))
    return [line for _, line in sorted(falls)[:CRITERIA_SHOWN]]


def _criterion(row: JobRow, case: str, id: str) -> str:
    """Its sentence, as far as it may be shown; else its id."""
    sentence = row.criteria.get(case, {}).get(id, "") if row.quotes else ""
    return f'"{text(sentence, limit=CRITERION_LIMIT)}"' if sentence.strip() else code(id, limit=80)


def _hurting(view: ReceiptView, told: Collection[str], *, quotes: bool) -> str:
    """The cases that read lower with the skill, and what the judge said of the first."""
    lines, said, fresh = [], "", hurt_on_fresh(view)
    for case in [case for case, _ in hurt(view) if case not in told or case in fresh][:CASES_SHOWN]:
        with_skill, without = view.rows[(case, WITH)], view.rows[(case, WITHOUT)]
        first = f"{score(with_skill.mean)} with the skill, {score(without.mean)} without"
        lines.append(f"**{code(case, limit=CASE_LIMIT)}** {fresh.get(case, first)}")
        if quotes and not said:
            said = _said((("with", with_skill), ("without", without)))
            lines[-1] += f"\n\n{said}\n" if said else ""
    return "  \n".join(lines).strip("\n")


def other_cases(row: JobRow) -> str:
    """The compared cases that neither fell nor rose, folded; empty when there are none."""
    if row.comparison is None:
        return ""
    rest = [case for case in row.comparison.cases if case.verdict not in {"regression", "improvement"} or not case.stands]
    if not rest:
        return ""
    lines = [
        [code(case.id, limit=CASE_LIMIT), score(case.old_mean), score(case.new_mean), lift(case.delta), _case_word(case)] for case in rest
    ]
    title = f"{count(len(rest), 'other case')}" if len(rest) < len(row.comparison.cases) else f"{count(len(rest), 'case')}, before and now"
    return details(title, table(["case", "before", "now", "move", "reading"], lines))


def _case_word(case: CaseDrift) -> str:
    if open_ := open_case(case):
        return open_
    word = CASE_WORDS.get(case.verdict) or text(case.verdict)
    return f"{word}; not enough answers yet" if case.power == "underpowered" and case.verdict.startswith("within noise") else word


def all_cases(view: ReceiptView) -> str:
    """`with_and_without`, folded; empty for a receipt without cases."""
    return details(f"All {count(len(view.case_ids()), 'case')}", with_and_without(view)) if view.rows else ""


def with_and_without(view: ReceiptView) -> str:
    """Every case of a receipt with the skill, without it where that was asked, and how many answers each side had."""
    both = any(arm == WITHOUT for _, arm in view.rows)
    headers = ["case", "with the skill", "without", "difference", "answers (with, without)"] if both else ["case", "score", "answers"]
    lines = []
    for case in view.case_ids():
        with_skill, without = view.rows.get((case, WITH)), view.rows.get((case, WITHOUT))
        line = [code(case, limit=CASE_LIMIT), _value(with_skill), *([_value(without), lift(gap(view, case))] if both else [])]
        lines.append([*line, f"{_drawn(with_skill)}, {_drawn(without)}" if both else _drawn(with_skill)])
    return table(headers, lines) if lines else ""


def _value(row: RowView | None) -> str:
    if row is None:
        return NOTHING
    if row.mean is None:
        reason = max(row.loss_reasons, key=lambda name: row.loss_reasons[name]) if row.loss_reasons else row.reason or row.status
        return f"not measured: {DRAW_REASONS.get(reason) or text(reason, limit=80)}"
    return unbroken(f"{score(row.mean)} ± {score(row.sd)}")


def _drawn(row: RowView | None) -> str:
    if row is None:
        return NOTHING
    return f"{row.n_measured} of {row.n_measured + row.n_lost}" if row.n_lost else str(row.n_measured)
