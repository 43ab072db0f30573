"""The published rule of a lift: how many draws each case still needs, and what the bands say. Not: confirmed readings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from driftproof_action.analysis.bands import EFFECT_FLOOR, POWER_Z, Band
from driftproof_action.analysis.evidence import ArmEvidence, CaseEvidence
from driftproof_action.analysis.lost_draws import CaseReading, read_case
from driftproof_action.decisions.band_separation.ladder import climb
from driftproof_action.decisions.band_separation.readings import NAME, ROLES, case_reading, suite_reading
from driftproof_action.decisions.band_separation.stopping import SPREAD_ENOUGH, STABLE_WITHIN, Stopping, stopping
from driftproof_action.decisions.terms import check_constants, whole_term
from driftproof_action.domain.arithmetic import mean, sd
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.observations import Frame, Observations, Wanted
from driftproof_action.domain.reading import Decision, Reading, Scalar
from driftproof_action.domain.rule import Forecast

CONSTANTS: Mapping[str, Scalar] = {
    "effect_floor": EFFECT_FLOOR,
    "power_z": POWER_Z,
    "spread_enough": SPREAD_ENOUGH,
    "stable_within": STABLE_WITHIN,
}
MOST_DRAWS = 1000
"""The largest max_draws a frame may state."""


def terms(min_draws: int, max_draws: int, samples: int) -> Mapping[str, Scalar]:
    """Every constant of the rule, for Frame.terms. A frame may add what it knows of the run: `kind` (model, stub, …),
    `preset`, `narrowed` (only some cases of the suite were asked)."""
    return {"min_draws": min_draws, "max_draws": max_draws, "samples": samples, **CONSTANTS}


@dataclass(frozen=True, slots=True)
class Series:
    """The first look of one case in one arm, as far as it is known. scores: draw index → score, None for a hole."""

    scores: Mapping[int, float | None]
    holes: Mapping[str, int]
    stop: Stopping

    @property
    def measured(self) -> list[float]:
        return [score for _, score in sorted(self.scores.items()) if score is not None]

    @property
    def evidence(self) -> ArmEvidence:
        scores = self.measured
        band = Band(mean(scores), sd(scores), len(scores)) if scores else None
        return ArmEvidence(band, len(self.scores) - len(scores))


class PublishedBands:
    """domain.rule.Rule over the arms with the roles with_skill and baseline."""

    name = NAME

    def wanted(self, seen: Observations) -> Wanted:
        """Draw i of every case and arm before draw i + 1 of any; arms in the order of the frame. Withheld briefs are wanted
        like the others and end unmeasured at the minimum. Cases that share a brief share its draws: the one that needs
        most decides."""
        low, top = _bounds(seen.frame)
        counts: dict[tuple[str, str], int] = {}
        for case in seen.frame.cases:
            for arm in _arms(seen.frame):
                key = (case.brief, arm.name)
                counts[key] = max(counts.get(key, 0), _series(seen, case, arm.name, low=low, top=top).stop.draws)
        most = max(counts.values(), default=0)
        return Wanted(tuple(DrawId(brief, arm, "first", index) for index in range(most) for (brief, arm), n in counts.items() if index < n))

    def decide(self, seen: Observations) -> Decision:
        """The published ladder. A run that may earn no verdict reads NOT_MEASURED; a table that is not whole reads
        INCONCLUSIVE at best, unless a case holds down."""
        low, top = _bounds(seen.frame)
        target, other = (seen.frame.arm_of(role) for role in ROLES)
        if target is None or other is None:
            return Decision("NOT_MEASURED", "", ("arm_missing",), ())
        readings: list[Reading] = []
        found: list[CaseReading] = []
        unmeasured = unsettled = False
        for case in seen.frame.cases:
            sides = tuple(_series(seen, case, arm.name, low=low, top=top) for arm in (target, other))
            evidence = CaseEvidence(case.id, sides[0].evidence, sides[1].evidence)
            read = read_case(evidence)
            unmeasured = unmeasured or read is None
            unsettled = unsettled or not all(side.stop.settled for side in sides)
            found += [read] if read else []
            readings.append(_reading(evidence, read, sides))
        verdict, reasons = climb(found, _unfinished(seen, unmeasured=unmeasured, unsettled=unsettled))
        barred = _barred(seen.frame)
        if barred:
            verdict, reasons = "NOT_MEASURED", barred
        return Decision(verdict, "", reasons, (*readings, suite_reading(found, len(readings))))

    def forecast(self, frame: Frame) -> tuple[Forecast, ...]:
        """Draws that cost a call: withheld briefs take none."""
        low, top = _bounds(frame)
        withheld = {(item.brief, item.arm) for item in frame.withheld}
        asked = {(case.brief, arm.name) for case in frame.cases for arm in _arms(frame)} - withheld
        return (Forecast("first", len(asked) * low, len(asked) * top),)


def _bounds(frame: Frame) -> tuple[int, int]:
    check_constants(frame, CONSTANTS)
    low = whole_term(frame, "min_draws", 1, MOST_DRAWS)
    return low, whole_term(frame, "max_draws", low, MOST_DRAWS)


def _arms(frame: Frame) -> tuple[Arm, ...]:
    return tuple(arm for arm in frame.arms if arm.role in ROLES)


def _series(seen: Observations, case: Case, arm: str, *, low: int, top: int) -> Series:
    scores: dict[int, float | None] = {}
    holes: Counter[str] = Counter()
    for index, id in seen.series(case.brief, arm).items():
        grade = seen.grade(case.id, id)
        if grade is None:
            continue
        scores[index] = grade.score
        if grade.score is None:
            holes[grade.hole.reason if grade.hole else "no_score"] += 1
    return Series(scores, holes, stopping(scores, low, top))


def _unfinished(seen: Observations, *, unmeasured: bool, unsettled: bool) -> tuple[str, ...]:
    codes = []
    if seen.stop is None or seen.stop.reason != "complete":
        codes.append(seen.stop.reason if seen.stop else "unsettled")
    elif unsettled:
        codes.append("unsettled")
    if unmeasured:
        codes.append("case_unmeasured")
    return ("incomplete", *codes) if codes else ()


def _barred(frame: Frame) -> tuple[str, ...]:
    """Why the run may earn no verdict at all, whatever it measured."""
    checks = (
        ("below_tested", frame.terms.get("kind", "model") != "model"),
        ("smoke", bool(frame.terms.get("preset"))),
        ("narrowed", bool(frame.terms.get("narrowed"))),
    )
    return tuple(code for code, holds in checks if holds)


def _reading(evidence: CaseEvidence, read: CaseReading | None, sides: Sequence[Series]) -> Reading:
    stops = {f"{role}_stop": side.stop.reason for role, side in zip(ROLES, sides, strict=True)}
    holes = sum((Counter(side.holes) for side in sides if not side.measured), Counter[str]())
    return case_reading(evidence, read, holes=holes, more=stops)
