"""Speaks the Messages API in front of a local chat-completions server, so that a small real model can answer. Not: a double.

Usage: python tests/smoke/adapter.py --backend http://127.0.0.1:18100 --port 18101 [--as claude-haiku-4-5]
"""

from __future__ import annotations

import argparse
import json
import sys
import urllib.request
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SCORE = {"type": "object", "properties": {"score": {"type": "number"}, "reason": {"type": "string"}}, "required": ["score", "reason"]}
STOPS = {"stop": "end_turn", "length": "max_tokens"}


def translated(body: Mapping[str, Any]) -> dict[str, Any]:
    """A Messages request as a chat-completions one. A small model needs help to answer in JSON: a rubric judge's reply is
    held to the shape it was asked for."""
    system = "".join(block["text"] for block in body.get("system", []))
    content = body["messages"][0]["content"]
    user = content if isinstance(content, str) else "".join(block["text"] for block in content)
    messages = [{"role": "system", "content": system}] if system else []
    out: dict[str, Any] = {
        "messages": [*messages, {"role": "user", "content": user}],
        "max_tokens": body["max_tokens"],
        "temperature": body.get("temperature", 0.8),
    }
    if '"score"' in system:
        out["response_format"] = {"type": "json_object", "schema": SCORE}
    return out


def answered(body: Mapping[str, Any], data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A chat completion as a message."""
    choice = data["choices"][0]
    return {
        "id": f"msg_{data.get('id', 'local')}",
        "type": "message",
        "role": "assistant",
        "model": name or body["model"],
        "content": [{"type": "text", "text": choice["message"]["content"] or ""}],
        "stop_reason": STOPS.get(choice["finish_reason"], "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": data["usage"]["prompt_tokens"], "output_tokens": data["usage"]["completion_tokens"]},
    }


def serve(backend: str, port: int, name: str) -> None:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            request = urllib.request.Request(
                f"{backend}/v1/chat/completions", json.dumps(translated(body)).encode(), {"content-type": "application/json"}
            )
            try:
                with urllib.request.urlopen(request, timeout=110) as reply:
                    status, data = 200, json.dumps(answered(body, json.load(reply), name)).encode()
            except OSError as error:
                status, data = 529, json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": str(error)}}).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    words = argparse.ArgumentParser(description="The Messages API in front of a local chat-completions server.")
    words.add_argument("--backend", default="http://127.0.0.1:18100")
    words.add_argument("--port", type=int, default=18101)
    words.add_argument("--as", dest="name", default="")
    given = words.parse_args()
    sys.exit(serve(given.backend, given.port, given.name))
