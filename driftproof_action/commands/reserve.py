"""What is set aside before the first call so that suspects can be drawn afresh, and whether that can be afforded. Not: prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from driftproof_action.commands.work import Work
from driftproof_action.decisions.band_separation.constants import FRESH
from driftproof_action.domain.draw import Look
from driftproof_action.domain.plan import Earmark
from driftproof_action.execution.projection import NOTHING, Projection, earmarks

ONE_SUSPECT = 2 * FRESH
"""Draws that settle one suspect."""


@dataclass(frozen=True, slots=True)
class Reserve:
    """works: with `confirm` taken back in their terms where it cannot be afforded. aside: by look, for the whole job.
    afforded: fresh answers will be drawn, or no rule of the job asks for any."""

    works: tuple[Work, ...]
    aside: Mapping[Look, Earmark]
    afforded: bool


def set_aside(works: Sequence[Work], projections: Sequence[Projection], *, max_micro_usd: int | None, max_calls: int) -> Reserve:
    """Set aside what the looks after the first may take at their worst, but never more than half of a limit: worst cases are
    many times what calls cost, and the first look comes first. Where that half, or what the fewest calls leave, would not
    settle one suspect at its worst, nothing is drawn afresh and every suspect reads `unconfirmed`, reason budget.

    max_micro_usd None: nobody is paid. Nothing is ever refused for the sake of this.
    """
    whole = sum(projections, NOTHING)
    looks: dict[Look, Earmark] = {}
    for work, projection in zip(works, projections, strict=True):
        for look, mark in earmarks(work.plan, projection.draw).items():
            known = looks.get(look, Earmark(0, 0))
            looks[look] = Earmark(known.micro_usd + mark.micro_usd, known.calls + mark.calls)
    if not looks:
        return Reserve(tuple(works), {}, True)
    money = 0 if max_micro_usd is None else min(max_micro_usd // 2, max_micro_usd - whole.least_micro_usd)
    calls = min(max_calls // 2, max_calls - whole.fewest)
    draw = Earmark(0 if max_micro_usd is None else whole.draw.micro_usd, whole.draw.calls)
    if money < ONE_SUSPECT * draw.micro_usd or calls < ONE_SUSPECT * draw.calls:
        return Reserve(tuple(_without(work) for work in works), {}, False)
    return Reserve(tuple(works), _within(looks, money, calls), True)


def _within(looks: Mapping[Look, Earmark], money: int, calls: int) -> Mapping[Look, Earmark]:
    """The earmarks, later ones cut where money or calls end."""
    out: dict[Look, Earmark] = {}
    for look, mark in looks.items():
        out[look] = Earmark(min(mark.micro_usd, money), min(mark.calls, calls))
        money, calls = money - out[look].micro_usd, calls - out[look].calls
    return out


def _without(work: Work) -> Work:
    frame = work.plan.frame
    if "confirm" not in frame.terms:
        return work
    return replace(work, plan=replace(work.plan, frame=replace(frame, terms={**frame.terms, "confirm": False, "redraw": False})))
