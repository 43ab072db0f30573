"""Which model judges a job: one for every arm and model. Not: how it judges (graders)."""

from __future__ import annotations

from driftproof_action.commands.base import Shelf
from driftproof_action.commands.targets import Targets
from driftproof_action.commands.world import World
from driftproof_action.errors import DriftproofError
from driftproof_action.receipts.read import load
from driftproof_action.registry.models import Model, canonical_id
from driftproof_action.settings.run_settings import RunSettings

DEFAULT_JUDGE = "claude-haiku-4-5"


def settle_judge(settings: RunSettings, targets: Targets, world: World, shelf: Shelf) -> Model:
    """The judge that was named; for `auto` the one of the receipts this run is compared with, as long as they agree on one
    and it is still known, so that today's scores stay comparable; else the default."""
    if settings.judge_model != "auto":
        return world.registry.find(settings.judge_model)
    known = {id for target in targets.skills for _, slug in targets.models for id in _judge_of(shelf, target.slug, slug)}
    if len(known) == 1 and (judge := world.registry.models.get(known.pop())):
        return judge
    return world.registry.find(DEFAULT_JUDGE)


def _judge_of(shelf: Shelf, skill_slug: str, model_slug: str) -> list[str]:
    """Of the stored receipt, if there is one that can be read and whose judge was a model."""
    stored = shelf.find(skill_slug, model_slug)
    if stored.state != "found" or stored.data is None:
        return []
    try:
        view = load(stored.data, source=stored.path)
    except DriftproofError:
        return []  # said where it is compared
    return [canonical_id(view.judge.model_id)] if view.judge.model_id and view.kind == "model" else []
