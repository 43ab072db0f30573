"""Prompt texts as packaged files: read once, filled slot by slot, hashed. Not: what is asked when."""

from __future__ import annotations

import pkgutil  # importlib.resources takes many times as long to load
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from driftproof_action.canonical import Json, canonical_bytes, text_digest
from driftproof_action.domain.ask import Part
from driftproof_action.domain.suite import Criterion

PROMPTS = ("judge", "criteria")
_PARTS = ("system", "user")

_SLOT = re.compile(r"\[\[([a-z]+)\]\]")
_RULE = "\n---\n"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A system text and a user text with slots. The user text is split at its slots before anything is filled in, so a
    value is never searched for slots and reaches the model letter for letter."""

    system: str
    user: str

    def parts(self, values: Mapping[str, str]) -> tuple[Part, ...]:
        """The user message: our words trusted, every filled slot untrusted. Raises KeyError for a slot without a value."""
        pieces = _SLOT.split(self.user)
        parts = [Part(piece, True) if number % 2 == 0 else Part(values[piece], False) for number, piece in enumerate(pieces)]
        return tuple(part for part in parts if part.text or not part.trusted)

    def empty(self) -> str:
        """The user text with nothing in its slots: what the template hash is taken over."""
        return _SLOT.sub("", self.user)


@cache
def prompt(name: str) -> Prompt:
    """One of PROMPTS."""
    return Prompt(*(packaged(file).decode() for file in prompt_files(name)))


def prompt_files(name: str) -> tuple[str, ...]:
    """Where in this room its texts lie: the system text, then the user text."""
    return tuple(f"prompts/{name}_{part}.txt" for part in _PARTS)


def packaged(file: str) -> bytes:
    """What a file of this room holds."""
    content = pkgutil.get_data(__package__, file)
    assert content is not None
    return content


def template_hash(name: str) -> str:
    """The published prompt_template_hash over our wording: sha256(system + rule + user text with empty slots)."""
    return text_digest(prompt(name).system + _RULE + prompt(name).empty())


def rubric_hash(rubric: str) -> str:
    """The published rubric_hash: sha256(system + rule + trimmed rubric)."""
    return text_digest(prompt("judge").system + _RULE + rubric.strip())


def criteria_hash(rubric: str, criteria: Sequence[Criterion]) -> str:
    """The published rubric_hash of a criteria case: system, empty template, trimmed context and the canonical criteria."""
    rows: list[Json] = [{"id": item.id, "weight": item.weight, "description": item.description} for item in criteria]
    texts = (prompt("criteria").system, prompt("criteria").empty(), rubric.strip(), canonical_bytes(rows).decode())
    return text_digest(_RULE.join(texts))
