"""The Action's door from variables to exit code, files and outputs, in real repositories. Not: the container around it."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from driftproof_action import action
from driftproof_action.domain.words import DRIFTS, VERDICTS
from driftproof_action.errors import BudgetError, DriftproofError, InputError, NotComparableError, ReceiptError
from driftproof_action.reports.outputs import OUTPUTS
from tests.conftest import ROOT, Repository
from tests.hostile.repositories import bury_a_repository
from tests.runner_rules import Command, read_file_command, read_log

Make = Callable[..., Repository]
SKILL = "---\nname: naming\ndescription: names things\n---\nName things well.\n"
SUITE = {"skill_name": "naming", "evals": [{"id": 1, "prompt": "Name a cat.", "expected_output": "A short name."}]}
FILES = {"skills/naming/SKILL.md": SKILL, "skills/naming/evals/evals.json": json.dumps(SUITE)}
STORED = ".driftproof/receipts/naming__claude-haiku-4-5.json"
SECRET = "sk-canary-4711"


@dataclass
class Job:
    """What one run left behind."""

    code: int
    log: str
    output_file: bytes
    summary: str
    workspace: Path
    commands: list[Command] = field(default_factory=list)

    @property
    def outputs(self) -> dict[str, str]:
        return read_file_command(self.output_file)

    @property
    def last(self) -> str:
        return self.log.splitlines()[-1]

    def kept(self, name: str) -> bytes:
        return (self.workspace / "driftproof-out" / name).read_bytes()


def runner_environ(repository: Repository, temp: Path, name: str, event: Any, **inputs: str) -> dict[str, str]:
    """A runner's variables, its files fresh."""
    temp.mkdir(exist_ok=True, parents=True)
    for file in ("output", "summary"):
        (temp / file).write_bytes(b"")
    (temp / "event.json").write_text(json.dumps(event))
    environ = {
        "PATH": os.environ["PATH"],
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(temp / "event.json"),
        "GITHUB_OUTPUT": str(temp / "output"),
        "GITHUB_STEP_SUMMARY": str(temp / "summary"),
        "GITHUB_WORKSPACE": str(repository.path),
        "GITHUB_REPOSITORY": "owner/skills",
        "GITHUB_SERVER_URL": "https://github.example",
        "GITHUB_RUN_ID": "42",
        "RUNNER_TEMP": str(temp),
        "INPUT_MODE": "stub",
        "INPUT_MAX-DRAWS": "2",
    }
    if repository.commits:
        environ["GITHUB_SHA"] = repository.git("rev-parse", "HEAD")
    return environ | {f"INPUT_{key.replace('_', '-').upper()}": value for key, value in inputs.items()}


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Job]:
    """run(repository, name="push", event={}, **inputs): one job; `environ` adds variables."""

    def start(
        repository: Repository, name: str = "push", event: Any = None, *, environ: Mapping[str, str] | None = None, **inputs: str
    ) -> Job:
        temp = tmp_path / "runner"
        given = runner_environ(repository, temp, name, event or {}, **inputs) | dict(environ or {})
        log = io.StringIO()
        code = action.main(given, stdout=log)
        text = log.getvalue()
        job = Job(code, text, (temp / "output").read_bytes(), (temp / "summary").read_text(), repository.path, read_log(text))
        leftovers = [path.name for path in temp.iterdir() if path.name.startswith("driftproof-")]
        assert leftovers == [], "journals and other private folders are removed again"
        return job

    return start


def pull_event(base: str, head: str) -> Any:
    repo = {"full_name": "owner/skills"}
    return {"pull_request": {"number": 7, "base": {"sha": base, "repo": repo}, "head": {"sha": head, "repo": repo}}}


# ---- the ordinary ways ------------------------------------------------------------------------------------------


