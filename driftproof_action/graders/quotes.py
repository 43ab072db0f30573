"""Whether words a judge quotes really stand in the answer. Not: whether they show anything."""

from __future__ import annotations

import re
import unicodedata

from driftproof_action.domain.visible import visible

QUOTE_NOT_FOUND = "quote_not_found"
"""The note of a sample that quotes words which are not in the answer."""

_MARKDOWN = re.compile(r"[*_`~#>|\\\[\]]+")
_SPACE = re.compile(r"\s+")
_SAME = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-", "\u2026": "..."})


def occurs(quote: str, text: str) -> bool:
    """True for no quote, and for one that is found after folding: NFKC, case, white space, Markdown marks, typographic
    quotes and dashes, and dots that stand for something left out."""
    pieces = [piece for piece in _folded(quote).split("...") if piece.strip(" .\"'")]
    where, at = _folded(text), 0
    for piece in pieces:
        found = where.find(piece.strip(" .\"'"), at)
        if found < 0:
            return False
        at = found + 1
    return True


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", visible(text)).translate(_SAME).casefold()
    return _SPACE.sub(" ", _MARKDOWN.sub(" ", plain)).strip()
