"""The one walk: settings to loaded skills, plans, one drive, observations, receipts, comparison, rows. Not: showing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from driftproof_action.commands.base import Shelf
from driftproof_action.commands.before import Before, check_named
from driftproof_action.commands.conclude import conclude
from driftproof_action.commands.gate import decide, gravest
from driftproof_action.commands.judging import settle_judge
from driftproof_action.commands.reserve import Reserve, set_aside
from driftproof_action.commands.targets import Target, Targets, find_targets
from driftproof_action.commands.work import Work, lift_work, measure_work
from driftproof_action.commands.world import World
from driftproof_action.domain.observations import Stop
from driftproof_action.execution.board import Board
from driftproof_action.execution.budget import Budget
from driftproof_action.execution.drive import Limits, Patience, drive
from driftproof_action.execution.projection import NOTHING, Projection, project, refuse_over_budget
from driftproof_action.ports import Journal
from driftproof_action.providers.stub import SURFACE as STUB
from driftproof_action.registry.models import Model, PriceList, estimated_tokens
from driftproof_action.reports.console import plan_line
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.terminal import plain
from driftproof_action.settings.run_settings import RunSettings

UNSCRIPTED_SLOTS = 64
"""Calls in flight on a stub without a script: nobody is kept waiting, and every batch is one sync of the journal."""

_GITIGNORE_LIMIT = 64 * 1024

PATIENCE = Patience()
"""How failed calls are repeated."""

NOT_AFFORDED = (
    "the limits leave no room for fresh answers: cases that look different will be named and not confirmed (raise max-usd or max-calls)"
)

MakeWork = Callable[[Target, Model, str], Work]


def evaluate(settings: RunSettings, world: World, shelf: Shelf) -> JobResult:
    """Measure the lift of every skill on every model named. Raises DriftproofError before the first call for all that can
    be refused statically."""
    targets = find_targets(settings, world)
    check_named(shelf)
    judge = settle_judge(settings, targets, world, shelf)
    return _walk(
        settings,
        world,
        shelf,
        targets,
        lambda target, model, slug: lift_work(
            target, model, slug, judge_model=judge, models=len(targets.models), settings=settings, world=world, shelf=shelf
        ),
    )


def measure(settings: RunSettings, world: World, shelf: Shelf, *, draws: int) -> JobResult:
    """Pass rates of every skill on every model named; nothing is compared and nothing asserted."""
    return _walk(
        settings,
        world,
        shelf,
        find_targets(settings, world),
        lambda target, model, slug: measure_work(target, model, slug, settings=settings, world=world, draws=draws),
    )


def _walk(settings: RunSettings, world: World, shelf: Shelf, targets: Targets, make: MakeWork) -> JobResult:
    asked = [make(target, model, slug) for target in targets.skills for model, slug in targets.models]
    reserve, projection = _announce(asked, settings, world)
    works = reserve.works
    _open_run_folder(settings, world)
    started_at = world.clock.now()
    complete = False
    journal = world.open_journal(world.token())
    try:
        boards = _drive(reserve, journal, settings=settings, world=world, projection=projection)
        rows = tuple(
            conclude(work, board, journal, settings=settings, world=world, shelf=shelf, started_at=started_at)
            for work, board in zip(works, boards, strict=True)
        )
        complete = not world.stop.is_set() and all(board.seen.stop and board.seen.stop.reason == "complete" for board in boards)
    finally:
        if kept := world.keep_journal(not complete):
            world.say(f"what was finished is kept in {kept}; to go on: the same command with --resume-dir {kept}")
    return _result(rows, boards, targets, settings=settings, world=world, projection=projection)


def _open_run_folder(settings: RunSettings, world: World) -> None:
    """Before the first call: what cannot be written must not be paid for. The folder keeps itself out of git.

    Raises FileError where it cannot be written, or is a link.
    """
    path = f"{settings.out}/.gitignore"
    world.out.write(path, world.out.read(path, limit=_GITIGNORE_LIMIT) if world.out.kind(path) == "file" else b"*\n")


def _announce(asked: Sequence[Work], settings: RunSettings, world: World) -> tuple[Reserve, Projection]:
    """Say what the job may cost, and refuse it here when it cannot be afforded. The stub's calls cost nothing."""
    price_of = world.registry.find
    limit = settings.max_micro_usd if settings.live else None
    reserve = set_aside(asked, [project(work.plan, price_of) for work in asked], max_micro_usd=limit, max_calls=settings.max_calls)
    works = reserve.works
    projections = [project(work.plan, price_of) for work in works]
    whole = sum(projections, NOTHING)
    for line in _cache_lines(works, world):
        world.say(line)
    if works:
        world.say(
            plan_line(
                cases=sum(len(work.target.cases) for work in works),
                sides=max(map(_sides, works)),
                skills=len({work.target.path for work in works}),
                models=", ".join(dict.fromkeys(work.model.id for work in works)),
                judge=works[0].judge.model if works[0].judge else "",
                fewest=whole.fewest,
                most=whole.most,
                micro_usd=whole.most_micro_usd,
                limit_micro_usd=settings.max_micro_usd,
            )
        )
    if not reserve.afforded:
        world.say(NOT_AFFORDED)
    for line in _before_lines(works):
        world.say(line)
    refuse_over_budget(
        projections, max_micro_usd=settings.max_micro_usd if settings.live else whole.most_micro_usd, max_calls=settings.max_calls
    )
    return reserve, whole


