"""The words users rely on: verdicts of a receipt and drifts of a comparison, one table each. Not: how they are decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Colour = Literal["green", "red", "yellow", "blue", "grey"]


@dataclass(frozen=True, slots=True)
class Word:
    """word: as outputs and receipts spell it. state: lower-case word for `worst_state`. plain: what people read.
    badge: the word on a badge. anchor: its heading in docs/words.md. sentence: what it means, as docs/words.md says it."""

    word: str
    state: str
    plain: str
    colour: Colour
    badge: str
    anchor: str
    sentence: str = ""


def _table(*words: Word) -> Mapping[str, Word]:
    return {word.word: word for word in words}


VERDICTS = _table(
    Word(
        "REGRESSED",
        "regression",
        "hurts",
        "red",
        "hurts",
        "regressed",
        "In at least one case, or over the suite as a whole, the answers with the skill are worse than without it.",
    ),
    Word(
        "REFUSED",
        "refused",
        "not what was sealed",
        "red",
        "refused",
        "refused",
        "The receipt cannot be read, or its content is not what its seal covers, so nothing it says counts.",
    ),
    Word(
        "INCONCLUSIVE",
        "inconclusive",
        "cannot tell",
        "yellow",
        "cannot tell",
        "inconclusive",
        "Answers were lost or the run did not finish, and what is left could mean either.",
    ),
    Word(
        "NOT_MEASURED",
        "not measured",
        "not measured",
        "grey",
        "not measured",
        "not-measured",
        "No model answered the whole suite under conditions that earn a verdict; the reason stands beside the word.",
    ),
    Word(
        "UNDERPOWERED",
        "underpowered",
        "not enough answers yet",
        "blue",
        "not enough answers yet",
        "underpowered",
        "The answers differ too much among themselves, or are too few, for a lift of 0.05 to show; or a case that looks different is open.",
    ),
    Word(
        "NO_EFFECT",
        "no detected effect",
        "no clear difference",
        "grey",
        "no clear difference",
        "no-effect",
        "There were enough answers to see a lift of 0.05, and the answers with and without the skill lie too close to tell apart.",
    ),
    Word(
        "PASSED",
        "helped",
        "helps",
        "green",
        "helps",
        "passed",
        "In at least one case, or over the suite as a whole, the answers with the skill are better than without it, and no fall stands.",
    ),
)
"""Worst first."""

DRIFTS = _table(
    Word(
        "REFUSED",
        "refused",
        "the comparison is refused",
        "red",
        "refused",
        "drift-refused",
        "One of the two receipts cannot be read, or is not what was sealed.",
    ),
    Word(
        "DRIFT",
        "drift",
        "got worse",
        "red",
        "got worse",
        "drift",
        "At least one case, or the suite as a whole, fell since the committed skill or the last receipt.",
    ),
    Word(
        "MIXED",
        "mixed",
        "better in some cases, worse in others",
        "red",
        "mixed",
        "mixed",
        "Some cases read clearly lower than in the last receipt and some clearly higher.",
    ),
    Word(
        "INCONCLUSIVE",
        "inconclusive",
        "cannot tell whether it got better or worse",
        "yellow",
        "cannot tell",
        "drift-inconclusive",
        "A case moved, but lost answers on one side could undo the move.",
    ),
    Word(
        "NOT_COMPARABLE",
        "not comparable",
        "not comparable with the last receipt",
        "grey",
        "not comparable",
        "not-comparable",
        "Something that decides the numbers moved between the two receipts, for example the judge; what moved is named.",
    ),
    Word(
        "NOT_MEASURED",
        "not measured",
        "the comparison was not measured",
        "grey",
        "not measured",
        "drift-not-measured",
        "One side or both were not measured by a model, so there is nothing to set against each other.",
    ),
    Word(
        "RECEIPT_REMOVED",
        "receipt removed",
        "the last receipt was removed",
        "yellow",
        "receipt removed",
        "receipt-removed",
        "There was a receipt once and a commit took it away; the commit is named.",
    ),
    Word(
        "BASE_UNAVAILABLE",
        "base unavailable",
        "the base commit is not in this checkout",
        "grey",
        "base unavailable",
        "base-unavailable",
        "The checkout is too shallow to hold the commit whose receipt this run is compared with.",
    ),
    Word(
        "FIRST_RECEIPT",
        "first receipt",
        "first receipt, nothing to compare with yet",
        "grey",
        "first receipt",
        "first-receipt",
        "No receipt of this skill on this model is stored yet; this one is the first.",
    ),
    Word(
        "NO_SEPARATION",
        "no separation",
        "no clear difference from the last receipt",
        "grey",
        "no clear difference",
        "no-separation",
        "No case is known to read higher or lower than before. That is not evidence that all is as it was.",
    ),
    Word(
        "IMPROVED",
        "improved",
        "got better",
        "green",
        "got better",
        "improved",
        "At least one case, or the suite as a whole, reads clearly higher than in the last receipt, and none clearly lower.",
    ),
)
"""Worst first."""


def worst(words: Iterable[str], table: Mapping[str, Word]) -> str | None:
    """The word that stands first in the table; None for no words. Raises ValueError for a word the table lacks."""
    order = list(table)
    ranks = [order.index(word) for word in words]
    return order[min(ranks)] if ranks else None
