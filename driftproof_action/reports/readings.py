"""What confirmed readings say, in people's words: the suite sentence, cases on fresh answers, suspects, what the ground did.

Not: the readings themselves, or where a report puts them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from driftproof_action.comparison.drift import CaseDrift, Fresh, JudgeMove
from driftproof_action.comparison.suite_lift import suite_lift
from driftproof_action.domain.reading import Reading, Scalar
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.figures import count, lift, listed, score
from driftproof_action.reports.job import JobRow
from driftproof_action.reports.markdown import code

SUITE, CASE = "confirmation/suite", "confirmation/"
CASE_LIMIT = 60
SUSPECTS_SHOWN = 4

FAMILIES: Mapping[str, str] = {
    "down": "Looked worse with the skill on the first answers, which is no finding",
    "up": "Looked better with the skill on the first answers, which is no finding",
    "drift": "Looked lower than {asked} on the first answers, which is no finding",
    "past": "Looked lower than the stored answers, which is no finding",
}
OUTCOMES: Mapping[str, str] = {
    "futility": "no difference on fresh answers",
    "p": "on fresh answers not clear enough",
    "floor": "less than 0.05 apart on fresh answers",
    "lost_draws": "too many fresh answers were lost",
    "cap": "not asked again, the clearest come first",
    "budget": "not asked again, the limits left no room",
    "stopped": "not asked again, the run was cut short",
    "left_out": "not asked again, no room or the run ended first",
    "reused_old": "not asked again",
    "single_answer": "one stored answer says too little",
    "old_draws": "too few stored answers to tell",
    "reused_arm": "the answers without the skill are stored ones too",
    "lift": "the answers without the skill fell too",
    "lift_p": "whether those without the skill fell too is not clear",
}
"""Why a suspect was not confirmed. `suite_decides` is not told: the suite's own sentence is."""

LIKELY = "Likely lower than the stored answers. The cause cannot be told, so the job is not red for it"

JUDGE: Mapping[str, str] = {
    "moved": "the judge moved",
    "steady": "the judge grades as it did",
    "open": "too uncertain to tell whether the judge moved",
}
"""What old answers graded again say of the judge."""

GUARD: Mapping[str, str] = {
    "with_skill": "Answers with the skill speak to the grader, answers without it do not: read some before you trust this lift.",
    "baseline": "Answers without the skill speak to the grader, answers with it do not: read some before you trust this lift.",
}


def chance(part: int, whole: int) -> str:
    """part of whole as `6 in 1,000,000`: one digit over the smallest power of ten that has one, rounded up."""
    p = Fraction(part, whole)
    power = 100
    while p * power < 1:
        power *= 10
    return f"{-(-p.numerator * power // p.denominator)} in {power:,}"


def odds(count_: Scalar | None, total: Scalar | None) -> str:
    """The bracket behind a confirmed difference; empty where no test was made."""
    if not isinstance(count_, int) or not isinstance(total, int) or not 0 < count_ <= total:
        return ""
    return f" (chance of this if nothing moved: {chance(count_, total)})"


def suite_sentence(view: ReceiptView) -> str:
    """What the skill adds over the cases, with its interval and the smallest lift the run could have shown; empty where that
    may not be said."""
    found = _suite(view)
    if found is None:
        return ""
    verb, sign = ("takes away", -1) if round(found.mean, 2) < 0 else ("adds", 1)
    ends = sorted((sign * found.low, sign * found.high))
    said = f"Over these {count(found.cases, 'case')} the skill {verb} {score(sign * found.mean)}, "
    said += f"between {score(ends[0])} and {score(ends[1])}."
    said += " Few cases, so this is wide." if found.wide else ""
    said += f" Smallest lift this run could have shown: {score(found.smallest)}." if found.smallest is not None else ""
    return said + (" Measured on different days: includes any change of judge or model." if found.other_day else "")


def suite_interval(view: ReceiptView) -> str:
    """The same in a bracket: `0.12 to 0.30 over these 10 cases`; empty where it may not be said."""
    found = _suite(view)
    return f"{score(found.low)} to {score(found.high)} over these {count(found.cases, 'case')}" if found else ""


@dataclass(frozen=True, slots=True)
class _Suite:
    cases: int
    mean: float
    low: float
    high: float
    smallest: float | None
    wide: bool
    other_day: bool = False