def test_a_first_push(make_repository: Make, run: Callable[..., Job]) -> None:
    job = run(make_repository(files=FILES))
    assert job.code == 0
    assert job.last.startswith("driftproof: this job is green")
    assert job.commands == []
    assert set(job.outputs) == {output.name for output in OUTPUTS}
    assert (job.outputs["verdict"], job.outputs["drift"], job.outputs["exit_code"]) == ("NOT_MEASURED", "FIRST_RECEIPT", "0")
    receipt = job.workspace / job.outputs["receipt"]
    assert json.loads(receipt.read_bytes())["receipt_hash"] == json.loads(job.outputs["results"])[0]["receipt_hash"]
    assert json.loads(job.kept("result.json"))["exit_code"] == 0
    assert job.kept("comment.md").startswith(b"<!-- driftproof v1 key=")
    assert (job.workspace / job.outputs["badge"]).with_suffix(".svg").is_file()
    assert "naming" in job.summary
    assert "https://github.example/owner/skills/actions/runs/42" in job.kept("comment.md").decode() + job.summary


def test_what_a_run_leaves_is_hidden_from_git(make_repository: Make, run: Callable[..., Job]) -> None:
    repository = make_repository(files=FILES)
    run(repository)
    assert repository.git("status", "--porcelain") == ""


def test_a_pull_request_is_compared_with_the_base_and_never_with_its_own_copy(make_repository: Make, run: Callable[..., Job]) -> None:
    repository = make_repository(files=FILES)
    first = run(repository)
    base = repository.commit({STORED: (repository.path / first.outputs["receipt"]).read_bytes()})
    repository.git("checkout", "--quiet", "-b", "topic")
    head = repository.commit({STORED: "not even a receipt", "skills/naming/SKILL.md": SKILL + "More.\n"})
    job = run(repository, "pull_request", pull_event(base, head))
    assert (job.code, job.outputs["drift"]) == (4, "NOT_MEASURED")
    (warning,) = [command for command in job.commands if command.name == "warning"]
    assert STORED in warning.data
    (error,) = [command for command in job.commands if command.name == "error"]
    assert error.properties["file"] == STORED
    assert "not believed" in job.last
    assert f"base: {base[:12]}" in job.log
    assert run(repository, "pull_request", pull_event(base, head), fail_on="regression").code == 0


def test_a_tampered_base_is_refused(make_repository: Make, run: Callable[..., Job]) -> None:
    repository = make_repository(files=FILES)
    sealed = (repository.path / run(repository).outputs["receipt"]).read_bytes()
    base = repository.commit({STORED: sealed.replace(b'"stub"', b'"api"', 1)})
    head = repository.commit({"skills/naming/SKILL.md": SKILL + "More.\n"})
    job = run(repository, "pull_request", pull_event(base, head))
    assert (job.code, job.outputs["drift"]) == (4, "REFUSED")
    assert job.last.startswith("driftproof: this job is red because")
    assert run(repository, "pull_request", pull_event(base, head), fail_on="regression").code == 0


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (b'"method": "x", "method": "lift"', "the key 'method' twice"),
        (b'"method": "lift", "mean": NaN', "NaN"),
        (b'"method": "lift", "sd": Infinity', "Infinity"),
    ],
)
def test_a_base_that_is_no_strict_json_is_refused_with_its_place(
    make_repository: Make, run: Callable[..., Job], odd: bytes, why: str
) -> None:
    repository = make_repository(files=FILES)
    sealed = (repository.path / run(repository).outputs["receipt"]).read_bytes()
    base = repository.commit({STORED: sealed.replace(b'"method": "lift"', odd, 1)})
    assert odd in (repository.path / STORED).read_bytes()
    head = repository.commit({"skills/naming/SKILL.md": SKILL + "More.\n"})
    job = run(repository, "pull_request", pull_event(base, head))
    assert (job.code, job.outputs["drift"]) == (4, "REFUSED")
    assert f"{STORED}:3:` holds {why}" in job.summary


def test_the_commit_that_is_named_is_the_one_people_know(make_repository: Make, run: Callable[..., Job]) -> None:
    """Of a pull request its own last commit, whatever merge of it is checked out; else what is really there."""
    repository = make_repository(files=FILES)
    base = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "--quiet", "-b", "topic")
    head = repository.commit({"skills/naming/SKILL.md": SKILL + "More.\n"})
    repository.git("checkout", "--quiet", "--detach", base)
    repository.git("merge", "--quiet", "--no-ff", "-m", "merge", head)
    merged = repository.git("rev-parse", "HEAD")
    job = run(repository, "pull_request", pull_event(base, head), environ={"GITHUB_SHA": merged})
    assert f"commit `{head[:12]}`" in job.kept("comment.md").decode()
    assert "this run is for" not in job.log
    job = run(repository, "push", {}, environ={"GITHUB_SHA": head})
    assert f"commit `{merged[:12]}`" in job.kept("comment.md").decode()
    assert f"the commit checked out is {merged[:12]}, not the {head[:12]} this run is for" in job.log


