"""The one comment of a job, against a GitHub that remembers and checks. Not: what the comment says."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from driftproof_action.errors import ApiError
from driftproof_action.github import comments as comments_module
from driftproof_action.github.api import PATIENCE_SECONDS, WAITING_SECONDS, Api
from driftproof_action.github.comments import PAGE, PullComments
from driftproof_action.ports import Posted
from tests.github.described import described
from tests.github.fake_server import FakeGitHub, Request, Scripted, fake_github

MARKER = "<!-- driftproof v1 key=4f0c -->"
BODY = f"{MARKER}\n### one\n\nText.\n\n[job](https://x/1)\n"
TOKEN = "ghs_canary4711"


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with fake_github(described()) as server:
        yield server


class Waits:
    """A sleep that only counts."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def comments(github: FakeGitHub, *, token: str = TOKEN, run_url: str = "", sleep: Callable[[float], None] | None = None) -> PullComments:
    api = Api(github.url, token, sleep=sleep or Waits())
    return PullComments(api, "owner/skills", 7, run_url=run_url)


def once(verb: str, *answers: Scripted) -> Callable[[Request], Scripted | None]:
    """These answers to the first requests of a verb, then the ordinary ones."""
    left = list(answers)
    return lambda request: left.pop(0) if request.verb == verb and left else None


# ---- making, finding, leaving alone -----------------------------------------------------------------------------


def test_the_first_is_made_and_the_next_changes_it(github: FakeGitHub) -> None:
    made = comments(github).post(BODY, create=True)
    assert (made.state, made.url) == ("created", github.comments[0]["html_url"])
    again = comments(github).post(BODY.replace("one", "two"), create=True)
    assert again == Posted("updated", made.url)
    assert [row["body"] for row in github.comments] == [BODY.replace("one", "two")]


def test_the_same_text_is_not_written_again(github: FakeGitHub) -> None:
    comments(github).post(BODY, create=True)
    github.requests.clear()
    github.comments[0]["body"] = BODY.replace("\n", "\r\n")
    assert comments(github).post(BODY, create=True).state == "unchanged"
    assert github.writes() == []


def test_none_is_made_where_none_is_wanted_but_an_old_one_is_kept_true(github: FakeGitHub) -> None:
    assert comments(github).post(BODY, create=False) == Posted("none")
    assert github.writes() == []
    github.add(f"{MARKER}\n### old\n")
    assert comments(github).post(BODY, create=False).state == "updated"


@pytest.mark.parametrize("login", ["mallory", "github-actions", "other-app[bot]"])
def test_a_copied_marker_makes_no_comment_ours(github: FakeGitHub, login: str) -> None:
    theirs = github.add(BODY.replace("one", "theirs"), login=login)
    assert comments(github).post(BODY, create=True).state == "created"
    assert theirs["body"] == BODY.replace("one", "theirs")


def test_a_person_named_like_the_bot_is_not_the_bot(github: FakeGitHub) -> None:
    github.add(BODY.replace("one", "theirs"))["user"]["type"] = "User"
    assert comments(github).post(BODY, create=True).state == "created"


def test_a_marker_that_stands_elsewhere_or_is_of_another_key_is_not_found(github: FakeGitHub) -> None:
    github.add(f"see below\n{BODY}")
    github.add(BODY.replace("4f0c", "4f0c2"))
    github.add("")["body"] = "```\n" + BODY
    assert comments(github).post(BODY, create=True).state == "created"
    assert len(github.comments) == 4


def test_a_token_of_a_person_writes_as_that_person(github: FakeGitHub) -> None:
    github.people["ghp_hers"] = "maintainer"
    github.add(BODY.replace("one", "bot's"))
    made = comments(github, token="ghp_hers").post(BODY, create=True)
    assert made.state == "created"
    assert github.comments[-1]["user"]["login"] == "maintainer"
    assert comments(github, token="ghp_hers").post(BODY.replace("one", "two"), create=True) == Posted("updated", made.url)
    assert sum(request.target == "/user" for request in github.requests) == 2


def test_comments_of_other_pull_requests_are_not_looked_at(github: FakeGitHub) -> None:
    github.add(BODY, number=8)
    assert comments(github).post(BODY, create=True).state == "created"


# ---- many -------------------------------------------------------------------------------------------------------


def test_two_thousand_comments_cost_twenty_pages(github: FakeGitHub) -> None:
    for number in range(1999):
        github.add(f"comment {number}", login="somebody")
    github.add(BODY.replace("one", "old"))
    assert comments(github).post(BODY, create=True).state == "updated"
    assert (github.reads(), github.writes()) == (20, ["PATCH"])


