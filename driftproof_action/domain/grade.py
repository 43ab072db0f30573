"""What a grader made of one draw or of two. Not: what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.hole import Hole, Origin
from driftproof_action.domain.usage import NO_USAGE, Usage

Outcome = Literal["scored", "pass", "fail", "left", "right", "tie"]


@dataclass(frozen=True, slots=True, order=True)
class GradeId:
    """One grading: a grader over one draw (a grade) or two (a preference), for one case."""

    grader: str
    case: str
    draws: tuple[DrawId, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One judge reply, read: value in [0, 1], or choice, or hole. attempt 1: the one second ask. parts: criterion id and
    whether it was met. notes: what the reading remarked, e.g. `quote_not_found`."""

    index: int
    attempt: int
    value: float | None = None
    choice: str | None = None
    hole: Hole | None = None
    reply_hash: str | None = None
    reported_model: str | None = None
    usage: Usage = NO_USAGE
    parts: tuple[tuple[str, bool], ...] = ()
    notes: tuple[str, ...] = ()
    reason: str = ""
    serving_id: str | None = None


@dataclass(frozen=True, slots=True)
class Grade:
    """Outcome xor hole. score in [0, 1]. samples: every judge reply in (index, attempt) order. reduction: the name of the
    pure function that made the outcome from samples and parts, so that a reader can do it again."""

    id: GradeId
    outcome: Outcome | None = None
    score: float | None = None
    hole: Hole | None = None
    decided_by: str = ""
    reduction: str = ""
    parts: tuple[tuple[str, bool], ...] = ()
    samples: tuple[Sample, ...] = ()
    critical: bool = False
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Asks for a preference between two draws of one case."""

    grader: str
    case: str
    left: DrawId
    right: DrawId
