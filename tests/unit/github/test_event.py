"""Event and base commit, over real repositories. Not: what is stored there."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from driftproof_action.errors import DocumentError, InputError
from driftproof_action.git_io import GitIO
from driftproof_action.github.event import BaseCommit, EventContext, base_of, comment_key, read_event
from tests.conftest import GIT_ENVIRONMENT, Repository
from tests.hostile.git_server import git_server

Make = Callable[..., Repository]
A, B, C = "a" * 40, "b" * 40, "c" * 40
ENVIRON = {
    "GITHUB_REPOSITORY": "owner/skills",
    "GITHUB_SERVER_URL": "https://github.example",
    "GITHUB_RUN_ID": "77",
    "GITHUB_ACTOR": "octo",
    "GITHUB_SHA": C,
    "GITHUB_REF": "refs/pull/7/merge",
}


def event(tmp_path: Path, name: str, payload: Any, **environ: str) -> EventContext:
    path = tmp_path / "event.json"
    path.write_bytes(payload if isinstance(payload, bytes) else json.dumps(payload).encode())
    return read_event(ENVIRON | {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path)} | environ)


def pull(base: str = A, head: str = B, *, head_repo: Any = "owner/skills", **more: Any) -> Mapping[str, Any]:
    repo = {"full_name": head_repo, "fork": False} if isinstance(head_repo, str) else head_repo
    home = {"full_name": "Owner/Skills", "fork": False}
    pull_request = {
        "number": 7,
        "draft": False,
        "base": {"sha": base, "ref": "main", "repo": home},
        "head": {"sha": head, "ref": "topic", "repo": repo},
    }
    return {"number": 7, "pull_request": pull_request | more, "repository": {"default_branch": "main"}}


def opened(repository: Repository | Path, **more: Any) -> GitIO:
    git = GitIO.at(str(getattr(repository, "path", repository)), **more)
    assert git is not None
    return git


def shallow(repository: Repository, place: Path) -> Path:
    clone = ["git", "clone", "-q", "--depth=1", f"file://{repository.path}", str(place)]
    subprocess.run(clone, env={**GIT_ENVIRONMENT, "PATH": os.environ["PATH"]}, check=True)
    return place


# ---- the event --------------------------------------------------------------------------------------------------


def test_no_event_on_the_command_line() -> None:
    assert read_event({}) == EventContext()
    assert EventContext().origin is None
    assert EventContext().run_url == ""


def test_a_pull_request(tmp_path: Path) -> None:
    context = event(tmp_path, "pull_request", pull())
    assert context == EventContext(
        name="pull_request",
        repository="owner/skills",
        server_url="https://github.example",
        run_id="77",
        actor="octo",
        sha=C,
        ref="refs/pull/7/merge",
        default_branch="main",
        base_sha=A,
        head_sha=B,
        base_ref="main",
        head_ref="topic",
        pr_number=7,
    )
    assert context.is_pull_request
    assert context.run_url == "https://github.example/owner/skills/actions/runs/77"


@pytest.mark.parametrize(
    ("repo", "is_fork"),
    [
        ("owner/skills", False),
        ("OWNER/skills", False),
        ("stranger/skills", True),
        (None, True),
        ({"full_name": "owner/skills", "fork": True}, False),
        ({"full_name": "stranger/skills", "fork": False}, True),
    ],
)
def test_a_fork_is_another_repository(tmp_path: Path, repo: Any, is_fork: bool) -> None:
    """`fork: true` only says that the head's repository was forked from some other one, as every fork's own pulls are."""
    assert event(tmp_path, "pull_request", pull(head_repo=repo)).is_fork is is_fork


def test_dependabot_and_drafts(tmp_path: Path) -> None:
    context = event(tmp_path, "pull_request", pull(draft=True), GITHUB_ACTOR="dependabot[bot]")
    assert context.is_dependabot
    assert context.is_draft


def test_pull_request_target_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        event(tmp_path, "pull_request_target", pull())
    assert "pull_request" in caught.value.fix
    assert caught.value.anchor == "pull-request-target"


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("https://api.github.com", "https://api.github.com"),
        ("https://ghe.example/api/v3", "https://ghe.example/api/v3"),
        ("https://ghe.example/api/v3/", "https://ghe.example/api/v3"),
        ("https://api.tenant.ghe.example", "https://api.tenant.ghe.example"),
        ("https://ghe.example:8443/api/v3", "https://ghe.example:8443/api/v3"),
        ("https://user:pw@ghe.example/api/v3", ""),
        ("https://ghe.example/api/v3?x=1", ""),
        ("https://ghe.example/../x y", ""),
        ("javascript:alert(1)", ""),
        ("", ""),
    ],
)
def test_every_address_is_the_runners_own(tmp_path: Path, given: str, read: str) -> None:
    context = event(tmp_path, "pull_request", pull(), GITHUB_API_URL=given, GITHUB_SERVER_URL="https://ghe.example/")
    assert context.api_url == read
    assert context.origin == "https://ghe.example/owner/skills"
    assert context.run_url == "https://ghe.example/owner/skills/actions/runs/77"


def test_an_attempt_at_a_run_has_an_address_of_its_own(tmp_path: Path) -> None:
    assert event(tmp_path, "push", {}, GITHUB_RUN_ATTEMPT="2").run_url.endswith("/actions/runs/77/attempts/2")
    assert event(tmp_path, "push", {}, GITHUB_RUN_ATTEMPT="2/x").run_url.endswith("/actions/runs/77")


@pytest.mark.parametrize(
    ("name", "ref", "branch", "default"),
    [
        ("push", "refs/heads/main", "main", True),
        ("push", "refs/heads/feature/x", "feature/x", False),
        ("push", "refs/tags/v1", "", False),
        ("release", "refs/tags/v1", "", False),
        ("pull_request", "refs/pull/7/merge", "", False),
        ("schedule", "refs/heads/main", "main", True),
        ("workflow_dispatch", "refs/heads/main", "main", True),
    ],
)
def test_the_branch_of_a_run(tmp_path: Path, name: str, ref: str, branch: str, default: bool) -> None:
    context = event(tmp_path, name, {"repository": {"default_branch": "main"}}, GITHUB_REF=ref)
    assert (context.branch, context.on_default_branch) == (branch, default)
    context = event(tmp_path, name, {}, GITHUB_REF=ref)
    assert context.on_default_branch == (name == "schedule")


def test_other_events(tmp_path: Path) -> None:
    group = event(tmp_path, "merge_group", {"merge_group": {"base_sha": A, "head_sha": B}})
    assert (group.base_sha, group.head_sha, group.pr_number, group.is_pull_request) == (A, B, None, False)
    push = event(tmp_path, "push", {"before": A, "after": B, "forced": False})
    assert (push.before, push.forced, push.base_sha) == (A, False, None)
    first = event(tmp_path, "push", {"before": "0" * 40, "forced": None})
    assert (first.before, first.forced) == (None, None)
    for name in ("schedule", "workflow_dispatch", "release"):
        assert event(tmp_path, name, {"schedule": "0 5 * * 1"}).before is None


@pytest.mark.parametrize("name", ["schedule", "push", "pull_request"])
def test_a_payload_may_be_missing(tmp_path: Path, name: str) -> None:
    assert event(tmp_path, name, b"").name == name
    assert event(tmp_path, name, b" \n").base_sha is None
    for path in ("", str(tmp_path / "none"), str(tmp_path), os.devnull):
        assert read_event(ENVIRON | {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": path}).name == name


@pytest.mark.parametrize("payload", [b"[]", b"{", b'{"a": 1, "a": 2}', b"\xff", b'{"n": 1e999}', b"[" * 100_000])
def test_a_payload_is_read_strictly(tmp_path: Path, payload: bytes) -> None:
    with pytest.raises(DocumentError):
        event(tmp_path, "push", payload)


@pytest.mark.parametrize(
    "payload",
    [
        {"pull_request": None},
        {"pull_request": []},
        {"pull_request": {"base": "x", "head": 3}},
        {"pull_request": {"number": "7", "base": {"sha": 7}, "head": {"sha": "main"}}},
        {"pull_request": {"number": True, "base": {"sha": "A" * 40}, "head": {"sha": A + "\n"}}},
        {"number": -1, "pull_request": {"base": {"sha": "--help"}, "head": {"sha": None, "repo": "x"}}},
    ],
)
def test_malformed_parts_are_missing_parts(tmp_path: Path, payload: Any) -> None:
    context = event(tmp_path, "pull_request", payload)
    assert (context.base_sha, context.head_sha, context.pr_number) == (None, None, None)


def test_malformed_variables_are_missing_variables(tmp_path: Path) -> None:
    bad = {"GITHUB_REPOSITORY": "a/b/../../c", "GITHUB_SERVER_URL": "https://user@evil", "GITHUB_RUN_ID": "1/../2", "GITHUB_SHA": "HEAD"}
    context = event(tmp_path, "push", {}, **bad)
    assert (context.repository, context.server_url, context.run_id, context.sha, context.origin) == ("", "", "", None, None)
    assert event(tmp_path, "push", {}, GITHUB_SERVER_URL="https://ghe.corp.example/").server_url == "https://ghe.corp.example"


def test_two_jobs_have_two_comments() -> None:
    environ = {
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_WORKFLOW_REF": "o/r/.github/workflows/skills.yml@refs/heads/main",
        "GITHUB_JOB": "one",
    }
    key = comment_key(environ)
    assert len(key) == 64
    assert key == comment_key(environ | {"GITHUB_WORKFLOW_REF": "o/r/.github/workflows/skills.yml@refs/pull/7/merge"})
    others = {
        comment_key(environ, extra="x"),
        comment_key(environ | {"GITHUB_JOB": "two"}),
        comment_key(environ | {"GITHUB_WORKFLOW_REF": "o/r/.github/workflows/other.yml@refs/heads/main"}),
    }
    assert len(others | {key}) == 4


# ---- the base ---------------------------------------------------------------------------------------------------


def test_without_a_checkout() -> None:
    assert base_of(EventContext(), None).state == "none"
    assert base_of(EventContext(name="push"), None).state == "unavailable"


def test_the_command_line_compares_with_the_last_commit(make_repository: Make) -> None:
    repository = make_repository()
    assert base_of(EventContext(), opened(repository)).state == "none"
    head = repository.commit({"a": "1"})
    assert base_of(EventContext(), opened(repository)) == BaseCommit("found", head, "the commit checked out")


@pytest.mark.parametrize("name", ["schedule", "workflow_dispatch", "release", "repository_dispatch", "workflow_run"])
def test_events_without_a_before_use_the_store_as_it_is(make_repository: Make, name: str) -> None:
    repository = make_repository(files={"a": "1"})
    head = repository.commit({"a": "2"})
    assert base_of(EventContext(name=name, sha=head), opened(repository)).commit == head


def merged(make_repository: Make) -> tuple[Repository, dict[str, str]]:
    """A pull request checked out the way the runner does it: a merge of the base branch's tip and the head."""
    repository = make_repository(files={"a": "1"})
    start = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "--quiet", "-b", "topic")
    head = repository.commit({"b": "2"})
    repository.git("checkout", "--quiet", "main")
    moved = repository.commit({"c": "3"})
    repository.git("merge", "--quiet", "--no-edit", "topic")
    return repository, {"start": start, "head": head, "moved": moved, "merge": repository.git("rev-parse", "HEAD")}


