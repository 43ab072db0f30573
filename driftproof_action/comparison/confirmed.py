"""What of a comparison may redden a job under confirmed readings: cases drawn afresh in both versions today, and scores and lift
that fell together over the suite. Not: the published comparison, which stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from driftproof_action.comparison.comparable import find_barrier
from driftproof_action.comparison.drift import CaseDrift, Comparison, Fresh, JudgeMove, SuiteMove
from driftproof_action.comparison.suite_drift import SuiteDrift, read_suite_drift
from driftproof_action.decisions.band_separation.anchor import MOVED as MOVED_JUDGE
from driftproof_action.decisions.band_separation.anchor import NAME as ANCHOR
from driftproof_action.decisions.band_separation.confirmed_readings import CASE, OLD_SUITE
from driftproof_action.decisions.band_separation.families import AGAINST_STORED, DRIFT
from driftproof_action.decisions.band_separation.likely import CANNOT_TELL, LIKELY, NEVER
from driftproof_action.decisions.band_separation.progress import INCUMBENT, PAST_ARM
from driftproof_action.domain.arithmetic import mean, round6
from driftproof_action.domain.reading import Reading, Scalar
from driftproof_action.receipts.confirmation import origin_of
from driftproof_action.receipts.view import ReceiptView

MOVED = ("regression", "improvement")
SUSPECT, CONFIRMED, NOT_CONFIRMED = "suspect", "confirmed", "not_confirmed"
"""Readings that stand beside a published verdict. suspect: apart on the first answers, drawn afresh by nobody."""

WORDS: Mapping[str, str] = {
    "separated_down": "regression",
    "separated_up": "improvement",
    "inconclusive": "inconclusive",
    "not_measured": "n/a",
}
"""A reading of today's answers against the incumbent's → the published word of a case."""

JUDGE_MOVED = "the judge moved: old answers, graded again today, score otherwise; what rests on fresh answers of both sides stands"

UNMET = frozenset({"FIRST_RECEIPT", "NOT_COMPARABLE", "RECEIPT_REMOVED", "BASE_UNAVAILABLE", "NOT_MEASURED", "REFUSED"})
"""Headlines that say why two receipts give no reading; the committed skill asked again today may give one all the same."""


def confirm(published: Comparison, old: ReceiptView | None, new: ReceiptView, *, asked: bool = True) -> Comparison:
    """The comparison under confirmed readings: `gates` says what may redden a job, and DRIFT is said of nothing else.

    D-1: cases that fell against the committed skill, or the same skill on the earlier model, on fresh answers of both today. D-2:
    scores and lift fell together between the two receipts. A case that only the published reading sets apart keeps its word and
    reads `suspect`, `not_confirmed` (fresh answers were drawn and did not bear it out) or, where the old answers are all there
    is, `likely` or `cannot_tell`; it never gates. Source: docs/readings.md, D-1, D-2, D-3, D-6. asked: the skill and model that
    `new` asked beside its own are those compared with.
    """
    tried = _by_case(new, CASE + DRIFT) if asked else {}
    today = _by_case(new, INCUMBENT) if asked else {}
    same = old is not None and _taken_from(new) == old.receipt_hash
    held = _by_case(new, CASE + AGAINST_STORED) if same else {}
    cases, same_day = published.cases, bool(today) and (not published.cases or _drawn(new))
    if same_day:
        cases = tuple(sorted((_against(reading) for reading in today.values()), key=lambda case: case.delta or 0.0))
    silent = {about for about, item in tried.items() if item.reason == "lost_draws" and about in held}
    told = {**held, **{about: item for about, item in tried.items() if about not in silent}}
    cases = tuple(_read(case, told.get(case.id), asked=bool(today)) for case in cases)
    suite = _suite(old, new, cases)
    fallen = sum(case.reading == CONFIRMED for case in cases)
    down = suite is not None and suite.word == "suite_drift_down"
    up = suite is not None and suite.word == "suite_drift_up"
    earlier = _earlier_model(new) if asked else ""
    judge = _judge(new) if same else None
    caveats = (*published.caveats, JUDGE_MOVED) if judge and judge.word == MOVED_JUDGE else published.caveats
    base = replace(published, earlier_model=earlier, judge=judge, caveats=caveats)
    headline, code, reason = _headline(base, cases, fallen=fallen, down=down, up=up)
    return replace(
        base,
        headline=headline,
        code=code,
        reason=reason,
        cases=cases,
        delta=_mean_move(cases) if same_day else published.delta,
        changed=published.changed or (("model" if earlier else "skill",) if today else ()),
        gates=bool(fallen) or down,
        suite=suite,
        same_day=same_day,
        incumbent=_incumbent(new) if asked else "",
    )


def _by_case(view: ReceiptView, rule: str) -> Mapping[str, Reading]:
    return {item.about: item for item in view.decision.readings if item.rule == rule} if view.decision else {}


def _read(case: CaseDrift, tried: Reading | None, *, asked: bool) -> CaseDrift:
    """The case with what fresh answers say of it. tried: its reading against the committed skill, the earlier model, or stored
    answers."""
    if tried is not None and tried.word in (LIKELY, CANNOT_TELL):
        fresh = replace(_fresh(tried.numbers), old_mean=case.old_mean, old_n=case.old_n)
        verdict = "regression" if tried.word == LIKELY else case.verdict
        return replace(case, verdict=verdict, gates=False, reading=tried.word, fresh=fresh, reason=tried.reason)
    if tried is not None and tried.word != "unconfirmed":
        fresh = _fresh(tried.numbers)
        if tried.word == CONFIRMED:
            return replace(case, verdict="regression", power="separated", gates=True, reading=CONFIRMED, fresh=fresh, reason="")
        return replace(case, gates=False, reading=NOT_CONFIRMED, fresh=fresh, reason=tried.reason)
    if tried is not None:
        left = tried.reason in NEVER
        return replace(case, gates=False, reading=CANNOT_TELL if left else SUSPECT, reason=tried.reason)
    if case.verdict in MOVED:
        legacy = case.reading == "single_answer"
        return replace(case, gates=False, reading=SUSPECT if asked else CANNOT_TELL, reason=case.reading if legacy else case.reason)
    return replace(case, gates=False)


def _fresh(numbers: Mapping[str, Scalar | None]) -> Fresh:
    def whole(name: str) -> int:
        value = numbers.get(name)
        return value if isinstance(value, int) else 0

    return Fresh(
        _number(numbers, "fresh_other_mean"),
        _number(numbers, "fresh_target_mean"),
        whole("fresh_other_n"),
        whole("fresh_target_n"),
        whole("count") or None,
        whole("total") or None,
    )


def _number(numbers: Mapping[str, Scalar | None], name: str) -> float | None:
    value = numbers.get(name)
    return float(value) if isinstance(value, int | float) else None


def _against(reading: Reading) -> CaseDrift:
    """A case of today against the committed skill's answers, when no receipt could be compared."""
    numbers = reading.numbers
    before, after = _number(numbers, "incumbent_mean"), _number(numbers, "with_skill_mean")
    return CaseDrift(
        id=reading.about,
        verdict=WORDS.get(reading.word, "within noise"),
        old_mean=before,
        old_sd=_number(numbers, "incumbent_sd"),
        new_mean=after,
        new_sd=_number(numbers, "with_skill_sd"),
        delta=None if before is None or after is None else round6(after - before),
        power="separated" if reading.word.startswith("separated") else reading.word if reading.word == "underpowered" else "not_separated",
        reason=reading.reason,
        gates=False,
        old_n=int(_number(numbers, "incumbent_n") or 0),
        new_n=int(_number(numbers, "with_skill_n") or 0),
        old_lost=int(_number(numbers, "incumbent_lost") or 0),
        new_lost=int(_number(numbers, "with_skill_lost") or 0),
    )


