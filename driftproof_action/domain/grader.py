"""What a grader is to the engine. Not: any grader."""

from __future__ import annotations

from typing import Protocol

from driftproof_action.domain.ask import Ask
from driftproof_action.domain.brief import Brief
from driftproof_action.domain.case import Case
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.reply import Reply


class Grader(Protocol):
    """Pure: never calls, says what to ask and reads what came back. digest: of all that determines its grades."""

    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...

    def refuse(self, case: Case, replies: tuple[Reply, ...]) -> Hole | None:
        """Why there is nothing to grade (cut, empty, lost); None: there is."""

    def asks(self, case: Case, brief: Brief, replies: tuple[Reply, ...]) -> tuple[Ask, ...]:
        """One ask a judge sample, each a unit of work of its own; () = decided in code."""

    def largest(self, case: Case, brief: Brief) -> tuple[Ask, ...]:
        """The biggest asks it could make before any answer exists: what the budget reserves."""

    def read(self, case: Case, replies: tuple[Reply, ...], index: int, attempt: int, reply: Reply) -> Sample:
        """One judge reply → a value, a choice or a hole."""

    def again(self, ask: Ask, sample: Sample, reply: Reply) -> Ask | None:
        """The one second ask after a reply without a decision; None for a valid or a failed call."""

    def grade(self, id: GradeId, case: Case, replies: tuple[Reply, ...], samples: tuple[Sample, ...]) -> Grade:
        """Reduce samples (or the replies, for a grader that asks nothing) to a grade. An exception becomes a hole."""
