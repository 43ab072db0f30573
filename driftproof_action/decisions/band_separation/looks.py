"""The draws of one look as far as they are known: how many each case still needs, and its scores. Not: what they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from driftproof_action.analysis.bands import Band
from driftproof_action.analysis.evidence import ArmEvidence, CaseEvidence
from driftproof_action.decisions.band_separation.stopping import Stopping, stopping
from driftproof_action.domain.arithmetic import mean, sd
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import DrawId, Look
from driftproof_action.domain.observations import Observations


@dataclass(frozen=True, slots=True)
class Series:
    """One look of one case in one arm. scores: draw index → score, None for a hole. reused: taken over from a receipt, so
    nothing more is drawn."""

    scores: Mapping[int, float | None]
    holes: Mapping[str, int]
    stop: Stopping
    reused: bool = False

    @property
    def measured(self) -> tuple[float, ...]:
        return tuple(score for _, score in sorted(self.scores.items()) if score is not None)

    @property
    def evidence(self) -> ArmEvidence:
        scores = self.measured
        band = Band(mean(scores), sd(scores), len(scores)) if scores else None
        return ArmEvidence(band, len(self.scores) - len(scores), scores=scores)


@dataclass(frozen=True, slots=True)
class LookTable:
    """series: by (case id, arm name). needed: (brief, arm name) → draws that are certain. settled: nothing more is needed
    and every case of every brief has a grade for each of its draws, so no number here can change any more."""

    look: Look
    series: Mapping[tuple[str, str], Series]
    needed: Mapping[tuple[str, str], int]
    settled: bool

    def draws(self) -> tuple[DrawId, ...]:
        """Draw i of every brief and arm before draw i + 1 of any."""
        most = max(self.needed.values(), default=0)
        return tuple(DrawId(brief, arm, self.look, i) for i in range(most) for (brief, arm), n in self.needed.items() if i < n)

    def pair(self, case: Case, target: Arm, other: Arm) -> CaseEvidence:
        return CaseEvidence(case.id, self.series[case.id, target.name].evidence, self.series[case.id, other.name].evidence)


def read_look(
    seen: Observations, sides: Sequence[tuple[Case, Arm]], look: Look, *, low: int, top: int, stored_only: frozenset[str] = frozenset()
) -> LookTable:
    """The look over these cases and arms. Cases that share a brief share its draws: the one that needs most decides.

    stored_only: names of arms that are never drawn in this look; what a receipt handed over is all there is.
    """
    known = {(case.id, arm.name): _known(seen, case, arm.name, look) for case, arm in sides}
    stops: dict[tuple[str, str], Stopping] = {}
    needed: dict[tuple[str, str], int] = {}
    reused: set[tuple[str, str]] = set()
    for case, arm in sides:
        scores = known[case.id, arm.name][0]
        taken = [id.index for id in seen.series(case.brief, arm.name, look).values() if (draw := seen.draw(id)) and draw.origin]
        if taken or arm.name in stored_only:
            reused.add((case.id, arm.name))
            stop = Stopping(max(taken, default=-1) + 1, "reused")
        else:
            stop = stopping(scores, low, top)
        stops[case.id, arm.name] = stop
        needed[case.brief, arm.name] = max(needed.get((case.brief, arm.name), 0), stop.draws)
    settled = True
    series = {}
    for case, arm in sides:
        key, n = (case.id, arm.name), needed[case.brief, arm.name]
        scores, reasons = known[key]
        inside = {index: score for index, score in scores.items() if index < n}
        settled = settled and stops[key].settled and (key in reused or len(inside) == n)
        holes = Counter(reason for index, reason in reasons.items() if index < n)
        series[key] = Series(inside, holes, stops[key], key in reused)
    return LookTable(look, series, needed, settled)


def known_scores(seen: Observations, case: Case, arm: str, look: Look) -> Mapping[int, float | None]:
    """Draw index → score, None for a hole; an absent index is not known yet."""
    return _known(seen, case, arm, look)[0]


def _known(seen: Observations, case: Case, arm: str, look: Look) -> tuple[dict[int, float | None], dict[int, str]]:
    scores: dict[int, float | None] = {}
    reasons: dict[int, str] = {}
    for index, id in seen.series(case.brief, arm, look).items():
        grade = seen.grade(case.id, id)
        if grade is None:
            continue
        scores[index] = grade.score
        if grade.score is None:
            reasons[index] = grade.hole.reason if grade.hole else "no_score"
    return scores, reasons
