"""The user message of an ask, with everything that is not ours between marks nobody can guess. Not: sending it."""

from __future__ import annotations

from driftproof_action.canonical import text_digest
from driftproof_action.domain.ask import Ask


def user_message(ask: Ask, key: str) -> str:
    """The prompt itself, or its parts in order with each untrusted one fenced.

    The mark follows from the call's Idempotency-Key, so it holds the run's random text: whoever wrote a part cannot know it,
    and a repeated call is the same call. A mark that some part happens to hold is passed over for the next one.
    """
    if not ask.parts:
        return ask.prompt
    mark = _mark(ask, key)
    pieces = [part.text if part.trusted else f"\n[[[ {mark}\n{part.text}\n{mark} ]]]\n" for part in ask.parts]
    return "".join(pieces)


def _mark(ask: Ask, key: str) -> str:
    number = 0
    while True:
        mark = text_digest(f"fence\n{key}\n{number}")[:32]
        if not any(mark in part.text for part in ask.parts):
            return mark
        number += 1
