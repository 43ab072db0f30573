"""Confirmed readings: suspect on the first draws, decide on fresh ones. Not: the published rule, whose verdict stands beside.

Why it is valid, and what no rule on draws can repair: docs/readings.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from driftproof_action.analysis.lost_draws import read_case
from driftproof_action.analysis.suite_band import suite_band
from driftproof_action.decisions.band_separation.anchor import anchor_draws, anchor_reading
from driftproof_action.decisions.band_separation.confirmation import Outcome, judge_family, try_suspect
from driftproof_action.decisions.band_separation.confirmed_ladder import Findings, decide_confirmed
from driftproof_action.decisions.band_separation.confirmed_readings import (
    NAME,
    OLD_SUITE,
    family_readings,
    published_reading,
    statistics_numbers,
    suite_readings,
)
from driftproof_action.decisions.band_separation.constants import FRESH, MAX_DOWN, MAX_UP, read_settings
from driftproof_action.decisions.band_separation.families import DOWN, UP, Family, fresh_draws, fresh_scores
from driftproof_action.decisions.band_separation.likely import judge_alone
from driftproof_action.decisions.band_separation.progress import INCUMBENT, PAST_BASELINE, Progress, read_progress
from driftproof_action.decisions.band_separation.published import PublishedBands, barred, lacking, unfinished
from driftproof_action.decisions.band_separation.readings import ROLES, case_reading
from driftproof_action.decisions.band_separation.suite_gate import read_suite
from driftproof_action.decisions.guard import GUARD, guarded
from driftproof_action.domain.observations import Frame, Observations, Wanted
from driftproof_action.domain.reading import Decision, Reading
from driftproof_action.domain.rule import Forecast

PUBLISHED = PublishedBands()


class ConfirmedBands:
    """domain.rule.Rule over the arms with the roles with_skill and baseline and, where there are such, incumbent, or past and
    past_baseline."""

    name = NAME

    def wanted(self, seen: Observations) -> Wanted:
        """The first look; once it has settled the redraw of a reused arm that made the suite look down; once that has too,
        three fresh draws an arm of every chosen suspect, and ten where three have shown the floor. Extra: fresh draws against
        stored answers, and old answers graded again; neither can gate."""
        state = read_progress(seen)
        if state is None:
            return Wanted(())
        alone = [family for family in state.families if family.stored]
        gating = [family for family in state.families if not family.stored]
        stages = [state.first.draws(), state.redraw.draws() if state.redraw else (), fresh_draws(seen, gating, state.target)]
        needed = tuple(chain.from_iterable(stages))
        extra = [fresh_draws(seen, alone, state.target), anchor_draws(seen, state.anchored) if state.anchored else ()]
        known = frozenset(needed)
        return Wanted(needed, extra=tuple(id for id in chain.from_iterable(extra) if id not in known))

    def decide(self, seen: Observations) -> Decision:
        """C-8. Readings: the published ones of the first look and the published verdict, then the suite, then every suspect."""
        state = read_progress(seen)
        if state is None:
            return Decision("NOT_MEASURED", "", ("arm_missing",), ())
        published = PUBLISHED.decide(seen)
        outcomes = {family.name: _outcomes(seen, state, family) for family in state.families}
        verdict, reasons = decide_confirmed(self._findings(seen, state, outcomes=outcomes))
        routes = barred(seen.frame)
        if routes:
            verdict, reasons = "NOT_MEASURED", routes
        readings = (
            *(item for item in published.readings if item.rule != GUARD),  # said once, of the decision as a whole
            published_reading(published),
            *suite_readings(
                state.suite, state, told=not routes and not lacking(seen.frame, [pair if pair.readable else None for pair in state.pairs])
            ),
            *chain.from_iterable(
                family_readings(
                    family,
                    outcomes[family.name],
                    {item.case: fresh_scores(seen, item, state.target, family=family) for item in family.chosen},
                )
                for family in state.families
            ),
            *_old_readings(state),
            *([anchor] if state.anchored and (anchor := anchor_reading(seen, state.anchored)) else []),
        )
        return guarded(seen, Decision(verdict, "", reasons, readings))

    def forecast(self, frame: Frame) -> tuple[Forecast, ...]:
        """Draws that cost a call, per look; withheld briefs take none. The most of `confirm` and `redraw` that is
        not extra is what a budget sets aside. A reused arm is not known here: its first look is counted as drawn."""
        settings = read_settings(frame)
        roles = (*ROLES, *((INCUMBENT,) if settings.incumbent == "drawn" else ()))
        withheld = {(item.brief, item.arm) for item in frame.withheld}
        asked = {(case.brief, arm.name) for case in frame.cases for arm in frame.arms if arm.role in roles} - withheld
        whole = len({brief for brief, _ in asked})
        lift = min(MAX_DOWN + MAX_UP, whole)
        drift, alone = (min(MAX_DOWN, whole) if frame.arm_of(role) else 0 for role in (INCUMBENT, PAST_BASELINE))
        most, extra = (2 * FRESH * (lift + drift), FRESH * alone) if settings.confirm else (0, 0)
        again = whole * settings.top if settings.redraw else 0
        return (
            Forecast("first", len(asked) * settings.low, len(asked) * settings.top),
            Forecast("redraw", 0, again),
            Forecast("confirm", 0, most),
            *([Forecast("confirm", 0, extra, extra=True)] if extra else []),
        )

    def _findings(self, seen: Observations, state: Progress, *, outcomes: dict[str, tuple[Outcome, ...]]) -> Findings:
        read = [read_case(pair) for pair in state.pairs]
        lift = [family for family in state.families if family.name in (DOWN, UP)]
        statuses = {item.status for family in lift for item in outcomes[family.name]}
        left = {"unconfirmed" for family in lift if family.left}
        return Findings(
            down=any(item.status == "confirmed" for item in outcomes[DOWN]),
            up=any(item.status == "confirmed" for item in outcomes[UP]),
            suite=state.suite.word,
            unresolved=frozenset((statuses | left) - {"confirmed"}),
            cases=[reading for reading in read if reading],
            unfinished=unfinished(seen, unmeasured=lacking(seen.frame, read), settled=state.settled),
            band=suite_band(state.pairs),
        )


def _outcomes(seen: Observations, state: Progress, family: Family) -> tuple[Outcome, ...]:
    reason = seen.stop.reason if seen.stop else ""
    cut = "budget" if reason in ("budget", "calls") else "stopped"
    drawn = [(item, fresh_scores(seen, item, state.target, family=family)) for item in family.chosen]
    if family.stored:
        left = "left_out" if reason == "complete" else cut
        return tuple(judge_alone(item, ours, family.stored[item.case], left) for item, (ours, _) in drawn)
    return judge_family([(item, try_suspect(item.sign, *sides)) for item, sides in drawn], state.settings.alpha_case, cut)


def _old_readings(state: Progress) -> Iterator[Reading]:
    """The new skill against the incumbent's first look, by the published comparison (R-6) and over the suite: named, never
    gating. A suite reading is only given where the incumbent was drawn in this run."""
    for pair in state.old_pairs:
        reading = case_reading(pair, read_case(pair))
        numbers = {name.replace("baseline_", "incumbent_"): value for name, value in reading.numbers.items()}
        yield Reading(INCUMBENT, reading.about, reading.word, reading.reason, numbers)
    if state.old_pairs and state.old:
        arms = (state.target.name, state.old.name)
        stored = any(series.reused for (_, arm), series in state.first.series.items() if arm in arms)
        withhold = "unsettled" if not state.first.settled else "reused_arm" if stored else ""
        suite = read_suite(state.old_pairs, state.settings.alpha_suite, withhold=withhold)
        numbers = {"cases": len(suite.differences)} | statistics_numbers(suite.statistics)
        yield Reading(OLD_SUITE, "suite", suite.word, suite.reason, numbers)
