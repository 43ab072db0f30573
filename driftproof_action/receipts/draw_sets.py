"""Observations to the rows of a receipt: draws, their set, the case in its arm. Not: aggregates, nor what a row is judged by.

Only the first look of the arms with_skill and baseline enters. The same functions write a receipt and check one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from driftproof_action.decisions.band_separation.stopping import stopping
from driftproof_action.domain.arithmetic import mean, round6, sd
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.observations import Frame, Observations
from driftproof_action.domain.usage import Usage
from driftproof_action.graders.reductions import chosen_samples

Row = dict[str, Any]

MODES = ("with_skill", "baseline")
BESIDE = "checks"
REUSED = "reused"
"""Why a series that was taken over from a receipt ended: nothing more is drawn to it."""
LONGEST_DRAW_REASON = 200
LONGEST_REASON = 300
_TOKENS = ("input_tokens", "output_tokens", "cached_tokens", "wall_ms")


def arms_of(frame: Frame) -> tuple[Arm, ...]:
    """The arms that make rows, by name, with_skill first."""
    named = {arm.name: arm for arm in frame.arms}
    return tuple(named[mode] for mode in MODES if mode in named)


def rows_of(seen: Observations, order: Iterable[str] = ()) -> list[Row]:
    """One row for each case and arm, cases as in `order` and then as in the frame, with_skill before baseline."""
    cases = {case.id: case for case in seen.frame.cases}
    ranked = [*dict.fromkeys(id for id in order if id in cases), *cases]
    return [row_of(seen, cases[id], arm) for id in dict.fromkeys(ranked) for arm in arms_of(seen.frame)]


def row_of(seen: Observations, case: Case, arm: Arm) -> Row:
    """A row without what the run adds: who judged by which rubric, counts, the kinds of the checks."""
    drawn = [draw for id in seen.series(case.brief, arm.name).values() if (draw := seen.draw(id)) is not None]
    drawn.sort(key=lambda draw: draw.id)
    draws = [draw_row(draw, seen.grade(case.id, draw.id), case.threshold, stop=seen) for draw in drawn]
    row: Row = {"id": case.id, "mode": arm.name, "case_hash": case.digest or None}
    measured = [(draw, facts) for draw, facts in zip(drawn, draws, strict=True) if facts["status"] == "measured"]
    if not measured:
        return row | _failed(drawn, draws, case=case, seen=seen)
    block = draw_set(draws, seen.frame, reused=any(draw.origin for draw in drawn))
    last, facts = measured[-1]
    row |= {
        "outcome": outcome(block["mean"], block["sd"], case.threshold),
        "score": block["mean"],
        "mean": block["mean"],
        "stddev": block["sd"],
        "samples": facts["samples"],
        "threshold": case.threshold,
    }
    row |= {key: facts[key] for key in ("generation_hash", "judge_sample_hashes", "judge_usage") if facts.get(key) is not None}
    grade = seen.grade(case.id, last.id)
    if grade and (reason := _reason(grade)):
        row["reason"] = reason
    if BESIDE in (case.grader, *case.beside) and (checks := seen.grading(GradeId(BESIDE, case.id, (last.id,)))) and checks.parts:
        row["checks"] = [{"name": name, "pass": met} for name, met in checks.parts]
    return row | {"generation": block}


def outcome(middle: float, spread: float, threshold: float | None) -> str:
    """Source: the published case outcome. A threshold inside the band, its ends included, is borderline."""
    if threshold is None:
        return "score"
    if middle - spread <= threshold <= middle + spread:
        return "borderline"
    return "pass" if middle >= threshold else "fail"


def draw_row(draw: Draw, grade: Grade | None, threshold: float | None, *, stop: Observations) -> Row:
    """One draw as receipts list it."""
    out: Row = {"draw_index": draw.id.index, "ending": draw.ending, "generation_hash": draw.reply_hash}
    out |= {"stop_reason": draw.stop_reason, "truncated": draw.ending == "cut", "reported_model": draw.reported_model}
    samples = chosen_samples(grade.samples) if grade else ()
    hashes = [sample.reply_hash for sample in samples if sample.reply_hash is not None]
    scores = scores_of(grade) if grade and draw.reply_hash else []
    if scores:
        out |= {"status": "measured", "samples": scores, "mean": mean(scores), "stddev": sd(scores)}
        if len(hashes) == len(scores):
            out["judge_sample_hashes"] = hashes
    else:
        out |= {"status": "unmeasured", "samples": [], "mean": None, "stddev": None, "reason": _lost(draw, grade, stop)}
        if hashes:
            out["judge_sample_hashes"] = hashes
    if (used := usage_row(draw.usage)) is not None:
        out["usage"] = used
    if grade and (judged := usage_row(*(sample.usage for sample in grade.samples))) is not None:
        out["judge_usage"] = judged
    if scores and samples and all(sample.parts for sample in samples):
        out["criteria_judgments"] = [_judgment(sample, threshold) for sample in samples]
    return out


def scores_of(grade: Grade) -> list[float]:
    """The scores a measured draw is published with: its judge samples, or the one score decided in code. [] for a hole."""
    if grade.hole is not None or grade.outcome is None:
        return []
    values = [sample.value for sample in chosen_samples(grade.samples)]
    if values and all(value is not None for value in values):
        return [value for value in values if value is not None]
    if grade.score is not None:
        return [grade.score]
    return {"pass": [1.0], "fail": [0.0]}.get(grade.outcome, [])


def draw_set(draws: Sequence[Row], frame: Frame, *, reused: bool = False) -> Row:
    """The `generation` block over the draws of one row, in index order. reused: taken over from a receipt."""
    means = [draw["mean"] for draw in draws if draw["status"] == "measured"]
    judge_sd = mean([draw["stddev"] for draw in draws if draw["status"] == "measured"]) if means else None
    spread = sd(means) if means else None
    ratio = round6(spread / judge_sd) if spread is not None and judge_sd else None
    low, top = bounds(frame)
    return {
        "n_planned": low,
        "n_drawn": len(draws),
        "n_measured": len(means),
        "n_unmeasured": len(draws) - len(means),
        "n_truncated": sum(draw["truncated"] for draw in draws),
        "stopping_reason": REUSED if reused else stopping({draw["draw_index"]: draw["mean"] for draw in draws}, low, top).reason,
        "mean": mean(means) if means else None,
        "sd": spread,
        "judge_sd_mean": judge_sd,
        "variance_ratio": ratio,
        "variance_ratio_unavailable": None if ratio is not None else _no_ratio(draws),
        "draws": list(draws),
    }


def bounds(frame: Frame) -> tuple[int, int]:
    """(fewest, most) draws of a series as the frame's terms state them, at least (1, 1)."""
    terms = frame.terms
    low = _whole(terms.get("min_draws", terms.get("draws")))
    return low, max(low, _whole(terms.get("max_draws", low)))


