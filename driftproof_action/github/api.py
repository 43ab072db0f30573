"""GitHub's REST API, asked within bounds: which answers are worth another try, and what each refusal means for people. Not: what
is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from driftproof_action.errors import ApiError

if TYPE_CHECKING:
    from github.GithubException import GithubException
    from github.Requester import Requester

REQUEST_SECONDS = 10
ATTEMPTS = 3
WAITING_SECONDS = 30.0
"""All that may be spent on waiting, over every request of a job."""
PATIENCE_SECONDS = 90.0
"""From the first request on; after it no further one is begun."""

Verb = Literal["GET", "POST", "PATCH", "DELETE"]

_BROKEN = (500, 502, 503, 504)
_LIMIT_WORDS = ("secondary rate limit", "rate limit exceeded", "abuse detection", "please wait a few minutes")
_LINES = {"comment": "pull-requests: write", "pull": "pull-requests: read"}
_TASKS = {"comment": "write the comment", "pull": "read the pull request"}

Task = Literal["comment", "pull"]
"""What a request is for: decides which permission a refusal asks for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """headers: names in lower case."""

    headers: Mapping[str, str]
    data: Any


def usable(base_url: str) -> bool:
    """https, or http on this machine itself; a token goes nowhere else."""
    parts = urlsplit(base_url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost"))


class Api:
    """One token at one API address. Every method raises ApiError and nothing else."""

    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        ca_bundle: str = "",
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """base_url: GITHUB_API_URL. ca_bundle: a file of certificates to trust in place of the usual ones."""
        self._base_url = base_url
        self._token = token
        self._ca_bundle = ca_bundle
        self._monotonic = monotonic
        self._sleep = sleep
        self._started: float | None = None
        self._waited = 0.0
        self._made: Requester | None = None

    def get(self, path: str, task: Task, **parameters: str | int) -> Answer:
        return self._ask("GET", path, task, parameters=parameters)

    def send(self, verb: Verb, path: str, task: Task, *, body: Mapping[str, str] | None = None) -> Answer:
        """A write. A POST whose fate is unknown is not sent again: the error is `unsure`."""
        return self._ask(verb, path, task, body=body)

    def is_of_a_person(self) -> bool:
        """Whether the token stands for a user. A job's own token, and those of Apps, begin with ghs_."""
        return self._token.startswith(("ghp_", "gho_", "ghu_", "github_pat_"))

    def _ask(
        self, verb: Verb, path: str, task: Task, *, parameters: Mapping[str, str | int] | None = None, body: Mapping[str, str] | None = None
    ) -> Answer:
        # Heavy (0.15 s with what it brings), and only jobs that talk to GitHub need it.
        import requests
        from github.GithubException import GithubException  # heavy too

        requester = self._requester()
        for attempt in range(1, ATTEMPTS + 1):
            self._within_patience(task)
            try:
                headers, data = requester.requestJsonAndCheck(verb, path, dict(parameters or {}), input=dict(body) if body else None)
                return Answer(headers, data)
            except GithubException as refusal:
                failure, wait = self._refused(refusal, task), _wait_for(refusal, attempt, safe=verb != "POST")
            except (requests.RequestException, RuntimeError, AssertionError, ValueError, OSError) as problem:
                # The name alone: what an HTTP library says may quote the request.
                failure = self._failed(task, detail=type(problem).__name__, unsure=verb == "POST")
                wait = None if verb == "POST" or not isinstance(problem, requests.RequestException) else float(attempt)
            if wait is None or attempt == ATTEMPTS or self._waited + wait > WAITING_SECONDS:
                raise failure
            self._waited += wait
            self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _within_patience(self, task: Task) -> None:
        now = self._monotonic()
        if self._started is None:
            self._started = now
        if now - self._started > PATIENCE_SECONDS:
            raise self._failed(task, detail="it answered too slowly", unsure=False)

    def _requester(self) -> Requester:
        if self._made is None:
            if not usable(self._base_url):
                raise ApiError(
                    "is no address a token may be sent to",
                    place="GITHUB_API_URL",
                    detail=self._base_url[:200],
                    fix="use https",
                    anchor="api",
                )
            # Heavy, see above.
            from github import Auth, Github

            self._made = Github(
                auth=Auth.Token(self._token),
                base_url=self._base_url,
                timeout=REQUEST_SECONDS,
                user_agent="driftproof",
                verify=self._ca_bundle or True,
                retry=None,
                seconds_between_requests=0,
                seconds_between_writes=0,
                lazy=True,
            ).requester
        return self._made

    def _failed(self, task: Task, *, detail: str, unsure: bool) -> ApiError:
        return ApiError(
            f"could not {_TASKS[task]}: GitHub gave no usable answer",
            detail=detail,
            fix="run the job again later",
            anchor="api",
            unsure=unsure,
        )

    def _refused(self, refusal: GithubException, task: Task) -> ApiError:
        status, said = refusal.status or 0, self._said(refusal)
        what = f"could not {_TASKS[task]}"
        if _is_limit(refusal):
            return ApiError(
                f"{what}: GitHub asks to slow down", detail=said, fix="run the job again later", anchor="api-limit", status=status
            )
        if status == 401:
            return ApiError(
                f"{what}: GitHub does not know the token", detail=said, fix="check the input github-token", anchor="api", status=401
            )
        if status in (403, 404):
            lines = "unlock its conversation" if "locked" in said.lower() else f"give the job\npermissions:\n  {_LINES[task]}"
            return ApiError(f"{what}: the token may not", detail=said, fix=lines, anchor="permissions", status=status)
        if status in _BROKEN:
            fix = "run the job again later"
            return ApiError(f"{what}: GitHub answered {status}", detail=said, fix=fix, anchor="api", status=status, unsure=True)
        return ApiError(f"{what}: GitHub answered {status}", detail=said, fix="see what it says above", anchor="api", status=status)

    def _said(self, refusal: GithubException) -> str:
        """GitHub's own sentence, short, without the token should anybody have put it there."""
        message = refusal.data.get("message") if isinstance(refusal.data, dict) else None
        return " ".join(str(message or "").replace(self._token, "***").split())[:200]


def _is_limit(refusal: GithubException) -> bool:
    """Too many requests, rather than not allowed: 403 means either, so header and sentence decide."""
    if refusal.status == 429:
        return True
    message = str(refusal.data.get("message", "")).lower() if isinstance(refusal.data, dict) else ""
    headers = refusal.headers or {}
    told = "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"
    return refusal.status == 403 and (told or any(words in message for words in _LIMIT_WORDS))


def _wait_for(refusal: GithubException, attempt: int, *, safe: bool) -> float | None:
    """Seconds until it may be asked again; None = never. safe: asking twice does no more than asking once."""
    if _is_limit(refusal):
        told = str((refusal.headers or {}).get("retry-after", ""))
        return float(told) if told.isascii() and told.isdigit() and len(told) < 6 else 60.0
    return float(attempt) if safe and refusal.status in _BROKEN else None
