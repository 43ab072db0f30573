"""What more draws would show, as a Markdown page. Not: the reckoning (comparison/power)."""

from __future__ import annotations

from collections.abc import Mapping

from driftproof_action.comparison.power import CasePower, PowerReading
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.diff_page import thousandths
from driftproof_action.reports.figures import NOTHING, count, money, score
from driftproof_action.reports.markdown import code, joined, name, table, text
from driftproof_action.reports.unmeasured import stubbed

NO_SPREAD: Mapping[str, str] = {
    "not_measured": "not measured in both arms",
    "single_answer": "one answer an arm: the spread of answers is not known",
    "single_draw": "one measured draw in an arm: no spread",
}
STUB = "**The built-in stub gave these answers.** Its spreads are constants of ours and say nothing about the skill."
NOT_BELOW = "The fall is that of the case with the middle spread. Nothing below 0.05 counts."
DOLLARS = "Dollars: usage as measured, prices as this receipt froze them, cached tokens at the full price."
NO_DOLLARS = "Dollars are not known: the receipt does not tell tokens or prices of every kind of call."


def power_page(found: PowerReading, view: ReceiptView) -> str:
    """Markdown ending in a line break."""
    blocks = [
        f"### {name(view.skill_name)} on {code(view.model_id)}: what more draws would show",
        STUB if stubbed(view) else "",
        _designs(found)
        if found.designs
        else "No case was answered twice or more in both arms, so nothing is known of the spread of answers.",
        _remarks(found, view) if found.designs else "",
        _effect(found) if found.designs else "",
        _cases(found),
    ]
    return joined(blocks) + "\n"


def _designs(found: PowerReading) -> str:
    headers = ["draws a case and arm", "smallest lift over all cases", "smallest fall of one case", "calls", "dollars"]
    rows = [
        [
            str(row.draws),
            NOTHING if row.lift is None else score(row.lift),
            score(row.fall),
            f"{row.calls:,}",
            NOTHING if row.usd is None else money(round(row.usd * 1_000_000)),
        ]
        for row in found.designs
    ]
    return table(headers, rows)


def _remarks(found: PowerReading, view: ReceiptView) -> str:
    assumed = " (assumed: the receipt does not say)" if found.assumed else ""
    samples = count(found.samples, "judge sample") + " a draw" + assumed
    usd = "" if found.confirm_usd is None else f", {money(round(found.confirm_usd * 1_000_000))}"
    lines = [
        f"The lift would be shown four times in five, the fall about three times in four. {NOT_BELOW}",
        f"Calls: a first look over {count(len(found.cases), 'case')}, {samples}. Fresh draws add at most {found.confirm_calls:,}{usd}.",
        DOLLARS if any(row.usd is not None for row in found.designs) else NO_DOLLARS,
    ]
    if _stuck(found):
        lines.append("The lift differs so much from case to case that more draws hardly help: more cases would.")
    if view.level != "TESTED" and not stubbed(view):
        lines.append(f"The receipt is {text(view.level)}: its spreads are claims.")
    if any(case.reason for case in found.cases):
        left = sum(bool(case.reason) for case in found.cases)
        lines.append(f"{count(left, 'case')} without a spread of answers: taken to be like the others.")
    return "\n".join(f"- {line}" for line in lines)


def _stuck(found: PowerReading) -> bool:
    """The largest design shows hardly smaller a lift than the smallest one."""
    lifts = [row.lift for row in found.designs if row.lift is not None]
    return bool(lifts) and lifts[-1] > 0.05 and lifts[-1] > 0.8 * lifts[0]


def _effect(found: PowerReading) -> str:
    if found.suite is None:
        return f"**A mean lift of {score(found.effect)}** would not be shown by any number of draws: add cases."
    return f"**A mean lift of {score(found.effect)}** would be shown with {count(found.suite, 'draw')} a case and arm."


def _cases(found: PowerReading) -> str:
    if not found.cases:
        return ""
    headers = ["case", "spread", "draws now", "smallest fall now", f"draws that show a fall of {score(found.effect)}"]
    return table(headers, [[code(case.id, limit=60), *_case(case)] for case in found.cases])


def _case(case: CasePower) -> list[str]:
    if case.reason:
        return [NO_SPREAD[case.reason], NOTHING, NOTHING, NOTHING]
    return [thousandths(case.spread), str(case.draws), score(case.fall), "no number would" if case.needed is None else str(case.needed)]