def usage_row(*used: Usage) -> Row | None:
    """Tokens and time of one or several calls added up; a figure nobody told stays null; None when nothing was told."""
    row = {key: _sum([getattr(usage, key) for usage in used]) for key in _TOKENS}
    return row if any(value is not None for value in row.values()) else None


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else 1


def _no_ratio(draws: Sequence[Row]) -> str:
    measured = [draw for draw in draws if draw["status"] == "measured"]
    if not measured:
        return "no_measured_draws"
    return "single_judge_sample" if all(len(draw["samples"]) == 1 for draw in measured) else "judge_sd_zero"


def _failed(drawn: Sequence[Draw], draws: Sequence[Row], *, case: Case, seen: Observations) -> Row:
    """A row of which nothing was measured: it leaves the aggregates, and says why."""
    if not drawn:
        return {"case_status": "no_observations", "samples": [], "reason": _never_drawn(seen), "threshold": case.threshold}
    timed_out = all(draw.ending == "timeout" for draw in drawn)
    return {
        "case_status": "failed_timeout" if timed_out else "failed_unmeasured",
        "reason": draws[-1]["reason"],
        "threshold": case.threshold,
        "generation": draw_set(draws, seen.frame, reused=any(draw.origin for draw in drawn)),
    }


def _never_drawn(seen: Observations) -> str:
    return f"not drawn: {seen.stop.reason}" if seen.stop else "not drawn"


def _lost(draw: Draw, grade: Grade | None, seen: Observations) -> str:
    """Why a draw has no score, in one line: the hole's reason, else how the draw or the run ended."""
    hole = grade.hole if grade else None
    if hole:
        words = f"{hole.reason}: {hole.detail}" if hole.detail else hole.reason
    elif draw.ending != "completed":
        words = f"{draw.ending}: {draw.detail}" if draw.detail else draw.ending
    else:
        words = f"not graded: {seen.stop.reason}" if grade is None and seen.stop else "not graded"
    return " ".join(words.split())[:LONGEST_DRAW_REASON]


def _reason(grade: Grade) -> str:
    """What the judge said of the draw, or which of its criteria were met."""
    said = next((sample.reason for sample in reversed(chosen_samples(grade.samples)) if sample.reason), "")
    if said:
        return said[:LONGEST_REASON]
    parts = next((sample.parts for sample in reversed(chosen_samples(grade.samples)) if sample.parts), grade.parts)
    if not parts:
        return ""
    missed = [id for id, met in parts if not met]
    head = f"{len(parts) - len(missed)} of {len(parts)} met"
    return (f"{head}; not met: {', '.join(missed)}" if missed else head)[:LONGEST_REASON]


def _judgment(sample: Sample, threshold: float | None) -> Mapping[str, Any]:
    total = sample.value
    return {
        "total": total,
        "pass": None if threshold is None or total is None else total >= threshold,
        "judgments": [{"id": id, "decision": "met" if met else "not_met"} for id, met in sample.parts],
        "ignored": [],
    }
