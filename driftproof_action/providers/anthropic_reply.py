"""Reading a Messages API answer into a reply: what ended it, who answered, what it used, then the text. Not: asking."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from driftproof_action.canonical import read_json
from driftproof_action.domain.reply import Ending, Reply
from driftproof_action.domain.usage import Usage
from driftproof_action.errors import DocumentError
from driftproof_action.registry.models import canonical_id

_ENDINGS: Mapping[str, Ending] = {
    "end_turn": "completed",
    "stop_sequence": "completed",
    "max_tokens": "cut",
    "model_context_window_exceeded": "context_window",
    "refusal": "refused",
    "tool_use": "tool_use",
    "pause_turn": "tool_use",
}
_WORD = re.compile(r"[a-z_]{1,60}\Z", re.ASCII)
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}\Z", re.ASCII)
UNPAID = Usage(micro_usd=0)
"""Of a call the provider turned away: it is not billed."""


def read_message(body: bytes, *, asked: str, wall_ms: int) -> Reply:
    """The reply in the body of an answer with status 200. asked: the model that was to answer.

    The stop reason, the model that says it answered and the usage are read before the text. An error inside a 200 is an
    error; a body that is no message is a transport error and may be asked again.
    """
    try:
        data = read_json(body, source="reply")
    except DocumentError:
        return Reply("transport_error", detail="the answer is not JSON", retryable=True)
    if not isinstance(data, Mapping):
        return Reply("transport_error", detail="the answer is not an object", retryable=True)
    if data.get("type") == "error":
        return Reply("transport_error", detail=f"error in an answer: {error_type(data)}", retryable=True, usage=UNPAID)
    usage, model = _usage(data.get("usage"), wall_ms), _model(data.get("model"))
    content = data.get("content")
    if data.get("type") != "message" or not isinstance(content, list):
        return Reply("transport_error", detail="the answer is not a message", retryable=True, usage=usage)
    stop_reason = word(data.get("stop_reason"))
    ending = _ENDINGS.get(stop_reason, "agent_error")
    blocks = [block for block in content if isinstance(block, Mapping)]
    texts = [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]
    text, detail = "".join(texts), "" if ending == "completed" else f"stop reason {stop_reason or 'not told'}"
    if ending == "completed" and not text.strip() and any(str(block.get("type")).endswith("thinking") for block in blocks):
        ending, detail = "thinking_only", "the answer holds thinking and no text"
    if model is not None and canonical_id(model) != canonical_id(asked):
        ending, detail = "wrong_model", f"{asked} was asked, {model} answered"
    return Reply(
        ending, text, detail, reported_model=model, stop_reason=stop_reason or None, usage=usage, serving_id=_model(data.get("id"))
    )


def error_type(data: Any) -> str:
    """The provider's word for an error, `unknown` where it is no plain word."""
    error = data.get("error") if isinstance(data, Mapping) else None
    return word(error.get("type") if isinstance(error, Mapping) else None) or "unknown"


def word(value: Any) -> str:
    """A plain lower-case word as it is, everything else as nothing: providers' texts are foreign text."""
    return value if isinstance(value, str) and _WORD.match(value) else ""


def _model(value: Any) -> str | None:
    return value if isinstance(value, str) and _MODEL.match(value) else None


def _usage(value: Any, wall_ms: int) -> Usage:
    """Input tokens include what was read from the cache and what was written to it."""
    if not isinstance(value, Mapping):
        return Usage(wall_ms=wall_ms)

    def count(key: str) -> int | None:
        number = value.get(key)
        return number if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None

    plain, read, written = count("input_tokens"), count("cache_read_input_tokens"), count("cache_creation_input_tokens")
    whole = None if plain is None else plain + (read or 0) + (written or 0)
    return Usage(1, whole, count("output_tokens"), read, wall_ms, None, written)
