"""The words users rely on: verdicts of a receipt and drifts of a comparison, one table each. Not: how they are decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Colour = Literal["green", "red", "yellow", "blue", "grey"]


@dataclass(frozen=True, slots=True)
class Word:
    """word: as outputs and receipts spell it. state: lower-case word for `worst_state`. plain: what people read.
    badge: the word on a badge. anchor: its heading in docs/words.md."""

    word: str
    state: str
    plain: str
    colour: Colour
    badge: str
    anchor: str


def _table(*words: Word) -> Mapping[str, Word]:
    return {word.word: word for word in words}


VERDICTS = _table(
    Word("REGRESSED", "regression", "hurts", "red", "hurts", "regressed"),
    Word("REFUSED", "refused", "not what was sealed", "red", "refused", "refused"),
    Word("INCONCLUSIVE", "inconclusive", "cannot tell, answers were lost", "yellow", "cannot tell", "inconclusive"),
    Word("NOT_MEASURED", "not measured", "not measured", "grey", "not measured", "not-measured"),
    Word("UNDERPOWERED", "underpowered", "not enough answers yet", "blue", "not enough answers yet", "underpowered"),
    Word("NO_EFFECT", "no detected effect", "no clear difference", "grey", "no clear difference", "no-effect"),
    Word("PASSED", "helped", "helps", "green", "helps", "passed"),
)
"""Worst first."""

DRIFTS = _table(
    Word("REFUSED", "refused", "a receipt is not what was sealed", "red", "refused", "drift-refused"),
    Word("DRIFT", "drift", "got worse", "red", "got worse", "drift"),
    Word("MIXED", "mixed", "better in some cases, worse in others", "red", "mixed", "mixed"),
    Word("INCONCLUSIVE", "inconclusive", "cannot tell, answers were lost", "yellow", "cannot tell", "drift-inconclusive"),
    Word("NOT_COMPARABLE", "not comparable", "not comparable with the last receipt", "grey", "not comparable", "not-comparable"),
    Word("NOT_MEASURED", "not measured", "not measured", "grey", "not measured", "drift-not-measured"),
    Word("RECEIPT_REMOVED", "receipt removed", "the last receipt was removed", "yellow", "receipt removed", "receipt-removed"),
    Word("BASE_UNAVAILABLE", "base unavailable", "the base commit is not in this checkout", "grey", "base unavailable", "base-unavailable"),
    Word("FIRST_RECEIPT", "first receipt", "first receipt, nothing to compare with yet", "grey", "first receipt", "first-receipt"),
    Word("NO_SEPARATION", "no separation", "no clear difference from the last receipt", "grey", "no clear difference", "no-separation"),
    Word("IMPROVED", "improved", "got better", "green", "got better", "improved"),
)
"""Worst first."""


def worst(words: Iterable[str], table: Mapping[str, Word]) -> str | None:
    """The word that stands first in the table; None for no words. Raises ValueError for a word the table lacks."""
    order = list(table)
    ranks = [order.index(word) for word in words]
    return order[min(ranks)] if ranks else None
