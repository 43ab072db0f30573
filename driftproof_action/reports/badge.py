"""The README badge of one receipt, as JSON for shields and as a picture of its own. Not: where it is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from driftproof_action.domain.words import VERDICTS, Colour
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.figures import date
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


def badge_json(view: ReceiptView, verdict: str) -> dict[str, str | int]:
    """What shields' endpoint badge reads."""
    badge = badge_of(view, verdict)
    return {"schemaVersion": 1, "label": LABEL, "message": badge.message, "color": SHIELDS[badge.colour]}


def badge_svg(view: ReceiptView, verdict: str) -> str:
    """A self-contained picture: no link, no script, nothing loaded; named for screen readers."""
    badge = badge_of(view, verdict)
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
