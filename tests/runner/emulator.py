"""A job runner's side of a container action: what it hands in, and what it makes of what comes back. Not: GitHub's servers.

Written from the behaviour of the published runner (2.336): inputs, paths, variables, file commands, log commands, masks, result.
What the real one rejects, warns of or drops is a complaint here, and a step with complaints fails the test unless it asks for them.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import yaml

from tests.runner.events import Event
from tests.runner_rules import SUMMARY_LIMIT, BrokenFileCommandError, Command, parse_line, read_file_command

ROOT = Path(__file__).resolve().parents[2]
FILE_COMMANDS = ("set_output_", "set_env_", "add_path_", "step_summary_", "save_state_", "artifacts_", "artifacts_list_")
ANNOTATIONS_A_STEP = 10
"""Annotations of one level beyond this many are dropped by GitHub's pages, so nobody would see them."""
DISABLED, DEPRECATED = ("set-env", "add-path"), ("set-output", "save-state")
BLOCKED_VARIABLES = ("NODE_OPTIONS",)
ALWAYS_VALID_INPUTS = ("entrypoint", "args")
MASK = "***"


class RejectedError(AssertionError):
    """The real runner would have complained."""


@dataclass(frozen=True)
class Layout:
    """A runner's folders on its own machine. `mounts`: host folder → folder in the container, in the order they are added."""

    work: Path
    workspace: Path

    @property
    def temp(self) -> Path:
        return self.work / "_temp"

    @property
    def home(self) -> Path:
        return self.temp / "_github_home"

    @property
    def workflow(self) -> Path:
        return self.temp / "_github_workflow"

    @property
    def file_commands(self) -> Path:
        return self.temp / "_runner_file_commands"

    @property
    def mounts(self) -> Mapping[Path, str]:
        return {
            self.temp: "/github/runner_temp",
            self.home: "/github/home",
            self.workflow: "/github/workflow",
            self.file_commands: "/github/file_commands",
            self.workspace: "/github/workspace",
        }

    @property
    def translations(self) -> Sequence[tuple[str, str]]:
        """What is tried, in order: the mount added last first, then the folders only container jobs mount."""
        mounted = [(str(host), inside) for host, inside in reversed(self.mounts.items())]
        return (*mounted, (str(self.work), "/__w"), (str(self.work / "_tool"), "/__t"), (str(self.work.parent / "externals"), "/__e"))

    def inside(self, value: str) -> str:
        """A value as the container sees it: translated when it is, or lies below, a folder of ours; the first that fits."""
        for host, inside in self.translations:
            if value == host or value.startswith(host + "/"):
                return inside + value[len(host) :]
        return value

    def outside(self, value: str) -> str:
        for host, inside in self.translations:
            if value == inside or value.startswith(inside + "/"):
                return host + value[len(inside) :]
        return value

    def make(self) -> None:
        for folder in (self.temp, self.home, self.workflow, self.file_commands):
            folder.mkdir(parents=True, exist_ok=True)


@dataclass(frozen=True)
class Launch:
    """One `docker run`. environment: as the container sees it when `translated`, else with the paths of the host."""

    layout: Layout
    environment: Mapping[str, str]
    arguments: tuple[str, ...] = ()
    entrypoint: str = ""


class Backend(Protocol):
    """Runs the action. translated: whether it sees the paths of the container."""

    translated: bool

    def run(self, launch: Launch) -> tuple[int, bytes]:
        """Exit code and the log, both streams as they came."""
        ...


@dataclass(frozen=True)
class Annotation:
    level: str
    message: str
    title: str = ""
    file: str = ""
    line: int | None = None
    end_line: int | None = None


@dataclass
class Step:
    """What a step came to. log: as written by the action. shown: as people may read it. complaints: see the module."""

    code: int
    log: str
    outputs: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    state: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    shown: list[str] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    masks: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    failed: bool = False

    @property
    def outcome(self) -> str:
        """There is no neutral end: only 0 is a success, and only when every command was understood."""
        return "failure" if self.failed or self.code != 0 else "success"

    @property
    def last(self) -> str:
        return self.shown[-1] if self.shown else ""