def test_a_pull_request_compares_with_the_base(make_repository: Make) -> None:
    repository, commits = merged(make_repository)
    context = EventContext(name="pull_request", base_sha=commits["start"], head_sha=commits["head"], sha=commits["merge"])
    assert base_of(context, opened(repository)).commit == commits["moved"], "what was merged onto is newer than the event"
    repository.git("checkout", "--quiet", commits["head"])
    assert base_of(context, opened(repository)).commit == commits["start"], "the head itself is checked out"


def test_a_merge_of_something_else_is_not_the_pull_requests(make_repository: Make) -> None:
    repository, commits = merged(make_repository)
    context = EventContext(name="pull_request", base_sha=commits["start"], head_sha=B)
    assert base_of(context, opened(repository)).commit == commits["start"]
    assert base_of(replace(context, base_sha=None), opened(repository)).state == "unavailable"


def test_a_merge_group_compares_with_its_base(make_repository: Make) -> None:
    repository, commits = merged(make_repository)
    assert base_of(EventContext(name="merge_group", base_sha=commits["start"]), opened(repository)).commit == commits["start"]
    assert base_of(EventContext(name="merge_group"), opened(repository)).state == "unavailable"


def test_a_push_compares_with_what_it_was_pushed_onto(make_repository: Make) -> None:
    repository = make_repository(files={"a": "1"})
    before = repository.git("rev-parse", "HEAD")
    between = repository.commit({"a": "2"})
    pushed = repository.commit({"a": "3"})
    git = opened(repository)
    context = EventContext(name="push", before=before, forced=False, sha=pushed)
    assert base_of(context, git).commit == before
    assert base_of(replace(context, forced=None), git).commit == before
    for other in (replace(context, before=None), replace(context, forced=True)):
        assert base_of(other, git).commit == between, "nothing before, or history was rewritten: the parent"


