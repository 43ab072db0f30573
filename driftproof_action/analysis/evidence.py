"""What is known of one case in two arms, whatever it was read from: a running table or a receipt of any version. Not: a reading."""

from __future__ import annotations

from dataclasses import dataclass

from driftproof_action.analysis.bands import Band


@dataclass(frozen=True, slots=True)
class ArmEvidence:
    """band None: nothing was measured. lost: draws made and not measured. listed: every loss is on record with its reason,
    so that it can be bounded; an unlisted loss could have been anything."""

    band: Band | None
    lost: int = 0
    listed: bool = True

    def mean_range(self) -> tuple[float, float]:
        """Lowest and highest mean over every score the lost draws could have had; (0, 1) when that is unbounded."""
        if self.band is None or not self.listed:
            return 0.0, 1.0
        n = self.band.n + self.lost
        return self.band.mean * self.band.n / n, (self.band.mean * self.band.n + self.lost) / n


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
