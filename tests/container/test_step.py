"""The image as a job runs it: what comes out, with which code, and what stays behind. Not: what is in it (test_image.py)."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Repository
from tests.container.image import Image, tool
from tests.container.network import Namespace
from tests.container.owners import OWNER, hand_to, owners
from tests.runner.backends import Bubblewrap, Podman
from tests.runner.emulator import Backend, Launch, outputs_of
from tests.runner.events import EVENTS, NAMES, Event, History
from tests.runner.jobs import FILES, STUB, SUITE, check_step, first_push, history_of, new_repository, prepared, runner_for, skill_files

STORED = ".driftproof/receipts/naming__claude-haiku-4-5.json"
KEY = "sk-ant-canary-0123456789"
TOKEN = "ghs_tokenOfTheJob0123456789"
BACKENDS: Mapping[str, Callable[..., Backend]] = {"podman": Podman, "bubblewrap": Bubblewrap}


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, image: Image) -> Backend:
    return BACKENDS[request.param](image)


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repository, History]:
    return history_of(tmp_path_factory.mktemp("origin") / "repository")


def test_a_stub_run(tmp_path: Path, backend: Backend) -> None:
    runner = prepared(tmp_path, backend)
    step = runner.step(first_push(runner), given=STUB, token=TOKEN)
    assert (step.code, step.outcome) == (0, "success"), step.log
    assert set(step.outputs) == set(outputs_of())
    assert step.outputs["drift"] == "FIRST_RECEIPT"
    assert step.summary.strip()
    assert step.last.startswith("driftproof: this job is green")
    receipt = json.loads((runner.layout.workspace / step.outputs["receipt"]).read_bytes())
    assert receipt["receipt_hash"] == json.loads(step.outputs["results"])[0]["receipt_hash"]
    assert TOKEN not in "\n".join(step.shown) + step.summary
    assert list(runner.layout.temp.glob("driftproof-*")) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_event(tmp_path: Path, image: Image, origin: tuple[Repository, History], name: str) -> None:
    repository, history = origin
    event = EVENTS[name](history)
    step = runner_for(tmp_path, repository, event, Bubblewrap(image)).step(event, given=STUB, token=TOKEN)
    check_step(step, event, token=TOKEN)


# ---- exit codes -------------------------------------------------------------------------------------------------


def test_a_setting_that_cannot_be_used_ends_with_2(tmp_path: Path, backend: Backend) -> None:
    runner = prepared(tmp_path, backend)
    step = runner.step(first_push(runner), given=STUB | {"max-usd": "a lot"})
    assert (step.code, step.outcome, step.outputs["exit_code"]) == (2, "failure", "2")


def test_a_limit_ends_with_3(tmp_path: Path, backend: Backend) -> None:
    runner = prepared(tmp_path, backend)
    step = runner.step(first_push(runner), given=STUB | {"max-calls": "3"})
    assert (step.code, step.outputs["exit_code"]) == (3, "3")


def test_a_tampered_receipt_ends_with_4(tmp_path: Path, image: Image, backend: Backend) -> None:
    repository = new_repository(tmp_path / "origin")
    first = runner_for(tmp_path / "first", repository, event_of(repository), Bubblewrap(image))
    sealed = first.layout.workspace / first.step(event_of(repository), given=STUB).outputs["receipt"]
    repository.commit({STORED: sealed.read_bytes().replace(b'"stub"', b'"api"', 1)})
    event = event_of(repository)
    step = runner_for(tmp_path / "second", repository, event, backend).step(event, given=STUB | {"store": "tree"})
    assert (step.code, step.outputs["drift"], step.outputs["exit_code"]) == (4, "REFUSED", "4")


def event_of(repository: Repository) -> Event:
    return Event("schedule", {"schedule": "0 5 * * 1"}, repository.git("rev-parse", "HEAD"))


@pytest.mark.parametrize(("qualities", "verdict", "code"), [(("0.9", "0.4"), "PASSED", 0), (("0.3", "0.9"), "REGRESSED", 1)])
def test_a_measured_run(tmp_path: Path, image: Image, namespace: Namespace, qualities: tuple[str, str], verdict: str, code: int) -> None:
    """Live, against a scripted model server on a network that leads nowhere; HOME holds a `.netrc` for that very server."""
    server = namespace.serve("model", *qualities)
    runner = prepared(tmp_path, Podman(image, network=namespace.path), MANY)
    (runner.layout.home / ".netrc").write_text("default login planted password canary-netrc\n")
    given = {"mode": "live", "api-key": KEY, "anthropic-base-url": server.url, "max-draws": "5", "min-draws": "5"}
    planted = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_CUSTOM_HEADERS": "x-planted: yes", "ANTHROPIC_API_KEY": "sk-planted"}
    step = runner.step(first_push(runner), given=given, environment=planted, token=TOKEN)
    seen = server.stop()
    assert (step.code, step.outputs["verdict"]) == (code, verdict), step.log
    assert step.outputs["exit_code"] == str(code)
    assert step.outcome == ("success" if code == 0 else "failure")
    assert int(step.outputs["calls"]) == len(seen) > 0
    for headers in (call["headers"] for call in seen):
        told = [headers[name] for name in ("x-api-key", "authorization") if name in headers]
        assert [text.removeprefix("Bearer ") for text in told] == [KEY], "the key of the input, and nothing that was planted"
        assert "x-planted" not in headers
    kept = "\n".join(path.read_text(errors="replace") for path in runner.layout.workspace.rglob("driftproof-out/**/*") if path.is_file())
    assert KEY not in "\n".join(step.shown) + step.summary + kept


MANY: Mapping[str, str | bytes] = FILES | {
    "skills/naming/evals/evals.json": json.dumps(
        SUITE | {"evals": [{"id": n, "prompt": f"case:{n} Name it.", "expected_output": "A short name."} for n in range(1, 4)]}
    )
}


def test_a_job_that_is_cancelled_ends_with_143_and_leaves_nothing_of_the_key(tmp_path: Path, image: Image, namespace: Namespace) -> None:
    """The runner passes a cancel on as a signal to the container."""
    cases = [{"id": n, "prompt": f"case:{n} Name it.", "expected_output": "A short name."} for n in range(1, 200)]
    server = namespace.serve("model", "0.9", "0.4")
    files = FILES | {"skills/naming/evals/evals.json": json.dumps(SUITE | {"evals": cases})}
    runner = prepared(tmp_path, Cancelled(image, network=namespace.path), files)
    os.chown(runner.layout.temp, *OWNER)
    given = {"mode": "live", "api-key": KEY, "anthropic-base-url": server.url, "max-draws": "10", "concurrency": "1", "max-calls": "20000"}
    step = runner.step(first_push(runner), given=given)
    assert step.code == 143, step.log
    assert step.last == "driftproof: this job is red because it was asked to stop"
    for place in (runner.layout.workspace, runner.layout.temp):
        for path in place.rglob("*"):
            assert not (path.is_file() and KEY.encode() in path.read_bytes()), path
    (kept,) = runner.layout.temp.glob("driftproof-*")
    assert set(owners(kept).values()) | {(kept.stat().st_uid, kept.stat().st_gid)} == {OWNER}, "the runner can clear it away"
    listed = tool("podman", "ps", "--all", "--quiet", "--filter", "label=driftproof=test", "--filter", f"volume={runner.layout.workspace}")
    assert listed.split() == []


class Cancelled(Podman):
    """Sends SIGTERM to the client, which passes it on, as soon as the journal holds some answers."""

    SCRIPT = """
        temp=$1; shift
        "$@" & job=$!
        for _ in $(seq 600); do
          [ -n "$(find "$temp" -name journal.jsonl -size +8k 2>/dev/null)" ] && break
          sleep 0.05
        done
        kill -TERM $job; wait $job"""

    def command(self, launch: Launch) -> tuple[list[str], dict[str, str]]:
        words, environment = super().command(launch)
        return ["bash", "-c", self.SCRIPT, "cancel", str(launch.layout.temp), *words], environment


# ---- what stays behind ------------------------------------------------------------------------------------------


def test_what_is_left_behind_belongs_to_the_owner_of_the_workspace(tmp_path: Path, backend: Backend) -> None:
    """And nothing that was there before changes hands: not even what root put there, nor what a link points at."""
    runner = prepared(tmp_path, backend)
    workspace = runner.layout.workspace
    event = first_push(runner)
    (workspace / "driftproof-out").mkdir()
    (workspace / "outside-link").symlink_to(runner.layout.home)
    hand_to(workspace, OWNER)
    for name in ("NOTES-of-root.md", "driftproof-out/of-root.txt"):
        (workspace / name).write_text("root's own\n")
    before = owners(runner.layout.work)
    step = runner.step(event, given=STUB)
    assert step.outcome == "success"
    after = owners(runner.layout.work)
    new = {name: owner for name, owner in after.items() if name not in before and "_runner_file_commands" not in name}
    inside = f"{workspace.relative_to(runner.layout.work)}/driftproof-out/"
    assert {name for name in new if not name.startswith(inside)} == {"_temp/_github_workflow/event.json"}
    assert len(new) > 8
    assert {owner for name, owner in new.items() if name.startswith(inside)} == {OWNER}
    assert {name: after[name] for name in before} == dict(before)


def test_a_workspace_of_root_is_left_to_root(tmp_path: Path, image: Image) -> None:
    runner = prepared(tmp_path, Bubblewrap(image))
    assert runner.step(first_push(runner), given=STUB).outcome == "success"
    assert set(owners(runner.layout.workspace / "driftproof-out").values()) == {(0, 0)}


def test_a_workspace_that_cannot_be_written_is_said_before_anything_is_asked(tmp_path: Path, image: Image, namespace: Namespace) -> None:
    server = namespace.serve("model", "0.9", "0.4")
    runner = prepared(tmp_path, Podman(image, network=namespace.path, read_only=True))
    given = {"mode": "live", "api-key": KEY, "anthropic-base-url": server.url}
    before = owners(runner.layout.workspace)
    step = runner.step(first_push(runner), given=given)
    assert (step.code, step.outputs["exit_code"]) == (2, "2")
    assert "driftproof-out" in step.last
    assert "Traceback" not in step.log
    assert step.summary.strip()
    assert owners(runner.layout.workspace) == before
    assert server.stop() == [], "what cannot be kept must not be paid for"


# ---- no network -------------------------------------------------------------------------------------------------


def test_there_is_no_network_and_a_stub_run_needs_none(tmp_path: Path, image: Image) -> None:
    """The runs above say `--network none`: this shows that it holds."""
    probe = "import socket, sys\ntry: socket.create_connection(('198.51.100.1', 443), 2)\nexcept OSError as e: print(e); sys.exit(9)\n"
    for backend in (Podman, Bubblewrap):
        folder = tmp_path / backend.__name__
        runner = prepared(folder, backend(image, entrypoint=(image.entrypoint[0], "-c", probe)))
        step = runner.step(first_push(runner))
        assert (step.code, "unreachable" in step.log) == (9, True), step.log


def test_a_base_that_cannot_be_fetched_is_a_notice(tmp_path: Path, image: Image, origin: tuple[Repository, History]) -> None:
    repository, history = origin
    event = EVENTS["pull_request opened"](history)
    runner = runner_for(tmp_path, repository, event, Podman(image))
    shallow = tmp_path / "shallow"
    Repository(tmp_path).git("clone", "--quiet", "--depth=1", "--branch=topic", f"file://{repository.path}", str(shallow))
    subprocess.run(["rm", "-rf", str(runner.layout.workspace)], check=True)
    shallow.rename(runner.layout.workspace)
    start = time.monotonic()
    step = runner.step(event, given=STUB)
    assert (step.code, step.outputs["drift"]) == (0, "BASE_UNAVAILABLE")
    assert any("fetch-depth: 0" in one.message for one in step.annotations)
    assert time.monotonic() - start < 30


# ---- hostile ----------------------------------------------------------------------------------------------------


def test_hostile_names_do_no_harm(tmp_path: Path, backend: Backend) -> None:
    files = skill_files("skills/$(touch x)", "[/red] ##[error]boom") | skill_files("skills/::set-output name=verdict::PASSED", "::error::y")
    runner = prepared(tmp_path, backend, files)
    step = runner.step(first_push(runner), given=STUB)
    assert step.outcome == "success"
    assert not {"error", "set-output", "add-mask"} & {command.name for command in step.commands}
    assert step.outputs["verdict"] == "NOT_MEASURED"
    place = tmp_path / "shell"
    place.mkdir()
    for value in step.outputs.values():
        subprocess.run(["bash", "-c", f'echo "{value}"\n'], cwd=place, capture_output=True, check=False)
    assert list(place.iterdir()) == []
