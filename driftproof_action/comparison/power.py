"""What more draws would show, from the spreads one receipt measured. Not: what the receipt shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from driftproof_action.analysis.bands import gap
from driftproof_action.analysis.sensitivity import CaseSpread, Design, designs, draws_for_fall, lift_at, smallest_fall
from driftproof_action.comparison.evidence import arm_evidence
from driftproof_action.decisions.band_separation.constants import ALPHA_CASE, ALPHA_SUITE, FRESH, MAX_DOWN, MAX_UP
from driftproof_action.domain.arithmetic import round6
from driftproof_action.receipts.view import ReceiptView

DRAWS = (3, 5, 7, 10, 15, 20)
MOST = 1000
ARMS = ("with_skill", "baseline")
SAMPLES = 2
"""Judge samples reckoned with where a receipt does not say."""


@dataclass(frozen=True, slots=True)
class Needed:
    """Draws an arm that would show one effect: suite, as a mean lift; cases, as a fall of each; None: no number would."""

    effect: float
    suite: int | None
    cases: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class Priced:
    """One number of draws an arm for every case: lift, fall as in Design (lift None below two cases). calls, usd: of a whole
    first look over all cases of the receipt, at the prices it froze and the usage it measured; usd None where untold."""

    draws: int
    lift: float | None
    fall: float
    calls: int
    usd: float | None


@dataclass(frozen=True, slots=True)
class CasePower:
    """reason: why the case has no spread (not_measured, single_answer, single_draw), and then the rest is None. fall: the
    smallest fall its draws show (S-3); needed: draws an arm that would show the effect asked for, None: no number would."""

    id: str
    reason: str
    spread: float | None = None
    draws: int | None = None
    fall: float | None = None
    needed: int | None = None


@dataclass(frozen=True, slots=True)
class PowerReading:
    """What more draws would show. reason: no_spread when no case has one, and then designs is empty. samples: judge samples
    a draw; assumed: the receipt does not say how many. confirm_calls, confirm_usd: the most that fresh draws add. suite:
    draws an arm that show `effect` as a mean lift, None: no number would."""

    effect: float
    reason: str
    samples: int
    assumed: bool
    designs: tuple[Priced, ...]
    cases: tuple[CasePower, ...]
    suite: int | None
    confirm_calls: int
    confirm_usd: float | None


def power_reading(view: ReceiptView, effect: float) -> PowerReading:
    """Everything `driftproof power` tells of a receipt, for one model in the job."""
    spreads = measured_spreads(view)
    samples = _samples(view)
    count = SAMPLES if samples is None else samples
    needed = draws_needed_for(spreads, effect)
    answer_usd, judge_usd = _answer_usd(view), _judging_usd(view, count)
    draw_usd = None if answer_usd is None or judge_usd is None else sum(answer_usd) + len(ARMS) * judge_usd
    cases = len(view.case_ids())
    fresh = (MAX_DOWN + MAX_UP) * FRESH
    return PowerReading(
        effect,
        "" if spreads else "no_spread",
        count,
        samples is None,
        tuple(_priced(row, cases, samples=count, usd=draw_usd) for row in read_designs(list(spreads.values()), samples=count)),
        tuple(_case(view, id, spreads.get(id), needed) for id in view.case_ids()),
        needed.suite,
        fresh * len(ARMS) * (1 + count),
        None if draw_usd is None else round6(fresh * draw_usd),
    )


def _priced(row: Design, cases: int, *, samples: int, usd: float | None) -> Priced:
    calls = cases * len(ARMS) * row.draws * (1 + samples)
    return Priced(row.draws, row.lift, row.fall, calls, None if usd is None else round6(cases * row.draws * usd))


def _case(view: ReceiptView, id: str, spread: CaseSpread | None, needed: Needed) -> CasePower:
    if spread is not None:
        draws = min(spread.target_n, spread.other_n)
        fall = smallest_fall(spread.sd, draws, alpha=ALPHA_CASE[0] / ALPHA_CASE[1], fresh=FRESH)
        return CasePower(id, "", round6(spread.sd), draws, fall, needed.cases[id])
    bands = [arm_evidence(view, id, arm).band for arm in ARMS]
    if None in bands:
        return CasePower(id, "not_measured")
    return CasePower(id, "single_answer" if any(band and band.source == "legacy" for band in bands) else "single_draw")


def _samples(view: ReceiptView) -> int | None:
    return 0 if view.observations is not None and view.judge.model_id is None else view.judge.samples


def _answer_usd(view: ReceiptView) -> tuple[float, ...] | None:
    """Mean dollars of an answer in each arm, cached tokens at the full price."""
    told: Mapping[str, Any] = view.economics or {}
    known = [usd for arm in ARMS if (usd := (told.get(arm) or {}).get("mean_cost_usd_per_call")) is not None]
    return tuple(known) if len(known) == len(ARMS) else None


def _judging_usd(view: ReceiptView, samples: int) -> float | None:
    """Mean dollars of judging one answer. Receipts that do not count judged draws tell the last draw of each row."""
    if samples == 0:
        return 0.0
    told: Mapping[str, Any] = (view.economics or {}).get("judge_overhead") or {}  # type: ignore[assignment]
    paid = told.get("total_cost_usd")
    judged = told["judged_draws_counted"] if not told.get("judged_draws_missing_usage", 1) else 0
    answers = judged if "judged_draws_counted" in told else told.get("case_rows_measured")
    return None if paid is None or not answers else paid / answers


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
