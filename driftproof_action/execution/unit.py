"""One call as the engine handles it, and what calls cost. Not: what is called, or when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from driftproof_action.canonical import text_digest
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import GradeId
from driftproof_action.domain.reply import Reply
from driftproof_action.domain.usage import Usage
from driftproof_action.domain.visible import invisible_count
from driftproof_action.ports import About


@dataclass(frozen=True, slots=True)
class Unit:
    """One call: a draw, or one sample of a grading. tries: attempts that failed before this one, what they
    cost in micro-dollars (spent) and how long they were waited for (waited_s)."""

    key: str
    ask: Ask
    draw: DrawId | None = None
    grade: GradeId | None = None
    index: int = 0
    attempt: int = 0
    tries: int = 0
    spent: int = 0
    waited_s: float = 0.0

    def about(self) -> About:
        if self.draw:
            return About("target", self.draw.brief, (self.draw,))
        assert self.grade
        return About("judge", self.grade.case, self.grade.draws)


def row(id: DrawId, reply: Reply, *, run_id: str, started_at: str) -> Draw:
    """What a reply leaves in the table."""
    return Draw(
        id,
        reply.ending,
        reply.detail,
        text_digest(reply.text) if reply.text else None,
        reply.reported_model,
        reply.stop_reason,
        reply.usage,
        run_id,
        started_at,
        invisible=invisible_count(reply.text),
    )


class Prices(Protocol):
    """Micro-dollars: the dearest a call can be, and what one attempt did cost."""

    def worst(self, ask: Ask) -> int: ...
    def cost(self, ask: Ask, usage: Usage) -> int: ...
