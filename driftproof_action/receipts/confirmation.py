"""What confirmed readings rest on, written out for people and other programs: rule, suite, families, suspects, fresh draws.

Not: the readings (decisions/band_separation); everything here follows from them, from the frame and from the draws, so the same
functions write a receipt and check one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from driftproof_action.decisions.band_separation.confirmed_readings import CASE, DIFFERENCE, FAMILY, NAME, OLD_SUITE, SUITE
from driftproof_action.decisions.band_separation.constants import CONSTANTS
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.hole import Origin
from driftproof_action.domain.observations import Frame, Observations
from driftproof_action.domain.reading import Decision, Reading
from driftproof_action.receipts.draw_sets import draw_row, row_of

Block = dict[str, Any]

CHOSEN = ("models_in_job", "alpha_case_spent", "alpha_suite_spent", "confirm", "redraw", "incumbent")
"""What the frame chooses, beside the constants."""

TARGET, INCUMBENT, PAST = "with_skill", "incumbent", "past"
FAMILIES = ("down", "up", "drift", "past")


def confirmation(seen: Observations, decision: Decision) -> Block | None:
    """The block of a receipt that was decided by confirmed readings; None of any other, and where the frame lacks an arm."""
    found = {reading.rule for reading in decision.readings}
    if seen.frame.rule != NAME or SUITE not in found:
        return None
    by_rule: dict[str, list[Reading]] = {}
    for reading in decision.readings:
        by_rule.setdefault(reading.rule, []).append(reading)
    suite = by_rule[SUITE][0]
    block: Block = {
        "rule": _rule(seen.frame),
        "suite": _read(suite) | {"differences": [_named("case", item) for item in by_rule.get(DIFFERENCE, ())]},
        "families": [_named("name", item) for item in by_rule.get(FAMILY, ())],
        "cases": list(_cases(seen, by_rule)),
    }
    if old := by_rule.get(OLD_SUITE):
        block["incumbent_suite"] = _read(old[0])
    if past := seen.frame.arm_of(PAST):
        origin = origin_of(seen, past.name)
        block["past"] = {
            "receipt_hash": origin.receipt_hash if origin else None,
            "date": origin.date if origin else None,
            "model_id": past.model,
        }
    return block


def _rule(frame: Frame) -> Block:
    out: Block = {"name": frame.rule}
    out |= {name: frame.terms.get(name, value) for name, value in CONSTANTS.items()}
    return out | {name: frame.terms[name] for name in CHOSEN if name in frame.terms}


def _named(key: str, reading: Reading) -> Block:
    out: Block = {key: reading.about}
    return out | dict(reading.numbers)


def _read(reading: Reading) -> Block:
    out: Block = {"reading": reading.word, "reason": reading.reason}
    return out | dict(reading.numbers)


def _cases(seen: Observations, by_rule: Mapping[str, list[Reading]]) -> Iterator[Block]:
    """The suspects of every family in the order it stores them, each drawn one with its fresh draws in the order taken."""
    others = {item.about: str(item.numbers["other"]) for item in by_rule.get(FAMILY, ())}
    for family in FAMILIES:
        for item in by_rule.get(CASE + family, ()):
            row: Block = {"family": family, "case": item.about, "status": item.word, "reason": item.reason} | dict(item.numbers)
            yield row | ({"draws": _draws(seen, item.about, others[family])} if "stop" in item.numbers else {})


def _draws(seen: Observations, case_id: str, other: str) -> list[Block]:
    case = seen.case(case_id)
    target = seen.frame.arm_of(TARGET)
    out: list[Block] = []
    sides = [(arm, seen.series(case.brief, arm, "confirm")) for arm in (target.name if target else "", other)]
    for index in sorted({index for _, series in sides for index in series}):
        for arm, series in sides:
            draw = seen.draw(series[index]) if index in series else None
            if draw is None:
                continue
            row = draw_row(draw, seen.grade(case.id, draw.id), case.threshold, stop=seen)
            out.append({"arm": arm} | {key: row[key] for key in ("draw_index", "status", "mean", "samples", "reason") if key in row})
    return out


def incumbent_rows(seen: Observations) -> list[Block]:
    """One short row a case of the arm `incumbent`, its first look; [] without that arm. The draws themselves, those taken
    over with their origin, are in the observations."""
    arm = seen.frame.arm_of(INCUMBENT)
    return [_incumbent_row(seen, arm, id) for id in dict.fromkeys(case.id for case in seen.frame.cases)] if arm else []


def _incumbent_row(seen: Observations, arm: Arm, id: str) -> Block:
    row = row_of(seen, seen.case(id), arm)
    block = row.get("generation") or {}
    out: Block = {"id": id, "case_hash": row["case_hash"], "mean": row.get("mean"), "stddev": row.get("stddev")}
    out |= {key: block.get(key, 0) for key in ("n_drawn", "n_measured", "n_unmeasured")}
    return out | {"stopping_reason": block.get("stopping_reason")}


def origin_of(seen: Observations, arm: str) -> Origin | None:
    """The receipt an arm's first look was taken from; None where it was drawn, or came from several."""
    origins = {draw.origin for draw in seen.draws if draw.id.arm == arm and draw.id.look == "first"}
    return origins.pop() if len(origins) == 1 else None
