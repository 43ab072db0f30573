"""The GitHub Action's door: inputs and event in, one job, then outputs, summary, files and the exit code. Not: the job."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TextIO

from driftproof_action.clock_io import SystemClock
from driftproof_action.commands.evaluate import evaluate
from driftproof_action.commands.guarding import guarded_files, refuse_secrets
from driftproof_action.commands.keyless import Here, without_key
from driftproof_action.commands.local import build_world, read_named
from driftproof_action.commands.publishing import post_comment, show_annotations, store_receipts
from driftproof_action.commands.scene import Scene, open_api, open_scene, with_changes
from driftproof_action.errors import DriftproofError, GitError
from driftproof_action.files_io import FilesIO
from driftproof_action.github.comments import PullComments
from driftproof_action.github.event import comment_key
from driftproof_action.ports import Files
from driftproof_action.providers.secret_values import Secrets
from driftproof_action.push_io import PushIO
from driftproof_action.registry.models import shipped
from driftproof_action.reports.badge_lines import badge_block
from driftproof_action.reports.comment import comment, same
from driftproof_action.reports.console import because_line, people_lines
from driftproof_action.reports.job import JobResult
from driftproof_action.reports.outputs import outputs
from driftproof_action.reports.result import to_json
from driftproof_action.reports.summary import summary
from driftproof_action.reports.terminal import error_lines, plain
from driftproof_action.runner_io import RunnerIO
from driftproof_action.settings.fields import SECRET_INPUTS
from driftproof_action.settings.read import from_inputs, input_variable
from driftproof_action.settings.run_settings import RunSettings
from driftproof_action.signals_io import Interrupted, Signals

INTERNAL = 70


@dataclass(frozen=True, slots=True)
class _Desk:
    """What one job works with. runner: what it writes to; files: its workspace; out: the same for what is written to it."""

    environ: Mapping[str, str]
    runner: RunnerIO
    settings: RunSettings
    files: FilesIO
    out: Files


def main(environ: Mapping[str, str] | None = None, *, stdout: TextIO | None = None) -> int:
    """Run the job the environment describes and return its exit code. Never raises.

    environ: the runner's variables, the process's own by default; stdout: where log lines and commands go.
    """
    given = os.environ if environ is None else environ
    runner = RunnerIO(
        output_path=given.get("GITHUB_OUTPUT") or None,
        summary_path=given.get("GITHUB_STEP_SUMMARY") or None,
        log=sys.stdout if stdout is None else stdout,
    )
    try:
        with Signals() as signals:
            code = _job(given, runner, signals)
            return 128 + signals.received if signals.received and code != INTERNAL else code
    except Interrupted as interruption:
        return interruption.exit_code
    except Exception as error:  # the log itself cannot be written: nobody is left to tell
        return error.exit_code if isinstance(error, DriftproofError) else INTERNAL


def _job(environ: Mapping[str, str], runner: RunnerIO, signals: Signals) -> int:
    for name in SECRET_INPUTS:
        if secret := environ.get(input_variable(name), ""):
            runner.mask(secret)
    desk: _Desk | None = None
    scene: Scene | None = None
    try:
        desk = _open_desk(environ, runner)
        scene = open_scene(desk.settings, desk.environ, files=desk.files, runner=runner)
        result = _measure(desk, scene, signals)
    except DriftproofError as error:
        runner.notice("error", "\n".join(error.lines()), title=f"driftproof: {error.place or error.message}"[:100])
        runner.say(error_lines(error))
        result = _ended(error, because=plain(error.lines()[0]))
    except Exception as error:
        # The name alone: an exception's text may hold a key or a prompt.
        name = type(error).__name__
        told = DriftproofError(f"internal error ({name})", fix="please report it with the version and the step before")
        runner.notice("error", "\n".join(told.lines()), title="driftproof")
        result = _ended(told, because=f"of an internal error ({name})")
    _publish(result, runner, desk, scene=scene)
    if scene is not None and scene.remote is not None:
        scene.remote.close()
    runner.say(because_line(result))
    return result.exit_code


def _ended(error: DriftproofError, *, because: str) -> JobResult:
    """A job that found nothing out."""
    return JobResult((), "live", error.exit_code, because, error=error)


def _open_desk(environ: Mapping[str, str], runner: RunnerIO) -> _Desk:
    if environ.get("DRIFTPROOF_STUB"):
        runner.notice("notice", "DRIFTPROOF_STUB is for the command line only; the Action is told by the input mode: stub")
    settings = from_inputs(environ)
    files = FilesIO(environ.get("GITHUB_WORKSPACE") or ".")
    here = files.root + "/"
    return _Desk(
        environ=environ,
        runner=runner,
        settings=replace(
            settings,
            skill_dir=tuple(path.removeprefix(here) for path in settings.skill_dir),
            compare_with=settings.compare_with.removeprefix(here),
        ),
        files=files,
        out=guarded_files(files, Secrets(settings.secrets)),
    )


def _measure(desk: _Desk, scene: Scene, signals: Signals) -> JobResult:
    context = scene.context
    fork = context.is_pull_request and context.is_fork
    settings = replace(desk.settings, text_in_reports="none") if fork else desk.settings
    if settings.live and not settings.has_key and context.is_pull_request and (fork or context.is_dependabot):
        who = "a fork" if fork else "Dependabot"
        desk.runner.notice("notice", f"not measured: pull requests of {who} are not given the key; a maintainer can measure this one")
        here = Here(desk.files, scene.git, shipped())
        return with_changes(without_key(settings, here, scene.shelf, who=who), scene, fail_on=settings.fail_on)
    world = build_world(
        settings,
        files=desk.files,
        out=desk.files,
        git=scene.git,
        environ=desk.environ,
        stop=signals.stop,
        say=desk.runner.say,
        read=read_named,
        run_url=scene.context.run_url,
        pull_request=scene.context.is_pull_request,
    )
    result = with_changes(evaluate(settings, world, scene.shelf), scene, fail_on=settings.fail_on)
    for line in people_lines(result)[:-1]:
        desk.runner.say(line)
    return result


# ---- reporting: each part may fail alone, and none can change the exit code -------------------------------------


def _publish(result: JobResult, runner: RunnerIO, desk: _Desk | None, *, scene: Scene | None) -> None:
    """desk, scene: None when they could not be opened; then there is only what the runner's own files can say."""
    written, url, badges = "", "", ""
    if desk is not None:
        out = desk.settings.out
        _alone(runner, "the run folder", lambda: _hide_from_git(desk.out, out))
        if _alone(runner, "result.json", lambda: desk.out.write(f"{out}/result.json", _document(result))):
            written = f"{out}/result.json"
        if desk.settings.pr_comment != "off":
            _alone(runner, "comment.md", lambda: _write_comment(desk, result))
    if desk is not None and scene is not None and result.stopped != "signal":
        url, badges = _tell_github(result, desk, scene)
    if desk is None or desk.settings.job_summary:
        _alone(runner, "the job summary", lambda: runner.summary(_looked_at(summary(result) + badges, desk)))
    values: dict[str, str] = {}
    _alone(runner, "the outputs", lambda: values.update(outputs(result, result_file=written, comment_url=url)))
    for name, value in values.items():
        _alone(runner, f"the output {name}", partial(runner.output, name, value))


