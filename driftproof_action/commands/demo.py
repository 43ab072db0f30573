"""`driftproof demo`: the whole Action once, offline, in a throw-away repository. Not: a measurement; no model is asked."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TextIO

from driftproof_action.clock_io import SystemClock
from driftproof_action.comparison.compare import compare
from driftproof_action.comparison.verdict import published_verdict
from driftproof_action.files_io import FilesIO
from driftproof_action.git_io import GitIO
from driftproof_action.local_io import private_folder, remove_folder
from driftproof_action.receipts.read import load
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.registry.models import shipped
from driftproof_action.reports.comment import comment
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.terminal import plain
from driftproof_action.store_io import receipt_path

Door = Callable[..., int]

SKILL = "skills/release-notes"
STORED = receipt_path("release-notes", "claude-haiku-4-5")
EDIT = ("At most seven lines each", "At most five lines each")
LIMIT = 8 * 1024 * 1024
WIDTH = 96
_MARKER = re.compile(r"\A<!--.*?-->\n+", re.DOTALL)

BANNER = """EXAMPLE: the receipts behind the next two comments ship with driftproof. Their figures are invented, nothing
was measured; they show how a comment reads when a model has been asked."""


def run(action: Door, environ: Mapping[str, str]) -> tuple[str, int]:
    """action: the Action's own door, run twice in a repository that is removed again. (text for standard output, exit code)."""
    folder = private_folder(environ)
    try:
        return _play(action, FilesIO(str(folder)), environ)
    finally:
        remove_folder(folder)


def _play(action: Door, place: FilesIO, environ: Mapping[str, str]) -> tuple[str, int]:
    clock = SystemClock()
    for path, content in _shipped("skills"):
        place.write_new(f"repo/{path}", content)
    repository = FilesIO(f"{place.root}/repo")
    git = GitIO.create(repository.root, environ=environ)
    before = git.commit_all("Add the release-notes skill", when=clock.now())

    first = _Job(action, place, environ, name="push", event={"before": "0" * 40, "after": before})
    out = [_title("1. A push to main: the skill is measured for the first time"), first.run(before)]
    if first.code:
        return "\n".join([*out, first.log]), first.code
    repository.write_new(STORED, repository.read(first.output("receipt"), limit=LIMIT))
    base = git.commit_all("Store the receipt", when=clock.now())
    text = repository.read(f"{SKILL}/SKILL.md", limit=LIMIT).decode()
    repository.write(f"{SKILL}/SKILL.md", text.replace(*EDIT).encode())
    head = git.commit_all("Shorter sections", when=clock.now())

    second = _Job(action, place, environ, name="pull_request", event=_pull_request(base, head))
    out += [_title("2. A pull request edits SKILL.md: what its comment would say"), second.run(head)]
    out += [_title("The same as step outputs"), second.outputs()]
    out += [_title("The badge, for shields.io"), repository.read(second.output("badge"), limit=LIMIT).decode()]
    out += ["", "No model was asked: the built-in stub gave every answer and every grade, so both sides read NOT_MEASURED.", ""]
    out += [_rule("="), BANNER, _rule("=")]
    out += [_title("3. EXAMPLE: the pull request made the skill better"), as_read(example_comment("improved"))]
    out += [_title("4. EXAMPLE: the pull request made the skill worse"), as_read(example_comment("regressed"))]
    out += [_rule("="), "", "Your next command, in a repository with a skill: driftproof init"]
    return "\n".join(out), second.code


