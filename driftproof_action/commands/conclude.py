"""From one finished board to its row: decision, receipt, comparison with the base, badge. Not: the loop, or the gate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from driftproof_action import __version__
from driftproof_action.canonical import Json, canonical_bytes
from driftproof_action.commands.answers import kept_answers, side_by_side
from driftproof_action.commands.base import Shelf, StoredReceipt
from driftproof_action.commands.work import Work
from driftproof_action.commands.world import World
from driftproof_action.comparison.compare import compare
from driftproof_action.comparison.confirmed import confirm
from driftproof_action.comparison.drift import Comparison
from driftproof_action.decisions.table import TABLE
from driftproof_action.domain.observations import Observations
from driftproof_action.errors import DriftproofError
from driftproof_action.execution.board import Board
from driftproof_action.graders.fingerprint import grading_code_hash
from driftproof_action.graders.prompt import template_hash
from driftproof_action.loading.suite import suite_place
from driftproof_action.methods.lift import rubric_hashes
from driftproof_action.ports import Journal
from driftproof_action.providers.stub import SURFACE as STUB
from driftproof_action.receipts.build import build
from driftproof_action.receipts.facts import ReceiptFacts
from driftproof_action.receipts.names import receipt_name
from driftproof_action.receipts.read import load, view
from driftproof_action.receipts.sealing import to_file_bytes
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.badge import badge_json, badge_svg
from driftproof_action.reports.job import JobRow
from driftproof_action.reports.receipt_summary import receipt_summary
from driftproof_action.settings.run_settings import RunSettings

WRONG_MODEL = "wrong_model"
"""As a stop and a verdict's reason spell it."""


def conclude(work: Work, board: Board, journal: Journal, *, settings: RunSettings, world: World, shelf: Shelf, started_at: str) -> JobRow:
    """Write the receipt of one board and say what it means. Where another model answered there is none: it would speak of a
    model that was not measured."""
    seen = board.seen
    decision = work.plan.rule.decide(seen)
    row = JobRow(
        skill_path=work.target.path,
        skill_name=work.target.skill.name,
        skill_slug=work.target.slug,
        model_id=work.model.id,
        model_slug=work.model_slug,
        verdict=decision.verdict,
        reason_code=decision.reasons[0] if decision.reasons else "",
        message="",
        calls=board.calls,
        micro_usd=board.micro_usd,
        unmeasured=_holes(work, seen),
        mapping=work.target.suite.mapping_sentence(),
        findings=(*work.target.skill.findings, *work.target.suite.findings),
        suite_file=suite_place(work.target.suite, work.target.path),
        case_lines={case.id: case.line for case in work.target.suite.cases if case.line},
        criteria={case.id: {item.id: item.description for item in case.criteria} for case in work.target.cases},
        quotes=settings.text_in_reports != "none",
    )
    if seen.stop and seen.stop.reason == WRONG_MODEL:
        return replace(row, verdict="NOT_MEASURED", reason_code=WRONG_MODEL, message=seen.stop.detail)
    if not (run_id := _graded_in(seen)):
        return replace(row, verdict="NOT_MEASURED", message="no answer could be graded, so no receipt was written")
    document = build(_facts(work, settings=settings, world=world, started_at=started_at, run_id=run_id), seen, decision)
    mine = view(document)
    receipt_path = _write_receipt(document, mine, row, settings=settings, world=world)
    if settings.keep_answers:
        _write_answers(kept_answers(work.plan, seen, journal, receipt_hash=mine.receipt_hash), mine, row, settings=settings, world=world)
    base = _base(shelf.find(work.target.slug, work.model_slug), mine) if work.method == "lift" else _Base()
    if work.protocol == "confirmed" and (base.comparison or (work.before and work.before.incumbent)):
        nothing = Comparison("FIRST_RECEIPT", "no receipt is kept", None, (), (), (), new_hash=mine.receipt_hash)
        base = replace(base, comparison=confirm(base.comparison or nothing, base.view, mine))
    return replace(
        row,
        view=mine,
        comparison=base.comparison,
        base_view=base.view,
        base_commit=base.commit,
        receipt_path=receipt_path,
        badge_path=_write_badge(mine, row, settings=settings, world=world) if work.method == "lift" else None,
    )


def _graded_in(seen: Observations) -> str:
    """The run that made the answers of today; empty when none of them could be graded. Rows taken over from a receipt and old
    answers graded again are no answers of today."""
    today = {draw.id: draw.run_id for draw in seen.draws if draw.origin is None}
    return next((today[grade.id.draws[0]] for grade in seen.grades if grade.outcome and grade.id.draws[0] in today), "")


def _holes(work: Work, seen: Observations) -> Mapping[str, int]:
    """Of what today's run needed."""
    wanted = work.plan.rule.wanted(seen)
    taken = {draw.id for draw in seen.draws if draw.origin}
    count = dict(seen.coverage(replace(wanted, draws=tuple(id for id in wanted.draws if id not in taken))))
    return {reason: number for reason, number in count.items() if reason not in ("expected", "graded")}


