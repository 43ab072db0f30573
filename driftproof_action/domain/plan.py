"""All the engine is told. Not: which method it serves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from driftproof_action.domain.brief import Brief
from driftproof_action.domain.draw import Draw, DrawId, Look
from driftproof_action.domain.grade import Grade
from driftproof_action.domain.grader import Grader
from driftproof_action.domain.observations import Frame
from driftproof_action.domain.reply import Reply
from driftproof_action.domain.rule import Rule


@dataclass(frozen=True, slots=True)
class Earmark:
    """Money and calls set aside for one look."""

    micro_usd: int
    calls: int


@dataclass(frozen=True, slots=True)
class Plan:
    """earmarks: what a look may use and nobody else may touch. prior_draws, prior_grades: reused rows, each with its origin.
    unasked: arms nobody is asked under: what a receipt handed over is all there is. may_refuse: arms whose model may turn out
    not to be served any more, or to be another: a hole there, where it would otherwise stop the run. kept: answers of prior
    rows that are to be graded again; nobody is asked for them."""

    frame: Frame
    briefs: Mapping[str, Brief]
    graders: Mapping[str, Grader]
    rule: Rule
    earmarks: Mapping[Look, Earmark] = field(default_factory=dict)
    prior_draws: tuple[Draw, ...] = ()
    prior_grades: tuple[Grade, ...] = ()
    unasked: frozenset[str] = frozenset()
    may_refuse: frozenset[str] = frozenset()
    kept: Mapping[DrawId, Reply] = field(default_factory=dict)
