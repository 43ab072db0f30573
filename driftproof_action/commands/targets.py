"""What a job is about: skills with their suites and models, loaded and settled before anything is asked. Not: asking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from driftproof_action.domain.skill import Skill
from driftproof_action.domain.suite import Suite, SuiteCase
from driftproof_action.errors import DriftproofError, InputError, SuiteError
from driftproof_action.loading.discover import discover
from driftproof_action.loading.skill import load_skill
from driftproof_action.loading.suite import load_suite, require_runnable, suite_files, suite_place
from driftproof_action.ports import Files, Git
from driftproof_action.receipts.names import unique_model_slugs, unique_skill_slugs
from driftproof_action.registry.models import Model, Registry
from driftproof_action.settings.run_settings import RunSettings


@dataclass(frozen=True, slots=True)
class Target:
    """One skill ready to be measured. cases: those that are run, in suite order."""

    path: str
    slug: str
    skill: Skill
    suite: Suite
    cases: tuple[SuiteCase, ...]


@dataclass(frozen=True, slots=True)
class Targets:
    """models: with their slugs. skipped: (skill path, why) of skills this method does not run, e.g. trigger suites."""

    skills: tuple[Target, ...]
    models: tuple[tuple[Model, str], ...]
    skipped: tuple[tuple[str, str], ...]


class Checkout(Protocol):
    """Where skills lie, and which models are known."""

    @property
    def files(self) -> Files: ...
    @property
    def git(self) -> Git | None: ...
    @property
    def registry(self) -> Registry: ...


def find_targets(settings: RunSettings, world: Checkout) -> Targets:
    """Load everything the settings name. Raises the first error of any skill or suite: nothing is measured around it."""
    models = [world.registry.find(name) for name in settings.models]
    model_slugs = unique_model_slugs([model.id for model in models])
    found: list[tuple[str, Skill, Suite]] = []
    skipped: list[tuple[str, str]] = []
    for path in discover(world.files, settings.skill_dir):
        skill = load_skill(world.files, path, git=world.git, suite_files=suite_files(world.files, path))
        suite = load_suite(world.files, path, skill_name=skill.name)
        if suite.status == "trigger_suite":
            skipped.append((path, "its suite holds trigger queries, which lift does not run"))
            continue
        require_runnable(suite, path)
        found.append((path, skill, suite))
    slugs = _skill_slugs(world, [(path, skill.name) for path, skill, _ in found])
    skills = [Target(path, slugs[path], skill, suite, _chosen(path, suite, settings)) for path, skill, suite in found]
    return Targets(tuple(skills), tuple((model, model_slugs[model.id]) for model in dict.fromkeys(models)), tuple(skipped))


def _skill_slugs(world: Checkout, chosen: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Slugs are settled over all skills of the checkout, so that a skill keeps its name whichever of them are measured."""
    named = dict(chosen)
    for path in discover(world.files, ("auto",), require=False):
        if path not in named:
            named[path] = _name_of(world, path)
    return dict(unique_skill_slugs(sorted(named.items())))


def _name_of(world: Checkout, path: str) -> str:
    """The name of a skill that is not measured; its folder's where it cannot be read, which is nobody's business here."""
    try:
        return load_skill(world.files, path, git=None).name
    except DriftproofError:
        return path.rpartition("/")[2]


def _chosen(path: str, suite: Suite, settings: RunSettings) -> tuple[SuiteCase, ...]:
    """The cases asked for. Raises InputError for an id the suite does not have, SuiteError for untouched examples."""
    cases = suite.cases
    if settings.cases:
        known = {case.id for case in cases}
        if missing := [id for id in settings.cases if id not in known]:
            raise InputError(
                f"case: {missing[0]!r} is not a case of {suite_place(suite, path)}",
                detail=f"its cases: {', '.join(sorted(known))[:400]}",
                fix="use one of these ids",
                anchor="unknown-case",
            )
        cases = tuple(case for case in cases if case.id in settings.cases)
    if settings.max_cases is not None:
        cases = cases[: settings.max_cases]
    if examples := [case for case in cases if case.example]:
        raise SuiteError(
            f"case {examples[0].id!r} is still the example it was made as",
            place=f"{suite_place(suite, path)}:{examples[0].line}",
            fix='write your own prompt and criteria, then remove "example": true',
            anchor="example-case",
        )
    return cases
