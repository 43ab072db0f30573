"""Secret values we were given, and whether a text holds one. Not: where they come from."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from urllib.parse import quote

SHORTEST = 8
"""Characters a value must have to be looked for: shorter ones would be found everywhere."""


class Secrets:
    """Values by the name of their input. Looked for as they are and as base64, URL and JSON spell them."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._spellings = [(spelling, name) for name, value in values.items() if len(value) >= SHORTEST for spelling in _spellings(value)]

    def find(self, text: str) -> str | None:
        """The name of a secret the text holds; None: it holds none."""
        return next((name for spelling, name in self._spellings if spelling in text), None)

    def __repr__(self) -> str:
        return f"Secrets({sorted({name for _, name in self._spellings})})"


def _spellings(value: str) -> set[str]:
    raw = value.encode()
    plain = {value, quote(value, safe=""), json.dumps(value)[1:-1], base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    return {spelling.rstrip("=") for spelling in plain}
