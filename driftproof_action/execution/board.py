"""The state of one plan: what may go out next, what a reply means for the table. Not: threads, clocks, waiting (drive)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from driftproof_action.canonical import text_digest
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.observations import Observations, Stop
from driftproof_action.domain.plan import Plan
from driftproof_action.domain.reply import STOPPING, Reply
from driftproof_action.domain.usage import Usage
from driftproof_action.execution.budget import Budget
from driftproof_action.execution.costs import judged, worst
from driftproof_action.execution.extras import Extras
from driftproof_action.execution.keys import Keys
from driftproof_action.execution.unit import Prices, Unit, row
from driftproof_action.ports import Journal, JournalRecord


@dataclass(slots=True)
class _Open:
    """A grading under way. passing: a sample failed for a reason that may pass."""

    asks: tuple[Ask, ...]
    samples: list[Sample]
    settled: set[int]
    passing: bool = False


class Board:
    """One plan's state. Grown by `absorb`, emptied by `next_unit`; the only writer of its observations."""

    def __init__(self, plan: Plan, *, journal: Journal, budget: Budget, prices: Prices, run_id: str) -> None:
        """run_id: stored with every draw."""
        self.plan = plan
        self.seen = Observations(plan.frame, plan.prior_draws, plan.prior_grades)
        self.stop: Stop | None = None
        self.records: list[JournalRecord] = []
        self.micro_usd = 0
        self.calls = 0
        self._journal, self._budget, self._prices, self._run_id = journal, budget, prices, run_id
        self._keys = Keys(plan)
        self._cases = {id: [case for case in plan.frame.cases if case.brief == id] for id in plan.briefs}
        self._withheld = {(item.brief, item.arm): item.hole for item in plan.frame.withheld}
        self._arms = {arm.name: arm for arm in plan.frame.arms}
        self._pairwise = any(case.pairwise for case in plan.frame.cases)
        self._asked: set[object] = set()
        self._extras = Extras(plan.kept)
        self._draws: deque[DrawId] = deque()
        self._samples: deque[Unit] = deque()
        self._open: dict[GradeId, _Open] = {}
        self._gradings: dict[str, int] = {}
        self._replies: dict[DrawId, Reply] = {}
        self._news = True

    # ---- what goes out ------------------------------------------------------------------------------------------

    def next_unit(self) -> Unit | None:
        """The next call that may go out now; None: nothing may, at least until something is absorbed."""
        while True:
            if self._samples:
                return self._samples.popleft()  # finish first what is paid for
            if self.stop or (not self._draws and not self._ask_rule()):
                return None
            while self._draws and not self._samples:
                unit, wait = self._open_draw(self._draws[0])
                if wait:
                    return None
                self._draws.popleft()
                if unit:
                    return unit

    def _ask_rule(self) -> bool:
        """Enqueue what the rule wants and nobody asked for yet. Asked only when something is new: rules cost time."""
        if not self._news:
            return False
        self._news = False
        wanted = self.plan.rule.wanted(self.seen)
        ids = (*wanted.draws, *self._extras.due(wanted, self.seen, grading=bool(self._open)))
        draws = [id for id in ids if id not in self._asked and (id in self.plan.kept or self.seen.draw(id) is None)]
        pairs = [pair for pair in wanted.pairs if pair not in self._asked]
        self._asked.update(draws, pairs)
        self._draws.extend(draws)
        for pair in pairs:
            self._open_grading(GradeId(pair.grader, pair.case, (pair.left, pair.right)))
        return bool(draws or pairs)

    def take_spare(self) -> None:
        """From now on also what the rule would like and does not need; what was set aside for needs is free."""
        self._extras.begun = self._news = True
        self._budget.waive()

    def _open_draw(self, id: DrawId) -> tuple[Unit | None, bool]:
        """(the call, or None when none is needed; whether to wait with it)."""
        key, brief, arm = self._keys.draw(id), self.plan.briefs[id.brief], self._arms[id.arm]
        if hole := self._why_unasked(id):
            self._close_draw(id, Reply("withheld", detail=hole.reason), started_at="")
            return None, False
        ask = Ask(arm.surface, arm.model, arm.system, brief.prompt, brief.max_tokens, arm.temperature, timeout_s=brief.timeout_s)
        known, kept = self._journal.reply(key), self.plan.kept.get(id)
        asks = judged(self.plan, brief)
        most, calls = worst(self._prices, asks), len(asks)
        if not known and not kept:
            most, calls = most + self._prices.worst(ask), calls + 1
        if not self._budget.reserve(key, most, calls=calls, look=id.look):
            if self._budget.holding:  # what flies now will cost less than its worst case: wait, do not stop
                return None, True
            if id not in self._extras.needed:
                self._extras.left_out.add(id)
                self._news = True
                return None, False
            if id.look == "first" and self._budget.waive():  # without a whole first look nothing set aside is of any use
                return self._open_draw(id)
            limit = self._budget.short_of(most, calls=calls, look=id.look)
            self.stop = Stop(limit or "budget", f"{id.brief}, {id.arm}, answer {id.index + 1}")
            return None, True
        if kept:
            self._grade(id, kept)
            return None, False
        if known and known.reply:
            self._remembered(key, known.reply.usage)
            self._close_draw(id, known.reply, started_at=known.started_at)
            return None, False
        return Unit(key, ask, draw=id), False

    def _why_unasked(self, id: DrawId) -> Hole | None:
        """Why nobody may be asked for a draw: its brief is withheld, or its arm is all a receipt holds."""
        if id.arm in self.plan.unasked and id not in self.plan.kept:
            return Hole("answer_not_kept")
        return self._withheld.get((id.brief, id.arm))

    def retry(self, unit: Unit, reply: Reply) -> Unit | None:
        """One more attempt at a call that failed, reserved and paid for what it cost so far; None: there is no room for it."""
        cost = self._prices.cost(unit.ask, reply.usage)
        if self.stop or not self._budget.reserve(self._tag(unit), cost, calls=1, look=unit.about().draws[0].look):
            return None
        self._pay(self._tag(unit), cost, calls=1)
        return replace(unit, tries=unit.tries + 1, spent=unit.spent + cost)

    def finished(self) -> bool:
        """Whether nothing that is needed is missing."""
        wanted = self.plan.rule.wanted(self.seen)
        pairs = [GradeId(pair.grader, pair.case, (pair.left, pair.right)) for pair in wanted.pairs]
        needed = frozenset(wanted.draws)
        under_way = any(draw in needed for id in self._open for draw in id.draws)
        return not under_way and all(self.seen.draw(id) for id in needed) and all(self.seen.grading(id) for id in pairs)

    # ---- what comes back ----------------------------------------------------------------------------------------

    def absorb(self, unit: Unit, reply: Reply, *, started_at: str) -> None:
        """Take one reply into the table; what must be remembered is in `records` afterwards.

        A wrong model stops the run where it answered the task, unless its arm may refuse; where it judged, that judgment is a
        hole. What failed for a reason that may pass is a hole of this run only: a resumed run asks again.
        """
        cost = self._prices.cost(unit.ask, reply.usage)
        self._pay(self._tag(unit), cost, calls=1)
        reply = replace(reply, usage=replace(reply.usage, attempts=unit.tries + 1, micro_usd=unit.spent + cost))
        stopping = reply.ending in STOPPING
        if stopping and not self._is_hole(unit, reply):
            self._budget.release(self._tag(unit))
            self.stop = self.stop or Stop(reply.ending, reply.detail)
            return
        if not reply.retryable and not (stopping and unit.draw):
            self.records.append(JournalRecord(unit.key, started_at, reply=reply))
        if unit.draw:
            self._close_draw(unit.draw, reply, started_at=started_at)
        elif unit.grade:
            self._take_sample(unit, reply)

    def _is_hole(self, unit: Unit, reply: Reply) -> bool:
        """Whether what would stop a run is a hole here: another model judged, or an arm whose model may be gone."""
        if unit.draw:
            return unit.draw.arm in self.plan.may_refuse
        return reply.ending == "wrong_model"

    def _tag(self, unit: Unit) -> str:
        """What a call's money is reserved under: its draw; for a pair the grading itself."""
        if unit.draw:
            return unit.key
        assert unit.grade
        return self._grading_tag(unit.grade)

    def _grading_tag(self, id: GradeId) -> str:
        return self._keys.grade(id) if len(id.draws) > 1 else self._keys.draw(id.draws[0])

    def _remembered(self, tag: str, usage: Usage) -> None:
        """A call an earlier run paid for counts against this run's limits too."""
        self._pay(tag, usage.micro_usd or 0, calls=usage.attempts)

    def _pay(self, tag: str, micro_usd: int, *, calls: int) -> None:
        self._budget.spend(tag, micro_usd, calls=calls)
        self.micro_usd += micro_usd
        self.calls += calls

    def _close_draw(self, id: DrawId, reply: Reply, *, started_at: str) -> None:
        self.seen.add_draw(row(id, reply, run_id=self._run_id, started_at=started_at))
        self._grade(id, reply)

    def _grade(self, id: DrawId, reply: Reply) -> None:
        """Offer an answer to the graders of its cases."""
        self._news = True
        self._replies[id] = reply
        gradings = [GradeId(name, case.id, (id,)) for case in self._cases[id.brief] for name in (case.grader, *case.beside)]
        self._gradings[self._keys.draw(id)] = len(gradings)
        for grading in gradings:
            self._open_grading(grading)

    def _open_grading(self, id: GradeId) -> None:
        grader, case = self.plan.graders[id.grader], self.seen.case(id.case)
        if known := self._journal.grade(self._keys.grade(id)):
            for sample in known.samples:
                self._remembered(self._grading_tag(id), sample.usage)
            self._close_grading(known, store=False)
            return
        hole = self._why_not(id)
        asks = () if hole else grader.asks(case, self.plan.briefs[case.brief], self._replies_of(id))
        if hole or not asks:
            passing = any(reply.retryable or reply.ending in STOPPING for draw in id.draws if (reply := self._replies.get(draw)))
            self._close_grading(Grade(id, hole=hole) if hole else self._reduce(id, ()), store=not passing)
            return
        most = worst(self._prices, asks)
        if len(id.draws) > 1 and not self._budget.reserve(self._grading_tag(id), most, calls=len(asks)):
            self.stop = self.stop or Stop(self._budget.short_of(most, calls=len(asks)) or "budget", f"{id.case}, comparison")
            return
        self._open[id] = _Open(asks, [], set())
        for index, ask in enumerate(asks):
            self._send_sample(id, index, 0, ask)

    def _why_not(self, id: GradeId) -> Hole | None:
        """Why a grading has nothing to grade."""
        for draw in id.draws:
            if hole := self._withheld.get((draw.brief, draw.arm)):
                return hole
            if draw not in self._replies:
                return Hole("answer_not_kept", "the answer of a reused draw is not at hand")
        return self.plan.graders[id.grader].refuse(self.seen.case(id.case), self._replies_of(id))

    def _replies_of(self, id: GradeId) -> tuple[Reply, ...]:
        return tuple(self._replies[draw] for draw in id.draws)

    def _send_sample(self, id: GradeId, index: int, attempt: int, ask: Ask) -> None:
        unit = Unit(self._keys.sample(id, index, attempt), ask, grade=id, index=index, attempt=attempt)
        known = self._journal.reply(unit.key)
        if known and known.reply:
            self._remembered(self._tag(unit), known.reply.usage)
            self._take_sample(unit, known.reply)
        else:
            self._samples.append(unit)

    def _take_sample(self, unit: Unit, reply: Reply) -> None:
        id = unit.grade
        assert id
        grader, state, case = self.plan.graders[id.grader], self._open[id], self.seen.case(id.case)
        sample = replace(
            grader.read(case, self._replies_of(id), unit.index, unit.attempt, reply),
            reply_hash=text_digest(reply.text) if reply.text else None,
            reported_model=reply.reported_model,
            usage=reply.usage,
            serving_id=reply.serving_id,
        )
        state.samples.append(sample)
        state.passing |= reply.retryable
        second = grader.again(unit.ask, sample, reply) if unit.attempt == 0 else None
        if second and self._budget.reserve(self._grading_tag(id), 0, calls=1, look=id.draws[0].look):
            self._send_sample(id, unit.index, 1, second)
            return
        state.settled.add(unit.index)
        if len(state.settled) == len(state.asks):
            del self._open[id]
            samples = tuple(sorted(state.samples, key=lambda item: (item.index, item.attempt)))
            self._close_grading(self._reduce(id, samples), store=not state.passing)

    def _reduce(self, id: GradeId, samples: tuple[Sample, ...]) -> Grade:
        try:
            return self.plan.graders[id.grader].grade(id, self.seen.case(id.case), self._replies_of(id), samples)
        except Exception as error:  # a grader's bug is a named hole: it never stops a run and never scores
            return Grade(id, hole=Hole("grader_error", type(error).__name__), samples=samples)

    def _close_grading(self, grade: Grade, *, store: bool) -> None:
        if store:
            self.records.append(JournalRecord(self._keys.grade(grade.id), grade=grade))
        self.seen.add_grade(grade)
        self._news = True
        if len(grade.id.draws) > 1:
            self._budget.release(self._grading_tag(grade.id))
            return
        draw = grade.id.draws[0]
        tag = self._keys.draw(draw)
        self._gradings[tag] -= 1
        if not self._gradings[tag]:
            self._budget.release(tag)
            if not self._pairwise:
                self._replies.pop(draw, None)  # texts are not kept in memory longer than a grader needs them
