"""What a run's own answers and gradings say about its suite: checks that tell nothing, cases without room. Not: a verdict.

Every hint is read from the first look of a receipt of any version, as far as that version records it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from driftproof_action.domain.arithmetic import mean, round6, total
from driftproof_action.domain.grade import Grade
from driftproof_action.graders.reductions import chosen_samples
from driftproof_action.receipts.view import ReceiptView, RowView

ARMS = ("with_skill", "baseline")
TOP, BOTTOM = 0.95, 0.05
"""Mean scores from which a case has no room above, or below: a lift of 0.05 would not fit."""
FEWEST_ANSWERS = 5
"""Answers, both arms together, before anything is said of a check that always or never is met."""
FEWEST_IN_ARM = 4
"""Answers of one arm before a check is said to flip."""
MINORITY = 0.25
"""Share of answers from which being met now and then counts as flipping, and of gradings as being disputed."""
MOST_SATURATED = 0.5
"""Share of cases without room from which the suite is called saturated."""
SCATTER_SHARE = 0.5
"""Share of an answer score's variance from which the judge's own scatter is worth a word."""
FEWEST_CASES = 3
"""Cases before anything is said of the suite as a whole."""

CODES = (
    "suite_saturated",
    "baseline_at_floor",
    "judge_scatter",
    "check_never_fails",
    "check_never_met",
    "check_flips",
    "check_disputed",
    "case_saturated",
    "case_impossible",
    "case_borderline",
)
"""Every hint there is, the most telling first; each is a heading of docs/hints.md."""


@dataclass(frozen=True, slots=True)
class Hint:
    """code: one of CODES. cases: the ids it is about, empty for the suite. check: the criterion or check, empty for none.
    numbers: what it rests on."""

    code: str
    cases: tuple[str, ...]
    numbers: Mapping[str, float]
    check: str = ""

    @property
    def anchor(self) -> str:
        """The heading of docs/hints.md."""
        return self.code.replace("_", "-")


Tally = Counter[str]
"""One check or criterion of a case in one arm, over answers: `met` and `unmet` where all gradings of the answer agree, `split`
where they do not, `judged` where there were two gradings or more."""


def hints(view: ReceiptView) -> tuple[Hint, ...]:
    """In the order of CODES and then of the receipt. None for a stub's figures: they are constants."""
    if view.kind == "stub" and not view.example:
        return ()
    found = [*_suite(view), *_scatter(view), *_checks(view), *_cases(view)]
    return tuple(sorted(found, key=lambda hint: CODES.index(hint.code)))


def _measured(view: ReceiptView, arm: str) -> Mapping[str, RowView]:
    return {id: row for id in view.case_ids() if (row := view.rows.get((id, arm))) is not None and row.mean is not None}


def _pairs(view: ReceiptView) -> Iterator[tuple[str, float, float]]:
    target, other = (_measured(view, arm) for arm in ARMS)
    for id, row in target.items():
        if id in other and row.mean is not None and (below := other[id].mean) is not None:
            yield id, row.mean, below


def _suite(view: ReceiptView) -> Iterator[Hint]:
    pairs = list(_pairs(view))
    if len(pairs) < FEWEST_CASES:
        return
    full = [id for id, target, other in pairs if min(target, other) >= TOP]
    if len(full) > MOST_SATURATED * len(pairs):
        yield Hint("suite_saturated", (), {"saturated": len(full), "cases": len(pairs)})
    without = mean([other for _, _, other in pairs])
    if without <= BOTTOM:
        yield Hint("baseline_at_floor", (), {"baseline_mean": without, "cases": len(pairs)})


def _scatter(view: ReceiptView) -> Iterator[Hint]:
    """The judge's share of the variance of a draw's mean: sum(s_judge^2 / k) over sum(s_draws^2), cases and arms together."""
    judge, draws, rows = 0.0, 0.0, 0
    for arm in ARMS:
        for row in _measured(view, arm).values():
            sampled = [draw for draw in row.draws if draw.mean is not None and draw.sd is not None and len(draw.samples) > 1]
            if len(sampled) < 2 or len(sampled) != row.n_measured:
                continue
            rows += 1
            judge += total((draw.sd or 0.0) ** 2 / len(draw.samples) for draw in sampled) / len(sampled)
            draws += row.sd * row.sd
    if rows and draws > 0 and judge >= SCATTER_SHARE * draws:
        numbers = {"judge_sd": round6(sqrt(judge / rows)), "draw_sd": round6(sqrt(draws / rows)), "share": round6(min(1.0, judge / draws))}
        yield Hint("judge_scatter", (), numbers)


def _cases(view: ReceiptView) -> Iterator[Hint]:
    for id, target, other in _pairs(view):
        if min(target, other) >= TOP:
            yield Hint("case_saturated", (id,), {"with_skill": target, "baseline": other})
        elif max(target, other) <= BOTTOM:
            yield Hint("case_impossible", (id,), {"with_skill": target, "baseline": other})
    for id, row in _measured(view, "with_skill").items():
        if row.outcome == "borderline" and row.sd > 0 and row.mean is not None and row.threshold is not None:
            yield Hint("case_borderline", (id,), {"mean": row.mean, "sd": row.sd, "threshold": row.threshold})


def _checks(view: ReceiptView) -> Iterator[Hint]:
    for (case, check), arms in _tallies(view).items():
        both = sum(arms.values(), Counter[str]())
        answers = _answers(both)
        for code, way in (("check_never_fails", "met"), ("check_never_met", "unmet")):
            if answers >= FEWEST_ANSWERS and len(arms) == len(ARMS) and both[way] == answers:
                yield Hint(code, (case,), {"met": both["met"], "answers": answers}, check)
        flipping = max(arms.values(), key=_minority)
        if flipping["met"] + flipping["unmet"] >= FEWEST_IN_ARM and _minority(flipping) >= MINORITY:
            yield Hint("check_flips", (case,), {"met": flipping["met"], "answers": _answers(flipping)}, check)
        if both["judged"] >= FEWEST_ANSWERS and both["split"] >= MINORITY * both["judged"]:
            yield Hint("check_disputed", (case,), {"disputed": both["split"], "answers": both["judged"]}, check)


def _answers(tally: Tally) -> int:
    return tally["met"] + tally["unmet"] + tally["split"]


def _minority(tally: Tally) -> float:
    """Share of the rarer way an answer went, among the answers whose gradings agree."""
    agreed = tally["met"] + tally["unmet"]
    return min(tally["met"], tally["unmet"]) / agreed if agreed else 0.0


def _tallies(view: ReceiptView) -> Mapping[tuple[str, str], Mapping[str, Tally]]:
    """(case, check or criterion) → arm → tally, over the first look of a receipt that stores its gradings."""
    out: dict[tuple[str, str], dict[str, Tally]] = {}
    for grade in view.observations.grades if view.observations else ():
        if grade.hole or len(grade.id.draws) != 1 or (draw := grade.id.draws[0]).look != "first" or draw.arm not in ARMS:
            continue
        for check, votes in _votes(grade).items():
            tally = out.setdefault((grade.id.case, check), {}).setdefault(draw.arm, Counter())
            tally["met" if all(votes) else "split" if any(votes) else "unmet"] += 1
            tally["judged"] += len(votes) > 1
    return out


def _votes(grade: Grade) -> Mapping[str, Sequence[bool]]:
    """check → what each grading of one answer says; decided in code: one vote."""
    out: dict[str, list[bool]] = {}
    for sample in chosen_samples(grade.samples):
        for id, met in sample.parts:
            out.setdefault(id, []).append(met)
    return out or {id: [met] for id, met in grade.parts}
