"""Pass rates of one arm with exact intervals, and no claim beside them. Not: a comparison, a threshold, a verdict.

A measurement asserts nothing, so its verdict is always NOT_MEASURED: the reason code says whether nothing was asserted
(`no_assertion`, label `measured`), a stub answered (`below_tested`) or nothing could be graded (`no_readable_case`, label
`none`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from driftproof_action.analysis.intervals import CONFIDENCE, clopper_pearson
from driftproof_action.decisions.terms import whole_term
from driftproof_action.domain.arithmetic import mean, round6
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.grade import Grade
from driftproof_action.domain.observations import Frame, Observations, Wanted
from driftproof_action.domain.reading import Decision, Reading, Scalar
from driftproof_action.domain.rule import Forecast

NAME = "pass_rate/measure-1"
MOST_DRAWS = 1000


def terms(draws: int) -> Mapping[str, Scalar]:
    """Every constant of the rule, for Frame.terms; a frame changes `kind` when no model answered."""
    return {"draws": draws, "confidence": CONFIDENCE, "kind": "model"}


class MeasuredRates:
    """domain.rule.Rule over the first arm of the frame: a fixed number of draws of every brief."""

    name = NAME

    def wanted(self, seen: Observations) -> Wanted:
        """Known before the first call and never more: draw i of every brief before draw i + 1 of any."""
        arms = seen.frame.arms[:1]
        briefs = dict.fromkeys(case.brief for case in seen.frame.cases)
        return Wanted(tuple(DrawId(brief, arm.name, "first", i) for i in range(_draws(seen.frame)) for brief in briefs for arm in arms))

    def decide(self, seen: Observations) -> Decision:
        """One reading a case: passes, n, rate and its exact 95 % interval."""
        _draws(seen.frame)
        readings = tuple(_reading(seen, case) for case in seen.frame.cases)
        rates = [float(rate) for reading in readings if (rate := reading.numbers["rate"]) is not None]
        codes = (
            ("below_tested", seen.frame.terms.get("kind", "model") != "model"),
            ("no_readable_case", not rates),
            ("incomplete", seen.stop is None or seen.stop.reason != "complete" or len(rates) < len(readings)),
            ("no_assertion", bool(rates)),
        )
        reasons = tuple(code for code, holds in codes if holds)
        numbers: dict[str, Scalar | None] = {
            "cases": len(readings),
            "measured_cases": len(rates),
            "mean_rate": mean(rates) if rates else None,
        }
        suite = Reading("suite", "suite", "measured" if rates else "not_measured", "", numbers)
        return Decision("NOT_MEASURED", "measured" if rates else "none", reasons, (*readings, suite))

    def forecast(self, frame: Frame) -> tuple[Forecast, ...]:
        """Draws that cost a call: withheld briefs take none."""
        withheld = {(item.brief, item.arm) for item in frame.withheld}
        asked = {(case.brief, arm.name) for case in frame.cases for arm in frame.arms[:1]} - withheld
        return (Forecast("first", len(asked) * _draws(frame), len(asked) * _draws(frame)),)


def passed(grade: Grade, threshold: float | None) -> bool | None:
    """Whether a grade is a pass; None when it is a hole, or a score with no threshold to hold it to."""
    if grade.outcome in ("pass", "fail"):
        return grade.outcome == "pass"
    if grade.score is None or threshold is None:
        return None
    return round6(grade.score) >= threshold


def _draws(frame: Frame) -> int:
    return whole_term(frame, "draws", 1, MOST_DRAWS)


def _reading(seen: Observations, case: Case) -> Reading:
    grades = [seen.grade(case.id, id) for arm in seen.frame.arms[:1] for id in seen.series(case.brief, arm.name).values()]
    known = [grade for grade in grades if grade is not None]
    results = [passed(grade, case.threshold) for grade in known]
    passes, n = results.count(True), len(results) - results.count(None)
    low, high = clopper_pearson(passes, n)
    numbers: dict[str, Scalar | None] = {
        "passes": passes,
        "n": n,
        "lost": results.count(None),
        "rate": round6(passes / n) if n else None,
        "low": low if n else None,
        "high": high if n else None,
    }
    if n:
        return Reading(NAME, case.id, "measured", "", numbers)
    holes = Counter(grade.hole.reason if grade.hole else "no_threshold" for grade in known)
    reason = min(holes, key=lambda name: (-holes[name], name)) if holes else "not_drawn"
    return Reading(NAME, case.id, "not_measured", reason, numbers)
