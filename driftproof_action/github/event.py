"""What the job was started by, and the commit its work is compared with. Not: what is stored at that commit."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from driftproof_action.canonical import Json, read_json, text_digest
from driftproof_action.errors import DocumentError, InputError
from driftproof_action.ports import Git

EVENT_LIMIT = 32 * 1024 * 1024

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}")
_SERVER = re.compile(r"https?://[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?")
_API = re.compile(r"https?://[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?(?:/[A-Za-z0-9._-]{1,60}){0,4}")
_NUMBER = re.compile(r"[0-9]{1,20}")


@dataclass(frozen=True, slots=True)
class EventContext:
    """name: the event, empty on the command line. sha: the commit the runner says it checked out. base_sha: pull_request
    and merge_group; before: push, None when there was nothing before; forced: None when the event does not say.
    head_sha: of a pull request's own branch. dispatch_pr, dispatch_sha: of a dispatch, as they were typed. api_url: where the
    REST API is. Missing or malformed parts are empty or None: a webhook is not a promise."""

    name: str = ""
    repository: str = ""
    server_url: str = ""
    run_id: str = ""
    actor: str = ""
    sha: str | None = None
    ref: str = ""
    default_branch: str = ""
    base_sha: str | None = None
    head_sha: str | None = None
    base_ref: str = ""
    head_ref: str = ""
    before: str | None = None
    forced: bool | None = None
    pr_number: int | None = None
    is_fork: bool = False
    is_dependabot: bool = False
    is_draft: bool = False
    api_url: str = ""
    run_attempt: str = ""
    dispatch_pr: str = ""
    dispatch_sha: str = ""

    @property
    def is_pull_request(self) -> bool:
        """Also a pull request that somebody has measured by hand (workflow_dispatch)."""
        return self.name == "pull_request" or (self.name == "workflow_dispatch" and self.pr_number is not None)

    @property
    def branch(self) -> str:
        """The branch the run is for; empty for tags, pull requests and everything else."""
        return self.ref.removeprefix("refs/heads/") if self.ref.startswith("refs/heads/") else ""

    @property
    def on_default_branch(self) -> bool:
        """A schedule runs on the default branch whether its payload names it or not."""
        return bool(self.branch) and (self.branch == self.default_branch or (self.name == "schedule" and not self.default_branch))

    @property
    def origin(self) -> str | None:
        """The address the repository's missing commits may be fetched from."""
        return f"{self.server_url}/{self.repository}" if self.server_url and self.repository else None

    @property
    def run_url(self) -> str:
        """The run, and which attempt at it."""
        if not self.origin or not self.run_id:
            return ""
        attempt = f"/attempts/{self.run_attempt}" if self.run_attempt else ""
        return f"{self.origin}/actions/runs/{self.run_id}{attempt}"


@dataclass(frozen=True, slots=True)
class BaseCommit:
    """found: `commit` is in this checkout. none: there is nothing to compare with. unavailable: `commit` is meant (None when
    even that is unknown) and could not be had. reason: one sentence for people."""

    state: Literal["found", "none", "unavailable"]
    commit: str | None
    reason: str


def read_event(environ: Mapping[str, str]) -> EventContext:
    """The event from GITHUB_* and its payload file; an empty context without GITHUB_EVENT_NAME.

    A payload that is absent or empty counts as an empty object. Raises DocumentError for one that is not strict JSON, and
    InputError for pull_request_target.
    """
    name = environ.get("GITHUB_EVENT_NAME", "")
    if not name:
        return EventContext()
    if name == "pull_request_target":
        raise InputError(
            "pull_request_target is not supported",
            place="on",
            detail="it hands secrets and a writing token to a job that reads somebody else's files",
            fix="use pull_request; for forks let a maintainer start a measured run (merge queue or workflow_dispatch)",
            anchor="pull-request-target",
        )
    payload = _payload(environ.get("GITHUB_EVENT_PATH", ""))
    return _context(name, environ, payload)


def comment_key(environ: Mapping[str, str], *, extra: str = "") -> str:
    """What tells this job's comment from another's: sha256 of workflow path, job and the user's own key, one a line."""
    reference = environ.get("GITHUB_WORKFLOW_REF", "").partition("@")[0]
    workflow = reference.removeprefix(environ.get("GITHUB_REPOSITORY", "") + "/") or environ.get("GITHUB_WORKFLOW", "")
    return text_digest(f"{workflow}\n{environ.get('GITHUB_JOB', '')}\n{extra}")


def _payload(path: str) -> Mapping[str, Json]:
    if not path:
        return {}
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            data = _all_of(handle) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
        finally:
            os.close(handle)
    except OSError:
        return {}
    if not data.strip():
        return {}
    value = read_json(data, source="event payload", limit=EVENT_LIMIT)
    if not isinstance(value, Mapping):
        raise DocumentError("is not an object", place="event payload", fix="run inside a GitHub job, or unset GITHUB_EVENT_PATH")
    return value


def _all_of(handle: int) -> bytes:
    """One byte more than the limit is enough for the reader to refuse it."""
    pieces = []
    room = EVENT_LIMIT + 1
    while room and (piece := os.read(handle, room)):
        pieces.append(piece)
        room -= len(piece)
    return b"".join(pieces)


