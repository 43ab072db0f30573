"""The emulated runner against the published behaviour it follows. Not: our action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.runner.emulator import Launch, Layout, RejectedError, Runner, Step, input_variable
from tests.runner.events import Event

DEFINITION = """
name: x
description: d
inputs:
  who to greet: {description: d, default: world}
  skill-dir: {description: d, required: true}
  github-token: {description: d, default: "${{ github.token }}"}
  old: {description: d, deprecationMessage: use new}
outputs: {verdict: {description: d}}
runs: {using: docker, image: Dockerfile, args: ["${{ github.repository }}", ""], env: {FIXED: one, TAKEN: two}}
"""


@dataclass
class Scripted:
    """A backend that says and writes what a test tells it. files: variable that names a file → what is written there."""

    log: bytes = b""
    code: int = 0
    files: Mapping[str, bytes] = field(default_factory=dict)
    translated: bool = False
    seen: Launch | None = None

    def run(self, launch: Launch) -> tuple[int, bytes]:
        self.seen = launch
        for name, content in self.files.items():
            Path(launch.layout.outside(launch.environment[name])).write_bytes(content)
        return self.code, self.log

    @property
    def environment(self) -> Mapping[str, str]:
        assert self.seen
        return self.seen.environment


@pytest.fixture
def play(tmp_path: Path) -> Callable[..., Step]:
    """play(backend or log, **step arguments): one step of an action that only the test knows."""
    definition = tmp_path / "action.yml"
    definition.write_text(DEFINITION)
    workspace = tmp_path / "work" / "r" / "r"
    workspace.mkdir(parents=True)

    def start(backend: Scripted | str, **more: object) -> Step:
        runner = Runner(
            tmp_path / "work", workspace, Scripted(backend.encode()) if isinstance(backend, str) else backend, definition=definition
        )
        return runner.step(Event("push", {"a": 1}, "1" * 40), **more)  # type: ignore[arg-type]

    return start


# ---- in ---------------------------------------------------------------------------------------------------------


def test_inputs_keep_hyphens_and_the_spelling_of_the_workflow(play: Callable[..., Step]) -> None:
    backend = Scripted()
    play(backend, given={"Who To Greet": "me", "skill-dir": "x"}, token="tok")
    assert backend.environment["INPUT_WHO_TO_GREET"] == "me"
    assert backend.environment["INPUT_SKILL-DIR"] == "x"
    assert backend.environment["INPUT_GITHUB-TOKEN"] == "tok"
    assert input_variable("a b-c") == "INPUT_A_B-C"


def test_an_absent_input_is_its_default_or_empty_and_required_is_nobodys_business(play: Callable[..., Step]) -> None:
    backend = Scripted()
    play(backend)
    assert backend.environment["INPUT_WHO_TO_GREET"] == "world"
    assert backend.environment["INPUT_SKILL-DIR"] == ""


def test_the_token_is_in_no_variable_of_its_own(play: Callable[..., Step]) -> None:
    backend = Scripted()
    play(backend, token="tok")
    assert [name for name, value in backend.environment.items() if value == "tok"] == ["INPUT_GITHUB-TOKEN"]


def test_variables_of_the_step_go_before_those_of_the_action(play: Callable[..., Step]) -> None:
    backend = Scripted()
    play(backend, environment={"TAKEN": "mine", "CI": "false"})
    assert (backend.environment["FIXED"], backend.environment["TAKEN"], backend.environment["CI"]) == ("one", "mine", "false")
    assert backend.seen
    assert backend.seen.arguments == ("owner/skills", "")


def test_paths_are_translated_at_the_start_of_a_value_only(tmp_path: Path, play: Callable[..., Step]) -> None:
    backend = Scripted(translated=True)
    workspace = tmp_path / "work" / "r" / "r"
    values = {"A": f"{workspace}/x", "B": f"see {workspace}/x", "C": f"{workspace}2/x", "D": str(tmp_path / "work" / "other")}
    play(backend, given={"skill-dir": str(workspace)}, environment=values)
    found = backend.environment
    assert (found["INPUT_SKILL-DIR"], found["A"]) == ("/github/workspace", "/github/workspace/x")
    assert (found["B"], found["C"], found["D"]) == (f"see {workspace}/x", "/__w/r/r2/x", "/__w/other")
    assert found["HOME"] == "/github/home"
    assert found["RUNNER_TEMP"] == "/github/runner_temp"
    assert found["GITHUB_EVENT_PATH"] == "/github/workflow/event.json"
    assert found["GITHUB_OUTPUT"].startswith("/github/file_commands/set_output_")


def test_files_below_the_temporary_folder_have_the_closer_name(tmp_path: Path) -> None:
    layout = Layout(tmp_path, tmp_path / "r" / "r")
    assert layout.inside(str(layout.home / "x")) == "/github/home/x"
    assert layout.inside(str(layout.temp / "x")) == "/github/runner_temp/x"
    assert layout.outside("/github/workspace/a") == f"{tmp_path}/r/r/a"


# ---- out --------------------------------------------------------------------------------------------------------

OUT = "GITHUB_OUTPUT"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"verdict=a=b<<c\n", "a=b<<c"),
        (b"\n\nverdict=x\n", "x"),
        (b"verdict<<E=F\none\n\ntwo\r\nE=F\n", None),
        (b"verdict<<EOF\none\ntwo\r\nEOF\n", "one\ntwo\r"),
        (b"verdict<<EOF\nEOF\n", ""),
        (b"verdict<<EOF\n EOF\nEOF", " EOF"),
        (b"verdict=last", "last"),
    ],
)
def test_what_a_file_command_says(play: Callable[..., Step], content: bytes, expected: str | None) -> None:
    value = "one\n\ntwo\r" if expected is None else expected
    assert play(Scripted(files={OUT: content})).outputs == {"verdict": value}


@pytest.mark.parametrize(
    "content", [b"verdict\n", b"verdict<<EOF\none\n", b"<<EOF\nEOF\n", b"verdict<<\n\n", b"verdict<<EOF\none\nEOF2", b"\xff\n"]
)
def test_a_broken_file_command_fails_the_step(play: Callable[..., Step], content: bytes) -> None:
    with pytest.raises(RejectedError, match="Unable to process file command 'set_output' successfully"):
        play(Scripted(files={OUT: content}))
    assert play(Scripted(files={OUT: content}), allowed=("Unable",)).outcome == "failure"


def test_an_undeclared_output_is_lost(play: Callable[..., Step]) -> None:
    with pytest.raises(RejectedError, match="nobody can read: vredict"):
        play(Scripted(files={OUT: b"vredict=x\n"}))


def test_a_variable_that_would_take_over_later_steps_is_blocked(play: Callable[..., Step]) -> None:
    with pytest.raises(RejectedError, match="NODE_OPTIONS"):
        play(Scripted(files={"GITHUB_ENV": b"NODE_OPTIONS=--require x\n"}))


def test_a_summary_too_large_is_not_uploaded(play: Callable[..., Step]) -> None:
    whole = b"x" * (1024 * 1024)
    assert len(play(Scripted(files={"GITHUB_STEP_SUMMARY": whole})).summary) == len(whole)
    with pytest.raises(RejectedError, match="1024k"):
        play(Scripted(files={"GITHUB_STEP_SUMMARY": whole + b"x"}))


@pytest.mark.parametrize(
    ("log", "complaint"),
    [
        ("::set-env name=A::b\n", "set-env` command is disabled"),
        ("x ##[add-path]/evil\n", "add-path` command is disabled"),
        ("::set-output name=verdict::x\n", "deprecated"),
        ("::save-state name=a::x\n", "deprecated"),
        ("::add-mask::  \n", "empty string"),
        ("::stop-commands::\n", "Invalid stop-commands"),
        ("::stop-commands::error\n", "Invalid stop-commands"),
        ("::echo::maybe\n", "Invalid echo"),
        ("::add-matcher::x.json\n", "no business"),
        ("::error line=x::m\n", "is no number"),
        ("::error line=5,endLine=4::m\n", "ends before it starts"),
        ("::warning::w\n" * 11, "nobody sees the rest"),
    ],
)
def test_a_log_the_runner_would_complain_of(play: Callable[..., Step], log: str, complaint: str) -> None:
    with pytest.raises(RejectedError, match=complaint):
        play(log)


def test_unknown_and_deprecated_inputs_are_told(play: Callable[..., Step]) -> None:
    with pytest.raises(RejectedError, match=r"Unexpected input\(s\) 'skil-dir'"):
        play("", given={"skil-dir": "x"})
    with pytest.raises(RejectedError, match="use new"):
        play("", given={"old": "x"})
    play("", given={"entryPoint": "/x", "args": "y"})


def test_the_exit_code_and_nothing_else_decides(play: Callable[..., Step]) -> None:
    assert play("::error::e\n").outcome == "success"
    for code in (1, 2, 4, 78, 143):
        assert play(Scripted(code=code)).outcome == "failure"


def test_masks_hold_for_what_comes_after_them(play: Callable[..., Step]) -> None:
    step = play("key-1 before\n::add-mask::key-1%0Aline-2\nkey-1 line-2\n::notice title=key-1::line-2 x\n")
    assert step.shown == ["key-1 before", "*** ***", "##[notice]*** x"]
    assert (step.annotations[0].title, step.annotations[0].message) == ("***", "*** x")


def test_commands_stop_and_go_on(play: Callable[..., Step]) -> None:
    step = play("::stop-commands::t0ken\n::error::a\n##[error]b\n::t0ken::\n::error::c\n")
    assert [one.message for one in step.annotations] == ["c"]
    assert step.shown[:2] == ["::error::a", "##[error]b"]


def test_what_is_no_command_is_text(play: Callable[..., Step]) -> None:
    log = ":: error::x\n::unknown::x\nx ::error::x\n##[unknown]x\nx\u2028::error::x\u2028\n"
    step = play(log)
    assert step.annotations == []
    assert len(step.shown) == 5


def test_annotations_find_their_file(tmp_path: Path, play: Callable[..., Step]) -> None:
    backend = Scripted(b"::error file=/github/workspace/a/b.md,line=3,endLine=4,title=t%3A%2C%25::m%0An\n", translated=True)
    (found,) = play(backend).annotations
    assert (found.file, found.line, found.end_line, found.title, found.message) == ("a/b.md", 3, 4, "t:,%", "m\nn")


def test_an_action_that_is_no_container_or_computes_its_defaults_is_refused(tmp_path: Path) -> None:
    definition = tmp_path / "action.yml"
    definition.write_text("runs: {using: node20, main: x.js}\n")
    with pytest.raises(RejectedError, match="node20"):
        Runner(tmp_path / "w", tmp_path, Scripted(), definition=definition)
    definition.write_text('inputs: {a: {default: "${{ secrets.X }}"}}\nruns: {using: docker, image: Dockerfile}\n')
    with pytest.raises(RejectedError, match="secrets"):
        Runner(tmp_path / "w", tmp_path, Scripted(), definition=definition).step(Event("push", {}))
