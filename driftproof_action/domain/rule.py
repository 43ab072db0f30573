"""What a rule is to the engine. Not: any rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from driftproof_action.domain.draw import Look
from driftproof_action.domain.observations import Frame, Observations, Wanted
from driftproof_action.domain.reading import Decision


@dataclass(frozen=True, slots=True)
class Forecast:
    """Fewest and most draws a rule may take in one look, over all cases and arms. extra: a run is whole without them, so
    nothing is set aside for them."""

    look: Look
    fewest: int
    most: int
    extra: bool = False


class Rule(Protocol):
    """Two faces of one pure rule: what it still needs, and what it says."""

    @property
    def name(self) -> str:
        """With version; stored in Frame.rule, so that a reader of the receipt finds the rule again."""

    def wanted(self, seen: Observations) -> Wanted:
        """Only grows as observations grow. Nothing new and nothing flying = finished."""

    def decide(self, seen: Observations) -> Decision:
        """Total: an unfinished table gets a named reading, never a pass."""

    def forecast(self, frame: Frame) -> tuple[Forecast, ...]:
        """Draws per look, before the first call."""
