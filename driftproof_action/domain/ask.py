"""One call, fully determined. Not: how it is sent."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a user message. Untrusted text is fenced by the provider with a boundary nobody can guess."""

    text: str
    trusted: bool


@dataclass(frozen=True, slots=True)
class Ask:
    """prompt: the whole user message when `parts` is empty; else the parts in order are. temperature None: not sent."""

    surface: str
    model: str
    system: str
    prompt: str
    max_tokens: int
    temperature: float | None = None
    parts: tuple[Part, ...] = ()
    timeout_s: int = 120

    def characters(self) -> int:
        """Length of everything that is sent, in code points."""
        return len(self.system) + len(self.prompt) + sum(len(part.text) for part in self.parts)