def _context(name: str, environ: Mapping[str, str], payload: Mapping[str, Json]) -> EventContext:
    pull, group = _object(payload, "pull_request"), _object(payload, "merge_group")
    head, base = _object(pull, "head"), _object(pull, "base")
    is_pull = name == "pull_request"
    repository = environ.get("GITHUB_REPOSITORY", "")
    server = environ.get("GITHUB_SERVER_URL", "").rstrip("/")
    api = environ.get("GITHUB_API_URL", "").rstrip("/")
    run_id, attempt = environ.get("GITHUB_RUN_ID", ""), environ.get("GITHUB_RUN_ATTEMPT", "")
    typed = _object(payload, "inputs") if name == "workflow_dispatch" else {}
    number = pull.get("number", payload.get("number"))
    forced = payload.get("forced")
    return EventContext(
        name=name,
        repository=repository if _REPOSITORY.fullmatch(repository) else "",
        server_url=server if _SERVER.fullmatch(server) else "",
        run_id=run_id if _NUMBER.fullmatch(run_id) else "",
        actor=environ.get("GITHUB_ACTOR", ""),
        sha=_commit(environ.get("GITHUB_SHA")),
        ref=environ.get("GITHUB_REF", ""),
        default_branch=_text(_object(payload, "repository"), "default_branch"),
        base_sha=_commit(base.get("sha")) if is_pull else _commit(group.get("base_sha")),
        head_sha=_commit(head.get("sha")) if is_pull else _commit(group.get("head_sha")),
        base_ref=_text(base, "ref"),
        head_ref=_text(head, "ref"),
        before=_commit(payload.get("before")) if name == "push" else None,
        forced=forced if isinstance(forced, bool) else None,
        pr_number=number if is_pull and isinstance(number, int) and not isinstance(number, bool) and number > 0 else None,
        is_fork=is_pull and _is_fork(head, base, repository),
        is_dependabot=environ.get("GITHUB_ACTOR", "") == "dependabot[bot]",
        is_draft=pull.get("draft") is True,
        api_url=api if _API.fullmatch(api) else "",
        run_attempt=attempt if _NUMBER.fullmatch(attempt) else "",
        dispatch_pr=_text(typed, "pr").strip(),
        dispatch_sha=_text(typed, "sha").strip(),
    )


def _is_fork(head: Mapping[str, Json], base: Mapping[str, Json], repository: str) -> bool:
    """Whether the head lies in another repository. `head.repo.fork` says something else: whether that repository is anyone's
    fork, which is true of every pull request inside a fork. A deleted head repository counts as foreign."""
    if not head:
        return False
    home = _text(_object(base, "repo"), "full_name") or repository
    return _text(_object(head, "repo"), "full_name").lower() != home.lower()


def _object(value: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    found = value.get(key)
    return found if isinstance(found, Mapping) else {}


def _text(value: Mapping[str, Json], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _commit(value: Json) -> str | None:
    """A full commit id; None for anything else and for the all-zero id, which stands for nothing."""
    return value if isinstance(value, str) and _COMMIT.fullmatch(value) and value.strip("0") else None


# ---- the base ---------------------------------------------------------------------------------------------------


def base_of(context: EventContext, git: Git | None, *, token: str | None = None) -> BaseCommit:
    """The commit whose stored receipts count: never the pull request's own copy.

    pull_request: the merge commit's first parent when that is checked out, else base.sha. merge_group: base_sha. push: what
    was pushed onto, when the new commit descends from it, else the parent. Everything else: the commit checked out. A
    commit this checkout lacks is fetched once.
    """
    if git is None:
        state: Literal["none", "unavailable"] = "unavailable" if context.name else "none"
        return BaseCommit(state, None, "this is not a git checkout")
    head = git.resolve("HEAD")
    if context.is_pull_request:
        return _had(_pull_base(context, git, head), git, token, "the commit the pull request starts from")
    if context.name == "merge_group":
        return _had(context.base_sha, git, token, "the commit the merge group starts from")
    if context.name == "push":
        return _push_base(context, git, context.sha or head, token=token)
    if head is None:
        return BaseCommit("none", None, "nothing has been committed yet")
    return BaseCommit("found", head, "the commit checked out")


def _pull_base(context: EventContext, git: Git, head: str | None) -> str | None:
    parents = git.parents(head) if head else ()
    merged = len(parents) == 2 and context.head_sha is not None and parents[1] == context.head_sha
    return parents[0] if merged else context.base_sha


def _push_base(context: EventContext, git: Git, pushed: str | None, *, token: str | None) -> BaseCommit:
    if pushed is None or git.resolve(pushed) is None:
        return BaseCommit("unavailable", None, "the pushed commit is not in this checkout")
    if context.before and context.forced is not True:
        found = _had(context.before, git, token, "the commit pushed onto")
        # The event's own word stands where a shallow checkout cannot follow the history.
        if found.state == "unavailable" or context.forced is False or git.is_ancestor(context.before, pushed):
            return found
    parents = git.parents(pushed)
    if not parents:
        return BaseCommit("none", None, "the pushed commit has no parent")
    return _had(parents[0], git, token, "the parent of the pushed commit")


def _had(commit: str | None, git: Git, token: str | None, what: str) -> BaseCommit:
    if commit is None:
        return BaseCommit("unavailable", None, f"the event does not name {what}")
    if git.resolve(commit) or git.fetch(commit, token=token):
        return BaseCommit("found", commit, what)
    return BaseCommit("unavailable", commit, f"{what} is not in this checkout: use actions/checkout with fetch-depth: 0")