def test_two_thousand_comments_of_others_cost_one_look_more(github: FakeGitHub) -> None:
    for number in range(2000):
        github.add(f"comment {number}", login="somebody")["updated_at"] = "2026-11-01T00:00:00Z"
    assert comments(github).post(BODY, create=True).state == "created"
    assert (github.reads(), github.writes()) == (21, ["POST"])


def test_the_address_of_the_next_page_is_not_followed(github: FakeGitHub) -> None:
    """The server names another host as the next page; the token would go with it."""
    for number in range(150):
        github.add(f"comment {number}", login="somebody")
    comments(github).post(BODY, create=False)
    assert [re.findall(r"\bpage=([0-9]+)", request.target) for request in github.requests] == [["1"], ["2"]]


def test_a_page_that_cannot_be_read_is_no_reason_to_write(github: FakeGitHub) -> None:
    for number in range(150):
        github.add(f"comment {number}", login="somebody")
    github.script = lambda request: Scripted(500) if "?page=2" in request.target or "&page=2" in request.target else None
    with pytest.raises(ApiError):
        comments(github).post(BODY, create=True)
    assert github.writes() == []


def test_beyond_a_bound_nothing_is_read_or_written(github: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comments_module, "PAGES", 2)
    row = github.add("x", login="somebody")
    github.comments = [row] * (PAGE * 2 + 1)
    with pytest.raises(ApiError, match="too many"):
        comments(github).post(BODY, create=True)
    assert github.reads() == 2
    assert github.writes() == []


# ---- several jobs -----------------------------------------------------------------------------------------------


def test_another_leg_of_this_run_is_not_overwritten(github: FakeGitHub) -> None:
    url = "https://github.example/owner/skills/actions/runs/42/attempts/1"
    first = comments(github, run_url=url).post(BODY.replace("https://x/1", url), create=True)
    second = comments(github, run_url=url).post(BODY.replace("https://x/1", url).replace("one", "two"), create=True)
    assert second == Posted("foreign", first.url)
    later = url.replace("attempts/1", "attempts/2")
    third = comments(github, run_url=later).post(BODY.replace("https://x/1", later).replace("one", "two"), create=True)
    assert third.state == "updated"


def test_two_who_find_none_at_the_same_time_leave_one(github: FakeGitHub) -> None:
    def race(request: Request) -> None:
        if request.verb == "POST" and len(github.comments) == 0:
            github.add(BODY.replace("one", "the other leg"))

    github.before = race
    posted = comments(github).post(BODY, create=True)
    assert posted.state == "foreign"
    assert [row["body"] for row in github.comments] == [BODY.replace("one", "the other leg")]


def test_one_that_was_deleted_meanwhile_is_made_again(github: FakeGitHub) -> None:
    github.add(BODY.replace("one", "old"))
    github.before = lambda request: github.comments.clear() if request.verb == "PATCH" else None
    assert comments(github).post(BODY, create=True).state == "created"
    assert len(github.comments) == 1


# ---- refusals ---------------------------------------------------------------------------------------------------


def test_a_secondary_limit_is_waited_for(github: FakeGitHub) -> None:
    github.script = once("POST", Scripted(403, "You have exceeded a secondary rate limit.", {"Retry-After": "2"}))
    waits = Waits()
    assert comments(github, sleep=waits).post(BODY, create=True).state == "created"
    assert waits.seconds == [2.0]
    assert len(github.comments) == 1


@pytest.mark.parametrize("status", [403, 404])
def test_what_is_not_allowed_is_not_tried_again(github: FakeGitHub, status: int) -> None:
    github.script = lambda request: Scripted(status, "Resource not accessible by integration") if request.verb == "POST" else None
    waits = Waits()
    with pytest.raises(ApiError) as caught:
        comments(github, sleep=waits).post(BODY, create=True)
    assert caught.value.status == status
    assert caught.value.fix == "give the job\npermissions:\n  pull-requests: write"
    assert "Resource not accessible" in caught.value.detail
    assert (waits.seconds, github.writes()) == ([], ["POST"])


def test_a_limit_without_an_end_in_sight_is_given_up(github: FakeGitHub) -> None:
    github.script = lambda _: Scripted(403, "API rate limit exceeded for installation.", {"X-RateLimit-Remaining": "0"})
    waits = Waits()
    with pytest.raises(ApiError, match="slow down"):
        comments(github, sleep=waits).post(BODY, create=True)
    assert sum(waits.seconds) <= WAITING_SECONDS


