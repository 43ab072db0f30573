"""What a comparison of two receipts says, case by case and as a whole. Not: how it is shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CaseDrift:
    """verdict: regression, improvement, within noise, within noise (below effect floor), inconclusive, refused,
    not measured, n/a. delta = new mean - old mean, None when either is missing. power: separated, not_separated,
    underpowered or empty. reason: a code (single_draw, spread, draws, lost_draws, or why there is no verdict). gates: the
    verdict may redden a job. reading: what stands beside a published verdict (single_answer, not_confirmed), else empty.
    needed: draws an arm that would do, None when no number can be given. n, lost: draws measured and lost on each side."""

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
    needed: int | None = None
    old_n: int = 0
    new_n: int = 0
    old_lost: int = 0
    new_lost: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """headline: a word of domain/words.DRIFTS. delta: mean move of the compared cases. changed: what moved between the
    two (skill, suite, case, judge_model, …). cases: compared ones in reading order; left_out: (case id, why) of the
    others. caveats, reason: our own sentences for people, none holds text of
    a receipt. code: one machine-readable word for the headline's cause, e.g. incomplete,
    below_tested, baseline_did_not_reproduce, judge_model; empty when the cases decided."""

    headline: str
    reason: str
    delta: float | None
    cases: tuple[CaseDrift, ...]
    changed: tuple[str, ...]
    caveats: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    old_hash: str = ""
    new_hash: str = ""
    code: str = ""

    def count(self, verdict: str) -> int:
        return sum(case.verdict == verdict for case in self.cases)

    def gating(self, verdict: str) -> int:
        """Cases of a verdict that may redden a job."""
        return sum(case.verdict == verdict and case.gates for case in self.cases)
