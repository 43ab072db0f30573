"""Makes the example receipts the demo shows: invented answers through the real engine. Not: measurements.

The scores are drawn from a seeded generator around the levels below; the receipts say so (`run.example`).
"""

from __future__ import annotations

import random
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from driftproof_action.canonical import Json, canonical_bytes
from driftproof_action.decisions.band_separation import published
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.reply import Reply
from driftproof_action.domain.usage import Usage
from driftproof_action.execution.board import Board
from driftproof_action.execution.budget import Budget
from driftproof_action.execution.drive import drive
from driftproof_action.files_io import FilesIO
from driftproof_action.graders.criteria import asked_ids
from driftproof_action.graders.judging import JudgeSetting
from driftproof_action.graders.prompt import template_hash
from driftproof_action.journal_io import JournalIO
from driftproof_action.loading.skill import load_skill
from driftproof_action.loading.suite import load_suite
from driftproof_action.methods.lift import LiftInput, plan, rubric_hashes
from driftproof_action.ports import About, Workspace
from driftproof_action.receipts.build import build
from driftproof_action.receipts.facts import ReceiptFacts
from driftproof_action.receipts.sealing import to_file_bytes
from driftproof_action.registry.models import PriceList, shipped

MODEL = "claude-haiku-4-5"
SKILLS = Path(__file__).resolve().parents[2] / "driftproof_action" / "examples"

BASE = {
    "mixed-list": 0.82,
    "breaking-change": 0.86,
    "nothing-to-say": 0.64,
    "no-invented-figures": 0.78,
    "security-fix": 0.74,
    "too-many": 0.7,
}
IMPROVED = BASE | {"nothing-to-say": 0.9, "too-many": 0.84}
REGRESSED = BASE | {"breaking-change": 0.41}
WITHOUT = {
    "mixed-list": 0.55,
    "breaking-change": 0.25,
    "nothing-to-say": 0.3,
    "no-invented-figures": 0.6,
    "security-fix": 0.7,
    "too-many": 0.45,
}

EXAMPLES: Mapping[str, tuple[Mapping[str, float], str, str]] = {
    "base": (BASE, "", "2026-11-02T09:14:00.000Z"),
    "improved": (IMPROVED, "\n- When there is nothing a reader can act on, say so in one sentence.\n", "2026-11-16T10:02:00.000Z"),
    "regressed": (REGRESSED, "\n- Put everything into one list, newest first.\n", "2026-11-23T15:40:00.000Z"),
}


class Clock:
    def __init__(self, when: str) -> None:
        self._when = when

    def now(self) -> str:
        return self._when

    def monotonic(self) -> float:
        return 0.0


class Invented:
    """Answers whose quality is drawn around a level, and judges that see it. One call at a time, so the order is fixed."""

    instant = True

    def __init__(self, levels: Mapping[str, float]) -> None:
        self._levels = levels

    def answer(self, ask: Ask, workspace: Workspace | None, key: str, about: About) -> Reply:
        draw = about.draws[0]
        level = (self._levels if draw.arm == "with_skill" else WITHOUT)[about.case]
        rng = random.Random(f"{draw.arm} {about.case} {draw.index} {level}")
        quality = min(1.0, max(0.0, rng.gauss(level, 0.02)))
        usage = Usage(1, 700 if ask.system else 120, 260, 0, 2400)
        if about.role == "target":
            return Reply(
                "completed",
                f"an invented answer of quality {quality:.3f}" + (" (runs doctor)" if quality > 0.6 else ""),
                stop_reason="end_turn",
                usage=usage,
            )
        ids = asked_ids(ask)
        if ids is None:
            score = round(quality * 20) / 20
            return Reply("completed", canonical_bytes({"score": score, "reason": "an invented grade"}).decode(), usage=usage)
        met = round(quality * len(ids))
        rows: list[Json] = [
            {"id": id, "decision": "met" if number < met else "not_met", "reason": "invented"} for number, id in enumerate(ids)
        ]
        return Reply("completed", canonical_bytes({"judgments": rows}).decode(), usage=usage)


def make(name: str) -> bytes:
    """The bytes of one example receipt."""
    levels, addition, when = EXAMPLES[name]
    files = FilesIO(str(SKILLS))
    skill = load_skill(files, "skills/release-notes", git=None, suite_files=("evals/evals.json",))
    with tempfile.TemporaryDirectory() as folder:
        if addition:
            skill = _edited(folder, addition)
        suite = load_suite(files, "skills/release-notes", skill_name=skill.name)
        judge = JudgeSetting("stub", MODEL, 2)
        terms = {**published.terms(5, 10, 2), "kind": "stub"}
        given = LiftInput(skill.text, suite.cases, "stub", MODEL, None, 4096, judge, terms)
        work = plan(given, published.PublishedBands())
        journal = JournalIO(Path(folder) / "journal", nonce="example")
        board = Board(
            work,
            journal=journal,
            budget=Budget(max_micro_usd=0, max_calls=10**6),
            prices=PriceList(shipped(), free=frozenset({"stub"})),
            run_id=f"example-{name}",
        )
        clock = Clock(when)
        [seen] = drive([board], surfaces={"stub": Invented(levels)}, journal=journal, slots=1, stop=threading.Event(), clock=clock)
        journal.close()
    facts = ReceiptFacts(
        method="lift",
        skill=skill,
        suite=suite,
        model_id=MODEL,
        model_release_date="2025-10-01",
        provider="anthropic",
        surface="stub",
        runner_version="0.1.0",
        generated_at=when,
        finished_at=when.replace(":00.000", ":41.000"),
        registry="registered",
        transcripts="none",
        judge_model_id=MODEL,
        judge_prompt_template_hash=template_hash("judge"),
        judge_criteria_template_hash=template_hash("criteria"),
        judge_samples=2,
        judge_temperature=None,
        judge_sampling="stub",
        judge_surface="stub",
        rubric_hashes=rubric_hashes(suite.cases),
        protocol="published",
        parameters={"min_draws": 5, "max_draws": 10, "samples": 2, "max_tokens": 4096, "temperature": None},
        prices={MODEL: (1, 5, True)},
        prices_source="driftproof registry 2026-11",
        kind="stub",
        isolation="none",
        run_id=f"example-{name}",
        example=True,
    )
    return to_file_bytes(build(facts, seen, work.rule.decide(seen)))


def _edited(folder: str, addition: str):  # type: ignore[no-untyped-def]
    import shutil  # the copy is only needed for the edited skills

    shutil.copytree(SKILLS / "skills" / "release-notes", f"{folder}/release-notes")
    path = Path(folder) / "release-notes" / "SKILL.md"
    path.write_text(path.read_text() + addition)
    return load_skill(FilesIO(folder), "release-notes", git=None, suite_files=("evals/evals.json",))
