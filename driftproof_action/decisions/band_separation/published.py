"""The published rule of a lift: how many draws each case still needs, and what the bands say. Not: confirmed readings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from driftproof_action.analysis.bands import EFFECT_FLOOR, POWER_Z
from driftproof_action.analysis.evidence import CaseEvidence
from driftproof_action.analysis.lost_draws import CaseReading, read_case
from driftproof_action.analysis.suite_band import suite_band
from driftproof_action.decisions.band_separation.ladder import climb
from driftproof_action.decisions.band_separation.looks import LookTable, Series, read_look
from driftproof_action.decisions.band_separation.readings import NAME, ROLES, case_reading, suite_reading
from driftproof_action.decisions.band_separation.stopping import SPREAD_ENOUGH, STABLE_WITHIN
from driftproof_action.decisions.guard import guarded
from driftproof_action.decisions.terms import check_constants, whole_term
from driftproof_action.domain.arm import Arm
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
    """Every constant of the rule, for Frame.terms, and what a run is unless its frame says otherwise: `kind` model (else stub,
    …), `judge_guard` warn (or strict). A frame may add `preset` and `narrowed` (only some cases of the suite were asked)."""
    bounds = {"min_draws": min_draws, "max_draws": max_draws, "samples": samples}
    return {**bounds, **CONSTANTS, "kind": "model", "judge_guard": "warn"}


class PublishedBands:
    """domain.rule.Rule over the arms with the roles with_skill and baseline."""

    name = NAME

    def wanted(self, seen: Observations) -> Wanted:
        """Draw i of every case and arm before draw i + 1 of any; arms in the order of the frame. Withheld briefs are wanted
        like the others and end unmeasured at the minimum. Cases that share a brief share its draws: the one that needs
        most decides."""
        return Wanted(self._look(seen).draws())

    def decide(self, seen: Observations) -> Decision:
        """The published ladder. A run that may earn no verdict reads NOT_MEASURED; a table that is not whole reads
        INCONCLUSIVE at best, unless a case holds down."""
        target, other = (seen.frame.arm_of(role) for role in ROLES)
        if target is None or other is None:
            return Decision("NOT_MEASURED", "", ("arm_missing",), ())
        look = self._look(seen)
        pairs = [look.pair(case, target, other) for case in seen.frame.cases]
        read = [read_case(pair) for pair in pairs]
        found = [reading for reading in read if reading]
        band = suite_band(pairs)
        verdict, reasons = climb(found, unfinished(seen, unmeasured=lacking(seen.frame, read), settled=look.settled), band=band)
        if routes := barred(seen.frame):
            verdict, reasons = "NOT_MEASURED", routes
        readings = [
            _reading(pair, reading, [look.series[pair.id, arm.name] for arm in (target, other)])
            for pair, reading in zip(pairs, read, strict=True)
        ]
        return guarded(seen, Decision(verdict, "", reasons, (*readings, suite_reading(found, len(readings), band))))

    def forecast(self, frame: Frame) -> tuple[Forecast, ...]:
        """Draws that cost a call: withheld briefs take none."""
        low, top = bounds(frame)
        withheld = {(item.brief, item.arm) for item in frame.withheld}
        asked = {(case.brief, arm.name) for case in frame.cases for arm in _arms(frame)} - withheld
        return (Forecast("first", len(asked) * low, len(asked) * top),)

    def _look(self, seen: Observations) -> LookTable:
        low, top = bounds(seen.frame)
        return read_look(seen, [(case, arm) for case in seen.frame.cases for arm in _arms(seen.frame)], "first", low=low, top=top)


def bounds(frame: Frame) -> tuple[int, int]:
    """(min_draws, max_draws). Raises ReceiptError for terms that are not this rule's."""
    check_constants(frame, CONSTANTS)
    low = whole_term(frame, "min_draws", 1, MOST_DRAWS)
    return low, whole_term(frame, "max_draws", low, MOST_DRAWS)


def _arms(frame: Frame) -> tuple[Arm, ...]:
    return tuple(arm for arm in frame.arms if arm.role in ROLES)


def lacking(frame: Frame, read: Sequence[object]) -> bool:
    """Whether a case that could be asked has no reading; `read` in the order of the frame. Cases set aside before the first
    call (a file is missing, a workspace is needed) are named beside the verdict and do not stand in its way."""
    aside = frame.set_aside()
    return any(reading is None and case.id not in aside for case, reading in zip(frame.cases, read, strict=True))


def unfinished(seen: Observations, *, unmeasured: bool, settled: bool) -> tuple[str, ...]:
    """Why the table is not whole: the run was stopped, a look is not settled, a case was not measured in both arms."""
    codes = []
    if seen.stop is None or seen.stop.reason != "complete":
        codes.append(seen.stop.reason if seen.stop else "unsettled")
    elif not settled:
        codes.append("unsettled")
    if unmeasured:
        codes.append("case_unmeasured")
    return ("incomplete", *codes) if codes else ()


def barred(frame: Frame) -> tuple[str, ...]:
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
