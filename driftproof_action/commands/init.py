"""`init`: a workflow and starter suites, written where there are none. Not: a change to any file that is there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib import resources
from shlex import quote

from driftproof_action.errors import DriftproofError, FileError, InputError
from driftproof_action.loading.discover import discover
from driftproof_action.loading.paths import ROOT, below, joined
from driftproof_action.loading.skill import load_skill
from driftproof_action.loading.suite_keys import SUITE_PLACES
from driftproof_action.ports import Files
from driftproof_action.reports.terminal import plain

WORKFLOW = ".github/workflows/driftproof.yml"
WORKFLOW_NAMES = (WORKFLOW, ".github/workflows/driftproof.yaml")
NEW_SUITE = SUITE_PLACES[0]


def run(files: Files, *, skill_dir: str | None = None, no_workflow: bool = False) -> tuple[str, int]:
    """Write what is missing for the skills in and below a folder or glob (default: the root), and say what was written and
    what is next. Nothing that exists is replaced. Raises InputError when no skill is found or the folder lies outside.
    """
    skills = _outermost(_found(files, skill_dir or ROOT))
    lines = [] if no_workflow else [_workflow(files)]
    made = []
    for skill in skills:
        line, suite = _suite(files, skill)
        lines.append(line)
        made += [suite] if suite else []
    return "\n".join([*lines, "", *_next(skills, made)]) + "\n", 0


def _found(files: Files, start: str) -> Sequence[str]:
    try:
        return discover(files, ("**" if start == ROOT else joined(start, "**"),))
    except InputError as error:
        if start != ROOT:
            raise
        raise InputError(
            "no folder with a SKILL.md was found",
            place=plain(files.root),
            fix="name the folder that holds the skill, or write its SKILL.md first",
            anchor="no-skills",
        ) from error


def _outermost(skills: Sequence[str]) -> list[str]:
    """A skill inside a skill belongs to the outer one."""
    return [skill for skill in skills if not any(other != skill and (other == ROOT or below(skill, other)) for other in skills)]


def _workflow(files: Files) -> str:
    there = next((name for name in WORKFLOW_NAMES if files.kind(name) != "absent"), None)
    if there:
        return f"kept    {there}"
    files.write_new(WORKFLOW, _starter("driftproof.yml"))
    return f"wrote   {WORKFLOW}"


def _suite(files: Files, skill: str) -> tuple[str, str]:
    """What to say of a skill, and the suite that was written for it, empty when none was."""
    try:
        there = next((place for place in SUITE_PLACES if files.kind(joined(skill, place)) != "absent"), None)
        if there:
            return f"kept    {plain(joined(skill, there))}", ""
        name = load_skill(files, skill, git=None).name
        suite = joined(skill, NEW_SUITE)
        files.write_new(suite, _named(name))
    except FileError as error:
        return f"skipped {plain(skill)}: {plain(error.lines()[0])}", ""
    except DriftproofError as error:
        return f"skipped {plain(skill)}: it cannot be read as a skill: {plain(error.lines()[0])}", ""
    return f"wrote   {plain(suite)}", suite


def _named(name: str) -> bytes:
    document = json.loads(_starter("evals.json"))
    return (json.dumps(document | {"skill_name": name}, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _starter(name: str) -> bytes:
    return (resources.files("driftproof_action.commands") / "starter" / name).read_bytes()


def _next(skills: Sequence[str], made: Sequence[str]) -> Iterator[str]:
    yield "next:"
    if made:
        yield f'  1. edit {plain(made[0])}: write your own cases, then remove "example": true from each; until then run refuses them'
    step = 2 if made else 1
    first = quote(plain(made[0].removesuffix(NEW_SUITE).rstrip("/") or ROOT if made else skills[0]))
    yield f"  {step}. driftproof lint {first}"
    yield f"  {step + 1}. driftproof run {first} --mode stub   (free, no model is asked)"
    yield f"  {step + 2}. give the repository the secret ANTHROPIC_API_KEY (Settings › Secrets and variables › Actions);"
    yield "     then pull requests are measured"
