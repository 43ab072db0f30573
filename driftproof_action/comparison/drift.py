"""What a comparison of two receipts says, case by case and as a whole. Not: how it is shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CaseDrift:
    """verdict: regression, improvement, within noise, within noise (below effect floor), inconclusive, refused,
    not measured, n/a. delta = new mean - old mean, None when either is missing. power: separated, not_separated,
    underpowered or empty."""

    id: str
    verdict: str
    old_mean: float | None
    old_sd: float | None
    new_mean: float | None
    new_sd: float | None
    delta: float | None
    power: str = ""
    reason: str = ""
    gates: bool = True
    reading: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """headline: a word of domain/words.DRIFTS. delta: mean move of the compared cases. changed: what moved between the
    two (skill, suite, case, judge_model, …). cases: compared ones in reading order; left_out: (case id, why) of the
    others. caveats, reason: sentences for people."""

    headline: str
    reason: str
    delta: float | None
    cases: tuple[CaseDrift, ...]
    changed: tuple[str, ...]
    caveats: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    old_hash: str = ""
    new_hash: str = ""

    def count(self, verdict: str) -> int:
        return sum(case.verdict == verdict for case in self.cases)
