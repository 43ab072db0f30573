"""README badges, of one receipt or of a skill on all its models: JSON for shields, and pictures. Not: where they are kept."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from driftproof_action.domain.words import VERDICTS, Colour, worst
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.figures import count, date
from driftproof_action.reports.markdown import seen

LABEL = "driftproof"
SHIELDS: Mapping[Colour, str] = {"green": "brightgreen", "red": "red", "yellow": "yellow", "blue": "blue", "grey": "lightgrey"}
FILLS: Mapping[Colour, str] = {"green": "#1f7a3d", "red": "#b3261e", "yellow": "#8a5a00", "blue": "#3446c4", "grey": "#5a626b"}
"""Each carries white text at a contrast of at least 4.5 to 1."""
LABEL_FILL = "#24292f"
MESSAGE_LIMIT = 80


@dataclass(frozen=True, slots=True)
class Badge:
    """message: `helps · claude-haiku-4-5 · 21 Nov`."""

    message: str
    colour: Colour
    verdict: str
    receipt_hash: str


def undated(model_id: str) -> str:
    """A model id without its trailing release date."""
    return re.sub(r"-[0-9]{8}$", "", model_id)


def badge_of(view: ReceiptView, verdict: str) -> Badge:
    """verdict: a word of VERDICTS. What no model answered reads `not measured` in grey, whatever the verdict given."""
    unmeasured = view.kind == "stub" or view.preset is not None
    word = VERDICTS["NOT_MEASURED" if unmeasured and verdict != "REFUSED" else verdict]
    parts = [word.badge, undated(view.model_id), date(view.date_utc)]
    message = " · ".join(part for part in ("example" if view.example else "", *parts) if part)
    shown = seen(message)
    return Badge(shown if len(shown) <= MESSAGE_LIMIT else shown[: MESSAGE_LIMIT - 1] + "…", word.colour, word.word, view.receipt_hash)


def skill_badge_of(read: Sequence[tuple[ReceiptView, str]]) -> Badge:
    """Of one skill on all its models: `hurts · 1 of 3 models · 21 Nov`, led by the worst. read: receipts with their verdicts,
    one at least. The day is that of the oldest receipt: the whole is no younger than that."""
    badges = [badge_of(view, verdict) for view, verdict in read]
    if len(read) == 1:
        return badges[0]
    word = VERDICTS[worst((badge.verdict for badge in badges), VERDICTS) or "NOT_MEASURED"]
    led = sum(badge.verdict == word.word for badge in badges)
    models = count(len(read), "model") if led == len(read) else f"{led} of {count(len(read), 'model')}"
    oldest = min((view.date_utc for view, _ in read if view.date_utc), default=None)
    message = " · ".join(part for part in (word.badge, models, date(oldest)) if part)
    return Badge(message, word.colour, word.word, ",".join(sorted(badge.receipt_hash[:12] for badge in badges)))


def badge_json(view: ReceiptView, verdict: str) -> dict[str, str | int]:
    """What shields' endpoint badge reads."""
    return as_json(badge_of(view, verdict))


def badge_svg(view: ReceiptView, verdict: str) -> str:
    """A self-contained picture: no link, no script, nothing loaded; named for screen readers."""
    return as_svg(badge_of(view, verdict))


def as_json(badge: Badge) -> dict[str, str | int]:
    """A badge as shields' endpoint badge reads it."""
    return {"schemaVersion": 1, "label": LABEL, "message": badge.message, "color": SHIELDS[badge.colour]}


def as_svg(badge: Badge) -> str:
    """A badge as a self-contained picture."""
    left, right = _width(LABEL), _width(badge.message)
    title = _xml(f"{LABEL}: {badge.message}")
    middle = left + right / 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{title}"'
        f' data-verdict="{_xml(badge.verdict)}" data-receipt-hash="{_xml(seen(badge.receipt_hash))}">\n'
        f"<title>{title}</title>\n"
        f'<rect width="{left}" height="20" fill="{LABEL_FILL}"/>\n'
        f'<rect x="{left}" width="{right}" height="20" fill="{FILLS[badge.colour]}"/>\n'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" text-anchor="middle" aria-hidden="true">\n'
        f'<text x="{left / 2:g}" y="14" textLength="{left - 12}">{LABEL}</text>\n'
        f'<text x="{middle:g}" y="14" textLength="{right - 12}">{_xml(badge.message)}</text>\n'
        "</g>\n</svg>\n"
    )


def _width(value: str) -> int:
    """Pixels of a text in 11 px Verdana, about; `textLength` makes it exact."""
    return round(sum(6.5 if char.isascii() else 9 for char in value)) + 12


def _xml(value: str) -> str:
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        value = value.replace(char, entity)
    return value
