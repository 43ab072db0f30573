"""Every event through the emulated runner, the action in stub mode. Not: what an event means (tests/unit/github)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import Repository
from tests.github.described import EVENTS as PUBLISHED
from tests.github.described import absent, described
from tests.github.fake_server import FakeGitHub, Scripted, fake_github
from tests.runner.backends import InProcess, Process
from tests.runner.events import EVENTS, NAMES, REFUSED, Event, History
from tests.runner.jobs import FILES, STUB, check_step, first_push, history_of, prepared, runner_for, skill_files

TOKEN = "ghs_tokenOfTheJob0123456789"
OURS = ("pull_request", "push", "merge_group", "workflow_dispatch", "release")
COMPARED_WITH_PUSHED = ("schedule", "workflow_dispatch", "release")


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repository, History]:
    return history_of(tmp_path_factory.mktemp("origin") / "repository")


@pytest.mark.parametrize("name", NAMES)
def test_every_event_ends_green_in_stub_mode(tmp_path: Path, origin: tuple[Repository, History], name: str) -> None:
    repository, history = origin
    event = EVENTS[name](history)
    runner = runner_for(tmp_path, repository, event, InProcess())
    step = runner.step(event, given=STUB, token=TOKEN)
    check_step(step, event, token=TOKEN)
    if step.code == 0:
        expected = history.pushed if event.name in COMPARED_WITH_PUSHED else history.base
        assert f"driftproof: base: {expected[:12]}" in step.log
        receipt = json.loads((runner.layout.workspace / step.outputs["receipt"]).read_bytes())
        assert receipt["receipt_hash"] == json.loads(step.outputs["results"])[0]["receipt_hash"]


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_an_event_that_hands_out_secrets_is_refused(tmp_path: Path, origin: tuple[Repository, History], name: str) -> None:
    repository, history = origin
    event = REFUSED[name](history)
    step = runner_for(tmp_path, repository, event, InProcess()).step(event, given=STUB, token=TOKEN)
    assert (step.code, step.outcome) == (2, "failure")
    assert [one.level for one in step.annotations] == ["error"]
    assert TOKEN not in "\n".join(step.shown)


def test_the_entrypoint_does_the_same_as_the_door(tmp_path: Path, origin: tuple[Repository, History]) -> None:
    repository, history = origin
    event = EVENTS["pull_request opened"](history)
    check_step(runner_for(tmp_path, repository, event, Process()).step(event, given=STUB, token=TOKEN), event, token=TOKEN)


def test_published_examples_of_events(tmp_path: Path, origin: tuple[Repository, History], examples: object) -> None:
    """Payloads as GitHub publishes them: large, old and new, with fields of every kind."""
    assert isinstance(examples, list)
    repository, history = origin
    seen = 0
    runner = runner_for(tmp_path, repository, Event("push", {}, history.pushed), InProcess())
    for group in examples:
        if group["name"] not in OURS:
            continue
        for payload in group["examples"]:
            event = Event(group["name"], payload, history.pushed, actor=payload.get("sender", {}).get("login", ""))
            step = runner.step(event, given=STUB, token=TOKEN)
            assert step.code in ((0, 2) if payload.get("inputs") else (0,)), (group["name"], step.log)
            seen += 1
    assert seen >= 40


@pytest.fixture
def examples() -> object:
    """GitHub's own example payloads."""
    if not PUBLISHED.is_file():
        absent(PUBLISHED)
    return json.loads(PUBLISHED.read_text(encoding="utf-8"))


# ---- with a GitHub behind it ------------------------------------------------------------------------------------

COMMENTED = (
    "pull_request opened",
    "pull_request draft",
    "pull_request fork",
    "pull_request dependabot",
    "workflow_dispatch with pr and sha",
)
NOT_COMMENTED = ("push", "merge_group", "schedule", "workflow_dispatch", "release")


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with fake_github(described()) as github:
        yield github


