"""A git server on loopback that writes down what it was asked. Not: a double of git; git's own backend answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class Served:
    """requests: (path, Authorization header) of every request."""

    url: str
    requests: list[tuple[str, str]] = field(default_factory=list)


@contextmanager
def git_server(root: Path, *, redirect_to: str = "", refuse: Callable[[str], int] = lambda _: 0) -> Iterator[Served]:
    """Serve the repositories below a folder over HTTP; with `redirect_to` answer everything by a redirect. refuse: path with
    its query → a status to answer with in place of git (0 = git answers). A repository takes pushes when its own setting
    http.receivepack says so."""
    git = shutil.which("git")
    assert git

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

        def do_GET(self) -> None:
            served.requests.append((self.path, self.headers.get("Authorization", "")))
            if redirect_to:
                self.send_response(302)
                self.send_header("Location", redirect_to + self.path)
                self.end_headers()
                return
            if status := refuse(self.path):
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            environment = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_CONFIG_COUNT": "3",
                "GIT_CONFIG_KEY_0": "uploadpack.allowReachableSHA1InWant",
                "GIT_CONFIG_VALUE_0": "true",
                "GIT_CONFIG_KEY_1": "safe.directory",
                "GIT_CONFIG_VALUE_1": "*",
                "GIT_CONFIG_KEY_2": "uploadpack.allowFilter",
                "GIT_CONFIG_VALUE_2": "true",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "REMOTE_ADDR": "127.0.0.1",
            }
            done = subprocess.run([git, "http-backend"], env=environment, input=body, capture_output=True, check=True)
            head, _, answer = done.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode("ascii").split("\r\n"))
            self.send_response(int(headers.pop("Status", "200 OK").split(" ")[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

        do_POST = do_GET

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served = Served(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
