"""What came back of one call. Not: whether it is any good."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from driftproof_action.domain.usage import NO_USAGE, Usage

Ending = Literal[
    "completed",
    "cut",
    "refused",
    "tool_use",
    "context_window",
    "thinking_only",
    "timeout",
    "budget_stop",
    "transport_error",
    "rate_limited",
    "agent_error",
    "setup_failed",
    "host_unavailable",
    "wrong_model",
    "not_allowed",
    "withheld",
]

STOPPING: frozenset[Ending] = frozenset({"wrong_model", "not_allowed"})
"""Endings that stop the run and are never stored as an answer: a resumed run asks again."""


@dataclass(frozen=True, slots=True)
class File:
    """A file a workspace held when the draw ended."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """ending is read before text. files None: no snapshot was taken. retry_after_ms: what the provider asked us to wait.
    retryable: another attempt may end otherwise; the loop decides whether there is one. serving_id: the provider's own id of
    the answer."""

    ending: Ending
    text: str = ""
    detail: str = ""
    files: tuple[File, ...] | None = None
    reported_model: str | None = None
    stop_reason: str | None = None
    retryable: bool = False
    retry_after_ms: int | None = None
    usage: Usage = NO_USAGE
    serving_id: str | None = None
