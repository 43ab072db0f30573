"""Secret values we were given, and whether a text holds one. Not: where they come from."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from urllib.parse import quote

from driftproof_action.domain.reply import Reply

SHORTEST = 8
"""Characters a value must have to be looked for: shorter ones would be found everywhere."""


class Secrets:
    """Values by the name of their input. Looked for as they are and as base64, URL and JSON spell them."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._spellings = [(spelling, name) for name, value in values.items() if len(value) >= SHORTEST for spelling in _spellings(value)]

    def __bool__(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self._spellings)

    def find(self, text: str) -> str | None:
        """The name of a secret the text holds; None: it holds none."""
        return next((name for spelling, name in self._spellings if spelling in text), None)

    def find_in(self, reply: Reply) -> str | None:
        """The name of a secret in any text that would be kept of a reply."""
        files = [part for file in reply.files or () for part in (file.path, file.text)]
        kept = (reply.text, reply.detail, reply.reported_model, reply.stop_reason, reply.serving_id, *files)
        return next((name for text in kept if text and (name := self.find(text))), None)

    def __repr__(self) -> str:
        return f"Secrets({sorted({name for _, name in self._spellings})})"


def _spellings(value: str) -> set[str]:
    raw = value.encode()
    plain = {value, quote(value, safe=""), json.dumps(value)[1:-1], base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    return {spelling.rstrip("=") for spelling in plain}