def _facts(work: Work, *, settings: RunSettings, world: World, started_at: str, run_id: str) -> ReceiptFacts:
    models = [work.model] + ([world.registry.find(work.judge.model)] if work.judge else [])
    judge = work.judge
    return ReceiptFacts(
        method="lift" if work.method == "lift" else "measure",
        skill=work.target.skill,
        suite=work.target.suite,
        model_id=work.model.id,
        model_release_date=work.model.released,
        provider=work.model.provider,
        surface=world.surface,
        runner_version=__version__,
        generated_at=started_at,
        finished_at=world.clock.now(),
        registry="registered" if work.model.registered else "unregistered",
        transcripts="retained-local" if settings.keep_answers else "hashes-only",
        judge_model_id=judge.model if judge else None,
        judge_prompt_template_hash=template_hash("judge") if judge else None,
        judge_criteria_template_hash=template_hash("criteria") if judge else None,
        judge_samples=judge.samples if judge else 0,
        judge_temperature=judge.temperature if judge and settings.live else None,
        judge_sampling=_sampling(work, settings),
        judge_surface=world.surface,
        rubric_hashes=rubric_hashes(work.target.cases) if judge else {},
        protocol=work.protocol,
        parameters=work.parameters,
        prices={model.id: (model.input_per_mtok, model.output_per_mtok, model.registered) for model in models},
        prices_source=world.registry.source,
        kind="model" if settings.live else "stub",
        isolation="none",
        run_id=run_id,
        narrowed=settings.narrowed,
        example=world.example,
        endpoint=world.endpoint,
        judge_endpoint=world.endpoint,
        harness=("api", None) if settings.live else None,
        grading_code_hash=grading_code_hash(),
        incumbent_commit=work.before.commit if work.before else None,
        incumbent_tree_hash=work.before.tree_hash if work.before else None,
    )


def _sampling(work: Work, settings: RunSettings) -> str:
    """How the judge was made to sample, in the published words."""
    if not settings.live:
        return STUB
    return "api-temperature-0" if work.judge and work.judge.temperature == 0 else "surface-controlled"


def _write_receipt(document: Mapping[str, Json], mine: ReceiptView, row: JobRow, *, settings: RunSettings, world: World) -> str:
    """The receipt and its summary, never replacing one. The run folder keeps itself out of git."""
    if world.out.kind(f"{settings.out}/.gitignore") == "absent":
        world.out.write(f"{settings.out}/.gitignore", b"*\n")
    path = f"{settings.out}/receipts/{receipt_name(document)}"
    world.out.write_new(path, to_file_bytes(document))
    summary = receipt_summary(mine, verdict=row.verdict, reason_code=row.reason_code, mapping=row.mapping, unmeasured=row.unmeasured)
    world.out.write_new(path.removesuffix(".json") + ".summary.md", summary.encode())
    return path


def _write_answers(kept: dict[str, Any], mine: ReceiptView, row: JobRow, *, settings: RunSettings, world: World) -> None:
    """All texts as JSON, and the first answers of every case side by side for people."""
    path = f"{settings.out}/answers/{row.skill_slug}__{row.model_slug}-{mine.receipt_hash[:12]}"
    world.out.write_new(f"{path}.json", json.dumps(kept, indent=1, ensure_ascii=False).encode("utf-8", "replace"))
    world.out.write_new(f"{path}.md", side_by_side(kept, mine).encode())
    world.say(f"answers are kept in {path}.json and, side by side, in {path}.md")


def _write_badge(mine: ReceiptView, row: JobRow, *, settings: RunSettings, world: World) -> str:
    path = f"{settings.out}/badges/{row.skill_slug}__{row.model_slug}"
    world.out.write(f"{path}.json", canonical_bytes(badge_json(mine, row.verdict)))
    world.out.write(f"{path}.svg", badge_svg(mine, row.verdict).encode())
    return f"{path}.json"


@dataclass(frozen=True, slots=True)
class _Base:
    """What stood at the base, and this run set against it. view: the receipt found there, where it could be read."""

    comparison: Comparison | None = None
    view: ReceiptView | None = None
    commit: str | None = None


def _base(stored: StoredReceipt, mine: ReceiptView) -> _Base:
    """A base that is not what was sealed is REFUSED, not an error."""
    words = {"first": "FIRST_RECEIPT", "removed": "RECEIPT_REMOVED", "unavailable": "BASE_UNAVAILABLE"}
    if stored.state in words:
        return _Base(Comparison(words[stored.state], stored.reason, None, (), (), (), new_hash=mine.receipt_hash), commit=stored.commit)
    if stored.state != "found" or stored.data is None:
        return _Base()
    try:
        old = load(stored.data, source=stored.path, rules=TABLE)
    except DriftproofError as error:
        return _Base(Comparison("REFUSED", error.lines()[0], None, (), (), (), new_hash=mine.receipt_hash), commit=stored.commit)
    return _Base(compare(old, mine), old, stored.commit)