def test_an_unrelated_before_is_no_base(make_repository: Make) -> None:
    repository = make_repository(files={"a": "1"})
    first = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "--quiet", "-b", "side")
    stranger = repository.commit({"b": "2"})
    repository.git("checkout", "--quiet", "main")
    pushed = repository.commit({"c": "3"})
    context = EventContext(name="push", before=stranger, forced=None, sha=pushed)
    assert base_of(context, opened(repository)).commit == first


def test_the_first_push_has_nothing_before(make_repository: Make) -> None:
    repository = make_repository(files={"a": "1"})
    git = opened(repository)
    head = repository.git("rev-parse", "HEAD")
    assert base_of(EventContext(name="push", sha=head), git).state == "none"
    assert base_of(EventContext(name="push"), git).state == "none"
    assert base_of(EventContext(name="push", sha=B), git).state == "unavailable"


def test_a_shallow_checkout_without_the_base_says_so(make_repository: Make, tmp_path: Path) -> None:
    repository, commits = merged(make_repository)
    git = opened(shallow(repository, tmp_path / "shallow"))
    for context in (
        EventContext(name="pull_request", base_sha=commits["start"], head_sha=commits["head"]),
        EventContext(name="push", before=commits["moved"], forced=False, sha=commits["merge"]),
        EventContext(name="push", sha=commits["merge"]),
    ):
        found = base_of(context, git)
        assert found.state == "unavailable"
        assert "fetch-depth: 0" in found.reason
        assert found.commit in (commits["moved"], commits["start"])


def test_a_missing_base_is_fetched_once(make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository("served/owner/skills", files={"a": "1"})
    base = repository.git("rev-parse", "HEAD")
    pushed = repository.commit({"a": "2"})
    with git_server(tmp_path / "served") as server:
        git = opened(shallow(repository, tmp_path / "shallow"), origin=f"{server.url}/owner/skills/.git")
        context = EventContext(name="push", before=base, forced=False, sha=pushed)
        assert base_of(context, git, token="secret").commit == base
        asked = len(server.requests)
        assert asked
        assert base_of(context, git, token="secret").state == "found"
        assert len(server.requests) == asked
        assert base_of(replace(context, before=A), git).state == "unavailable"
