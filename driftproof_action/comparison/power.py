"""What more draws would show, from the spreads one receipt measured. Not: what the receipt shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from driftproof_action.analysis.bands import gap
from driftproof_action.analysis.sensitivity import CaseSpread, Design, designs, draws_for_fall, lift_at
from driftproof_action.comparison.evidence import arm_evidence
from driftproof_action.decisions.band_separation.constants import ALPHA_CASE, ALPHA_SUITE, FRESH
from driftproof_action.receipts.view import ReceiptView

DRAWS = (3, 5, 7, 10, 15, 20)
MOST = 1000


@dataclass(frozen=True, slots=True)
class Needed:
    """Draws an arm that would show one effect: suite, as a mean lift; cases, as a fall of each; None: no number would."""

    effect: float
    suite: int | None
    cases: Mapping[str, int | None]


def measured_spreads(view: ReceiptView) -> Mapping[str, CaseSpread]:
    """By case id, of those with two draws in both arms; one answer an arm tells nothing of the spread of answers."""
    out: dict[str, CaseSpread] = {}
    for id in view.case_ids():
        target, other = arm_evidence(view, id, "with_skill").band, arm_evidence(view, id, "baseline").band
        if target and other and min(target.n, other.n) >= 2:
            out[id] = CaseSpread(gap(target, other), target.sd, other.sd, target.n, other.n)
    return out


def read_designs(spreads: Sequence[CaseSpread], *, samples: int, draws: Sequence[int] = DRAWS) -> tuple[Design, ...]:
    """One row for each number of draws; empty when no case has a spread."""
    alpha = ALPHA_CASE[0] / ALPHA_CASE[1]
    return designs(spreads, draws, samples=samples, alpha_suite=ALPHA_SUITE, alpha_case=alpha, fresh=FRESH)


def draws_needed_for(spreads: Mapping[str, CaseSpread], effect: float) -> Needed:
    """The fewest draws an arm at which S-2 and, case by case, S-3 come down to `effect`."""
    alpha = ALPHA_CASE[0] / ALPHA_CASE[1]
    cases = {id: draws_for_fall(case.sd, effect, alpha=alpha, fresh=FRESH) for id, case in spreads.items()}
    known = list(spreads.values())
    enough = (n for n in range(2, MOST + 1) if (lift := lift_at(known, n, ALPHA_SUITE)) is not None and lift <= effect)
    return Needed(effect, next(enough, None), cases)
