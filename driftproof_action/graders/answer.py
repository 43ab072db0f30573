"""What of a reply may be graded, and the text a judge gets to see. Not: grading it."""

from __future__ import annotations

import re

from driftproof_action.domain.hole import Hole
from driftproof_action.domain.reply import Reply

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\U000e0000-\U000e0fff]"
)


def not_gradable(replies: tuple[Reply, ...]) -> Hole | None:
    """Why there is nothing to grade. The ending is read before the text: a cut, refused or failed reply is never graded,
    whatever it holds."""
    for reply in replies:
        if reply.ending != "completed":
            return Hole(reply.ending, reply.detail)
        if not visible(reply.text).strip():
            return Hole("empty_reply", "the reply holds no visible text")
    return None


def visible(text: str) -> str:
    """The text without characters nobody can see (zero-width, direction marks, tags): cleaned alike in every arm."""
    return _INVISIBLE.sub("", text)