def _tell_github(result: JobResult, desk: _Desk, scene: Scene) -> tuple[str, str]:
    """The address of the comment and the block of badge lines, each empty where there is none."""
    settings, context, runner = desk.settings, scene.context, desk.runner
    key = _key(desk)
    urls: list[str] = []
    lines: list[str] = []

    def comments() -> PullComments:
        number = context.pr_number or 0
        return PullComments(open_api(settings, desk.environ, context), context.repository, number, run_url=context.run_url, same=same)

    def remote() -> PushIO:
        if scene.remote is None:
            raise GitError("origin is not known", fix="run inside a job of the repository", anchor="store-unreachable")
        return scene.remote

    def post() -> None:
        urls.append(post_comment(result, settings=settings, context=context, key=key, comments=comments, runner=runner))

    def keep() -> None:
        onto = scene.base.commit if scene.base.state == "found" else None
        lines.extend(
            store_receipts(
                result,
                settings=settings,
                context=context,
                git=scene.git,
                kind=scene.shelf.kind,
                pushed_onto=onto,
                remote=remote,
                when=SystemClock().now(),
                runner=runner,
            )
        )

    _alone(runner, "the comment", post)
    _alone(runner, "the store", keep)
    if settings.annotations:
        _alone(runner, "annotations", lambda: show_annotations(result, settings=settings, context=context, runner=runner))
    if lines:
        _alone(runner, "the lines of the badge", lambda: runner.group("driftproof: the badge, for the README", lines))
    return "".join(urls), badge_block(lines)


def _key(desk: _Desk) -> str:
    return comment_key(desk.environ, extra=desk.settings.comment_key)


def _alone(runner: RunnerIO, what: str, write: Callable[[], object]) -> bool:
    """Write one part of the report; a failure is a warning and no more."""
    try:
        write()
    except Exception as error:
        why = error.lines()[0] if isinstance(error, DriftproofError) else type(error).__name__
        runner.notice("warning", f"{what} could not be written: {why}", title="driftproof")
        return False
    return True


def _looked_at(text: str, desk: _Desk | None) -> str:
    """Raises FileError for a text that holds a secret; without a desk nothing was read that could."""
    return refuse_secrets(text, Secrets(desk.settings.secrets), place="the job summary") if desk else text


def _hide_from_git(files: Files, out: str) -> None:
    if files.kind(f"{out}/.gitignore") == "absent":
        files.write(f"{out}/.gitignore", b"*\n")


def _write_comment(desk: _Desk, result: JobResult) -> None:
    """A job that found nothing out has nothing to tell a pull request; its log says why."""
    if result.rows:
        text = comment(result, key=_key(desk))
        desk.out.write(f"{desk.settings.out}/comment.md", text.encode("utf-8", "replace"))


def _document(result: JobResult) -> bytes:
    return json.dumps(to_json(result), indent=2, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace") + b"\n"
