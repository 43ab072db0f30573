"""A pull request that may not have the key: everything that needs no model, and the last receipt. Not: a failure."""

from __future__ import annotations

from dataclasses import dataclass

from driftproof_action.commands.base import Shelf, StoredReceipt
from driftproof_action.commands.targets import find_targets
from driftproof_action.errors import DriftproofError
from driftproof_action.loading.suite import suite_place
from driftproof_action.ports import Files, Git
from driftproof_action.receipts.read import load
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.registry.models import Registry
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.settings.run_settings import RunSettings

NO_KEY = "no_key"


@dataclass(frozen=True, slots=True)
class Here:
    """What can be looked at without asking anyone."""

    files: Files
    git: Git | None
    registry: Registry


def without_key(settings: RunSettings, here: Here, shelf: Shelf, *, who: str) -> JobResult:
    """Loads skills and suites (a broken one raises as ever) and says what was last measured; exit code 0.

    who: whose pull request it is, `a fork` or `Dependabot`.
    """
    targets = find_targets(settings, here)
    rows = tuple(
        JobRow(
            skill_path=target.path,
            skill_name=target.skill.name,
            skill_slug=target.slug,
            model_id=model.id,
            model_slug=slug,
            verdict="NOT_MEASURED",
            reason_code=NO_KEY,
            message=f"this pull request comes from {who}, which is not given the key",
            base_view=_last(shelf.find(target.slug, slug)),
            mapping=target.suite.mapping_sentence(),
            findings=(*target.skill.findings, *target.suite.findings),
            suite_file=suite_place(target.suite, target.path),
        )
        for target in targets.skills
        for model, slug in targets.models
    )
    because = f"this pull request comes from {who} and was not measured; nothing is wrong with it"
    return JobResult(rows, "live", 0, because, skipped=targets.skipped)


def _last(stored: StoredReceipt) -> ReceiptView | None:
    """The stored receipt, where there is one that can be read."""
    if stored.state != "found" or stored.data is None:
        return None
    try:
        return load(stored.data, source=stored.path)
    except DriftproofError:
        return None