def test_a_removed_receipt_is_not_a_first_one(make_repository: Make, run: Callable[..., Job]) -> None:
    repository = make_repository(files=FILES | {STORED: "{}"})
    (repository.path / STORED).unlink()
    base = repository.commit()
    head = repository.commit({"skills/naming/SKILL.md": SKILL + "More.\n"})
    job = run(repository, "pull_request", pull_event(base, head))
    assert job.outputs["drift"] == "RECEIPT_REMOVED"
    assert base[:12] in job.kept("result.json").decode()


def test_a_missing_base_is_said(make_repository: Make, run: Callable[..., Job]) -> None:
    repository = make_repository(files=FILES)
    environ = {"GITHUB_SERVER_URL": "ftp://nowhere"}
    job = run(repository, "pull_request", pull_event("1" * 40, "2" * 40), environ=environ)
    assert (job.code, job.outputs["drift"]) == (0, "BASE_UNAVAILABLE")
    assert [command.name for command in job.commands] == ["warning"]
    assert "fetch-depth: 0" in job.commands[0].data


def test_a_schedule_without_an_event_file(make_repository: Make, run: Callable[..., Job]) -> None:
    repository = make_repository(files=FILES)
    sealed = (repository.path / run(repository).outputs["receipt"]).read_bytes()
    repository.commit({STORED: sealed})
    job = run(repository, "schedule", environ={"GITHUB_EVENT_PATH": ""})
    assert (job.code, job.outputs["drift"]) == (0, "NOT_MEASURED")


def test_paths_of_the_workspace_may_be_absolute(make_repository: Make, run: Callable[..., Job]) -> None:
    repository = make_repository(files=FILES)
    job = run(repository, skill_dir=f"{repository.path}/skills/naming")
    assert (job.code, json.loads(job.outputs["results"])[0]["path"]) == (0, "skills/naming")


def test_a_workspace_that_is_no_checkout(tmp_path: Path, run: Callable[..., Job]) -> None:
    repository = Repository(tmp_path / "plain")
    repository.write(FILES)
    job = run(repository)
    assert (job.code, job.outputs["drift"]) == (0, "BASE_UNAVAILABLE")


# ---- refusals ---------------------------------------------------------------------------------------------------


def test_every_mistake_is_told_before_anything_is_done(make_repository: Make, run: Callable[..., Job]) -> None:
    job = run(make_repository(files=FILES), max_usd="5 USD", samples="many")
    assert job.code == 2
    assert job.last == "driftproof: this job is red because 2 settings cannot be used"
    assert [command.name for command in job.commands] == ["error"]
    assert "max-usd" in job.commands[0].data
    assert "samples" in job.commands[0].data
    assert (job.outputs["exit_code"], job.outputs["verdict"], job.outputs["receipt"]) == ("2", "NOT_MEASURED", "")
    assert job.outputs["message"].startswith("Nothing was measured: 2 settings cannot be used, ")
    assert job.outputs["reason_code"] == "input"
    for told in (job.outputs["message"], job.summary):
        assert "max-usd" in told
        assert "samples" in told
        assert "driftproof init" not in told
    assert not (job.workspace / "driftproof-out").exists()


@pytest.mark.parametrize("mode", ["", "auto", "live"])
def test_the_stub_is_never_silent(make_repository: Make, run: Callable[..., Job], mode: str) -> None:
    job = run(make_repository(files=FILES), mode=mode, environ={"DRIFTPROOF_STUB": "1"})
    assert job.code == 2
    assert "api-key is empty" in job.log
    assert any(command.name == "notice" and "DRIFTPROOF_STUB" in command.data for command in job.commands)


def test_pull_request_target_is_refused(make_repository: Make, run: Callable[..., Job]) -> None:
    job = run(make_repository(files=FILES), "pull_request_target", pull_event("1" * 40, "2" * 40))
    assert job.code == 2
    assert "merge queue" in job.commands[0].data


