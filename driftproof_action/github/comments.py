"""The one comment of a job on a pull request: found again over all pages, made once, never somebody else's. Not: its text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from driftproof_action.errors import ApiError
from driftproof_action.github.api import Api
from driftproof_action.ports import Posted

PAGE = 100
PAGES = 100
"""More is not read: what lies behind is unknown, and unknown is not absent."""
BOT = "github-actions[bot]"
"""Who the token of a job writes as."""
BODY_LIMIT = 65_536


@dataclass(frozen=True, slots=True)
class _Comment:
    id: int
    body: str
    url: str


class PullComments:
    """ports.Comments on one pull request.

    run_url: of this very run, as the text links it: a comment of ours that holds it was written by another job of the run,
    as the legs of a matrix do. same: whether two texts say the same but for what differs between any two runs.
    """

    def __init__(self, api: Api, repository: str, number: int, *, run_url: str = "", same: Callable[[str, str], bool] = str.__eq__) -> None:
        self._api = api
        self._base = f"/repos/{repository}/issues"
        self._number = number
        self._run_url = run_url
        self._same = same
        self._asked_at = ""

    def post(self, body: str, *, create: bool) -> Posted:
        marker = body.partition("\n")[0]
        if not marker.startswith("<!-- ") or not marker.endswith(" -->"):
            raise ValueError("the text of a comment starts with its marker")
        writer = self._writer()
        found = self._find(marker, writer)
        if found is None:
            return self._create(body, marker, writer) if create else Posted("none")
        if self._same(_normal(found.body), _normal(body)):
            return Posted("unchanged", found.url)
        if self._run_url and f"]({self._run_url})" in found.body:
            return Posted("foreign", found.url)
        try:
            return Posted("updated", self._write("PATCH", f"{self._base}/comments/{found.id}", body).url or found.url)
        except ApiError as error:
            if error.status != 404:
                raise
        # Deleted since it was found, or the token may not: a new one settles which.
        return self._create(body, marker, writer)

    def _writer(self) -> str:
        if not self._api.is_of_a_person():
            return BOT
        user = self._api.get("/user", "comment").data
        login = user.get("login") if isinstance(user, Mapping) else None
        if not isinstance(login, str) or not login:
            raise _unreadable()
        return login

    # ---- finding ------------------------------------------------------------------------------------------------

    def _find(self, marker: str, writer: str) -> _Comment | None:
        """Page by page; the address a page names as the next is not followed, so a token goes to no other host."""
        for page in range(1, PAGES + 1):
            answer = self._api.get(f"{self._base}/{self._number}/comments", "comment", per_page=PAGE, page=page)
            self._asked_at = self._asked_at or _a_moment_before(answer.headers.get("date", ""))
            mine = _ours(answer.data, marker, writer)
            if mine:
                return mine[0]
            if 'rel="next"' not in answer.headers.get("link", ""):
                return None
        raise ApiError(
            "could not write the comment: there are too many to find ours among them",
            detail=f"{PAGE * PAGES} were read",
            fix="set pr-comment: off",
            anchor="api",
        )

    # ---- writing ------------------------------------------------------------------------------------------------

    def _create(self, body: str, marker: str, writer: str) -> Posted:
        path = f"{self._base}/{self._number}/comments"
        try:
            made = self._write("POST", path, body)
        except ApiError as error:
            if not error.unsure:
                raise
            # It may have been made all the same; look before it is tried once more.
            made = self._lately(marker, writer) or self._write("POST", path, body)
        first = self._lately(marker, writer)
        if first is not None and first.id < made.id:
            self._api.send("DELETE", f"{self._base}/comments/{made.id}", "comment")
            return Posted("foreign", first.url)
        return Posted("created", made.url)

    def _lately(self, marker: str, writer: str) -> _Comment | None:
        """The first comment of ours written since we began to look: two jobs may have found none at the same time."""
        if not self._asked_at:
            return None
        answer = self._api.get(f"{self._base}/{self._number}/comments", "comment", per_page=PAGE, since=self._asked_at)
        return next(iter(sorted(_ours(answer.data, marker, writer), key=lambda comment: comment.id)), None)

    def _write(self, verb: Any, path: str, body: str) -> _Comment:
        try:
            answer = self._api.send(verb, path, "comment", body={"body": body[:BODY_LIMIT]})
        except ApiError as error:
            if error.status != 422:
                raise
            # Too long by GitHub's own way of counting, most likely: the headline and where to read on always fit.
            answer = self._api.send(verb, path, "comment", body={"body": _shortest(body)})
        comment = _read(answer.data)
        if comment is None:
            raise _unreadable()
        return comment


def _ours(rows: Any, marker: str, writer: str) -> list[_Comment]:
    if not isinstance(rows, list):
        raise _unreadable()
    return [comment for row in rows if _is_ours(row, marker, writer) and (comment := _read(row))]


def _is_ours(row: Any, marker: str, writer: str) -> bool:
    """The marker stands first, and the writer is who we write as: anybody can copy a marker."""
    if not isinstance(row, Mapping) or not isinstance(user := row.get("user"), Mapping):
        return False
    body, login = row.get("body"), user.get("login")
    named = isinstance(login, str) and login.lower() == writer.lower() and (writer != BOT or user.get("type") == "Bot")
    return named and isinstance(body, str) and _normal(body).partition("\n")[0] == marker


def _read(row: Any) -> _Comment | None:
    if not isinstance(row, Mapping):
        return None
    id, body, url = row.get("id"), row.get("body"), row.get("html_url")
    if not isinstance(id, int) or not isinstance(body, str):
        return None
    return _Comment(id, body, url if isinstance(url, str) and url.startswith("https://") else "")


def _unreadable() -> ApiError:
    return ApiError("could not write the comment: GitHub's answer cannot be read", fix="run the job again later", anchor="api")


def _normal(body: str) -> str:
    return body.replace("\r\n", "\n").strip()


def _shortest(body: str) -> str:
    blocks = body.strip().split("\n\n")
    return f"{blocks[0][:1000]}\n\n{blocks[-1][:1000]}\n"


def _a_moment_before(date: str) -> str:
    """A Date header as the API's `since` wants it, two minutes earlier; empty for what is no date."""
    try:
        return (parsedate_to_datetime(date) - timedelta(minutes=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (TypeError, ValueError, OverflowError):
        return ""
