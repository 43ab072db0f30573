"""The benchmark's quick path on plain scores and the rule on a real table say the same, draw for draw."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.operating_characteristics import NULLS, Job, plan, run, work
from benchmarks.operating_laws import DRIFTS, EFFECTS
from benchmarks.operating_play import PUBLISHED, B, Design, Moved, Simulated, Source, W, name, play, play_past
from benchmarks.operating_report import report
from driftproof_action.decisions.band_separation.confirmed import ConfirmedBands
from driftproof_action.decisions.band_separation.confirmed_readings import published_verdict_of
from driftproof_action.decisions.band_separation.constants import terms
from driftproof_action.domain.observations import Observations
from tests.unit.decisions.tables import finish, frame, stored

RULE = ConfirmedBands()
WORLDS = {**NULLS, **EFFECTS}


class Recorded:
    """Remembers every score it hands out, in the order of the draws of each series."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.scores: dict[tuple[str, ...], list[float | None]] = {}

    def score(self, case: int, arm: str, look: str) -> float:
        score = self.source.score(case, arm, look)
        self.scores.setdefault((name(case), arm, look), []).append(score)
        return score


@pytest.mark.parametrize("seed", range(4))
def test_the_quick_path_and_the_rule_agree(seed: int) -> None:
    """Every law four times and more: equal verdicts, equal published verdicts, equal calls, no draw more or less."""
    random = Random(seed)
    for row, world in WORLDS.items():
        for cases in (random.choice([3, 5]), 7):
            design = random.choice([Design(), Design(3, 6, 1), PUBLISHED])
            source = Recorded(Simulated(world, cases, design.samples, random=random))
            quick = play(source, cases, design, reused=world.reused)
            asked = frame(
                RULE.name, {name(case): name(case) for case in range(cases)}, terms(design.low, design.top, design.samples, redraw=True)
            )
            start: Observations | None = None
            if world.reused:
                start = stored(asked, B, {name(case): source.scores[name(case), B, "first"] for case in range(cases)})
            seen = finish(RULE, asked, source.scores, start)
            decision = RULE.decide(seen)
            assert (decision.verdict, published_verdict_of(decision)) == (quick.verdict, quick.published), row
            drawn = [draw.id.look for draw in seen.draws if draw.origin is None]
            paid = (drawn.count("first") * (1 + design.samples), (len(drawn) - drawn.count("first")) * (1 + design.samples))
            assert paid == (quick.calls, quick.extra), row
            fell = {item.word for item in decision.readings if item.rule in ("confirmation/down", "confirmation/suite")}
            assert bool(fell & {"confirmed", "suite_down"}) == quick.down, row
            assert {key[1] for key in source.scores} == {W, B}


@pytest.mark.parametrize("seed", range(3))
def test_stored_answers_are_held_against_as_the_rule_does(seed: int) -> None:
    random, arms = Random(seed), (W, B, "past", "past_baseline")
    words = set()
    for row, drift in DRIFTS.items():
        cases, design = random.choice([3, 7]), random.choice([Design(), Design(4, 8, 1), PUBLISHED])
        source = Recorded(Moved(drift, cases, design.samples, random=random))
        quick = play_past(source, cases, design)
        asked = frame(RULE.name, {name(case): name(case) for case in range(cases)}, terms(design.low, design.top, design.samples), arms)
        rows = [
            stored(asked, there, {name(case): source.scores[name(case), here, "old"] for case in range(cases)})
            for here, there in ((W, "past"), (B, "past_baseline"))
        ]
        start = Observations(asked, [draw for part in rows for draw in part.draws], [grade for part in rows for grade in part.grades])
        longer = {key: [*scores, *[0.5] * 10] for key, scores in source.scores.items()}  # a case may be suspect against the baseline too
        truth = {**longer, **{(name(case), arm): [0.5] * 10 for case in range(cases) for arm in (W, B)}}
        seen = finish(RULE, asked, truth, start)
        told = [item for item in RULE.decide(seen).readings if item.rule == "confirmation/past"]
        assert any(item.word == "likely" for item in told) == bool(quick["likely"]), row
        drawn = {item.about: item.numbers["fresh_target_n"] for item in told if "stop" in item.numbers}
        assert sum(int(n or 0) for n in drawn.values()) == quick["draws"], row
        words |= {item.word for item in told}
    assert {"likely", "cannot_tell"} <= words


def test_chunks_do_not_depend_on_each_other_and_finished_ones_are_kept(tmp_path) -> None:  # type: ignore[no-untyped-def]
    todo = [Job("null", "gauss 0.06", 3, "default", chunk, 4) for chunk in range(3)]
    state = tmp_path / "state"
    whole = run(todo, None, seed=1, processes=1)
    run(todo[1:2], state, seed=1, processes=1)
    assert run(todo, state, seed=1, processes=1) == whole
    assert len(state.read_text().splitlines()) == 3
    assert whole["null", "gauss 0.06", 3, "default"]["n"] == 12
    assert work(todo[0], 1) != work(todo[0], 2)


def test_every_row_of_the_plan_is_printed() -> None:
    todo = {(job.section, job.row, job.cases, job.design): job for job in plan(quick=True)}
    results = {key: work(Job(job.section, job.row, job.cases, job.design, 0, 1), 1) for key, job in todo.items()}
    page = "\n".join(report(results, 1, quick=True))
    for _, row, _, _ in todo:
        assert f"| {row} |" in page
