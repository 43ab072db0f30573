"""One skill on one model as work to be done: its plan, and what a receipt must know of how it was made. Not: doing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from driftproof_action.canonical import Json
from driftproof_action.commands.base import Shelf
from driftproof_action.commands.before import Before, drawn_with, find_before
from driftproof_action.commands.targets import Target
from driftproof_action.commands.world import World
from driftproof_action.decisions.band_separation import confirmed, constants, published
from driftproof_action.decisions.pass_rate import measure as measured_rates
from driftproof_action.decisions.table import TABLE
from driftproof_action.domain.plan import Plan
from driftproof_action.domain.reading import Scalar
from driftproof_action.graders.judging import JudgeSetting
from driftproof_action.methods import lift, measure
from driftproof_action.providers.stub import SURFACE as STUB
from driftproof_action.registry.models import Model
from driftproof_action.settings.run_settings import RunSettings


@dataclass(frozen=True, slots=True)
class Work:
    """judge: None where nobody judges (measure). protocol: the one that decides, None where there is none. before: what
    today's skill is set against beside the baseline."""

    target: Target
    model: Model
    model_slug: str
    method: str
    plan: Plan
    judge: JudgeSetting | None
    parameters: Mapping[str, Json]
    protocol: str | None = None
    before: Before | None = None


def lift_work(
    target: Target, model: Model, model_slug: str, *, judge_model: Model, models: int, settings: RunSettings, world: World, shelf: Shelf
) -> Work:
    """The lift of one skill on one model of `models`, by the rule of the protocol. A stub without a script has nothing to read
    criteria from: one score a case."""
    temperature = 0.0 if judge_model.temperature else None
    judge = JudgeSetting(world.surface, judge_model.id, settings.samples, temperature, endpoint=world.endpoint)
    before = find_before(target, model, model_slug, judge=judge, settings=settings, world=world, shelf=shelf)
    name, terms = _rule(settings, models, before)
    given = lift.LiftInput(
        skill_text=target.skill.text,
        cases=target.cases,
        surface=world.surface,
        model=model.id,
        temperature=None,
        max_tokens=settings.max_tokens,
        judge=judge,
        terms={**terms, **_told(settings)},
        strict=settings.judge_guard == "strict",
        score_only=not settings.live and not world.scripted,
        incumbent=before.incumbent if before else None,
        past=before.past if before else None,
        endpoint=world.endpoint,
    )
    plan = lift.plan(given, TABLE[name])
    return Work(target, model, model_slug, "lift", plan, judge, {**drawn_with(settings)}, settings.protocol, before)


def _rule(settings: RunSettings, models: int, before: Before | None) -> tuple[str, Mapping[str, Scalar]]:
    """Name and constants of the rule the protocol asks for."""
    draws = settings.min_draws, settings.max_draws, settings.samples
    if settings.protocol == "published":
        return published.PublishedBands.name, published.terms(*draws)
    how = before.incumbent.how if before and before.incumbent else ""
    return confirmed.ConfirmedBands.name, constants.terms(*draws, models_in_job=models, incumbent=how)


def measure_work(target: Target, model: Model, model_slug: str, *, settings: RunSettings, world: World, draws: int) -> Work:
    """Pass rates of one skill on one model."""
    given = measure.MeasureInput(
        skill_text=target.skill.text,
        cases=target.cases,
        surface=world.surface,
        model=model.id,
        temperature=None,
        max_tokens=settings.max_tokens,
        terms={**measured_rates.terms(draws), **_told(settings)},
        endpoint=world.endpoint,
    )
    parameters: dict[str, Json] = {"draws": draws, "max_tokens": settings.max_tokens, "temperature": None}
    return Work(target, model, model_slug, "measure", measure.plan(given, TABLE[measured_rates.MeasuredRates.name]), None, parameters)


def _told(settings: RunSettings) -> Mapping[str, Scalar]:
    """What a rule must know of the run to give no verdict it may not give."""
    told: dict[str, Scalar] = {"kind": "model" if settings.live else STUB, "judge_guard": settings.judge_guard}
    return told | ({"narrowed": True} if settings.narrowed else {})