@pytest.mark.parametrize("told", ["2", "9", "99999", "-1", "soon", "²", ""])
def test_waiting_is_bounded_whatever_the_server_says(github: FakeGitHub, told: str) -> None:
    github.script = lambda _: Scripted(429, "Too many requests", {"Retry-After": told.encode("ascii", "replace").decode()})
    waits = Waits()
    with pytest.raises(ApiError):
        comments(github, sleep=waits).post(BODY, create=True)
    assert sum(waits.seconds) <= WAITING_SECONDS
    assert github.writes() == []


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_broken_server_is_asked_again_for_what_is_safe(github: FakeGitHub, status: int) -> None:
    github.script = once("GET", Scripted(status), Scripted(status))
    waits = Waits()
    assert comments(github, sleep=waits).post(BODY, create=True).state == "created"
    assert waits.seconds == [1.0, 2.0]
    github.script = lambda _: Scripted(status)
    with pytest.raises(ApiError, match=str(status)):
        comments(github).post(BODY, create=True)


@pytest.mark.parametrize("after", [True, False])
def test_a_write_whose_fate_is_unknown_makes_one_comment(github: FakeGitHub, after: bool) -> None:
    github.script = once("POST", Scripted(502, after=after))
    assert comments(github).post(BODY, create=True).state == "created"
    assert len(github.comments) == 1


def test_too_long_by_their_count_falls_back_to_the_headline(github: FakeGitHub) -> None:
    github.limit = 200
    long = f"{MARKER}\n### one\n\n" + "words " * 100 + "\n\n[job](https://x/1)\n"
    assert comments(github).post(long, create=True).state == "created"
    assert github.comments[0]["body"] == f"{MARKER}\n### one\n\n[job](https://x/1)\n"
    github.limit = 10
    with pytest.raises(ApiError, match="422"):
        comments(github).post(long.replace("one", "two"), create=True)


def test_a_token_nobody_knows(github: FakeGitHub) -> None:
    github.script = lambda _: Scripted(401, f"Bad credentials {TOKEN}")
    with pytest.raises(ApiError) as caught:
        comments(github).post(BODY, create=True)
    assert "github-token" in caught.value.fix
    assert TOKEN not in str(caught.value)


def test_a_locked_conversation_says_so(github: FakeGitHub) -> None:
    github.script = once("POST", Scripted(403, "Unable to create comment because issue is locked."))
    with pytest.raises(ApiError) as caught:
        comments(github).post(BODY, create=True)
    assert "unlock" in caught.value.fix


# ---- the way there ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["http://api.github.example", "ftp://api.github.example", "", "http://127.0.0.1.evil.example"])
def test_a_token_goes_to_https_or_loopback_only(address: str) -> None:
    with pytest.raises(ApiError, match="no address"):
        PullComments(Api(address, TOKEN), "owner/skills", 7).post(BODY, create=True)


def test_nobody_listens(github: FakeGitHub) -> None:
    waits = Waits()
    with pytest.raises(ApiError) as caught:
        PullComments(Api("http://127.0.0.1:9", TOKEN, sleep=waits), "owner/skills", 7).post(BODY, create=True)
    assert caught.value.detail == "ConnectionError"
    assert waits.seconds == [1.0, 2.0]


def test_a_redirect_to_another_host_does_not_carry_the_token(github: FakeGitHub) -> None:
    with fake_github(described()) as trap:
        elsewhere = trap.url.replace("127.0.0.1", "localhost")
        for status in (301, 302, 307, 308):
            github.script = lambda request, status=status: Scripted(status, headers={"Location": elsewhere + request.target})  # type: ignore[misc]
            with pytest.raises(ApiError):
                comments(github).post(BODY, create=True)
        assert trap.requests == []
        github.breaches.clear()


def test_a_netrc_does_not_replace_the_token(github: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import requests

    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login mallory password planted\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    requests.get(f"{github.url}/user", headers={"Authorization": f"token {TOKEN}"}, timeout=5)
    assert github.requests[-1].token != TOKEN, "the naive way must be hurt"
    github.requests.clear()
    comments(github).post(BODY, create=True)
    assert {request.token for request in github.requests} == {TOKEN}


def test_a_slow_server_is_left_in_time(github: FakeGitHub) -> None:
    clock = iter([0.0, 0.0, PATIENCE_SECONDS + 1])
    for number in range(150):
        github.add(f"comment {number}", login="somebody")
    api = Api(github.url, TOKEN, monotonic=lambda: next(clock, PATIENCE_SECONDS + 1), sleep=time.sleep)
    with pytest.raises(ApiError):
        PullComments(api, "owner/skills", 7).post(BODY, create=True)
    assert github.writes() == []


@pytest.mark.parametrize("body", ["", "no marker\n", "<!-- driftproof v1"])
def test_a_text_without_a_marker_is_a_bug(github: FakeGitHub, body: str) -> None:
    with pytest.raises(ValueError):
        comments(github).post(body, create=True)
