"""A pull request measured by hand: only at the commit that was looked at. Not: the measurement."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from driftproof_action.errors import ApiError, DriftproofError, InputError
from driftproof_action.github.api import Api
from driftproof_action.github.event import EventContext, read_event
from driftproof_action.github.pulls import is_asked_for, with_pull
from tests.github.described import described
from tests.github.fake_server import FakeGitHub, Scripted, fake_github

A, B, C = "a" * 40, "b" * 40, "c" * 40


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with fake_github(described()) as server:
        yield server


def dispatch(tmp_path: Path, inputs: Any) -> EventContext:
    path = tmp_path / "event.json"
    path.write_text(json.dumps({"inputs": inputs, "repository": {"default_branch": "main"}}))
    environ = {"GITHUB_EVENT_NAME": "workflow_dispatch", "GITHUB_EVENT_PATH": str(path), "GITHUB_REPOSITORY": "owner/skills"}
    return read_event(environ | {"GITHUB_SERVER_URL": "https://github.example", "GITHUB_REF": "refs/heads/main"})


def api(github: FakeGitHub) -> Api:
    return Api(github.url, "ghs_x", sleep=lambda _: None)


@pytest.mark.parametrize(("away", "is_fork"), [("owner/skills", False), ("Owner/Skills", False), ("stranger/skills", True)])
def test_the_commit_that_was_looked_at(github: FakeGitHub, tmp_path: Path, away: str, is_fork: bool) -> None:
    github.pull(7, head=B, base=A, away=away)
    context = dispatch(tmp_path, {"pr": "7", "sha": B})
    assert is_asked_for(context)
    assert not context.is_pull_request
    found = with_pull(context, api(github), head=B)
    assert (found.pr_number, found.head_sha, found.base_sha, found.head_ref, found.is_fork) == (7, B, A, "topic", is_fork)
    assert found.is_pull_request
    assert github.writes() == []


def test_a_commit_pushed_since_is_refused(github: FakeGitHub, tmp_path: Path) -> None:
    github.pull(7, head=C, base=A)
    with pytest.raises(InputError, match="not at this commit") as caught:
        with_pull(dispatch(tmp_path, {"pr": "7", "sha": B}), api(github), head=B)
    assert caught.value.exit_code == 2


def test_a_closed_one_is_refused(github: FakeGitHub, tmp_path: Path) -> None:
    github.pull(7, head=B, base=A, state="closed")
    with pytest.raises(InputError, match="not at this commit"):
        with_pull(dispatch(tmp_path, {"pr": "7", "sha": B}), api(github), head=B)


def test_another_commit_in_the_checkout_is_refused(github: FakeGitHub, tmp_path: Path) -> None:
    github.pull(7, head=B, base=A)
    for head in (C, None):
        with pytest.raises(InputError, match="checked out"):
            with_pull(dispatch(tmp_path, {"pr": "7", "sha": B}), api(github), head=head)


@pytest.mark.parametrize(
    "inputs",
    [
        {"pr": "7"},
        {"sha": B},
        {"pr": "7", "sha": B[:12]},
        {"pr": "7", "sha": "main"},
        {"pr": "0", "sha": B},
        {"pr": "٣", "sha": B},
        {"pr": "7/../8", "sha": B},
        {"pr": "7\n8", "sha": B},
        {"pr": "7", "sha": B.upper()},
    ],
)
def test_half_an_answer_is_refused_before_anything_is_asked(github: FakeGitHub, tmp_path: Path, inputs: Any) -> None:
    context = dispatch(tmp_path, inputs)
    assert is_asked_for(context)
    with pytest.raises(InputError):
        with_pull(context, api(github), head=B)
    assert github.requests == []


@pytest.mark.parametrize("inputs", [None, {}, {"pr": "", "sha": ""}, {"pr": 7}, [], {"other": "x"}])
def test_an_ordinary_dispatch(tmp_path: Path, inputs: Any) -> None:
    assert not is_asked_for(dispatch(tmp_path, inputs))


def test_one_that_cannot_be_read(github: FakeGitHub, tmp_path: Path) -> None:
    context = dispatch(tmp_path, {"pr": "7", "sha": B})
    with pytest.raises(ApiError) as caught:
        with_pull(context, api(github), head=B)
    assert "pull-requests: read" in caught.value.fix
    github.script = lambda _: Scripted(503)
    with pytest.raises(ApiError):
        with_pull(context, api(github), head=B)


@pytest.mark.parametrize("answer", [None, [], "text", {"head": None}, {"state": "open", "head": {"sha": 7}}])
def test_an_answer_of_another_shape_is_no_approval(tmp_path: Path, answer: Any) -> None:
    class Strange(Api):
        def get(self, path: str, task: Any, **parameters: Any) -> Any:
            return type("Answer", (), {"data": answer, "headers": {}})

    with pytest.raises(DriftproofError):
        with_pull(dispatch(tmp_path, {"pr": "7", "sha": B}), Strange("https://api.example", "x"), head=B)
