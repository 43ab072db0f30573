"""Draws a rule would like and does not need: when they go out, and which were left out. Not: which those are (the rule)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.observations import Observations, Wanted


@dataclass(slots=True)
class Extras:
    """kept: old answers to be graded again. begun: every board of the job has what it needs. needed: all that ever was."""

    kept: Collection[DrawId]
    begun: bool = False
    needed: set[DrawId] = field(default_factory=set)
    left_out: set[DrawId] = field(default_factory=set)

    def due(self, wanted: Wanted, seen: Observations, *, grading: bool) -> Sequence[DrawId]:
        """Fresh answers before old ones: those are graded again once no fresh one can follow. grading: some are under way."""
        self.needed.update(wanted.draws)
        if not self.begun:
            return ()
        fresh = [id for id in wanted.extra if id not in self.kept]
        going = grading or any(id not in self.left_out and seen.draw(id) is None for id in fresh)
        return fresh if going else wanted.extra
