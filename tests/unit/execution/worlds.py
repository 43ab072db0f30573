"""Small worlds for engine tests: a plan, and surfaces whose every answer is a function of the idempotency key.

Answers that depend on nothing but the key make runs with other slots, orders and interruptions comparable.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from driftproof_action.decisions.band_separation import constants, published
from driftproof_action.decisions.band_separation.confirmed import ConfirmedBands
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.draw import Look
from driftproof_action.domain.observations import Observations
from driftproof_action.domain.plan import Earmark, Plan
from driftproof_action.domain.reply import Reply
from driftproof_action.domain.suite import Check, Criterion, SuiteCase
from driftproof_action.domain.table_records import observations_to_json
from driftproof_action.domain.usage import Usage
from driftproof_action.execution.board import Board
from driftproof_action.execution.budget import Budget
from driftproof_action.execution.drive import Limits, Patience, drive
from driftproof_action.graders.judging import JudgeSetting
from driftproof_action.journal_io import JournalIO
from driftproof_action.methods.lift import Incumbent, LiftInput, plan
from driftproof_action.ports import About, Journal, Workspace

MODEL = "claude-haiku-4-5"


class Clock:
    """Real seconds, a fixed date."""

    def now(self) -> str:
        return "2026-01-02T03:04:05.000Z"

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass(frozen=True)
class Prices:
    """Every call costs what its surface says, and never more than `dearest`."""

    dearest: int

    def worst(self, ask: Ask) -> int:
        return self.dearest

    def cost(self, ask: Ask, usage: Usage) -> int:
        return usage.micro_usd or 0


def rubric_case(id: str) -> SuiteCase:
    return SuiteCase(id, f"Do the thing called {id}", "It is done.", (), 0.7, case_hash=f"hash of {id}")


def criteria_case(id: str) -> SuiteCase:
    criteria = (
        Criterion("says-so", 2, "It says so."),
        Criterion("long", 1, "It is long enough.", Check("long", "min_length", minimum=3)),
    )
    checks = (Check("has a word", "contains", ("quality",)),)
    return SuiteCase(id, f"Do {id}", "", criteria, 0.7, checks, case_hash=f"hash of {id}")


def lift_plan(cases: int = 4, *, skill: str = "be good", low: int = 3, top: int = 6, samples: int = 2) -> Plan:
    suite = tuple(criteria_case(f"c{n}") if n % 2 else rubric_case(f"c{n}") for n in range(cases))
    judge = JudgeSetting("fake", MODEL, samples)
    terms = published.terms(low, top, samples)
    return plan(LiftInput(skill, suite, "fake", MODEL, None, 100, judge, terms), published.PublishedBands())


def confirmed_plan(cases: int = 6, *, incumbent: str = "", low: int = 5, top: int = 8) -> Plan:
    """Every case with a rubric, decided by confirmed readings. incumbent: text of the committed skill."""
    suite = tuple(rubric_case(f"c{n}") for n in range(cases))
    terms = constants.terms(low, top, 2, incumbent="drawn" if incumbent else "")
    old = Incumbent(incumbent) if incumbent else None
    given = LiftInput("be good", suite, "fake", MODEL, None, 100, JudgeSetting("fake", MODEL, 2), terms, incumbent=old)
    return plan(given, ConfirmedBands())


class Surface:
    """Answers by key. `failures`: share of calls that end badly; `garbage`: of judge replies that decide nothing;
    `limited`: of calls that are rate-limited on their first attempt."""

    instant = False

    def __init__(
        self, *, spread: float = 0.1, failures: float = 0.0, garbage: float = 0.0, limited: float = 0.0, jitter: float = 0.0
    ) -> None:
        self.spread, self.failures, self.garbage, self.limited, self.jitter = spread, failures, garbage, limited, jitter
        self.keys: list[str] = []
        self.on_call: Callable[[int], None] = lambda _: None
        self.level: Callable[[Ask], float] = lambda ask: 0.8 if ask.system else 0.5
        self._lock = threading.Lock()

    def answer(self, ask: Ask, workspace: Workspace | None, key: str, about: About) -> Reply:
        with self._lock:
            first = key not in self.keys
            self.keys.append(key)
            number = len(self.keys)
        self.on_call(number)
        rng = random.Random(key)
        if self.jitter:
            time.sleep(random.random() * self.jitter)
        usage = Usage(1, len(ask.system) // 4, 10, None, None, 50)
        if rng.random() < self.limited and first:
            return Reply("rate_limited", retryable=True, retry_after_ms=1)
        if rng.random() < self.failures:
            return Reply(rng.choice(["timeout", "cut", "refused"]), "half an", usage=usage)
        if about.role == "target":
            level = self.level(ask)
            return Reply("completed", f"quality={rng.gauss(level, self.spread):.3f}", stop_reason="end_turn", usage=usage)
        return Reply("completed", self._judge(ask, rng), usage=usage)

    def _judge(self, ask: Ask, rng: random.Random) -> str:
        if rng.random() < self.garbage:
            return "I would rather not say."
        if "judgments" in ask.system:
            decision = rng.choice(["met", "met", "not_met"])
            return f'```json\n{{"judgments": [{{"id": "says-so", "decision": "{decision}", "reason": "because"}}]}}\n```'
        answer = next(part.text for part in ask.parts if part.text.startswith("quality="))
        score = min(1.0, max(0.0, float(answer.removeprefix("quality=")) + rng.gauss(0, 0.02)))
        return f'{{"score": {round(score * 20) / 20}, "reason": "so"}}'


def run(
    surface: Surface,
    folder: Path | Journal,
    *,
    plans: tuple[Plan, ...] | None = None,
    slots: int = 4,
    max_micro_usd: int = 10**9,
    max_calls: int = 10**6,
    stop: threading.Event | None = None,
    worst: int = 200,
    limits: Limits | None = None,
    prices: Prices | None = None,
    earmarks: Mapping[Look, Earmark] | None = None,
) -> tuple[list[Observations], list[Board]]:
    journal = JournalIO(folder, nonce="n") if isinstance(folder, Path) else folder
    budget = Budget(max_micro_usd=max_micro_usd, max_calls=max_calls, earmarks=earmarks)
    boards = [Board(plan, journal=journal, budget=budget, prices=prices or Prices(worst), run_id="r") for plan in plans or (lift_plan(),)]
    try:
        tables = drive(
            boards,
            surfaces={"fake": surface},
            journal=journal,
            slots=slots,
            stop=stop or threading.Event(),
            clock=Clock(),
            patience=Patience(tries=3, base_s=0.001),
            limits=limits,
        )
    finally:
        if isinstance(journal, JournalIO):
            journal.close()
    return tables, boards


def table(seen: Observations) -> object:
    """What a table says, without how often a call had to be repeated."""
    data = observations_to_json(seen)

    def strip(value: object) -> object:
        if isinstance(value, dict):
            return {key: strip(item) for key, item in value.items() if key != "attempts"}
        return [strip(item) for item in value] if isinstance(value, list) else value

    return strip(data)


def without_stop(seen: Observations) -> Observations:
    return Observations(seen.frame, seen.draws, [replace(grade) for grade in seen.grades])
