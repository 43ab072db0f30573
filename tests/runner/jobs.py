"""A repository with one skill and the runner around it, as most tests of the action need them. Not: the runner, or the events."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from driftproof_action.domain.words import DRIFTS
from tests.conftest import Repository
from tests.runner.emulator import Backend, Runner, Step, outputs_of
from tests.runner.events import Event, History, make_history

SKILL = "---\nname: naming\ndescription: names things\n---\nName things well.\n"
SUITE = {"skill_name": "naming", "evals": [{"id": 1, "prompt": "Name a cat.", "expected_output": "A short name."}]}
FILES: Mapping[str, str | bytes] = {"skills/naming/SKILL.md": SKILL, "skills/naming/evals/evals.json": json.dumps(SUITE)}
CHANGE: Mapping[str, str | bytes] = {"skills/naming/SKILL.md": SKILL + "Short names first.\n"}
STUB: Mapping[str, str] = {"mode": "stub", "max-draws": "2", "pr-comment": "off"}
"""The inputs of a quick run that asks nobody, GitHub included."""


def skill_files(folder: str, name: str) -> dict[str, str | bytes]:
    """A skill of any name in any folder."""
    text = f"---\nname: {json.dumps(name)}\ndescription: d\n---\nText.\n"
    return {f"{folder}/SKILL.md": text, f"{folder}/evals/evals.json": json.dumps(SUITE)}


def new_repository(folder: Path, files: Mapping[str, str | bytes] = FILES) -> Repository:
    folder.mkdir(parents=True)
    repository = Repository(folder)
    repository.git("init", "--quiet", "--initial-branch=main")
    repository.commit(files, "first")
    return repository


def history_of(folder: Path, files: Mapping[str, str | bytes] = FILES) -> tuple[Repository, History]:
    repository = new_repository(folder, files)
    return repository, make_history(repository, CHANGE)


def runner_for(folder: Path, repository: Repository, event: Event, backend: Backend) -> Runner:
    """A fresh runner whose workspace is checked out as `actions/checkout` would for the event."""
    workspace = folder / "work" / "skills" / "skills"
    shutil.copytree(repository.path, workspace, symlinks=True)
    if event.sha:
        Repository(workspace).git("checkout", "--quiet", "--detach", event.checkout or event.sha)
    return Runner(folder / "work", workspace, backend)


def prepared(folder: Path, backend: Backend, files: Mapping[str, str | bytes] = FILES) -> Runner:
    """A runner around a repository with a single commit, for tests that are about something else than events."""
    repository = new_repository(folder / "origin", files)
    return runner_for(folder, repository, Event("push", {}, repository.git("rev-parse", "HEAD")), backend)


def first_push(runner: Runner) -> Event:
    return Event("push", {}, Repository(runner.layout.workspace).git("rev-parse", "HEAD"))


def check_step(step: Step, event: Event, *, token: str) -> None:
    """What holds of every step of a stub run: green, every output there and of its vocabulary, the token nowhere.

    An event whose pull request has to be looked up needs GitHub, which is not here: it may end red, with a reason.
    """
    if event.inputs:
        assert step.code in (0, 2), step.log
        assert step.outputs["exit_code"] == str(step.code)
    else:
        assert (step.code, step.outcome) == (0, "success"), step.log
        assert step.outputs["drift"] in DRIFTS
        assert step.last.startswith("driftproof: this job is green")
        assert step.summary.strip()
    assert set(step.outputs) == set(outputs_of())
    assert step.outputs["verdict"] == "NOT_MEASURED"
    assert token not in "\n".join(step.shown) + step.summary + "".join(step.outputs.values())
    assert (step.variables, step.paths, step.state) == ({}, [], {})
    assert "Traceback" not in step.log
