"""What a comparison of two receipts says, case by case and as a whole. Not: how it is shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fresh:
    """What fresh answers of both versions give: means and numbers of answers, and count of total of the exact test (None where
    it was not made)."""

    old_mean: float | None
    new_mean: float | None
    old_n: int
    new_n: int
    count: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class SuiteMove:
    """The suite between two receipts. word: suite_drift_down, suite_drift_up, ground_moved, none or not_given, with the reason.
    scores, lift: mean move with the skill and of the lift; ground: of the answers without it, with its 95 % interval."""

    word: str
    reason: str
    scores: float | None
    lift: float | None
    ground: float | None
    ground_low: float | None
    ground_high: float | None

    @property
    def ground_moved(self) -> bool:
        """Whether the interval leaves zero: part of a difference is not the skill's."""
        return self.ground_low is not None and self.ground_high is not None and not self.ground_low <= 0 <= self.ground_high


@dataclass(frozen=True, slots=True)
class JudgeMove:
    """Old answers graded again by today's judge. word: moved, steady, open or not_given. mean: today's score minus the old one, with
    its 95 % interval; None where it is not given."""

    word: str
    answers: int
    mean: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class CaseDrift:
    """verdict: regression, improvement, within noise, within noise (below effect floor), inconclusive, refused,
    not measured, n/a. delta = new mean - old mean, None when either is missing. power: separated, not_separated,
    underpowered or empty. reason: a code (single_draw, spread, draws, lost_draws, or why there is no verdict). gates: the
    verdict may redden a job. reading: what stands beside a published verdict (single_answer, not_confirmed; under confirmed
    readings also confirmed, suspect, likely, cannot_tell), else empty. fresh: of a case drawn afresh in both versions; of one
    held against stored answers the old side is theirs.
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
    fresh: Fresh | None = None

    @property
    def stands(self) -> bool:
        """Whether the published word may be said of the case: nothing that was to be confirmed is open."""
        return self.reading in ("", "confirmed", "single_answer") or (self.reading == "not_confirmed" and self.fresh is None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """headline: a word of domain/words.DRIFTS. delta: mean move of the compared cases. changed: what moved between the
    two (skill, suite, case, judge_model, …). cases: compared ones in reading order; left_out: (case id, why) of the
    others. caveats, reason: our own sentences for people, none holds text of
    a receipt. code: one machine-readable word for the headline's cause, e.g. incomplete,
    below_tested, baseline_did_not_reproduce, judge_model; empty when the cases decided. gates: under confirmed readings whether
    it may redden a job, None where the published reading decides. suite: how the two suites moved. same_day: the cases are
    set against the committed skill's answers of this run, not against a receipt. incumbent: today's suite against the
    committed skill's, a word of the rule's. earlier_model: the model of the earlier receipt, that was asked beside today's, empty for none.
    judge: None where no old answer was graded again."""

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
    gates: bool | None = None
    suite: SuiteMove | None = None
    same_day: bool = False
    incumbent: str = ""
    earlier_model: str = ""
    judge: JudgeMove | None = None

    @property
    def asked(self) -> str:
        """What fresh answers were held against, for people."""
        return "the earlier model" if self.earlier_model else "the committed skill"

    @property
    def worse(self) -> bool:
        """Whether it may redden a job."""
        if self.gates is not None:
            return self.gates
        return self.headline in ("DRIFT", "MIXED") and self.gating("regression") > 0

    def count(self, verdict: str) -> int:
        return sum(case.verdict == verdict for case in self.cases)

    def gating(self, verdict: str) -> int:
        """Cases of a verdict that may redden a job."""
        return sum(case.verdict == verdict and case.gates for case in self.cases)