def _suite(view: ReceiptView) -> _Suite | None:
    """As the receipt's own rule read it, else from its rows."""
    if (found := reading_of(view, SUITE)) is not None:
        mean, low, high, smallest = (_number(found.numbers, name) for name in ("mean", "low95", "high95", "smallest_lift"))
        told = found.numbers.get("sentence")
        if told not in ("given", "wide") or mean is None or low is None or high is None:
            return None
        return _Suite(int(_number(found.numbers, "cases") or 0), mean, low, high, smallest, told == "wide")
    lift_ = suite_lift(view)
    if view.kind != "model" or lift_.word == "not_given" or lift_.statistics is None:
        return None
    low, high = lift_.statistics.interval(0.95)
    statistics = lift_.statistics
    return _Suite(statistics.df + 1, statistics.mean, low, high, lift_.smallest, lift_.word == "wide", lift_.other_day)


def _number(numbers: Mapping[str, Scalar | None], name: str) -> float | None:
    value = numbers.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def reading_of(view: ReceiptView | None, rule: str) -> Reading | None:
    """The first reading of a name; None without one."""
    return next((item for item in view.decision.readings if item.rule == rule), None) if view and view.decision else None


def family(view: ReceiptView | None, name: str) -> list[Reading]:
    """The suspects of a family, in the order the receipt stores them."""
    return [item for item in view.decision.readings if item.rule == CASE + name] if view and view.decision else []


def is_confirmed_protocol(view: ReceiptView | None) -> bool:
    """Whether confirmed readings decided the receipt."""
    return reading_of(view, SUITE) is not None


def hurt_on_fresh(view: ReceiptView) -> dict[str, str]:
    """Case → what fresh answers say of it, for every case the skill was confirmed to hurt; the deepest first."""
    found = [item for item in family(view, "down") if item.word == "confirmed"]
    found.sort(key=lambda item: -(_number(item.numbers, "gap") or 0.0))
    return {item.about: _sides(item.numbers, "without the skill", "with it") for item in found}


def _sides(numbers: Mapping[str, Scalar | None], before: str, after: str) -> str:
    other, target = _number(numbers, "fresh_other_mean"), _number(numbers, "fresh_target_mean")
    each = _each(numbers.get("fresh_other_n"), numbers.get("fresh_target_n"))
    return f"{score(other)} {before} → {score(target)} {after} on {each}{odds(numbers.get('count'), numbers.get('total'))}"


def _each(before: Scalar | None, after: Scalar | None) -> str:
    if before == after:
        return f"{before} fresh answers each"
    return f"{before} and {after} fresh answers"


def fell_on_fresh(fresh: Fresh) -> str:
    """A case that fell against the committed skill: both means on fresh answers, and how likely that is by chance."""
    each = _each(fresh.old_n, fresh.new_n)
    return f"{score(fresh.old_mean)} → {score(fresh.new_mean)} on {each}{odds(fresh.count, fresh.total)}"


def fell_on_stored(fresh: Fresh) -> str:
    """A case that likely fell: the stored mean, that of fresh answers, and how likely that is by chance."""
    return f"{score(fresh.old_mean)} → {score(fresh.new_mean)} on {count(fresh.new_n, 'fresh answer')}{odds(fresh.count, fresh.total)}"


def open_case(case: CaseDrift) -> str:
    """What a case that only the first answers set apart reads; empty for any other."""
    if case.stands or case.verdict not in ("regression", "improvement"):
        return ""
    way = "lower" if case.verdict == "regression" else "higher"
    if case.reading == "likely" and case.fresh:
        return f"likely {way} than the stored answers: {fell_on_stored(case.fresh)}"
    if case.reading == "cannot_tell":
        return f"{way} than the stored answers; {OUTCOMES.get(case.reason, 'whether the skill did it, cannot be told')}"
    why = OUTCOMES.get(case.reason, "not confirmed")
    return f"{way} on the first answers; {why}"


