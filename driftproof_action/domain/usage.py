"""What calls cost. Not: prices."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them, None = not told. input_tokens is all input; cached_tokens of it were read from a
    cache, written_tokens were put into one. attempts >= 1; wall_ms in milliseconds of the last attempt; micro_usd in
    millionths of a dollar at the prices of the run, all attempts together."""

    attempts: int = 1
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    wall_ms: int | None = None
    micro_usd: int | None = None
    written_tokens: int | None = None


NO_USAGE = Usage()
