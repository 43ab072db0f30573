"""Two compared receipts as a Markdown page: who got worse or better, by how much, what moved, what to doubt. Not: the comparing."""

from __future__ import annotations

import math
from collections.abc import Mapping

from driftproof_action.comparison.drift import CaseDrift, Comparison
from driftproof_action.domain.words import DRIFTS
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.changes import moved
from driftproof_action.reports.figures import MINUS, NOTHING, count, short
from driftproof_action.reports.markdown import code, joined, name, table, text

POWER: Mapping[str, str] = {
    "single_draw": "one answer is too few",
    "spread": "answers too scattered",
    "draws": "too few answers",
    "lost_draws": "answers lost",
}
READINGS: Mapping[str, str] = {
    "single_answer": "one answer each, does not gate",
    "not_confirmed": "not confirmed, does not gate",
    "suspect": "not confirmed, does not gate",
    "likely": "likely fell, does not gate",
    "cannot_tell": "stored answers cannot tell, does not gate",
    "confirmed": "confirmed on fresh answers",
}
"""What stands beside the published verdict, in people's words."""


def thousandths(value: float | None) -> str:
    """`0.863`, a dash for None; a true minus, and nothing reads `-0.000`."""
    if value is None or not math.isfinite(value):
        return NOTHING
    shown = f"{abs(value):.3f}"
    return f"{MINUS}{shown}" if value < 0 and float(shown) else shown


def move(value: float | None) -> str:
    """A difference with its sign; what rounds to zero has none."""
    shown = thousandths(value)
    return f"+{shown}" if value is not None and value > 0 and shown not in {NOTHING, "0.000"} else shown


def diff_page(found: Comparison, old: ReceiptView, new: ReceiptView, *, labels: tuple[str, str], because: str = "") -> str:
    """labels: what the two sides are called. because: why the command fails, empty when it does not.

    Reason, caveats and left-out remarks are sentences of ours and go in as they are; all else comes from a file anyone may
    have written, and is escaped.
    """
    blocks = [
        f"### {_first_line(found, old, new)}",
        _second(found),
        _cases(found, labels),
        _sides(old, new, labels),
        _listed("To keep in mind", list(found.caveats)),
        _listed("Left out", [f"{code(id, limit=60)}: {why}" for id, why in found.left_out]),
        f"Fails because {because}." if because else "",
    ]
    return joined(blocks) + "\n"


def _first_line(found: Comparison, old: ReceiptView, new: ReceiptView) -> str:
    """Across models the lift leads: raw scores of two models are never ranked."""
    words = _words(found)
    if "model" in found.changed:
        models = f"{name(new.skill_name)} on {code(new.model_id)} against {code(old.model_id)}"
        return f"{models}: lift {move(new.delta)}, was {move(old.delta)}; {words}"
    return f"{name(new.skill_name)} on {code(new.model_id)}: {words}"


def _words(found: Comparison) -> str:
    down, up, of = found.count("regression"), found.count("improvement"), f"of {count(len(found.cases), 'case')}"
    if found.headline in ("DRIFT", "MIXED", "IMPROVED"):
        parts = [f"{number} {of} {what}" for number, what in ((down, "got worse"), (up, "got better")) if number]
        return " and ".join(parts)
    return DRIFTS[found.headline].badge


def _second(found: Comparison) -> str:
    what = moved(found.changed)
    lines = [f"**Moved:** {what}." if what else "**Moved:** nothing that both receipts record."]
    if found.headline not in ("DRIFT", "MIXED", "IMPROVED"):
        lines.insert(0, f"{found.reason[:1].upper()}{found.reason[1:]}.")
    if found.delta is not None:
        flat = found.count("within noise") + found.count("within noise (below effect floor)")
        counts = (
            f"{found.count('regression')} regression, {found.count('improvement')} improvement, {flat} no clear difference "
            f"({found.count('within noise (below effect floor)')} below the floor of 0.05), {found.count('inconclusive')} inconclusive"
        )
        lines.append(f"**Mean move** {move(found.delta)} over {count(len(found.cases), 'case')}: {counts}.")
    return "\n".join(f"{line}  " for line in lines).rstrip()


def _cases(found: Comparison, labels: tuple[str, str]) -> str:
    if not found.cases:
        return ""
    lost = any(case.old_lost or case.new_lost for case in found.cases)
    headers = ["case", *labels, "move", "verdict", "beside it"] + (["measured of drawn"] if lost else [])
    return table(headers, [_row(case, lost=lost) for case in found.cases])


def _row(case: CaseDrift, *, lost: bool) -> list[str]:
    cells = [code(case.id, limit=60), _band(case.old_mean, case.old_sd), _band(case.new_mean, case.new_sd), move(case.delta)]
    return [*cells, case.verdict, _beside(case)] + ([_drawn(case)] if lost else [])


def _band(mean: float | None, spread: float | None) -> str:
    return NOTHING if mean is None else f"{thousandths(mean)} ± {thousandths(spread)}"


def _beside(case: CaseDrift) -> str:
    if case.reading == "single_answer":
        return READINGS[case.reading]
    power = POWER.get(case.reason, "")
    if case.needed and case.reason == "draws":
        power = f"{case.needed} answers an arm would tell"
    return ", ".join(part for part in (READINGS.get(case.reading, ""), power) if part)


def _drawn(case: CaseDrift) -> str:
    return f"{case.old_n} of {case.old_n + case.old_lost}, {case.new_n} of {case.new_n + case.new_lost}"


def _sides(old: ReceiptView, new: ReceiptView, labels: tuple[str, str]) -> str:
    rows = [
        ("model", *(code(view.model_id) for view in (old, new))),
        ("measured", *(text((view.date_utc or NOTHING)[:10]) for view in (old, new))),
        ("surface", *(text(view.surface or NOTHING) for view in (old, new))),
        ("judge", *(_judge(view) for view in (old, new))),
        ("skill files", *(code(short(view.content_hash) or "not recorded") for view in (old, new))),
        ("suite", *(code(short(view.suite_hash) or "not recorded") for view in (old, new))),
        ("with the skill", *(thousandths(view.with_skill_score) for view in (old, new))),
        ("without it", *(thousandths(view.baseline_score) for view in (old, new))),
        ("lift", *(_lift(view) for view in (old, new))),
        ("receipt", *(f"{code(short(view.receipt_hash))} {text(view.version)} {text(view.level)}" for view in (old, new))),
    ]
    return table([" ", *labels], rows)


def _lift(view: ReceiptView) -> str:
    spread = "" if view.delta is None or view.delta_uncertainty is None else f" ± {thousandths(view.delta_uncertainty)}"
    return move(view.delta) + spread


def _judge(view: ReceiptView) -> str:
    who = code(view.judge.model_id) if view.judge.model_id else "not recorded"
    samples = "samples not recorded" if view.judge.samples is None else count(view.judge.samples, "sample")
    return f"{who}, {samples}"


def _listed(title: str, items: list[str]) -> str:
    return "\n".join([f"**{title}**", "", *(f"- {item}" for item in items)]) if items else ""
