"""A model server on this machine that speaks the Messages API and does as it is told. Not: a model.

Every answer is a function of the call's Idempotency-Key, so that interrupted, parallel and repeated runs can be compared. What a
script does not say is answered well: a task with a text of some quality, a judge with a score near it.
"""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]

CACHE_MINIMUM = 4096


@dataclass
class Call:
    """One request as it came. role: target or judge; case: the word after `case:` in the task; arm by the system text."""

    headers: Mapping[str, str]
    body: Body
    role: str
    case: str
    arm: str
    number: int = 0
    repeat: int = 0

    @property
    def key(self) -> str:
        return self.headers["idempotency-key"]

    @property
    def system(self) -> str:
        return "".join(block["text"] for block in self.body.get("system", []))

    @property
    def user(self) -> str:
        content = self.body["messages"][0]["content"]
        return content if isinstance(content, str) else "".join(block["text"] for block in content)


@dataclass
class Answer:
    """What goes back. body: a text is sent as it is, anything else as JSON."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drop: bool = False


Script = Callable[[Call], "Answer | None"]


class ModelServer:
    """script: asked first; None from it means a good answer. quality: of a target's answer by (arm, case)."""

    def __init__(self, script: Script | None = None, *, quality: Callable[[str, str], float] | None = None, spread: float = 0.03) -> None:
        self.script = script or (lambda call: None)
        self.quality = quality or (lambda arm, case: 0.8 if arm == "with_skill" else 0.5)
        self.spread = spread
        self.calls: list[Call] = []
        self.answered: dict[int, Any] = {}
        self.cached: set[str] = set()
        self.url = ""
        self._lock = threading.Lock()

    # ---- what is answered ---------------------------------------------------------------------------------------

    def answer(self, call: Call) -> Answer:
        with self._lock:
            call.repeat = sum(other.key == call.key for other in self.calls)
            call.number = len(self.calls)
            self.calls.append(call)
        answer = self.script(call) or Answer(body=self.good(call))
        with self._lock:
            self.answered[call.number] = answer.body
        return answer

    def good(self, call: Call) -> dict[str, Any]:
        rng = random.Random(call.key)
        if call.role == "target":
            level = self.quality(call.arm, call.case)
            return self.message(call, f"An answer of quality={min(1, max(0, rng.gauss(level, self.spread))):.3f}.")
        found = re.search(r"quality=([0-9.]+)\.", call.user)
        quality = float(found[1]) if found else 0.5
        ids = re.findall(r'"id":"([^"]+)"', call.user) if "judgments" in call.system else []
        if not ids:
            score = round(min(1, max(0, rng.gauss(quality, 0.02))) * 20) / 20
            return self.message(call, json.dumps({"score": score, "reason": "as it reads"}))
        rows = [{"id": id, "decision": "met" if rng.random() < quality else "not_met", "reason": "as it reads"} for id in ids]
        return self.message(call, json.dumps({"judgments": rows}))

    def message(self, call: Call, text: str, **changes: Any) -> dict[str, Any]:
        body = {
            "id": f"msg_{call.key[:12]}",
            "type": "message",
            "role": "assistant",
            "model": call.body["model"],
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": self.usage(call, text),
        }
        return body | changes

    def usage(self, call: Call, text: str) -> dict[str, int]:
        """Four characters a token; a long system text with a cache mark is written once and read afterwards."""
        system, user = len(call.system) // 4, len(call.user) // 4
        marked = any("cache_control" in block for block in call.body.get("system", []))
        out = {"output_tokens": max(1, len(text) // 4), "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        if not marked or system < CACHE_MINIMUM:
            return out | {"input_tokens": system + user}
        with self._lock:
            known = call.system in self.cached
            self.cached.add(call.system)
        return out | {"input_tokens": user, f"cache_{'read' if known else 'creation'}_input_tokens": system}

    # ---- serving ------------------------------------------------------------------------------------------------

    @contextmanager
    def serve(self) -> Iterator[ModelServer]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                answer = server.answer(read_call(headers, json.loads(raw))) if self.path.startswith("/v1/messages") else Answer(404)
                time.sleep(answer.delay_s)
                if answer.drop:
                    self.close_connection = True
                    return
                data = answer.body.encode() if isinstance(answer.body, str) else json.dumps(answer.body).encode()
                lines = {"content-type": "application/json", "content-length": str(len(data)), **answer.headers}
                self.send_response(answer.status)
                for name, value in lines.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_: Any) -> None:
                """A client that went away is no news."""

        httpd = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{httpd.server_address[1]}"
        thread = threading.Thread(target=httpd.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            httpd.shutdown()
            httpd.server_close()
            thread.join()


def read_call(headers: Mapping[str, str], body: Body) -> Call:
    system = "".join(block["text"] for block in body.get("system", []))
    content = body["messages"][0]["content"]
    user = content if isinstance(content, str) else "".join(block["text"] for block in content)
    judge = "random mark" in system
    found = re.search(r"case:([A-Za-z0-9_.-]+)", user)
    arm = "" if judge else "with_skill" if system else "baseline"
    return Call(headers, body, "judge" if judge else "target", found[1] if found else "", arm)


def error(status: int, kind: str, message: str = "scripted", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}, named)