class _Job:
    """One run of the Action as a job would start it: a runner's files and variables around it."""

    def __init__(self, action: Door, place: FilesIO, environ: Mapping[str, str], *, name: str, event: Mapping[str, Any]) -> None:
        self._action, self._place, self._name = action, place, name
        self.code = 70
        self.log = ""
        for file in ("output", "summary"):
            place.write(f"{name}/{file}", b"")
        place.write(f"{name}/event.json", json.dumps(event).encode())
        self._environ = {
            "PATH": environ.get("PATH", ""),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": f"{place.root}/{name}/event.json",
            "GITHUB_OUTPUT": f"{place.root}/{name}/output",
            "GITHUB_STEP_SUMMARY": f"{place.root}/{name}/summary",
            "GITHUB_WORKSPACE": f"{place.root}/repo",
            "GITHUB_REPOSITORY": "example/skills",
            "GITHUB_REF": "refs/heads/main",
            "RUNNER_TEMP": f"{place.root}/{name}",
            "INPUT_SKILL-DIR": SKILL,
            "INPUT_MODE": "stub",
            "INPUT_STORE": "tree",
        }

    def run(self, head: str) -> str:
        """The comment it would post, as people read it; its log is kept aside."""
        log: TextIO = io.StringIO()
        self.code = self._action({**self._environ, "GITHUB_SHA": head}, stdout=log)
        self.log = log.getvalue()  # type: ignore[attr-defined]
        path = "driftproof-out/comment.md"
        repository = FilesIO(f"{self._place.root}/repo")
        return as_read(repository.read(path, limit=LIMIT).decode()) if repository.kind(path) == "file" else self.log

    def outputs(self) -> str:
        """The outputs that hold anything, one a line."""
        return "\n".join(f"{name} = {value}" for name, value in self._outputs().items() if value and name != "results")

    def output(self, name: str) -> str:
        return self._outputs()[name]

    def _outputs(self) -> dict[str, str]:
        lines = iter(self._place.read(f"{self._name}/output", limit=LIMIT).decode().splitlines())
        found: dict[str, str] = {}
        for line in lines:
            name, mark, delimiter = line.partition("<<")
            if mark:
                found[name] = "\n".join(iter(lambda: next(lines), delimiter))
        return found


def as_read(markdown: str) -> str:
    """A comment for the terminal: without the line that marks it as ours, its entities as the characters they stand for."""
    return "\n".join(plain(line) for line in html.unescape(_MARKER.sub("", markdown)).split("\n"))


def _pull_request(base: str, head: str) -> Mapping[str, Any]:
    repository = {"full_name": "example/skills", "fork": False}
    return {
        "action": "opened",
        "number": 7,
        "pull_request": {"number": 7, "base": {"sha": base, "ref": "main", "repo": repository}, "head": {"sha": head, "repo": repository}},
    }


def example_comment(name: str) -> str:
    """The comment over two shipped example receipts, read as if they had been measured."""
    folder = files("driftproof_action.examples").joinpath("receipts")
    old, new = (load(folder.joinpath(f"{stem}.json").read_bytes(), source=f"{stem}.json") for stem in ("base", name))
    decision = published_verdict(new, examples=True)
    calls, micro_usd = _paid(new)
    row = JobRow(
        skill_path=SKILL,
        skill_name=new.skill_name,
        skill_slug="release-notes",
        model_id=new.model_id,
        model_slug="claude-haiku-4-5",
        verdict=decision.verdict,
        reason_code=decision.reasons[0] if decision.reasons else "",
        message="",
        view=new,
        base_view=old,
        comparison=compare(old, new, examples=True),
        calls=calls,
        micro_usd=micro_usd,
    )
    red = row.drift in ("DRIFT", "MIXED")
    because = f"{row.skill_name} got worse since the last receipt (fail-on: drift)" if red else "nothing that fail-on names was found"
    return comment(JobResult((row,), "live", int(red), because, example=True))


def _paid(view: ReceiptView) -> tuple[int, int]:
    """(calls, micro-dollars): what the calls of an example would have cost at the prices it was made with."""
    assert view.observations
    used = [draw.usage for draw in view.observations.draws]
    used += [sample.usage for grade in view.observations.grades for sample in grade.samples]
    price = shipped().find(view.model_id)
    tokens = ((usage.input_tokens or 0) * price.input_per_mtok + (usage.output_tokens or 0) * price.output_per_mtok for usage in used)
    return len(used), round(sum(tokens))


def _shipped(folder: str) -> Iterator[tuple[str, bytes]]:
    def walk(entry: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
        for child in sorted(entry.iterdir(), key=lambda item: item.name):
            inside = f"{path}/{child.name}"
            if child.is_dir():
                yield from walk(child, inside)
            else:
                yield inside, child.read_bytes()

    return walk(files("driftproof_action.examples").joinpath(folder), folder)


def _rule(mark: str) -> str:
    return mark * WIDTH


def _title(text: str) -> str:
    return f"\n{_rule('-')}\n{text}\n{_rule('-')}\n"
