"""What is known of one case in two arms, whatever it was read from: a running table or a receipt of any version. Not: a reading."""

from __future__ import annotations

from dataclasses import dataclass

from driftproof_action.analysis.bands import Band
from driftproof_action.analysis.envelopes import Envelope, envelope, unbounded


@dataclass(frozen=True, slots=True)
class ArmEvidence:
    """band None: nothing was measured. lost: draws made and not measured. listed: every loss is on record with its reason,
    so that it can be bounded; an unlisted loss could have been anything. scores: the measured draw means the band was made
    of, () where a record does not list them; a loss beside unlisted scores cannot be bounded either."""

    band: Band | None
    lost: int = 0
    listed: bool = True
    scores: tuple[float, ...] = ()

    def envelope(self) -> Envelope:
        """What the band could have been with the lost draws scored. Raises ValueError when nothing was measured."""
        if self.band is None:
            raise ValueError("nothing was measured")
        if self.lost and (not self.listed or len(self.scores) != self.band.n):
            return unbounded(self.band.n + self.lost)
        if self.lost:
            return envelope(self.scores, self.lost)
        return Envelope.around(self.band)


NO_EVIDENCE = ArmEvidence(None)


@dataclass(frozen=True, slots=True)
class CaseEvidence:
    """target is the arm a verdict is about (with_skill; in a comparison the newer side), other what it is set against."""

    id: str
    target: ArmEvidence
    other: ArmEvidence

    @property
    def lost(self) -> int:
        return self.target.lost + self.other.lost

    @property
    def readable(self) -> bool:
        """Both arms measured something; a case with one unusable arm counts in neither."""
        return self.target.band is not None and self.other.band is not None
