"""Where a job of the Action stands: event, checkout, base, stored receipts, what a pull request brings. Not: the job."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from driftproof_action.commands.base import Shelf
from driftproof_action.commands.gate import Gate, brought_along, graver
from driftproof_action.commands.store_changes import refused_changes
from driftproof_action.errors import GitError, InputError
from driftproof_action.git_io import GitIO
from driftproof_action.github.api import Api
from driftproof_action.github.event import BaseCommit, EventContext, base_of, read_event
from driftproof_action.github.pulls import is_asked_for, with_pull
from driftproof_action.ports import Files, Git, RunnerFiles
from driftproof_action.push_io import PushIO
from driftproof_action.reports.job import JobResult
from driftproof_action.reports.terminal import plain
from driftproof_action.settings.run_settings import RunSettings
from driftproof_action.store_io import BranchStore, touched

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a job stands: what it was started by, its checkout, the commit it is compared with, the stored receipts.

    measured: the commit whose skills are measured, empty outside of a checkout. changed: stored files a pull request brings.
    remote: the branches of origin, None where nobody may be asked for them.
    """

    context: EventContext
    git: Git | None
    base: BaseCommit
    shelf: Shelf
    measured: str
    changed: tuple[str, ...]
    remote: PushIO | None


def open_scene(settings: RunSettings, environ: Mapping[str, str], *, files: Files, runner: RunnerFiles) -> Scene:
    """What the job is about, told in the log.

    Raises InputError for an event that is not served, and for a pull request that has moved since somebody approved it.
    """
    context = read_event(environ)
    token = settings.github_token
    git = GitIO.at(files.root, origin=context.origin, environ=environ)
    if git is not None and git.root != files.root:
        git = None  # the workspace only happens to lie inside somebody's checkout
    head = git.resolve("HEAD") if git else None
    if is_asked_for(context):
        context = with_pull(context, open_api(settings, environ, context), head=head)
    base = base_of(context, git, token=token)
    changed: tuple[str, ...] = ()
    if git and head and base.state == "found" and base.commit and context.is_pull_request:
        changed = touched(git, base.commit, head)
    remote = _remote(settings, environ, context, outside=files.root, runner=runner)
    data = BranchStore(remote) if remote else None
    shelf = Shelf(git, files, base, settings.compare_with, settings.store, data, proposed=context.is_pull_request)
    scene = Scene(context, git, base, shelf, _measured(context, git, head), changed, remote)
    if head and context.name != "workflow_dispatch" and context.sha not in (None, head):
        runner.say(f"the commit checked out is {head[:12]}, not the {str(context.sha)[:12]} this run is for; what is here is measured")
    _tell_base(scene, runner=runner)
    return scene


def _measured(context: EventContext, git: Git | None, head: str | None) -> str:
    """What lies in the checkout, named the way people know it: a pull request's last commit, not the merge made of it."""
    if git is None or head is None:
        return ""
    own = context.head_sha
    return own if own and (own == head or own in git.parents(head)) else head


def open_api(settings: RunSettings, environ: Mapping[str, str], context: EventContext) -> Api:
    """Raises InputError where there is no token, or no address to take it to."""
    if not settings.github_token or not context.api_url:
        raise InputError("is needed to look at the pull request", place="github-token", fix="leave it at its default", anchor="dispatch")
    bundle = environ.get("REQUESTS_CA_BUNDLE") or environ.get("SSL_CERT_FILE") or ""
    return Api(context.api_url, settings.github_token, ca_bundle=bundle)


def _remote(
    settings: RunSettings, environ: Mapping[str, str], context: EventContext, *, outside: str, runner: RunnerFiles
) -> PushIO | None:
    """None in a stub run, which asks nobody, and where no address is known that a token may be sent to."""
    if not settings.live or not context.origin:
        return None
    try:
        return PushIO(context.origin, token=settings.github_token, outside=outside, environ=environ)
    except GitError as error:
        runner.say(f"the store at origin is out of reach: {error.lines()[0]}")
        return None


def with_changes(result: JobResult, scene: Scene, *, fail_on: Collection[str]) -> JobResult:
    """The result with what only the scene knows. Stored files a pull request brings count among what the exit code is
    decided from."""
    result = replace(result, commit=scene.measured)
    head = scene.git.resolve("HEAD") if scene.git else None
    if scene.git is None or head is None or not scene.changed:
        return result
    refused = refused_changes(scene.git, scene.changed, head)
    gate = Gate(result.exit_code, result.because)
    gate = graver(gate, *brought_along([plain(path) for path, _ in refused], fail_on=fail_on))
    return replace(result, exit_code=gate.exit_code, because=gate.because, refused_changes=refused)


def _tell_base(scene: Scene, *, runner: RunnerFiles) -> None:
    """Say what is compared with, and name stored files the pull request itself brings: they are not used."""
    base = scene.base
    if base.state == "unavailable":
        runner.notice("warning", base.reason, title="driftproof: nothing to compare with")
        return
    runner.say(f"base: {base.commit[:12]}, {base.reason}" if base.commit else f"base: none, {base.reason}")
    if scene.changed:
        more = f" and {len(scene.changed) - _NAMED} more" if len(scene.changed) > _NAMED else ""
        names = ", ".join(scene.changed[:_NAMED])
        runner.notice("warning", f"this pull request changes stored files, which were not used: {names}{more}", title="driftproof")
