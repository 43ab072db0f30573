"""One condition a brief is run under. Not: the draws made under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Delivery = Literal["none", "inline", "install"]


@dataclass(frozen=True, slots=True)
class Arm:
    """role: what the rule calls it (with_skill, baseline, incumbent, …). place: the cell (surface, model, configuration,
    host) numbers never cross. system: what is put before the model, verbatim. digest: of everything that determines an
    answer under this arm; it enters every draw key."""

    name: str
    role: str
    place: str
    surface: str
    model: str
    system: str
    digest: str
    delivery: Delivery = "none"
    temperature: float | None = None