@pytest.mark.parametrize("name", COMMENTED + NOT_COMMENTED)
def test_the_comment_of_an_event(tmp_path: Path, origin: tuple[Repository, History], github: FakeGitHub, name: str) -> None:
    """The token and the address come by the runner's way: an input's default and a variable."""
    repository, history = origin
    github.pull(7, head=history.head, base=history.base)
    event = EVENTS[name](history)
    event = replace(event, checkout=event.inputs.get("sha", ""))
    runner = runner_for(tmp_path, repository, event, InProcess())
    step = runner.step(event, given={**STUB, "pr-comment": "always"}, token=TOKEN, api_url=github.url)
    assert (step.code, step.outcome) == (0, "success"), step.log
    check_step(step, event, token=TOKEN)
    assert len(github.comments) == (1 if name in COMMENTED else 0)
    assert bool(step.outputs["comment_url"]) == (name in COMMENTED)
    assert {request.token for request in github.requests} <= {TOKEN}
    if name in COMMENTED:
        assert f"driftproof: base: {history.base[:12]}" in step.log


@pytest.mark.parametrize("status", [401, 403, 404, 422, 500])
def test_a_github_that_says_no_is_no_reason_to_end_red(
    tmp_path: Path, origin: tuple[Repository, History], github: FakeGitHub, status: int
) -> None:
    repository, history = origin
    github.script = lambda _: Scripted(status)
    event = EVENTS["pull_request opened"](history)
    runner = runner_for(tmp_path, repository, event, InProcess())
    step = runner.step(event, given={**STUB, "pr-comment": "always"}, token=TOKEN, api_url=github.url)
    check_step(step, event, token=TOKEN)
    assert github.requests
    assert [one.level for one in step.annotations] == ["notice"]


# ---- hostile ----------------------------------------------------------------------------------------------------

FOLDERS = (
    "skills/$(touch x)",
    "skills/`touch x`",
    "skills/a'; touch x; '",
    'skills/a"; touch x; "',
    "skills/b; touch x; #",
    "skills/c|touch x&",
)


@pytest.mark.parametrize("folder", FOLDERS)
def test_an_output_pasted_into_a_script_stays_text(tmp_path: Path, folder: str) -> None:
    """What `run: echo "${{ steps.x.outputs.y }}"` becomes: the value is pasted before any shell sees it."""
    runner = prepared(tmp_path, InProcess(), FILES | skill_files(folder, f"[/red] {folder[7:]}"))
    step = runner.step(first_push(runner), given=STUB | {"skill-dir": folder})
    assert step.outcome == "success"
    assert json.loads(step.outputs["results"])[0]["path"] == folder
    place = tmp_path / "shell"
    place.mkdir()
    assert _pasted(f"{folder[7:]}", place) or "`" not in folder, "the naive way must be hurt"
    for name, value in step.outputs.items():
        assert not _pasted(value, place), name


def _pasted(text: str, place: Path) -> bool:
    """Whether anything but `echo` happened."""
    subprocess.run(["bash", "-c", f'echo "{text}"\n'], cwd=place, capture_output=True, check=False)
    happened = bool(list(place.iterdir()))
    for path in place.iterdir():
        path.unlink()
    return happened


def test_hostile_names_reach_the_log_as_text(tmp_path: Path) -> None:
    name = "[/red] ##[error]boom ::set-output name=verdict::PASSED"
    runner = prepared(
        tmp_path, InProcess(), skill_files("skills/$(touch x)", name) | skill_files("skills/::error::y", "::add-mask::driftproof")
    )
    step = runner.step(first_push(runner), given=STUB)
    assert step.outcome == "success"
    assert not {"error", "set-output", "add-mask"} & {command.name for command in step.commands}
    assert "error" not in {one.level for one in step.annotations}
    assert step.outputs["verdict"] == "NOT_MEASURED"
    assert "##[" not in step.log
    assert "driftproof" in step.shown[0]


def test_what_a_repository_cannot_do_to_the_runner(tmp_path: Path) -> None:
    """Files named like the runner's own, below the workspace, are nobody's files."""
    runner = prepared(tmp_path, InProcess(), FILES | {"github/file_commands/set_output_x": "verdict=PASSED\n", "event.json": "{"})
    event = first_push(runner)
    check_step(runner.step(event, given=STUB, token=TOKEN), event, token=TOKEN)