def _sides(work: Work) -> int:
    """Arms whose first look is drawn: nobody is asked for one that a receipt hands over."""
    handed = {draw.id.arm for draw in work.plan.prior_draws if draw.id.look == "first"}
    return sum(arm.name not in handed | work.plan.unasked for arm in work.plan.frame.arms)


def _before_lines(works: Sequence[Work]) -> list[str]:
    """What each skill is set against beside the baseline, and where the first answers of that come from; of several models by
    name."""
    several = len({work.model.id for work in works}) > 1
    named = [(plain(work.target.path) + (f" ({plain(work.model.id)})" if several else ""), work) for work in works]
    lines = [_before_line(skill, work.before) for skill, work in named if work.before]
    for skill, work in named:
        if many := len(work.plan.kept):
            lines.append(f"{skill}: {many} kept answers are graded again, to see whether the judge moved")
    return lines


def _before_line(skill: str, before: Before) -> str:
    old = before.incumbent
    if old is None:
        when = plain(before.origin.date[:10]) if before.origin else ""
        return f"{skill}: what looks lower than in the receipt of {when} is asked again; that alone never makes the job red"
    source = "its answers are in the stored receipt" if before.origin else f"all of its answers are drawn ({plain(before.why)})"
    if old.model:
        return f"{skill} is the same: asked on {old.model} too, {source}"
    return f"{skill} changed: asked as {str(before.commit)[:12]} has it too, {source}"


def _cache_lines(works: Sequence[Work], world: World) -> list[str]:
    """Which skill texts are too short for the provider to keep: they are paid for in full with every answer."""
    if world.surface == STUB:
        return []
    short = {
        f"{work.target.path}: SKILL.md has about {estimated_tokens(work.target.skill.text)} tokens, {work.model.id} caches from "
        f"{work.model.cache_minimum}: every answer pays for all of it": None
        for work in works
        if work.model.cache_minimum is not None and not work.model.caches(work.target.skill.text)
    }
    return list(short)


def _drive(reserve: Reserve, journal: Journal, *, settings: RunSettings, world: World, projection: Projection) -> list[Board]:
    """One loop over everything."""
    works = reserve.works
    run_id = world.token()
    budget = Budget(max_micro_usd=settings.max_micro_usd, max_calls=settings.max_calls, earmarks=reserve.aside)
    prices = PriceList(world.registry, free=frozenset({STUB}))
    boards = [Board(work.plan, journal=journal, budget=budget, prices=prices, run_id=run_id) for work in works]
    cached = settings.live and any(work.model.caches(work.target.skill.text) for work in works)
    if world.progress:
        world.progress.begin(fewest=projection.fewest, most=projection.most)
    try:
        drive(
            boards,
            surfaces=world.surfaces,
            journal=journal,
            slots=settings.concurrency if settings.live or world.scripted else UNSCRIPTED_SLOTS,
            stop=world.stop,
            clock=world.clock,
            progress=world.progress,
            patience=PATIENCE,
            limits=Limits(world.seconds, alone=2 if cached else 0),
        )
    finally:
        world.hang_up()
        if world.progress:
            world.progress.end()
    for work, board in zip(works, boards, strict=True):
        if board.stop and board.seen.stop and board.seen.stop.reason == "complete":  # its verdict rests on nothing that was refused
            why = plain(board.stop.detail or board.stop.reason)
            world.say(f"{plain(work.target.path)}: what a verdict does not need was cut short ({why})")
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
    stop = gravest(board.seen.stop for board in boards if board.seen.stop)
    stop = Stop("signal") if stop.reason == "complete" and world.stop.is_set() else stop
    stopped, detail = ("", "") if stop.reason == "complete" else (stop.reason, stop.detail)
    gate = decide(
        rows,
        fail_on=settings.fail_on,
        on_unmeasured=settings.on_unmeasured,
        mode="live" if settings.live else "stub",
        stopped=stopped,
        detail=detail,
        narrowed=settings.narrowed,
        pull_request=world.pull_request,
        skipped=len(targets.skipped),
    )
    return JobResult(
        rows=rows,
        mode="live" if settings.live else "stub",
        exit_code=gate.exit_code,
        because=gate.because,
        skipped=targets.skipped,
        stopped=stopped,
        stop_detail=detail,
        fewest=projection.fewest,
        most=projection.most,
        projected_micro_usd=projection.most_micro_usd,
        run_url=world.run_url,
        example=world.example,
    )
