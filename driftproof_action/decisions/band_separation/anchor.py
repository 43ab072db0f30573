"""The same old answers graded again by today's judge: did the judge move? Not: a gate; a caveat beside one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from driftproof_action.analysis.paired import Paired, paired
from driftproof_action.decisions.band_separation.looks import known_scores
from driftproof_action.domain.arithmetic import round6
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.observations import Observations
from driftproof_action.domain.reading import Reading

NAME = "anchor"
FEWEST = 20
"""Answers that must have been graded twice before anything is said."""
TOLERANCE = 0.02
MOVED, STEADY, OPEN, NOT_GIVEN = "moved", "steady", "open", "not_given"


@dataclass(frozen=True, slots=True)
class Anchor:
    """word: moved, steady, open or not_given (fewer than 20 answers). statistics: of today's grade minus the old one."""

    word: str
    statistics: Paired | None = None


def read_anchor(old: Sequence[float], today: Sequence[float]) -> Anchor:
    """D-5 of docs/readings.md over answers in one order: moved when the 95 % t interval of the mean difference lies wholly
    outside -0.02 … 0.02, steady when wholly inside, else open. D-1 and D-2 stay valid whatever it says: both sides of D-1 are
    today's, and D-2 cancels it.

    Raises ValueError when the two lists are of different length.
    """
    differences = [after - before for before, after in zip(old, today, strict=True)]
    if len(differences) < FEWEST:
        return Anchor(NOT_GIVEN)
    found = paired(differences, 0.0)
    low, high = found.interval(0.95)
    if low > TOLERANCE or high < -TOLERANCE:
        return Anchor(MOVED, found)
    return Anchor(STEADY if low >= -TOLERANCE and high <= TOLERANCE else OPEN, found)


def anchor_draws(seen: Observations, arm: Arm) -> tuple[DrawId, ...]:
    """The old answers whose texts are at hand, to be graded again: rows of the look `anchor`."""
    found = (seen.series(brief, arm.name, "anchor") for brief in dict.fromkeys(case.brief for case in seen.frame.cases))
    return tuple(id for series in found for _, id in sorted(series.items()))


def anchor_reading(seen: Observations, arm: Arm) -> Reading | None:
    """Over the answers graded then and today; None where none was to be graded again."""
    if not anchor_draws(seen, arm):
        return None
    pairs = list(_pairs(seen, arm))
    found = read_anchor([before for before, _ in pairs], [after for _, after in pairs])
    numbers: dict[str, float | int | None] = {"answers": len(pairs)} | dict.fromkeys(("mean", "se", "low95", "high95"))
    if found.statistics:
        figures = (found.statistics.mean, found.statistics.se, *found.statistics.interval(0.95))
        numbers |= {name: round6(value) for name, value in zip(("mean", "se", "low95", "high95"), figures, strict=True)}
    return Reading(NAME, "judge", found.word, "few_answers" if found.word == NOT_GIVEN else "", numbers)


def _pairs(seen: Observations, arm: Arm) -> Iterator[tuple[float, float]]:
    """(score then, score today) of the same answer to the same case."""
    for case in seen.frame.cases:
        then, today = (known_scores(seen, case, arm.name, look) for look in ("first", "anchor"))
        for index, after in sorted(today.items()):
            before = then.get(index)
            if before is not None and after is not None and _same(seen, case.brief, arm, index):
                yield before, after


def _same(seen: Observations, brief: str, arm: Arm, index: int) -> bool:
    """Whether the two rows are of one answer."""
    rows = [seen.draw(seen.series(brief, arm.name, look)[index]) for look in ("first", "anchor")]
    hashes = {row.reply_hash for row in rows if row}
    return len(hashes) == 1 and None not in hashes
