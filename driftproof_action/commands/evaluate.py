"""The one walk: settings to loaded skills, plans, one drive, observations, receipts, comparison, rows. Not: showing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from driftproof_action.commands.base import Shelf
from driftproof_action.commands.conclude import conclude
from driftproof_action.commands.gate import decide
from driftproof_action.commands.targets import Target, Targets, find_targets
from driftproof_action.commands.work import Work, lift_work, measure_work
from driftproof_action.commands.world import World
from driftproof_action.execution.board import Board
from driftproof_action.execution.budget import Budget
from driftproof_action.execution.drive import drive
from driftproof_action.execution.projection import NOTHING, Projection, project, refuse_over_budget
from driftproof_action.registry.models import Model
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.settings.run_settings import RunSettings

UNSCRIPTED_SLOTS = 64
"""Calls in flight on a stub without a script: nobody is kept waiting, and every batch is one sync of the journal."""

MakeWork = Callable[[Target, Model, str], Work]


def evaluate(settings: RunSettings, world: World, shelf: Shelf) -> JobResult:
    """Measure the lift of every skill on every model named. Raises DriftproofError before the first call for all that can
    be refused statically."""
    return _walk(
        settings,
        world,
        shelf,
        lambda target, model, slug: lift_work(target, model, slug, settings=settings, world=world),
    )


def measure(settings: RunSettings, world: World, shelf: Shelf, *, draws: int) -> JobResult:
    """Pass rates of every skill on every model named; nothing is compared and nothing asserted."""
    return _walk(
        settings,
        world,
        shelf,
        lambda target, model, slug: measure_work(target, model, slug, settings=settings, draws=draws),
    )


def _walk(settings: RunSettings, world: World, shelf: Shelf, make: MakeWork) -> JobResult:
    targets = find_targets(settings, world)
    works = [make(target, model, slug) for target in targets.skills for model, slug in targets.models]
    projection = _announce(works, settings, world)
    started_at = world.clock.now()
    boards = _drive(works, settings, world)
    rows = tuple(
        conclude(work, board, settings=settings, world=world, shelf=shelf, started_at=started_at)
        for work, board in zip(works, boards, strict=True)
    )
    return _result(rows, boards, targets, settings=settings, world=world, projection=projection)


def _announce(works: Sequence[Work], settings: RunSettings, world: World) -> Projection:
    """Say what the job may cost, and refuse it here when it cannot be afforded. The stub's calls cost nothing."""
    projections = [project(work.plan, world.registry.find) for work in works]
    refuse_over_budget(projections, max_micro_usd=settings.max_micro_usd, max_calls=settings.max_calls)
    for work, projection in zip(works, projections, strict=True):
        arms = len(work.plan.frame.arms)
        judge = f", judge {work.judge.model}" if work.judge else ""
        world.say(
            f"{work.target.path}: {len(work.target.cases)} cases × {arms} {'arms' if arms > 1 else 'arm'} on {work.model.id}{judge}: "
            f"{projection.fewest} to {projection.most} calls"
        )
    return sum(projections, NOTHING)


def _drive(works: Sequence[Work], settings: RunSettings, world: World) -> list[Board]:
    """One loop over everything; a run that was cut short leaves its journal and says where."""
    run_id = world.token()
    journal = world.open_journal(world.token())
    budget = Budget(max_micro_usd=settings.max_micro_usd, max_calls=settings.max_calls)
    boards = [Board(work.plan, journal=journal, budget=budget, worst=lambda _: 0, run_id=run_id) for work in works]
    drive(
        boards,
        surfaces=world.surfaces,
        journal=journal,
        slots=settings.concurrency if world.scripted else UNSCRIPTED_SLOTS,
        stop=world.stop,
        clock=world.clock,
        progress=world.progress,
    )
    cut_short = any(board.seen.stop and board.seen.stop.reason != "complete" for board in boards)
    kept = world.keep_journal(cut_short)
    if kept:
        world.say(f"what was finished is kept in {kept}")
    return boards


def _result(
    rows: tuple[JobRow, ...],
    boards: Sequence[Board],
    targets: Targets,
    *,
    settings: RunSettings,
    world: World,
    projection: Projection,
) -> JobResult:
    reasons = [board.seen.stop.reason for board in boards if board.seen.stop and board.seen.stop.reason != "complete"]
    stopped = reasons[0] if reasons else ""
    gate = decide(
        rows,
        fail_on=settings.fail_on,
        on_unmeasured=settings.on_unmeasured,
        mode=settings.mode,
        stopped=stopped,
        narrowed=settings.narrowed,
        pull_request=world.pull_request,
        skipped=len(targets.skipped),
    )
    return JobResult(
        rows=rows,
        mode=settings.mode,
        exit_code=gate.exit_code,
        because=gate.because,
        skipped=targets.skipped,
        stopped=stopped,
        fewest=projection.fewest,
        most=projection.most,
        projected_micro_usd=projection.most_micro_usd,
        run_url=world.run_url,
        example=world.example,
    )
