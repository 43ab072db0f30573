"""A network namespace with loopback only, and servers of a test inside it. Not: what the servers answer.

`python -m tests.container.network model QUALITY_WITH QUALITY_WITHOUT` serves the model double, `… strangers` writes down whoever
comes; both print their address first, then one JSON line a request.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import IO, Any

from tests.container.image import ROOT
from tests.model_server import Answer, Call, ModelServer

CLONE_NEWNET = 0x40000000
"""Of Linux: a namespace of the kind network."""


@dataclass
class Served:
    """A server inside a namespace; what it says goes to a file, which nobody has to empty."""

    process: subprocess.Popen[bytes]
    said: IO[bytes]
    url: str

    def stop(self) -> list[dict[str, Any]]:
        """End it; one object for each request it had."""
        self.process.terminate()
        self.process.wait()
        self.said.seek(0)
        seen = [json.loads(line) for line in self.said.readlines()[1:]]
        self.said.close()
        return seen


@dataclass
class Namespace:
    name: str
    servers: list[Served] = field(default_factory=list)

    @property
    def path(self) -> str:
        """As podman's --network takes it."""
        return f"ns:/run/netns/{self.name}"

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Inside, for this thread and whatever it starts: sockets made here stay here. Outside again at the end."""
        with open("/proc/thread-self/ns/net", "rb") as own, open(f"/run/netns/{self.name}", "rb") as there:
            _move_to(there.fileno())
            try:
                yield
            finally:
                _move_to(own.fileno())

    def serve(self, *words: str) -> Served:
        """Start one of this module's servers inside."""
        command = ["ip", "netns", "exec", self.name, sys.executable, "-m", "tests.container.network", *words]
        said = tempfile.TemporaryFile()  # noqa: SIM115 - closed by Served.stop
        process = subprocess.Popen(command, cwd=ROOT, stdout=said)
        served = Served(process, said, _first_line(process, said))
        self.servers.append(served)
        return served

    def stop(self) -> None:
        for served in self.servers:
            if not served.said.closed:
                served.stop()


def _move_to(namespace: int) -> None:
    """The calling thread's network becomes that of an open namespace file. Python has os.setns only from 3.12 on."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.setns(namespace, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def _first_line(process: subprocess.Popen[bytes], said: IO[bytes]) -> str:
    """The address, once it is there."""
    for _ in range(1000):
        line = os.pread(said.fileno(), 100, 0)
        if line.endswith(b"\n"):
            return line.decode("ascii").strip()
        assert process.poll() is None, "the server ended before it began"
        time.sleep(0.02)
    raise AssertionError("the server does not begin")


def say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


class Strangers(BaseHTTPRequestHandler):
    """Asks everybody for a password, which is when clients look into `.netrc`, and writes down what they say."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        say({"path": self.path, "headers": headers})
        known = "authorization" in headers
        self.send_response(404 if known else 401)
        if not known:
            self.send_header("www-authenticate", 'Basic realm="here"')
        self.send_header("content-length", "0")
        self.end_headers()

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        """Quiet."""


def serve_strangers() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Strangers) as server:
        sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()


def serve_model(with_skill: float, without: float) -> None:
    def note(call: Call) -> Answer | None:
        say({"headers": dict(call.headers), "role": call.role, "arm": call.arm, "model": call.body["model"]})
        return None

    with ModelServer(note, quality=lambda arm, _: with_skill if arm == "with_skill" else without).serve() as server:
        sys.stdout.write(server.url + "\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    # Terminated by whoever started it: what was said is flushed line by line.
    os.environ.pop("PYTHONPATH", None)
    if sys.argv[1] == "model":
        serve_model(float(sys.argv[2]), float(sys.argv[3]))
    else:
        serve_strangers()
