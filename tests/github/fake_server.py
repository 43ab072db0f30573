"""A GitHub of our own on loopback: it remembers comments, and holds every exchange to GitHub's description. Not: git."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.github.described import Description, UndescribedError

BOT = "github-actions[bot]"
NOW = "2026-11-30T09:00:00Z"


@dataclass
class Request:
    verb: str
    target: str
    token: str
    body: Any


@dataclass
class Scripted:
    """An answer in place of the ordinary one. after: whether the request takes effect all the same."""

    status: int
    message: str = "no"
    headers: dict[str, str] = field(default_factory=dict)
    after: bool = False


@dataclass
class FakeGitHub:
    """pulls: number → what is told of it. script: asked before every request; None = the ordinary answer. people: token →
    login; every other token is a job's own. breaches: exchanges GitHub's description does not allow; a test ends with none."""

    description: Description
    url: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    people: dict[str, str] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    breaches: list[str] = field(default_factory=list)
    script: Callable[[Request], Scripted | None] = lambda _: None
    before: Callable[[Request], None] = lambda _: None
    limit: int = 65_536
    next_id: int = 1

    def reads(self) -> int:
        return sum(request.verb == "GET" for request in self.requests)

    def writes(self) -> list[str]:
        return [request.verb for request in self.requests if request.verb != "GET"]

    def add(self, body: str, *, login: str = BOT, number: int = 7) -> dict[str, Any]:
        """A comment that is there, made from GitHub's own example."""
        row = self.description.example("issue-comment")
        row["id"], row["body"] = self.next_id, body
        row["user"] |= {"login": login, "type": "Bot" if login.endswith("[bot]") else "User"}
        row["html_url"] = f"https://github.example/owner/skills/pull/{number}#issuecomment-{self.next_id}"
        row["issue_url"] = f"{self.url}/repos/owner/skills/issues/{number}"
        row["url"] = f"{self.url}/repos/owner/skills/issues/comments/{self.next_id}"
        row["created_at"] = row["updated_at"] = NOW
        self.next_id += 1
        self.comments.append(row)
        return row

    def pull(self, number: int, *, head: str, base: str, state: str = "open", away: str = "owner/skills") -> None:
        row = self.description.example("pull-request")
        # GitHub's own example has teams its own description does not allow.
        row |= {"number": number, "state": state, "draft": False, "requested_teams": []}
        row["head"] |= {"sha": head, "ref": "topic"}
        row["base"] |= {"sha": base, "ref": "main"}
        row["head"]["repo"]["full_name"], row["base"]["repo"]["full_name"] = away, "owner/skills"
        self.pulls[number] = row

    # ---- what is answered ---------------------------------------------------------------------------------------

    def answer(self, request: Request) -> tuple[int, Any, dict[str, str]]:
        parts = urlsplit(request.target).path.strip("/").split("/")
        query = {key: values[-1] for key, values in parse_qs(urlsplit(request.target).query).items()}
        if parts == ["user"]:
            return self._user(request.token)
        if parts[3:4] == ["pulls"]:
            row = self.pulls.get(int(parts[4]))
            return (200, row, {}) if row else (404, error("Not Found"), {})
        if parts[4:5] == ["comments"]:
            return self._one(request, int(parts[5]))
        number = int(parts[4])
        if request.verb == "POST":
            if len(request.body["body"]) > self.limit:
                return 422, error("Validation Failed"), {}
            return 201, self.add(request.body["body"], login=self.people.get(request.token, BOT), number=number), {}
        return self._page(number, query)

    def _user(self, token: str) -> tuple[int, Any, dict[str, str]]:
        if token not in self.people:
            return 403, error("Resource not accessible by integration"), {}
        row = self.description.example("private-user-response-with-public-profile-information")
        return 200, row | {"login": self.people[token], "user_view_type": "public"}, {}

    def _one(self, request: Request, id: int) -> tuple[int, Any, dict[str, str]]:
        row = next((row for row in self.comments if row["id"] == id), None)
        if row is None:
            return 404, error("Not Found"), {}
        if request.verb == "DELETE":
            self.comments.remove(row)
            return 204, None, {}
        if len(request.body["body"]) > self.limit:
            return 422, error("Validation Failed"), {}
        row["body"] = request.body["body"]
        return 200, row, {}

    def _page(self, number: int, query: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        size, page = int(query.get("per_page", "30")), int(query.get("page", "1"))
        rows = [row for row in self.comments if row["issue_url"].endswith(f"/{number}") and row["updated_at"] >= query.get("since", "")]
        shown = rows[(page - 1) * size : page * size]
        more = len(rows) > page * size
        path = f"https://elsewhere.example/repositories/1/issues/{number}/comments?page={page + 1}"
        return 200, shown, {"Link": f'<{path}>; rel="next"'} if more else {}


def error(message: str) -> dict[str, str]:
    return {"message": message, "documentation_url": "https://docs.github.com/rest"}


@contextmanager
def fake_github(description: Description) -> Iterator[FakeGitHub]:
    """Serve until the end of the block; fails when an exchange was not as GitHub describes it."""
    github = FakeGitHub(description)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

        def do_GET(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(size) if size else b""
            token = (self.headers.get("Authorization") or "").rpartition(" ")[2]
            request = Request(self.command, self.path, token, json.loads(raw) if raw else None)
            github.before(request)
            with lock:
                github.requests.append(request)
                status, body, headers = _answered(request)
            data = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_PATCH = do_DELETE = do_GET

        def date_time_string(self, timestamp: float | None = None) -> str:
            return "Mon, 30 Nov 2026 09:00:00 GMT"

    def _answered(request: Request) -> tuple[int, Any, dict[str, str]]:
        scripted = github.script(request)
        try:
            description.check_request(request.verb, request.target, request.body)
        except UndescribedError as breach:
            github.breaches.append(str(breach))
            return 422, error("Validation Failed"), {}
        if scripted is not None:
            if scripted.after:
                github.answer(request)
            status, body, headers = scripted.status, error(scripted.message), scripted.headers
        else:
            status, body, headers = github.answer(request)
        try:
            description.check_response(request.verb, request.target, status, body)
        except UndescribedError as breach:
            github.breaches.append(str(breach))
        return status, body, headers

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        github.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield github
        finally:
            server.shutdown()
            thread.join()
    assert not github.breaches, "\n".join(github.breaches)
