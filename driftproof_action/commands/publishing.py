"""Telling and storing what a finished job found: comment, annotations, receipts in the store. Not: deciding anything about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from driftproof_action.commands.gate import reddened
from driftproof_action.commands.guarding import refuse_secrets
from driftproof_action.commands.promotion import Choice, Refusal, barred, chosen_rows, place_of
from driftproof_action.errors import ApiError
from driftproof_action.github.event import EventContext
from driftproof_action.ports import Comments, Git, Posted, Remote, RunnerFiles
from driftproof_action.providers.secret_values import Secrets
from driftproof_action.reports.annotations import annotate
from driftproof_action.reports.badge_lines import badge_lines
from driftproof_action.reports.comment import comment, wanted
from driftproof_action.reports.figures import count
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.terminal import plain
from driftproof_action.settings.run_settings import RunSettings
from driftproof_action.store_io import DATA_BRANCH, Place, Stored, only_stored, store

TITLE = "driftproof"
WRITE_LINES = "permissions:\n  contents: write"

# ---- comment ----------------------------------------------------------------------------------------------------


def post_comment(
    result: JobResult, *, settings: RunSettings, context: EventContext, key: str, comments: Callable[[], Comments], runner: RunnerFiles
) -> str:
    """Bring the comment of this job up to date; its address, empty when there is none. comments: opened only when needed.
    Raises FileError where it would hold a secret."""
    if settings.pr_comment == "off" or not context.is_pull_request or context.pr_number is None or not result.rows:
        return ""
    if settings.github_token is None:
        runner.say("no comment: github-token is empty")
        return ""
    try:
        body = refuse_secrets(comment(result, key=key), Secrets(settings.secrets), place="the comment")
        posted = comments().post(body, create=wanted(result, settings.pr_comment))
    except ApiError as error:
        runner.notice("notice", _no_comment(error, context), title=f"{TITLE}: no comment")
        return ""
    _tell_posted(posted, runner)
    return posted.url


def _no_comment(error: ApiError, context: EventContext) -> str:
    if error.status in (403, 404) and context.name == "pull_request" and (context.is_fork or context.is_dependabot):
        who = "a fork" if context.is_fork else "Dependabot"
        return f"the token of a pull request of {who} may not write, so the comment stands in the job summary alone"
    return "\n".join([*error.lines(), "what it would have said stands in the job summary"])


def _tell_posted(posted: Posted, runner: RunnerFiles) -> None:
    if posted.state == "foreign":
        message = "another job of this run wrote the comment, which was left as it is; give each leg of a matrix its own:\n"
        runner.notice("notice", message + "with:\n  comment-key: ${{ matrix.model }}", title=f"{TITLE}: no comment of this job")
    elif posted.state != "none":
        runner.say(f"comment {posted.state}{': ' if posted.url else ''}{posted.url}")


# ---- annotations ------------------------------------------------------------------------------------------------


def show_annotations(result: JobResult, *, settings: RunSettings, context: EventContext, runner: RunnerFiles) -> None:
    red = reddened(result.rows, fail_on=settings.fail_on, pull_request=context.is_pull_request) if result.exit_code else []
    for item in annotate(result, red=red):
        runner.notice(item.level, item.message, title=TITLE, file=item.file, line=item.line)


# ---- store ------------------------------------------------------------------------------------------------------


def store_receipts(
    result: JobResult,
    *,
    settings: RunSettings,
    context: EventContext,
    git: Git | None,
    kind: Literal["tree", "branch", "none"],
    pushed_onto: str | None,
    remote: Callable[[], Remote],
    when: str,
    runner: RunnerFiles,
) -> list[str]:
    """Make the receipts of this job the current ones where it may; the README lines of the badges that were stored.

    kind: which store; pushed_onto: the commit a push started from; remote: opened only when needed. Raises GitError where
    origin cannot be read or something lies in the way.
    """
    head = git.resolve("HEAD") if git else None
    place = place_of(context, commit=settings.commit, kind=kind, head=head)
    rows = chosen_rows(result)
    refusal = place if isinstance(place, Refusal) else _nothing_to_store(result, rows) or _own_push(context, git, pushed_onto, head)
    if refusal is not None or isinstance(place, Refusal) or head is None:
        _tell_refusal(refusal, runner)
        return []
    on_pull = place.expected is not None
    origin = remote()
    choice = Choice(rows, place.expected or head, badges=not on_pull, is_ancestor=origin.is_ancestor)
    stored = store(origin, place, choice, when=when)
    _tell_stored(stored, choice, place, kind=kind, runner=runner)
    if stored.state != "stored" or on_pull or not context.origin:
        return []
    skills = list(dict.fromkeys(row.skill_slug for row in choice.stored))
    return badge_lines(skills, server_url=context.server_url, repository=context.repository, branch=place.branch, folder=place.folder)


def _nothing_to_store(result: JobResult, rows: Sequence[JobRow]) -> Refusal | None:
    if rows or not result.rows:
        return None if rows else Refusal("nothing was measured")
    return Refusal("the run was cut short" if result.stopped else barred(result.rows[0]))


def _own_push(context: EventContext, git: Git | None, pushed_onto: str | None, head: str | None) -> Refusal | None:
    """A push of stored files alone was made by a run like this one: storing again would go on for ever."""
    if context.name == "push" and git and head and pushed_onto and git.resolve(pushed_onto) and only_stored(git, pushed_onto, head):
        return Refusal("this push brought stored files and nothing else")
    return None


def _tell_refusal(refusal: Refusal | None, runner: RunnerFiles) -> None:
    reason = refusal.reason if refusal else "no commit is checked out"
    if refusal and refusal.told:
        runner.notice("notice", f"{reason}, although commit is true", title=f"{TITLE}: nothing stored")
    else:
        runner.say(f"nothing stored: {reason}")


def _tell_stored(stored: Stored, choice: Choice, place: Place, *, kind: str, runner: RunnerFiles) -> None:
    branch = plain(place.branch)
    if choice.older:
        runner.say(f"{count(len(choice.older), 'receipt')} not stored: a later commit has been measured already")
    if stored.state == "stored":
        runner.say(f"stored {count(len(choice.stored), 'receipt')} on the branch {branch}, commit {stored.commit[:12]}")
    elif stored.state == "unchanged":
        runner.say(f"the store on the branch {branch} holds these measurements already" if choice.equal else "nothing stored")
    else:
        runner.notice("notice", _why_not(stored, branch, kind=kind), title=f"{TITLE}: receipts not stored")


def _why_not(stored: Stored, branch: str, *, kind: str) -> str:
    said = f"\n  {plain(stored.detail)}" if stored.detail else ""
    if stored.state == "forbidden":
        return f"the token may not write to {branch}{said}\ngive the job\n{WRITE_LINES}"
    if stored.state == "protected" and kind == "tree":
        return f"the branch {branch} is protected{said}\nkeep receipts on a branch of their own:\nwith:\n  store: branch\n{WRITE_LINES}"
    if stored.state == "protected":
        return f"a rule protects the branch {branch}{said}\nlet this workflow write to {DATA_BRANCH}, or leave it out of the rule"
    if stored.state == "superseded":
        return f"{branch} has moved on since it was measured, so its newer commit is not given an older receipt"
    if stored.state == "raced":
        return f"others kept writing to {branch} at the same time; the receipts are in the run folder, the next run stores its own"
    return f"{branch} could not be written{said}"
