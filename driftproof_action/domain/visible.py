"""Characters nobody can see: what a judge must not be told by them. Not: what a judge is told."""

from __future__ import annotations

import re

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """The text without zero-width characters, direction marks, variation selectors and tags."""
    return _INVISIBLE.sub("", text)


def invisible_count(text: str) -> int:
    """How many characters `visible` takes out."""
    return len(_INVISIBLE.findall(text))
