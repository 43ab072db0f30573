"""One attempt of one brief in one arm and look. Not: its grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from driftproof_action.domain.hole import Origin
from driftproof_action.domain.reply import Ending
from driftproof_action.domain.usage import NO_USAGE, Usage

Look = Literal["first", "confirm", "redraw", "anchor"]
"""anchor: an answer of an earlier receipt, graded again."""


@dataclass(frozen=True, slots=True, order=True)
class DrawId:
    """Ordered. index counts from 0 within (brief, arm, look); attempt > 0: a rule asked for the same draw again."""

    brief: str
    arm: str
    look: Look = "first"
    index: int = 0
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Draw:
    """The row a reply leaves: facts, never the text. reply_hash: sha256 of the answer's UTF-8 bytes, None without text.
    started_at: ISO 8601 UTC. invisible: characters of the answer nobody can see; no judge gets them."""

    id: DrawId
    ending: Ending
    detail: str = ""
    reply_hash: str | None = None
    reported_model: str | None = None
    stop_reason: str | None = None
    usage: Usage = NO_USAGE
    run_id: str = ""
    started_at: str = ""
    origin: Origin | None = None
    invisible: int = 0
