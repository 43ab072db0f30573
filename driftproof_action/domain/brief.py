"""What is asked of a model once. Not: what it is judged by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Brief:
    """Several cases may share one brief and hence one draw. max_tokens: cap of one answer; timeout_s: of one call."""

    id: str
    prompt: str
    max_tokens: int = 4096
    fixture: str = ""
    timeout_s: int = 120