def suspects(row: JobRow) -> str:
    """What likely fell, then one sentence a family on the suspects that were not confirmed; empty when there are none."""
    asked = row.comparison.asked if row.comparison else "the committed skill"
    lines = _likely(row)
    for name, head in FAMILIES.items():
        if name == "up" and row.verdict == "PASSED":
            continue  # the suite or its clearest case has said it
        left = [item for item in family(row.view, name) if item.word != "confirmed" and item.reason in OUTCOMES]
        if left:
            told = [f"{code(item.about, limit=CASE_LIMIT)} ({OUTCOMES[item.reason]})" for item in left]
            lines.append(f"{head.format(asked=asked)}: {listed(told, most=SUSPECTS_SHOWN)}.")
    return "  \n".join(lines)


def likely(row: JobRow) -> list[CaseDrift]:
    """Cases that lie below their stored answers on fresh ones, while the old version cannot be asked again."""
    return [case for case in row.comparison.cases if case.reading == "likely"] if row.comparison else []


def _likely(row: JobRow) -> list[str]:
    cases = likely(row)
    told = [f"{code(case.id, limit=CASE_LIMIT)} {fell_on_stored(case.fresh)}" for case in cases if case.fresh]
    return [f"{LIKELY}: {listed(told, most=SUSPECTS_SHOWN)}."] if told else []


def guard_line(view: ReceiptView | None) -> str:
    """That the answers of one arm alone speak to the grader; empty when they do not."""
    found = reading_of(view, "judge_guard")
    return GUARD.get(found.about, "") if found else ""


def judge_line(judge: JudgeMove | None) -> str:
    """What old answers graded again say of the judge; empty where too few were."""
    if judge is None or judge.mean is None or judge.word not in JUDGE:
        return ""
    span = f"{lift(judge.mean)} ({lift(judge.low)} to {lift(judge.high)})"
    return f"{judge.answers} old answers graded again by today's judge: {span}, {JUDGE[judge.word]}."


def asides(rows: Sequence[JobRow], *, render: Callable[[object], str]) -> list[str]:
    """What no verdict and no drift says, a short clause each: a case that likely got worse, and a judge that moved.

    rows: of one skill; of several the clause names the model. render: guards the sink.
    """
    told = []
    for row in rows:
        if low := likely(row):
            id = low[0].id
            shown = render(id if len(id) <= CASE_LIMIT else f"{id[: CASE_LIMIT - 1]}…")
            more = f" and {len(low) - 1} more" if len(low) > 1 else ""
            on = f" on {render(row.model_id)}" if len(rows) > 1 else ""
            told.append(f"{f'case {shown}' if shown.strip() else 'a case'}{more} likely got worse{on}")
    if any(row.comparison and row.comparison.judge and row.comparison.judge.word == "moved" for row in rows):
        told.append(JUDGE["moved"])
    return told


def _earlier_model(row: JobRow, model: str) -> str:
    """Says whether the model of the earlier receipt answered today; empty where it had no reason to be asked."""
    seen = row.view.observations if row.view else None
    asked = [draw for draw in seen.draws if draw.id.arm == "incumbent" and draw.origin is None] if seen else []
    if asked and not any(draw.ending == "completed" for draw in asked):
        return f"{code(model)} gave no answer today, so its stored answers are all there is of it."
    return f"The same skill was asked on {code(model)} today too." if asked else ""


def moves(row: JobRow) -> str:
    """What the change did and what the ground did, told apart: today's two versions, and the answers without the skill then and
    now. Empty where neither is known."""
    found = row.comparison
    if found is None:
        return ""
    lines = [_earlier_model(row, found.earlier_model)] if found.earlier_model else []
    if found.same_day and found.delta is not None:
        lines.append(f"This change alone, both versions asked today: {lift(found.delta)} over {count(len(found.cases), 'case')}.")
    if judge := judge_line(found.judge):
        lines.append(judge)
    ground = found.suite
    if ground is not None and ground.ground is not None:
        span = f" ({lift(ground.ground_low)} to {lift(ground.ground_high)})" if ground.ground_low is not None else ""
        line = f"The answers without the skill moved by {lift(ground.ground)}{span} since the last receipt"
        lines.append(f"{line}: part of the difference is not the skill's." if ground.ground_moved else f"{line}.")
        if ground.word == "ground_moved":
            lines.append("Scores moved, and so did the answers without the skill: the model, its host or the judge moved.")
    return "  \n".join(line for line in lines if line)
