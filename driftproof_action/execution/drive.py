"""The one loop: keeps every slot busy until nothing certain is left on any board, then does what rules would only like. Not:
what is certain (rules)."""

from __future__ import annotations

import heapq
import queue
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from driftproof_action.domain.observations import Observations, Stop
from driftproof_action.domain.reply import Reply
from driftproof_action.execution.board import Board
from driftproof_action.execution.keys import idempotency_key
from driftproof_action.execution.unit import Unit
from driftproof_action.ports import Clock, Journal, Progress, Surface, Workspace, Workspaces


@dataclass(frozen=True, slots=True)
class Patience:
    """How failed calls are repeated: at most `tries` more attempts, waiting `base_s` doubled each time or what the provider
    asks for; all waits of one call together at most `total_s` seconds. When `alike` different answers in a row,
    or the gradings of as many, have ended alike for good, the provider is taken to be down."""

    tries: int = 3
    base_s: float = 2.0
    total_s: float = 60.0
    alike: int = 5

    def wait(self, tries: int, asked_ms: int | None, waited_s: float) -> float | None:
        """Seconds before another attempt after `tries` failed ones that waited `waited_s` together; None: there is none."""
        seconds = self.base_s * 2 ** (tries - 1) if asked_ms is None else asked_ms / 1000
        return seconds if tries <= self.tries and waited_s + seconds <= self.total_s else None


@dataclass(frozen=True, slots=True)
class _Done:
    board: Board
    unit: Unit
    reply: Reply
    started_at: str


@dataclass(frozen=True, slots=True)
class Limits:
    """seconds: how long new calls may go out, None: no limit. alone: how many first calls go out on their own before the
    slots are filled, so that the provider's cache is written once and read by the rest."""

    seconds: float | None = None
    alone: int = 0