class Runner:
    """One job's runner around one checkout. definition: the action.yml of the action."""

    def __init__(self, work: Path, workspace: Path, backend: Backend, *, definition: Path = ROOT / "action.yml") -> None:
        self.layout = Layout(work, workspace)
        self.layout.make()
        self._backend = backend
        self._definition = yaml.load(definition.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
        runs = self._definition["runs"]
        if runs["using"] != "docker":
            raise RejectedError(f"not a container action: {runs['using']}")
        if runs["image"].rpartition("/")[2].lower() != "dockerfile":
            raise RejectedError(f"no Dockerfile is built: {runs['image']}")
        self._runs = runs

    def step(
        self,
        event: Event,
        *,
        given: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
        token: str = "",
        server_url: str = "https://github.example",
        api_url: str = "https://api.github.example",
        run_id: str = "42",
        allowed: Iterable[str] = (),
    ) -> Step:
        """Run the action once. given: the workflow's `with:`, already evaluated. environment: job and step `env:`. token:
        what `github.token` is. server_url, api_url: of GitHub. run_id: of the workflow's run. allowed: patterns of complaints
        that are the point of the test.

        Raises RejectedError for any other complaint.
        """
        suffix = secrets.token_hex(16)
        files = {name: self.layout.file_commands / f"{name}{suffix}" for name in FILE_COMMANDS}
        for path in files.values():
            path.write_bytes(b"")
        (self.layout.workflow / "event.json").write_text(json.dumps(event.payload), encoding="utf-8")
        complaints: list[str] = []
        github = self._github(event, token, files) | {"run_id": run_id}
        github |= {"server_url": server_url, "api_url": api_url, "graphql_url": f"{api_url}/graphql"}
        full = self._variables(github, given or {}, environment or {}, complaints=complaints)
        if self._backend.translated:
            full = {name: self.layout.inside(value) for name, value in full.items()}
        arguments = tuple(self._evaluate(text, github) for text in self._runs.get("args", ()))
        code, log = self._backend.run(Launch(self.layout, full, arguments, self._runs.get("entrypoint", "")))
        step = Step(code, log.decode("utf-8", "replace"), complaints=complaints)
        _Reader(step, self.layout).read()
        self._collect(step, files)
        for path in files.values():
            path.unlink()
        unexpected = [text for text in step.complaints if not any(re.search(pattern, text) for pattern in allowed)]
        if unexpected:
            raise RejectedError("\n".join(["the runner would complain:", *unexpected, "--- log", step.log[-4000:]]))
        return step

    # ---- in ---------------------------------------------------------------------------------------------------------

    def _github(self, event: Event, token: str, files: Mapping[str, Path]) -> dict[str, str]:
        """The github context, token included; what of it becomes variables is decided in _variables."""
        return {
            "action": "__self",
            "action_path": "",
            "action_ref": "",
            "action_repository": "",
            "repository": "owner/skills",
            "repository_id": "1001",
            "repository_owner": "owner",
            "repository_owner_id": "2002",
            "actor_id": "3003",
            "triggering_actor": event.actor,
            "job": "skills",
            "workflow": "skills",
            "retention_days": "90",
            "run_attempt": "1",
            "run_number": "7",
            "ref_protected": "false",
            **event.context(),
            "workflow_ref": f"owner/skills/.github/workflows/skills.yml@{event.ref}",
            "workflow_sha": event.sha,
            "workspace": str(self.layout.workspace),
            "event_path": str(self.layout.workflow / "event.json"),
            "output": str(files["set_output_"]),
            "env": str(files["set_env_"]),
            "path": str(files["add_path_"]),
            "step_summary": str(files["step_summary_"]),
            "state": str(files["save_state_"]),
            "artifacts": str(files["artifacts_"]),
            "artifacts_list": str(files["artifacts_list_"]),
            "token": token,
        }

    def _variables(
        self, github: Mapping[str, str], given: Mapping[str, str], environment: Mapping[str, str], *, complaints: list[str]
    ) -> dict[str, str]:
        found = dict(environment)
        for name, text in self._runs.get("env", {}).items():
            found.setdefault(name, self._evaluate(text, github))
        found |= self._inputs(github, given, complaints)
        # The token is not among the variables: an action gets it by an input or not at all.
        found |= {f"GITHUB_{key.upper()}": value for key, value in github.items() if key != "token"}
        found |= {
            "HOME": str(self.layout.home),
            "RUNNER_OS": "Linux",
            "RUNNER_ARCH": "X64",
            "RUNNER_NAME": "runner",
            "RUNNER_ENVIRONMENT": "github-hosted",
            "RUNNER_TOOL_CACHE": str(self.layout.work / "_tool"),
            "RUNNER_TEMP": str(self.layout.temp),
            "RUNNER_WORKSPACE": str(self.layout.workspace.parent),
            "ACTIONS_RUNTIME_URL": "https://pipelines.github.example/",
            "ACTIONS_RUNTIME_TOKEN": "runtime-token-of-the-job",
            "ACTIONS_CACHE_URL": "https://cache.github.example/",
            "ACTIONS_RESULTS_URL": "https://results.github.example/",
            "GITHUB_ACTIONS": "true",
        }
        found.setdefault("CI", "true")
        return found

    def _inputs(self, github: Mapping[str, str], given: Mapping[str, str], complaints: list[str]) -> dict[str, str]:
        """`with:` keeps its spelling in the variable's name; what is absent gets its default, evaluated, or nothing."""
        declared = {name.lower(): spec for name, spec in self._definition.get("inputs", {}).items()}
        for name in given:
            if name.lower() not in (*declared, *ALWAYS_VALID_INPUTS):
                complaints.append(f"Unexpected input(s) '{name}', valid inputs are {sorted(declared)}")
            elif message := declared.get(name.lower(), {}).get("deprecationMessage"):
                complaints.append(f"Input '{name}' has been deprecated with message: {message}")
        found = {input_variable(name): value for name, value in given.items()}
        for name, spec in self._definition.get("inputs", {}).items():
            if name.lower() not in {key.lower() for key in given}:
                found[input_variable(name)] = self._evaluate(spec.get("default", ""), github)
        return found

    @staticmethod
    def _evaluate(text: str, github: Mapping[str, str]) -> str:
        """Of the expression language only what a default may reasonably hold: a value of the github context."""

        def value(match: re.Match[str]) -> str:
            path = re.fullmatch(r"\s*github\.([a-z_]+)\s*", match[1])
            if not path:
                raise RejectedError(f"an expression this runner cannot evaluate: {match[0]}")
            return github.get(path[1], "")

        return re.sub(r"\$\{\{(.*?)\}\}", value, text)

    # ---- out --------------------------------------------------------------------------------------------------------

    def _collect(self, step: Step, files: Mapping[str, Path]) -> None:
        """The files are read after the container has ended, however it ended."""
        into = {"set_output_": step.outputs, "set_env_": step.variables, "save_state_": step.state}
        for name, found in into.items():
            try:
                found.update(read_file_command(files[name].read_bytes()))
            except (BrokenFileCommandError, UnicodeDecodeError) as error:
                step.failed = True
                step.complaints.append(f"Unable to process file command '{name.strip('_')}' successfully: {error}")
        for name in BLOCKED_VARIABLES:
            if name in step.variables:
                step.failed = True
                step.complaints.append(f"Can't store {name} output parameter using '$GITHUB_ENV' command")
        step.paths += [line for line in files["add_path_"].read_text(encoding="utf-8").splitlines() if line]
        self._summarise(step, files["step_summary_"].read_bytes())
        declared = self._definition.get("outputs", {})
        step.complaints += [f"an output nobody can read: {name}" for name in step.outputs if name not in declared]

    @staticmethod
    def _summarise(step: Step, data: bytes) -> None:
        if len(data) > SUMMARY_LIMIT:
            step.complaints.append(f"$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got {len(data) // 1024}k")
            return
        step.summary = "\n".join(_masked(line, step.masks) for line in data.decode("utf-8", "replace").split("\n"))


class _Reader:
    """Goes through a log line by line, obeying it as the runner would."""

    def __init__(self, step: Step, layout: Layout) -> None:
        self._step = step
        self._layout = layout
        self._token = ""
        self._echo = False

    def read(self) -> None:
        # Only these end a line for the runner: other line breaks of Unicode are text.
        lines = re.split(r"\r\n|\r|\n", self._step.log)
        for line in lines if lines[-1] else lines[:-1]:
            if not self._obeyed(line):
                self._step.shown.append(_masked(line, self._step.masks))

    def _obeyed(self, line: str) -> bool:
        command = parse_line(line, more=frozenset({self._token} - {""}))
        if command is None:
            return False
        if self._token:
            if command.name != self._token.lower():
                return False
            self._token = ""
            return True
        self._step.commands.append(command)
        if self._echo and command.name != "add-mask":
            self._step.shown.append(_masked(line, self._step.masks))
        self._obey(command)
        return True

    def _obey(self, command: Command) -> None:
        name = command.name
        if name in DISABLED:
            self._step.failed = True
            self._complain(f"The `{name}` command is disabled")
        elif name in DEPRECATED:
            self._complain(f"The `{name}` command is deprecated and will be disabled soon")
        elif name == "add-mask":
            self._mask(command.data)
        elif name == "stop-commands":
            if not command.data.strip() or parse_line(f"::{command.data}::"):
                self._step.failed = True
                self._complain(f"Invalid stop-commands token: {command.data!r}")
            else:
                self._token = command.data
        elif name == "echo":
            if command.data.strip().lower() not in ("on", "off"):
                self._step.failed = True
                self._complain(f"Invalid echo command value. Possible values can be: 'on', 'off'. Current value is: '{command.data}'.")
            self._echo = command.data.strip().lower() == "on"
        elif name in ("add-matcher", "remove-matcher"):
            self._complain(f"this action has no business with problem matchers: {command}")
        elif name in ("notice", "warning", "error"):
            self._annotate(command)
        elif name in ("group", "endgroup", "debug"):
            self._step.shown.append(f"##[{name}]{_masked(command.data, self._step.masks)}")

    def _mask(self, secret: str) -> None:
        if not secret.strip():
            self._complain("Can't add secret mask for empty string in ##[add-mask] command.")
            return
        self._step.masks += [secret, *(part for part in re.split(r"[\r\n]+", secret) if part)]

    def _annotate(self, command: Command) -> None:
        masks = self._step.masks
        given = {key.lower(): _masked(value, masks) for key, value in command.properties.items()}
        line, end = self._number(given, "line"), self._number(given, "endline")
        line = end if line is None else line
        if line is not None and end is not None and end < line:
            line = end = None
            self._complain("an annotation ends before it starts: its lines are dropped")
        found = Annotation(
            level=command.name,
            message=_masked(command.data, masks),
            title=given.get("title", ""),
            file=self._relative(given.get("file", "")),
            line=line,
            end_line=end,
        )
        if len([one for one in self._step.annotations if one.level == found.level]) >= ANNOTATIONS_A_STEP:
            self._complain(f"more than {ANNOTATIONS_A_STEP} annotations of level {found.level}: nobody sees the rest")
        self._step.annotations.append(found)
        self._step.shown += [f"##[{command.name}]{part}" for part in found.message.splitlines() or [""]]

    def _number(self, given: Mapping[str, str], name: str) -> int | None:
        text = given.get(name, "")
        if text and not re.fullmatch(r"[0-9]{1,9}", text):
            self._complain(f"an annotation's {name} is no number: {text!r}")
            return None
        return int(text) if text else None

    def _relative(self, file: str) -> str:
        place = self._layout.outside(file)
        workspace = str(self._layout.workspace) + "/"
        return place[len(workspace) :] if place.startswith(workspace) else place

    def _complain(self, text: str) -> None:
        self._step.complaints.append(text)


def input_variable(name: str) -> str:
    """`INPUT_` and the key in upper case, blanks as underscores; hyphens stay."""
    return "INPUT_" + "".join(char.upper() if len(char.upper()) == 1 else char for char in name.replace(" ", "_"))


def _masked(text: str, masks: Sequence[str]) -> str:
    for secret in sorted(set(masks), key=len, reverse=True):
        text = text.replace(secret, MASK)
    return text


def outputs_of(definition: Path = ROOT / "action.yml") -> dict[str, Any]:
    """What action.yml declares as outputs."""
    found: dict[str, Any] = yaml.load(definition.read_text(encoding="utf-8"), Loader=yaml.BaseLoader).get("outputs", {})
    return found
