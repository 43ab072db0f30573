"""What starts a job: our own small payloads, one for every event, around one history. Not: GitHub's published examples of them.

The shapes follow GitHub's documentation of webhook payloads; only the fields an action may look at are here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.conftest import Repository

REPOSITORY = "owner/skills"
NOTHING = "0" * 40


@dataclass(frozen=True)
class Event:
    """name, payload: as the runner hands them over. sha: what it says it checked out. checkout: the commit or branch that
    actually is, when that is another one."""

    name: str
    payload: Any
    sha: str = ""
    ref: str = "refs/heads/main"
    actor: str = "octavia"
    head_ref: str = ""
    base_ref: str = ""
    checkout: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)

    def context(self) -> dict[str, str]:
        kind, _, short = self.ref.removeprefix("refs/").partition("/")
        return {
            "event_name": self.name,
            "sha": self.sha,
            "ref": self.ref,
            "ref_name": short,
            "ref_type": "tag" if kind == "tags" else "branch",
            "actor": self.actor,
            "head_ref": self.head_ref,
            "base_ref": self.base_ref,
        }


@dataclass(frozen=True)
class History:
    """main: first → base. topic: base → head. merge: what GitHub makes of base and head. pushed: base → pushed on main."""

    first: str
    base: str
    head: str
    merge: str
    pushed: str


def make_history(repository: Repository, change: Mapping[str, str | bytes]) -> History:
    """Grow a repository with a first commit into a History; `change` is what topic and pushed bring."""
    first = repository.git("rev-parse", "HEAD")
    base = repository.commit({"NOTES.md": "Notes.\n"}, "base")
    repository.git("checkout", "--quiet", "-b", "topic")
    head = repository.commit(change, "topic")
    repository.git("checkout", "--quiet", "--detach", base)
    repository.git("merge", "--quiet", "--no-ff", "--message", "merge topic", head)
    merge = repository.git("rev-parse", "HEAD")
    repository.git("update-ref", "refs/pull/7/merge", merge)
    repository.git("checkout", "--quiet", "main")
    pushed = repository.commit({**change, "MORE.md": "More.\n"}, "pushed")
    return History(first, base, head, merge, pushed)


def _repo(full_name: str = REPOSITORY, *, fork: bool = False) -> dict[str, Any]:
    owner, _, name = full_name.partition("/")
    return {"full_name": full_name, "name": name, "owner": {"login": owner}, "default_branch": "main", "fork": fork, "private": False}


def _common(actor: str = "octavia", **more: Any) -> dict[str, Any]:
    kind = "Bot" if actor.endswith("[bot]") else "User"
    return {"repository": _repo(), "sender": {"login": actor, "type": kind}, **more}


def pull_request(history: History, action: str = "opened", *, head_repo: str = REPOSITORY, actor: str = "octavia", **more: Any) -> Event:
    branch = "dependabot/npm_and_yarn/x-1.2.3" if actor == "dependabot[bot]" else "topic"
    pull = {
        "number": 7,
        "state": "closed" if action == "closed" else "open",
        "draft": False,
        "merged": False,
        "title": "Say it better",
        "user": {"login": actor, "type": "User"},
        "base": {"ref": "main", "sha": history.base, "repo": _repo()},
        "head": {"ref": branch, "sha": history.head, "repo": _repo(head_repo, fork=head_repo != REPOSITORY)},
        **more,
    }
    payload = _common(actor, action=action, number=7, pull_request=pull)
    return Event("pull_request", payload, history.merge, "refs/pull/7/merge", actor, branch, "main")


def deleted_fork(history: History) -> Event:
    """The head repository is gone, which GitHub says as null."""
    event = pull_request(history, head_repo="stranger/skills")
    pull = event.payload["pull_request"]
    return replace(event, payload={**event.payload, "pull_request": {**pull, "head": {**pull["head"], "repo": None}}})


def push(history: History, *, before: str = "", forced: bool = False, created: bool = False) -> Event:
    payload = _common(
        ref="refs/heads/main",
        before=before or history.base,
        after=history.pushed,
        forced=forced,
        created=created,
        deleted=False,
        commits=[{"id": history.pushed, "message": "pushed", "modified": ["skills/naming/SKILL.md"]}],
    )
    return Event("push", payload, history.pushed)


def tag_push(history: History) -> Event:
    payload = _common(ref="refs/tags/v1", before=NOTHING, after=history.pushed, forced=False, created=True, deleted=False, commits=[])
    return Event("push", payload, history.pushed, "refs/tags/v1")


def merge_group(history: History) -> Event:
    ref = f"refs/heads/gh-readonly-queue/main/pr-7-{history.base}"
    group = {"head_sha": history.merge, "head_ref": ref, "base_sha": history.base, "base_ref": "refs/heads/main"}
    return Event("merge_group", _common(action="checks_requested", merge_group=group), history.merge, ref)


def schedule(history: History) -> Event:
    """A schedule's payload has no sender."""
    return Event("schedule", {"schedule": "0 5 * * 1", "repository": _repo()}, history.pushed)


def dispatch(history: History, **inputs: str) -> Event:
    payload = _common(inputs=inputs or None, ref="refs/heads/main", workflow=".github/workflows/skills.yml")
    return Event("workflow_dispatch", payload, history.pushed, inputs=inputs)


def release(history: History) -> Event:
    payload = _common(action="published", release={"tag_name": "v1", "target_commitish": "main", "draft": False, "prerelease": False})
    return Event("release", payload, history.pushed, "refs/tags/v1")


EVENTS: Mapping[str, Callable[[History], Event]] = {
    "pull_request opened": pull_request,
    "pull_request synchronize": lambda history: pull_request(history, "synchronize", before=history.base, after=history.head),
    "pull_request reopened": lambda history: pull_request(history, "reopened"),
    "pull_request draft": lambda history: pull_request(history, draft=True),
    "pull_request fork": lambda history: pull_request(history, head_repo="stranger/skills", actor="stranger"),
    "pull_request of a fork that is gone": deleted_fork,
    "pull_request dependabot": lambda history: pull_request(history, actor="dependabot[bot]"),
    "pull_request closed, merged": lambda history: pull_request(history, "closed", merged=True, merge_commit_sha=history.pushed),
    "pull_request closed, not merged": lambda history: pull_request(history, "closed"),
    "push": push,
    "push forced": lambda history: push(history, before=history.head, forced=True),
    "push of a new branch": lambda history: push(history, before=NOTHING, created=True),
    "push of a tag": tag_push,
    "merge_group": merge_group,
    "schedule": schedule,
    "workflow_dispatch": dispatch,
    "workflow_dispatch with pr and sha": lambda history: dispatch(history, pr="7", sha=history.head),
    "release": release,
}
"""Every event the action is made for."""

REFUSED: Mapping[str, Callable[[History], Event]] = {
    "pull_request_target": lambda history: replace(pull_request(history), name="pull_request_target", sha=history.base),
}

NAMES: Sequence[str] = tuple(EVENTS)
