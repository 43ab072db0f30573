"""What a confirmed run stores of its readings: every number someone needs to do them again. Not: how they are reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from driftproof_action.analysis.paired import Paired, smallest_mean
from driftproof_action.analysis.sensitivity import smallest_fall
from driftproof_action.decisions.band_separation.confirmation import Outcome, Scores
from driftproof_action.decisions.band_separation.constants import FRESH, Settings
from driftproof_action.decisions.band_separation.families import Family
from driftproof_action.decisions.band_separation.progress import Progress
from driftproof_action.decisions.band_separation.suite_gate import SuiteReading
from driftproof_action.decisions.band_separation.suspects import Suspect
from driftproof_action.domain.arithmetic import mean, round6
from driftproof_action.domain.reading import Decision, Reading, Scalar

NAME = "band_separation/confirmed-1"
PUBLISHED = "published"
SUITE, DIFFERENCE, FAMILY, CASE = "confirmation/suite", "confirmation/difference", "confirmation/family", "confirmation/"
"""Names of the readings: of the suite, of one kept case of it, of a family, and, with the family's name, of one suspect."""

OLD_SUITE = "incumbent/suite"
"""The suite against the incumbent, beside its cases under `incumbent`."""

WIDE_BELOW, TOLD_FROM = 5, 3
"""Kept cases from which the suite's interval is told, and below which it is marked wide (S-1)."""

Numbers: TypeAlias = "dict[str, Scalar | None]"
NOT_TOLD: Numbers = {"sentence": "not_given", "smallest_lift": None}


def published_reading(decision: Decision) -> Reading:
    """The published verdict, stored beside ours."""
    return Reading(PUBLISHED, "suite", decision.verdict, decision.reasons[0] if decision.reasons else "")


def published_verdict_of(decision: Decision) -> str:
    """The verdict the published rule gives: the stored one beside a confirmed verdict, else the verdict itself."""
    return next((item.word for item in decision.readings if item.rule == PUBLISHED), decision.verdict)


def suite_readings(suite: SuiteReading, state: Progress, *, told: bool) -> Iterator[Reading]:
    """C-3 with S-1 and S-2, then d of every kept case and S-3 where both arms have two draws. told: the run may say the
    sentence over its cases at all: it is no smoke or narrowed run and lacks no case that could be asked."""
    sentence = _sentence(suite, state) if told else NOT_TOLD
    yield Reading(SUITE, "suite", suite.word, suite.reason, _suite_numbers(suite, state) | sentence)
    bands = {pair.id: (pair.target.band, pair.other.band) for pair in state.pairs}
    for item in suite.differences:
        numbers: Numbers = {"gap": item.value, "low": round6(item.low), "high": round6(item.high), "smallest_fall": None}
        target, other = bands[item.case]
        if target and other and min(target.n, other.n) >= 2:
            numbers["smallest_fall"] = fall_shown(target.sd, other.sd, min(target.n, other.n), settings=state.settings)
        yield Reading(DIFFERENCE, item.case, "kept", "", numbers)


def fall_shown(target_sd: float, other_sd: float, n: int, *, settings: Settings) -> float:
    """S-3 at the spreads of one case: the smallest fall shown about three times in four."""
    alpha = settings.alpha_case[0] / settings.alpha_case[1]
    spread = ((target_sd * target_sd + other_sd * other_sd) / 2) ** 0.5
    return round6(smallest_fall(spread, n, alpha=alpha, fresh=FRESH))


def _suite_numbers(suite: SuiteReading, state: Progress) -> Numbers:
    redrawn = {arm for _, arm in state.redraw.series} if state.redraw and suite.reason not in ("reused_arm", "budget") else set()
    numbers: Numbers = {
        "cases": len(suite.differences),
        "with_skill_look": "redraw" if state.target.name in redrawn else "first",
        "baseline_look": "redraw" if state.other.name in redrawn else "first",
        "alpha": state.settings.alpha_suite,
    }
    return numbers | statistics_numbers(suite.statistics)


