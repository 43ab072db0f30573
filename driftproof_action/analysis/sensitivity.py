"""What a design can show, from the spreads a run measured: of one case and of the whole suite. Not: what it did show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from driftproof_action.analysis.bands import EFFECT_FLOOR
from driftproof_action.analysis.paired import LIFT_VARIANCE, smallest_mean
from driftproof_action.analysis.student import t_upper

NORMAL_90 = 1.28
"""Upper 10 % point of the normal: each of the two steps shown nine times in ten makes about three in four for both."""


@dataclass(frozen=True, slots=True)
class CaseSpread:
    """What was measured of one case: difference of the arms' means, spreads and draws of both arms (n >= 2)."""

    gap: float
    target_sd: float
    other_sd: float
    target_n: int
    other_n: int

    @property
    def sd(self) -> float:
        """The arms' spread in quadratic mean."""
        return sqrt((self.target_sd**2 + self.other_sd**2) / 2)


@dataclass(frozen=True, slots=True)
class Design:
    """draws an arm. lift: smallest mean lift shown four times in five, None below two cases. fall: smallest fall shown about
    three times in four in the case with the middle spread. calls: a whole first look."""

    draws: int
    lift: float | None
    fall: float
    calls: int


def suspicion_share(n: int) -> float:
    """Spreads a case's fall must reach to be noticed by the first look at n >= 2 draws an arm."""
    return (t_upper(0.05, 2 * n - 2) + NORMAL_90) * sqrt(2 / n)


def confirmation_share(alpha: float, fresh: int) -> float:
    """Spreads a fall must reach to be confirmed on `fresh` draws an arm."""
    return (t_upper(alpha, 2 * fresh - 2) + NORMAL_90) * sqrt(2 / fresh)


def smallest_fall(spread: float, n: int, *, alpha: float, fresh: int) -> float:
    """S-3 of docs/readings.md: the smallest fall of one case shown about three times in four.

    max(floor, s * max((t(.95, 2n - 2) + 1.28) sqrt(2 / n), (t(1 - alpha, 2 fresh - 2) + 1.28) sqrt(2 / fresh))).
    """
    return max(EFFECT_FLOOR, spread * max(suspicion_share(n), confirmation_share(alpha, fresh)))


def draws_for_fall(spread: float, effect: float, *, alpha: float, fresh: int, most: int = 1000) -> int | None:
    """The fewest first-look draws an arm that bring S-3 down to `effect`; None: the confirming draws alone keep it above."""
    if max(EFFECT_FLOOR, spread * confirmation_share(alpha, fresh)) > effect:
        return None
    return next((n for n in range(2, most + 1) if smallest_fall(spread, n, alpha=alpha, fresh=fresh) <= effect), None)


def between_variance(cases: Sequence[CaseSpread]) -> float:
    """Variance of the lift between cases, free of the draws' own: max(0, var(gap) - mean(s_w^2 / n_w + s_b^2 / n_b)).

    The moment estimator of a random-effects mean (DerSimonian and Laird 1986, equal weights). Needs two cases.
    """
    gaps = [case.gap for case in cases]
    middle = sum(gaps) / len(gaps)
    spread = sum((gap - middle) ** 2 for gap in gaps) / (len(gaps) - 1)
    within = sum(case.target_sd**2 / case.target_n + case.other_sd**2 / case.other_n for case in cases) / len(cases)
    return max(0.0, spread - within)


def lift_at(cases: Sequence[CaseSpread], draws: int, alpha: float) -> float | None:
    """S-2 as it would be with `draws` draws an arm at the spreads these cases had; None below two cases."""
    if len(cases) < 2:
        return None
    within = sum(case.target_sd**2 + case.other_sd**2 for case in cases) / len(cases) / draws
    se = sqrt((between_variance(cases) + within + LIFT_VARIANCE) / len(cases))
    return smallest_mean(se, len(cases) - 1, alpha)


def designs(
    cases: Sequence[CaseSpread], draws: Sequence[int], *, samples: int, alpha_suite: float, alpha_case: float, fresh: int
) -> tuple[Design, ...]:
    """One row for each number of draws: what it would show and what it would cost. Empty without a case."""
    if not cases:
        return ()
    spreads = sorted(case.sd for case in cases)
    middle = (spreads[(len(spreads) - 1) // 2] + spreads[len(spreads) // 2]) / 2
    return tuple(
        Design(
            n,
            lift_at(cases, n, alpha_suite),
            smallest_fall(middle, n, alpha=alpha_case, fresh=fresh),
            len(cases) * 2 * n * (1 + samples),
        )
        for n in draws
    )