class _Drive:
    """One run of the loop. Only the loop's own thread touches boards and journal; the pool only calls surfaces."""

    def __init__(
        self,
        boards: Sequence[Board],
        *,
        surfaces: Mapping[str, Surface],
        workspaces: Workspaces | None,
        journal: Journal,
        slots: int,
        stop: threading.Event,
        clock: Clock,
        patience: Patience,
        limits: Limits,
    ) -> None:
        self.boards, self.surfaces, self.workspaces, self.journal = boards, surfaces, workspaces, journal
        self.slots, self.stop, self.clock, self.patience = slots, stop, clock, patience
        self.deadline = None if limits.seconds is None else clock.monotonic() + limits.seconds
        self.alone = limits.alone
        self.failing: dict[str, dict[object, Reply]] = {}
        self.done: queue.SimpleQueue[_Done] = queue.SimpleQueue()
        self.later: list[tuple[float, int, Board, Unit]] = []
        self.flying = 0
        self.sparing = self.closed = False
        self._order = 0

    def run(self, progress: Progress | None) -> None:
        with ThreadPoolExecutor(self.slots) as pool:
            while True:
                self._fill(pool)
                self._remember()  # what needed no call: withheld draws, grades decided in code
                if not self.flying and (self._over() or not self.later):
                    if not self._spare():
                        return
                    continue
                for item in self._wait():
                    self._land(item)
                self._remember()  # synced before any slot is filled again
                if progress:
                    self._report(progress)

    def _spare(self) -> bool:
        """Once every board has what it needs, go on with what rules would only like; False when that is done too."""
        if self.sparing or self._over() or not all(board.finished() for board in self.boards):
            return False
        self.sparing = True
        for board in self.boards:
            board.take_spare()
        return True

    def _over(self) -> bool:
        """Whether no new call may go out, on any board."""
        if self.deadline is not None and self.clock.monotonic() >= self.deadline:
            self._stop_all(Stop("minutes", "the time limit is over"))
        return self.stop.is_set() or self.closed or all(board.stop for board in self.boards)

    def _stop_all(self, why: Stop) -> None:
        self.closed = True
        for board in self.boards:
            if not board.stop and not board.finished():
                board.stop = why

    def _fill(self, pool: ThreadPoolExecutor) -> None:
        while self.flying < (min(self.alone, self.slots) or self.slots) and not self._over():
            out = self._next()
            if out is None:
                return
            self.flying += 1
            if self.surfaces[out[1].ask.surface].instant:
                self._call(*out)  # nothing to wait for, so no thread to wait in
            else:
                pool.submit(self._call, *out)

    def _next(self) -> tuple[Board, Unit] | None:
        if self.later and self.later[0][0] <= self.clock.monotonic():
            return heapq.heappop(self.later)[2:]
        if len(self.later) >= max(self.slots, self.patience.alike):
            return None  # so many calls wait already that the provider should not be asked for more
        for board in self.boards:
            if unit := board.next_unit():
                return board, unit
        return None

    def _call(self, board: Board, unit: Unit) -> None:
        started_at = self.clock.now()
        try:
            key = idempotency_key(unit.key, self.journal.nonce)
            with self._workspace(board, unit) as workspace:
                reply = self.surfaces[unit.ask.surface].answer(unit.ask, workspace, key, unit.about())
                if workspace:
                    reply = replace(reply, files=workspace.capture())
        except OSError as error:
            reply = Reply("setup_failed", detail=type(error).__name__)
        except Exception as error:  # a surface's bug is a named hole, not a lost run
            reply = Reply("agent_error", detail=type(error).__name__)
        self.done.put(_Done(board, unit, reply, started_at))

    def _workspace(self, board: Board, unit: Unit) -> AbstractContextManager[Workspace | None]:
        if self.workspaces is None or unit.draw is None:
            return nullcontext()
        arm = next(arm for arm in board.plan.frame.arms if arm.name == unit.draw.arm)
        return self.workspaces.open(arm, board.plan.briefs[unit.draw.brief], unit.draw)

    def _wait(self) -> list[_Done]:
        """Everything that has landed; blocks for the first, at most until a postponed call is due or a second is over."""
        due = max(0.0, self.later[0][0] - self.clock.monotonic()) if self.later and self.flying < self.slots else None
        batch: list[_Done] = []
        try:
            batch.append(self.done.get(timeout=1.0 if due is None else min(due, 1.0)))
            while True:
                batch.append(self.done.get_nowait())
        except queue.Empty:
            return batch

    def _land(self, item: _Done) -> None:
        self.flying -= 1
        self.alone = max(0, self.alone - 1)
        if item.reply.retryable and not self._over() and self._postpone(item):
            return
        item.board.absorb(item.unit, item.reply, started_at=item.started_at)
        self._watch(item)

    def _postpone(self, item: _Done) -> bool:
        """Whether a failed call gets another attempt; it waits without a slot."""
        wait = self.patience.wait(item.unit.tries + 1, item.reply.retry_after_ms, item.unit.waited_s)
        again = item.board.retry(item.unit, item.reply) if wait is not None else None
        if again is None or wait is None:
            return False
        self._order += 1
        due = self.clock.monotonic() + wait
        heapq.heappush(self.later, (due, self._order, item.board, replace(again, waited_s=again.waited_s + wait)))
        return True

    def _watch(self, item: _Done) -> None:
        """Open the circuit when the provider seems to be down: for one answer after another, asking or judging ends alike."""
        about, reply = item.unit.about(), item.reply
        failing = self.failing.setdefault(about.role, {})
        if not reply.retryable or any(other.ending != reply.ending for other in failing.values()):
            failing.clear()
        if reply.retryable:
            failing[about.draws] = reply
        if len(failing) >= self.patience.alike:
            what = "answers" if about.role == "target" else "gradings"
            self._stop_all(Stop("circuit", f"{len(failing)} {what} in a row: {reply.ending.replace('_', ' ')} {reply.detail}".strip()))

    def _remember(self) -> None:
        records = [record for board in self.boards for record in board.records]
        self.journal.append(records)
        for board in self.boards:
            board.records.clear()

    def _report(self, progress: Progress) -> None:
        progress.update(
            calls=sum(board.calls for board in self.boards),
            micro_usd=sum(board.micro_usd for board in self.boards),
            flying=self.flying,
            waiting=len(self.later),
        )


def drive(
    boards: Sequence[Board],
    *,
    surfaces: Mapping[str, Surface],
    journal: Journal,
    slots: int,
    stop: threading.Event,
    clock: Clock,
    workspaces: Workspaces | None = None,
    progress: Progress | None = None,
    patience: Patience | None = None,
    limits: Limits | None = None,
) -> list[Observations]:
    """Run every board to its end and return their tables, in order.

    slots: calls in flight at once, 1 or more. stop: set it (a signal handler may) and no new call goes out; what flies is
    waited for and kept. The tables do not depend on slots or on the order of arrival, unless a stop or an exhausted
    budget cut the run short. Raises OSError when the journal cannot be written; nothing is counted then.
    """
    loop = _Drive(
        boards,
        surfaces=surfaces,
        workspaces=workspaces,
        journal=journal,
        slots=slots,
        stop=stop,
        clock=clock,
        patience=patience or Patience(),
        limits=limits or Limits(),
    )
    loop.run(progress)
    for board in boards:
        whole = board.finished()  # what was refused afterwards was only extra
        board.seen.stop = Stop("complete") if whole else board.stop or Stop("signal" if stop.is_set() else "budget")
    return [board.seen for board in boards]
