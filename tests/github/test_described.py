"""The fake GitHub refuses what the real one would: the check itself is shown breaches. Not: our requests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from driftproof_action.github.event import read_event
from tests.github.described import EVENTS, UndescribedError, absent, described

COMMENTS = "/repos/o/r/issues/7/comments"


@pytest.mark.parametrize(
    ("verb", "target", "body"),
    [
        ("GET", f"{COMMENTS}?per_page=100&page=2", None),
        ("GET", f"{COMMENTS}?since=2026-11-30T09:00:00Z", None),
        ("POST", COMMENTS, {"body": "x"}),
        ("PATCH", "/repos/o/r/issues/comments/5", {"body": "x"}),
        ("DELETE", "/repos/o/r/issues/comments/5", None),
        ("GET", "/repos/o/r/pulls/7", None),
        ("GET", "/user", None),
    ],
)
def test_requests_that_are_described(verb: str, target: str, body: Any) -> None:
    described().check_request(verb, target, body)


@pytest.mark.parametrize(
    ("verb", "target", "body"),
    [
        ("GET", f"{COMMENTS}?per_page=101", None),
        ("GET", f"{COMMENTS}?per_page=many", None),
        ("GET", f"{COMMENTS}?since=yesterday", None),
        ("GET", f"{COMMENTS}?sort=asc", None),
        ("GET", "/repos/o/r/issues/seven/comments", None),
        ("POST", COMMENTS, {}),
        ("POST", COMMENTS, {"body": 5}),
        ("POST", COMMENTS, {"body": "x", "text": "y"}),
        ("POST", COMMENTS, None),
        ("PUT", COMMENTS, {"body": "x"}),
        ("DELETE", "/repos/o/r/issues/comments/5", {"body": "x"}),
        ("GET", "/repos/o/r/issues", None),
    ],
)
def test_requests_that_are_not(verb: str, target: str, body: Any) -> None:
    with pytest.raises(UndescribedError):
        described().check_request(verb, target, body)


def test_answers() -> None:
    check = described().check_response
    row = described().example("issue-comment")
    check("POST", COMMENTS, 201, row)
    check("GET", COMMENTS, 200, [row])
    check("GET", COMMENTS, 502, {"message": "Bad gateway"})
    check("DELETE", "/repos/o/r/issues/comments/5", 204, None)
    broken: tuple[tuple[str, str, int, Any], ...] = (
        ("POST", COMMENTS, 200, row),
        ("POST", COMMENTS, 201, row | {"id": "one"}),
        ("POST", COMMENTS, 201, {key: value for key, value in row.items() if key != "user"} | {"user": 5}),
        ("GET", COMMENTS, 200, row),
        ("GET", COMMENTS, 502, {"message": 5}),
        ("DELETE", "/repos/o/r/issues/comments/5", 204, row),
    )
    for verb, target, status, body in broken:
        with pytest.raises(UndescribedError):
            check(verb, target, status, body)


def test_published_events_are_read(tmp_path: Path) -> None:
    """Every event of these kinds that GitHub publishes as an example becomes a context."""
    if not EVENTS.is_file():
        absent(EVENTS)
    published = {entry["name"]: entry["examples"] for entry in json.loads(EVENTS.read_bytes())}
    read = 0
    for name in ("pull_request", "push", "workflow_dispatch", "release", "merge_group", "schedule"):
        for payload in published.get(name, ()):
            path = tmp_path / "event.json"
            path.write_text(json.dumps(payload))
            home = payload["repository"]["full_name"]
            context = read_event({"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path), "GITHUB_REPOSITORY": home})
            assert context.default_branch == payload["repository"]["default_branch"]
            if name == "pull_request":
                pull = payload["pull_request"]
                assert (context.pr_number, context.head_sha, context.base_sha) == (
                    payload["number"],
                    pull["head"]["sha"],
                    pull["base"]["sha"],
                )
                assert context.is_fork == (pull["head"]["repo"]["full_name"] != home)
            if name == "push" and payload["before"].strip("0"):
                assert (context.before, context.forced) == (payload["before"], payload["forced"])
            read += 1
    assert read > 20