@pytest.mark.parametrize("skill_dir", ["none", "../outside", "skills/none*", "/etc"])
def test_a_skill_that_is_not_there(make_repository: Make, run: Callable[..., Job], skill_dir: str) -> None:
    job = run(make_repository(files=FILES), skill_dir=skill_dir)
    assert job.code == 2
    assert job.last.startswith("driftproof: this job is red because")


def test_a_budget_that_cannot_hold_the_fewest_calls(make_repository: Make, run: Callable[..., Job]) -> None:
    job = run(make_repository(files=FILES), max_calls="3")
    assert (job.code, job.outputs["exit_code"], job.outputs["reason_code"]) == (3, "3", "budget")
    assert "max-calls" in job.summary
    assert "starter suite" not in job.summary
    assert not (job.workspace / "driftproof-out" / "receipts").exists()


@pytest.mark.parametrize("kind", [InputError, BudgetError, ReceiptError, NotComparableError])
def test_every_error_tells_its_code_its_reason_and_its_advice(
    make_repository: Make, run: Callable[..., Job], monkeypatch: pytest.MonkeyPatch, kind: type[DriftproofError]
) -> None:
    def wrong(*_: object, **__: object) -> None:
        raise kind(
            "<b>nothing</b> fits @all", place="max-usd", detail="the first line\n| the second", fix="raise max-usd", anchor="some-place"
        )

    monkeypatch.setattr(action, "evaluate", wrong)
    job = run(make_repository(files=FILES))
    assert job.code == kind.exit_code
    assert (job.outputs["exit_code"], job.outputs["reason_code"]) == (str(kind.exit_code), "some_place")
    assert job.outputs["message"] == (
        "Nothing was measured: max-usd: bnothing/b fits @all, the first line,  the second, raise max-usd, docs/errors.md#some-place"
    )
    assert (job.outputs["calls"], job.outputs["cost_usd"]) == ("", "")
    assert job.summary == (
        "### Nothing was measured: max-usd&#58; &#60;b&#62;nothing&#60;/b&#62; fits `@all`\n\n**Do:** raise max-usd.\n\n"
        "- the first line\n- &#124; the second\n- explained in `docs/errors.md#some-place`\n"
    )
    assert json.loads(job.kept("result.json"))["error"][-2:] == ["  → raise max-usd", "  docs/errors.md#some-place"]