def _suite(old: ReceiptView | None, new: ReceiptView, cases: Sequence[CaseDrift]) -> SuiteMove | None:
    """D-2 and D-4 between two receipts that can be compared; None where there is no second one or nothing to compare."""
    ids = tuple(case.id for case in cases)
    if old is None or find_barrier(old, new, ids, examples=False):
        return None
    found = read_suite_drift(old, new, ids)
    return SuiteMove(found.word, found.reason, *_move(found))


def _move(found: SuiteDrift) -> tuple[float | None, float | None, float | None, float | None, float | None]:
    interval = found.ground_interval()
    return (
        round6(found.scores.mean) if found.scores else None,
        round6(found.lift.mean) if found.lift else None,
        round6(found.ground.mean) if found.ground else None,
        round6(interval[0]) if interval else None,
        round6(interval[1]) if interval else None,
    )


def _taken_from(new: ReceiptView) -> str:
    """Seal of the receipt whose answers `new` took over; empty without one."""
    seen = new.observations
    arm = next((arm for arm in seen.frame.arms if arm.role in (INCUMBENT, PAST_ARM)), None) if seen else None
    origin = origin_of(seen, arm.name) if seen and arm else None
    return origin.receipt_hash if origin else ""


def _judge(new: ReceiptView) -> JudgeMove | None:
    """D-5 as the receipt's rule read it."""
    found = next(iter(_by_case(new, ANCHOR).values()), None)
    if found is None:
        return None
    moved, low, high = (_number(found.numbers, name) for name in ("mean", "low95", "high95"))
    return JudgeMove(found.word, int(_number(found.numbers, "answers") or 0), moved, low, high)