def statistics_numbers(found: Paired | None) -> Numbers:
    """mean, sd, se, t, p and both intervals, six places; all None below two cases."""
    names = ("mean", "sd", "se", "df", "t", "p_down", "p_up", "low95", "high95", "low99", "high99")
    if found is None:
        return dict.fromkeys(names)
    ends = (*found.interval(0.95), *found.interval(0.99))
    figures = (found.mean, found.sd, found.se, found.df, found.t, found.p_down(), found.p_up(), *ends)
    return {name: value if isinstance(value, int) else round6(value) for name, value in zip(names, figures, strict=True)}


def _sentence(suite: SuiteReading, state: Progress) -> Numbers:
    """Whether the sentence over the cases is given, wide or not_given (S-1), and S-2 where it is said: not over one or two
    cases or a look cut short."""
    told, found = len(suite.differences), suite.statistics
    if found is None or told < TOLD_FROM or not state.settled:
        return NOT_TOLD
    smallest = round6(smallest_mean(found.se, found.df, state.settings.alpha_suite))
    return {"sentence": "wide" if told < WIDE_BELOW else "given", "smallest_lift": smallest}


def family_readings(family: Family, outcomes: Sequence[Outcome], fresh: dict[str, tuple[Scores, Scores]]) -> Iterator[Reading]:
    """The family's size, then every suspect of it: those drawn afresh, then the others with the reason why not."""
    sizes: Numbers = {
        "suspects": len(family.chosen) + len(family.left),
        "drawn": len(family.chosen),
        "confirmed": sum(item.status == "confirmed" for item in outcomes),
        "other": family.other.name,
    }
    yield Reading(FAMILY, family.name, "read" if family.chosen else "empty", "", sizes)
    left = [Outcome(item, "unconfirmed", reason) for item, reason in family.left]
    for place, item in enumerate((*outcomes, *left)):
        numbers = _suspect_numbers(item.suspect) | {"rank": place} | _trial_numbers(item, fresh.get(item.suspect.case))
        yield Reading(CASE + family.name, item.suspect.case, item.status, item.reason, numbers)


def _suspect_numbers(item: Suspect) -> Numbers:
    return {
        "suspect_by": item.by,
        "direction": "down" if item.sign < 0 else "up",
        "first_gap": item.gap,
        "p1": round6(item.welch.p),
        "t": round6(item.welch.t),
        "df": round6(item.welch.df),
        "target_n": item.target.n,
        "target_mean": item.target.mean,
        "target_sd": item.target.sd,
        "other_n": item.other.n,
        "other_mean": item.other.mean,
        "other_sd": item.other.sd,
    }


def _trial_numbers(item: Outcome, fresh: tuple[Scores, Scores] | None) -> Numbers:
    """gap is the size to print, of the measured fresh draws; worst_gap what the floor was held against."""
    trial = item.trial
    if trial is None or fresh is None:
        return {}
    out: Numbers = {}
    for name, scores in zip(("target", "other"), fresh, strict=True):
        inside = [score for index, score in scores.items() if index < FRESH]
        measured = [score for score in inside if score is not None]
        out |= {f"fresh_{name}_n": len(measured), f"fresh_{name}_lost": len(inside) - len(measured)}
        out |= {f"fresh_{name}_mean": mean(measured) if measured else None}
    made = trial.tested
    out |= {
        "stop": trial.stop,
        "gap": trial.gap,
        "worst_gap": trial.worst_gap,
        "count": trial.count.count if made else None,
        "total": trial.count.total if made else None,
    }
    if item.rank is not None:
        out |= {"holm_rank": item.rank.rank, "holm_numerator": item.rank.numerator, "holm_denominator": item.rank.denominator}
    if item.lift is not None:
        out |= {"lift_moved": item.lift.value, "lift_p": round6(item.lift.p)}
    return out