def test_an_internal_error_tells_its_name_and_no_text(
    make_repository: Make, run: Callable[..., Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object, **__: object) -> None:
        raise LookupError(f"the request held {SECRET}")

    monkeypatch.setattr(action, "evaluate", crash)
    job = run(make_repository(files=FILES))
    assert (job.code, job.outputs["exit_code"], job.outputs["reason_code"]) == (70, "70", "internal")
    assert "internal error (LookupError)" in job.summary
    assert "please report it" in job.summary
    assert job.last == "driftproof: this job is red because of an internal error (LookupError)"
    assert SECRET not in job.log + job.summary + job.output_file.decode()
    assert "Traceback" not in job.log


# ---- secrets, reports, signals ----------------------------------------------------------------------------------


def test_secrets_are_masked_before_anything_else(make_repository: Make, run: Callable[..., Job]) -> None:
    job = run(make_repository(files=FILES), api_key=f"{SECRET}\nsecond-{SECRET}", github_token="token-canary", max_usd="wrong")
    masked = [command.data for command in job.commands if command.name == "add-mask"]
    assert masked == [f"{SECRET}\nsecond-{SECRET}", SECRET, f"second-{SECRET}", "token-canary"]
    assert [command.name for command in job.commands[:4]] == ["add-mask"] * 4
    assert read_log(job.log.splitlines()[0])[0].name == "add-mask"


def test_a_token_that_stands_in_a_suite_is_written_nowhere(make_repository: Make, run: Callable[..., Job]) -> None:
    token = "canary-token-0123456789"
    suite = {"evals": [{"id": token, "prompt": "Name a cat.", "expected_output": "A short name."}]}
    repository = make_repository(files=FILES | {"skills/naming/evals/evals.json": json.dumps(suite)})
    job = run(repository, github_token=token)
    assert job.code == 2
    assert "skills/naming/evals/evals.json: holds the value of github-token" in job.log
    left = [path.read_text() for path in (job.workspace / "driftproof-out").rglob("*") if path.is_file()]
    assert token not in "".join(left) + job.summary + job.output_file.decode()


@pytest.mark.parametrize("red", [False, True])
def test_no_reporting_input_changes_the_code(make_repository: Make, run: Callable[..., Job], red: bool) -> None:
    repository = make_repository(files=FILES)
    sealed = (repository.path / run(repository).outputs["receipt"]).read_bytes()
    base = repository.commit({STORED: sealed.replace(b'"stub"', b'"api"', 1) if red else sealed})
    event = pull_event(base, repository.commit({"skills/naming/SKILL.md": SKILL + "More.\n"}))
    broken = {"GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": str(repository.path)}
    for comment, switch, environ in product(("always", "failures", "off"), ("true", "false"), ({}, broken)):
        words = {"job_summary": switch, "annotations": switch, "commit": switch, "comment_key": switch}
        words["text_in_reports"] = "none" if switch == "true" else "reasons"
        job = run(repository, "pull_request", event, pr_comment=comment, environ=environ, **words)
        assert job.code == (4 if red else 0)
        assert job.last.startswith(f"driftproof: this job is {'red because' if red else 'green:'}")


def test_what_is_switched_off_is_not_written(make_repository: Make, run: Callable[..., Job]) -> None:
    job = run(make_repository(files=FILES), pr_comment="off", job_summary="false")
    assert job.summary == ""
    assert not (job.workspace / "driftproof-out" / "comment.md").exists()


def test_each_report_may_fail_alone(make_repository: Make, run: Callable[..., Job], monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> str:
        raise RuntimeError(f"with {SECRET}")

    for name in ("comment", "summary", "to_json", "outputs"):
        monkeypatch.setattr(action, name, crash)
    job = run(make_repository(files=FILES))
    assert job.code == 0
    warnings = [command.data for command in job.commands if command.name == "warning"]
    assert warnings == [
        "result.json could not be written: RuntimeError",
        "comment.md could not be written: RuntimeError",
        "the job summary could not be written: RuntimeError",
        "the outputs could not be written: RuntimeError",
    ]
    assert SECRET not in job.log


def test_a_log_nobody_reads_does_not_hide_the_code(make_repository: Make, tmp_path: Path) -> None:
    class Closed(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    environ = runner_environ(make_repository(files=FILES), tmp_path / "runner", "push", {})
    assert action.main(environ, stdout=Closed()) == 70


def test_a_signal_ends_a_job_with_its_code_and_what_it_has(make_repository: Make, tmp_path: Path) -> None:
    suite = SUITE | {"evals": [{"id": number, "prompt": "Name it.", "expected_output": "Named."} for number in range(200)]}
    repository = make_repository(files=FILES | {"skills/naming/evals/evals.json": json.dumps(suite)})
    environ = runner_environ(repository, tmp_path / "runner", "push", {}, max_draws="10", concurrency="1")
    command = [sys.executable, "-I", "-X", "utf8", str(ROOT / "entrypoint.py")]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        while "calls" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGTERM)
        log = process.stdout.read()
    assert process.returncode == 143
    assert log.splitlines()[-1] == "driftproof: this job is red because it was asked to stop"


# ---- hostile ----------------------------------------------------------------------------------------------------


def test_names_of_others_stay_names(make_repository: Make, run: Callable[..., Job]) -> None:
    folder = "skills/$(touch canary) `id` ::error::x"
    suite = SUITE | {"skill_name": "x"}
    skill = '---\nname: "::error::boom ##[add-mask]e <b>@team</b>"\ndescription: d\n---\nText.\n'
    job = run(make_repository(files={f"{folder}/SKILL.md": skill, f"{folder}/evals/evals.json": json.dumps(suite)}))
    assert job.code == 0
    assert {(command.name, command.properties["title"]) for command in job.commands} == {("warning", "driftproof")}
    for name, value in job.outputs.items():
        assert not set('$`\n\r"\\') & set(value) or name == "results"
    assert not set("$`\n\r") & set(job.outputs["results"])
    text = re.sub(r"`[^`\n]*`", "", job.kept("comment.md").decode() + job.summary)
    assert "<b>" not in text
    assert "@team" not in text
    assert "##[add-mask]" not in job.log


def test_a_buried_repository_stays_buried(make_repository: Make, tmp_path: Path, run: Callable[..., Job]) -> None:
    canary = tmp_path / "CANARY"
    repository = make_repository(files=FILES)
    skill = bury_a_repository(repository, canary)
    repository.commit({f"{skill}/evals/evals.json": json.dumps(SUITE)})
    canary.unlink(missing_ok=True)
    job = run(repository, skill_dir="skills/*")
    assert job.code == 0
    assert len(json.loads(job.outputs["results"])) == 2
    assert not canary.exists()


def test_a_run_folder_that_is_a_link_is_not_written_through(make_repository: Make, tmp_path: Path, run: Callable[..., Job]) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    repository = make_repository(files=FILES)
    (repository.path / "driftproof-out").symlink_to(outside)
    job = run(repository)
    assert job.code == 2
    assert list(outside.iterdir()) == []
    assert "driftproof-out: is a symbolic link" in job.log


def test_planted_modules_are_not_imported(make_repository: Make, tmp_path: Path) -> None:
    """What an earlier step left in HOME, in PYTHONPATH or in the workspace runs with plain python, not with ours."""
    canary = tmp_path / "CANARY"
    plant = f"open({str(canary)!r}, 'w').close()\n"
    repository = make_repository(files=FILES | {"json.py": plant, "click.py": plant})
    home = tmp_path / "home"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for path in (home / ".local" / "lib" / version / "site-packages" / "usercustomize.py", tmp_path / "path" / "sitecustomize.py"):
        path.parent.mkdir(parents=True)
        path.write_text(plant)
    environ = runner_environ(repository, tmp_path / "runner", "push", {})
    environ |= {"HOME": str(home), "PYTHONPATH": str(tmp_path / "path"), "PYTHONSTARTUP": str(repository.path / "json.py")}
    entry = str(ROOT / "entrypoint.py")
    subprocess.run([sys.executable, "-c", "import json"], env=environ, cwd=repository.path, capture_output=True, check=False)
    assert canary.exists(), "the naive way must be hurt"
    canary.unlink()
    done = subprocess.run([sys.executable, "-I", "-X", "utf8", entry], env=environ, cwd=repository.path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stderr == b""
    assert not canary.exists()


def test_words_are_the_published_ones(make_repository: Make, run: Callable[..., Job]) -> None:
    job = run(make_repository(files=FILES))
    assert job.outputs["verdict"] in VERDICTS
    assert job.outputs["drift"] in DRIFTS
    states: Mapping[str, Any] = {word.state: word for word in VERDICTS.values()}
    assert job.outputs["worst_state"] in states


@pytest.mark.parametrize("who", ["fork", "dependabot"])
def test_a_pull_request_without_the_key_is_not_measured_and_not_red(make_repository: Make, run: Callable[..., Job], who: str) -> None:
    repository = make_repository(files=FILES)
    base = repository.git("rev-parse", "HEAD")
    head = repository.commit({"skills/greeting/NOTES.md": "more\n"}, "more")
    event = pull_event(base, head)
    if who == "fork":
        event["pull_request"]["head"]["repo"] = {"full_name": "someone/fork", "fork": True}
    else:
        event["pull_request"]["user"] = {"login": "dependabot[bot]"}
    actor = {"GITHUB_ACTOR": "dependabot[bot]"} if who == "dependabot" else {}
    job = run(repository, "pull_request", event, mode="auto", environ=actor, **{"on-unmeasured": "fail"})
    assert job.code == 0, job.log
    assert "nothing is wrong with it" in job.log
    assert "was not measured" in job.summary
    assert job.outputs["verdict"] == "NOT_MEASURED"
    assert job.outputs["reason_code"] == "no_key"


def test_the_same_repository_without_the_key_is_exit_2(make_repository: Make, run: Callable[..., Job]) -> None:
    repository = make_repository(files=FILES)
    base = repository.git("rev-parse", "HEAD")
    job = run(repository, "pull_request", pull_event(base, repository.commit({"a": "b"}, "a")), mode="auto")
    assert job.code == 2
    assert "api-key is empty" in job.log
