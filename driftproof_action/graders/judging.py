"""What every judge has in common: whom it asks, how often, and when it asks again. Not: the question."""

from __future__ import annotations

from dataclasses import dataclass, replace

from driftproof_action.canonical import Json
from driftproof_action.domain.ask import Ask, Part
from driftproof_action.domain.brief import Brief
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.reply import Reply
from driftproof_action.graders.reductions import mean_of_samples

LONGEST_CHARACTER = "\U0010ffff"
BYTES_A_TOKEN = 8
"""More bytes than a token of an answer stands for: the longest answer a judge may have to read is reckoned with it."""


@dataclass(frozen=True, slots=True)
class JudgeSetting:
    """One judge for all arms and models. samples: scorings of one draw, 1..20. max_tokens: cap of one judge reply. endpoint:
    the origin it is asked at, None for a surface without one: the same name elsewhere is another judge."""

    surface: str
    model: str
    samples: int
    temperature: float | None = None
    max_tokens: int = 400
    endpoint: str | None = None

    def to_json(self) -> dict[str, Json]:
        """All of it: what a grade is remembered under."""
        return {
            "surface": self.surface,
            "model": self.model,
            "samples": self.samples,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "endpoint": self.endpoint,
        }

    def ask(self, system: str, parts: tuple[Part, ...], max_tokens: int) -> Ask:
        return Ask(self.surface, self.model, system, "", max_tokens, self.temperature, parts)


def longest_answer(brief: Brief) -> str:
    """A stand-in for an answer nobody has seen yet, as long as it can be."""
    return "x" * (brief.max_tokens * BYTES_A_TOKEN)


def ask_again(ask: Ask, sample: Sample, reply: Reply) -> Ask | None:
    """The one second ask after a reply that came but decides nothing; a cut one with twice the cap. A failed call and a
    valid decision are never asked again."""
    if sample.hole is None or reply.ending not in ("completed", "cut"):
        return None
    return replace(ask, max_tokens=2 * ask.max_tokens) if reply.ending == "cut" else ask


def failed_call(index: int, attempt: int, reply: Reply) -> Sample | None:
    """A judge call that did not end well is a hole; None: it did. Read before the text."""
    if reply.ending == "completed":
        return None
    return Sample(index, attempt, hole=Hole(f"judge_{reply.ending}", reply.detail))


def mean_grade(id: GradeId, samples: tuple[Sample, ...]) -> Grade:
    """A score from samples, or the hole that one of them is."""
    score = mean_of_samples(samples)
    if isinstance(score, Hole):
        return Grade(id, hole=score, decided_by="judge", samples=samples)
    return Grade(id, "scored", score, decided_by="judge", reduction="mean_of_samples", samples=samples)
