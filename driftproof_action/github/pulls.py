"""A pull request that somebody asks to have measured by hand: still at the commit they looked at, or refused. Not: its files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from driftproof_action.errors import InputError
from driftproof_action.github.api import Api
from driftproof_action.github.event import EventContext

_NUMBER = re.compile(r"[1-9][0-9]{0,9}")
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ANCHOR_FIX = "give the number of an open pull request and the full id of its last commit"


def is_asked_for(context: EventContext) -> bool:
    """Whether a dispatch names a pull request."""
    return context.name == "workflow_dispatch" and bool(context.dispatch_pr or context.dispatch_sha)


def with_pull(context: EventContext, api: Api, *, head: str | None) -> EventContext:
    """The context of the pull request a dispatch names. head: the commit checked out.

    Raises InputError unless the pull request is open, its last commit is still the one that was named, and that commit is
    what was checked out; ApiError when it cannot be read. Approval is given to a commit, so anything pushed since is refused.
    """
    number, sha = context.dispatch_pr, context.dispatch_sha
    if not _NUMBER.fullmatch(number) or not _SHA.fullmatch(sha):
        raise InputError("pr and sha belong together", place="workflow_dispatch", fix=_ANCHOR_FIX, anchor="dispatch")
    pull = api.get(f"/repos/{context.repository}/pulls/{number}", "pull").data
    now, base = _at(pull, "head", "sha"), _at(pull, "base", "sha")
    if _at(pull, "state") != "open" or now != sha:
        state = "it is closed" if _at(pull, "state") != "open" else f"its last commit is {str(now)[:12]}, not {sha[:12]}"
        raise InputError(
            f"pull request {number} is not at this commit any more", place="sha", detail=state, fix="look at it again", anchor="dispatch"
        )
    if head != sha:
        raise InputError(
            "the commit checked out is not the one to be measured",
            place="sha",
            detail=f"{(head or 'none')[:12]} is checked out, not {sha[:12]}",
            fix="check out with\nref: ${{ inputs.sha }}\npersist-credentials: false",
            anchor="dispatch",
        )
    home, away = _at(pull, "base", "repo", "full_name"), _at(pull, "head", "repo", "full_name")
    return replace(
        context,
        pr_number=int(number),
        head_sha=sha,
        base_sha=base if isinstance(base, str) and _SHA.fullmatch(base) else None,
        base_ref=str(_at(pull, "base", "ref") or ""),
        head_ref=str(_at(pull, "head", "ref") or ""),
        is_fork=not isinstance(away, str) or away.lower() != str(home or context.repository).lower(),
        is_draft=_at(pull, "draft") is True,
    )


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