def _earlier_model(new: ReceiptView) -> str:
    """The earlier model that was asked today; empty where it was the committed skill, or nothing."""
    arm = new.observations.frame.arm_of(INCUMBENT) if new.observations else None
    return arm.model if arm and arm.model != new.model_id else ""


def _incumbent(new: ReceiptView) -> str:
    """The suite of today against the committed skill, in a word of the rule's; empty where it was not drawn in this run."""
    found = next(iter(_by_case(new, OLD_SUITE).values()), None)
    return found.word if found else ""


def _drawn(new: ReceiptView) -> bool:
    """Whether the committed skill's first answers were drawn in this run."""
    return new.observations is not None and new.observations.frame.terms.get("incumbent") == "drawn"


def _mean_move(cases: Sequence[CaseDrift]) -> float | None:
    moves = [case.delta for case in cases if case.delta is not None]
    return mean(moves) if moves else None


def _headline(published: Comparison, cases: Sequence[CaseDrift], *, fallen: int, down: bool, up: bool) -> tuple[str, str, str]:
    """(word of DRIFTS, code, sentence)."""
    of = f"of {len(cases)} {'case' if len(cases) == 1 else 'cases'}"
    if fallen:
        return "DRIFT", "confirmed_case", f"{fallen} {of} fell against {published.asked}, confirmed on fresh answers of both"
    if down:
        return "DRIFT", "suite", "over the suite the scores fell, and the lift with them"
    if published.headline in UNMET:
        return published.headline, published.code, published.reason
    if up:
        return "IMPROVED", "suite", "over the suite the scores rose, and the lift with them"
    likely = sum(case.reading == LIKELY for case in cases)
    if likely:
        said = f"{likely} {of} {'has' if likely == 1 else 'have'} likely fallen: ten fresh answers lie below the stored ones"
        return "NO_SEPARATION", LIKELY, f"{said}, and those without the skill do not; what did it cannot be told"
    open_ = sum(case.verdict in MOVED for case in cases)
    if not open_ and published.headline in ("NO_SEPARATION", "INCONCLUSIVE"):
        return published.headline, published.code, published.reason
    if not open_:
        return "NO_SEPARATION", "", f"none {of} stands apart"
    said = f"{open_} {of} {'stands' if open_ == 1 else 'stand'} apart on the first answers, none confirmed"
    return "NO_SEPARATION", CANNOT_TELL if any(case.reading == CANNOT_TELL for case in cases) else NOT_CONFIRMED, said
