"""providers/anthropic_reply: the stop reason before the text, and of the text only what is text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from driftproof_action.domain.reply import Reply
from driftproof_action.providers.anthropic_reply import read_message

THINKING = {"type": "thinking", "thinking": "First I weigh it.", "signature": "c2ln"}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def read(*content: Any, **changes: Any) -> Reply:
    usage = {"input_tokens": 7, "output_tokens": 3}
    message = {"id": "msg_1", "type": "message", "model": "m", "content": list(content), "stop_reason": "end_turn", "usage": usage}
    return read_message(json.dumps(message | changes).encode(), asked="m", wall_ms=5)


def test_texts_are_joined_in_order_and_thinking_is_left_out() -> None:
    reply = read(THINKING, text("Flour, "), {"type": "thinking", "thinking": "x", "text": "not said"}, text("1 kg"))
    assert (reply.ending, reply.text, reply.stop_reason) == ("completed", "Flour, 1 kg", "end_turn")
    assert "weigh" not in repr(reply)


@pytest.mark.parametrize("block", [THINKING, {"type": "redacted_thinking", "data": "eA=="}], ids=["thinking", "redacted"])
def test_thinking_alone_is_no_answer_and_says_so(block: Any) -> None:
    for content in ([block], [block, text(" \n")]):
        reply = read(*content)
        assert (reply.ending, reply.detail) == ("thinking_only", "the answer holds thinking and no text")


def test_an_answer_of_no_blocks_is_empty_and_no_error() -> None:
    assert (read().ending, read().text) == ("completed", "")


@pytest.mark.parametrize(
    ("stop_reason", "ending"),
    [
        ("refusal", "refused"),
        ("max_tokens", "cut"),
        ("model_context_window_exceeded", "context_window"),
        ("tool_use", "tool_use"),
        ("pause_turn", "tool_use"),
        ("heard_of_never", "agent_error"),
        (None, "agent_error"),
    ],
)
@pytest.mark.parametrize("content", [[], [THINKING], [THINKING, text('{"score": 1}')]], ids=["nothing", "thinking", "text"])
def test_the_stop_reason_decides_whatever_the_text_is(stop_reason: Any, ending: str, content: list[Any]) -> None:
    reply = read(*content, stop_reason=stop_reason)
    assert (reply.ending, reply.retryable, reply.usage.output_tokens) == (ending, False, 3)
    assert reply.detail == f"stop reason {stop_reason or 'not told'}"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b'{"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}', "error in an answer: overloaded_error"),
        (b'{"type": "error", "error": {"type": "Nice try ##[", "message": "x"}}', "error in an answer: unknown"),
        (b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error"}}\n\n', "the answer is not JSON"),
        (b'{"type": "message", "content": "text"}', "the answer is not a message"),
        (b"[]", "the answer is not an object"),
        (b"", "the answer is not JSON"),
    ],
)
def test_what_is_no_message_may_be_asked_again_and_nothing_of_it_is_kept(body: bytes, detail: str) -> None:
    reply = read_message(body, asked="m", wall_ms=5)
    assert (reply.ending, reply.text, reply.detail, reply.retryable) == ("transport_error", "", detail, True)


def test_the_model_that_answered_is_told() -> None:
    assert read(text("x"), model="m-20260101").reported_model == "m-20260101"
    other = read(text("x"), model="n")
    assert (other.ending, other.detail) == ("wrong_model", "m was asked, n answered")
