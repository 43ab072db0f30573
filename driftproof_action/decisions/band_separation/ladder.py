"""From the readings of the cases to one verdict: the published ladder. Not: where the readings come from, confirmed readings."""

from __future__ import annotations

from collections.abc import Sequence

from driftproof_action.analysis.lost_draws import CaseReading
from driftproof_action.analysis.suite_band import SuiteBand


def climb(
    readings: Sequence[CaseReading], unfinished: tuple[str, ...] = (), *, band: SuiteBand | None = None
) -> tuple[str, tuple[str, ...]]:
    """(verdict, reason codes), worst first. Source: the published rule, R-5.

    unfinished: reason codes why the table is not whole; a case that holds down still counts, nothing passes. Without a
    reading the verdict is NOT_MEASURED. band: how far the cases scatter, None below two; see `no_effect`.
    """
    words = [reading.word for reading in readings]
    if "separated_down" in words:
        return "REGRESSED", ("separated_down",)
    if any(reading.sign < 0 for reading in readings):
        return "INCONCLUSIVE", ("lost_draws", *unfinished)
    if not readings:
        return "NOT_MEASURED", ("no_readable_case", *unfinished)
    if unfinished:
        return "INCONCLUSIVE", unfinished
    if "separated_up" in words:
        if any(reading.may_fall for reading in readings):
            return "INCONCLUSIVE", ("lost_draws",)
        return "PASSED", ("separated_up",)
    if "inconclusive" in words:
        return "INCONCLUSIVE", ("lost_draws",)
    if "underpowered" in words:
        return "UNDERPOWERED", (missing_draws(readings)[0],)
    return no_effect(band)


def no_effect(band: SuiteBand | None) -> tuple[str, tuple[str, ...]]:
    """The last rung: cases that scatter too widely for the floor to show in their mean are too little evidence for "no
    effect". The second code says what would help: cases, draws or unknown."""
    if band is not None and band.wide:
        return "UNDERPOWERED", ("suite_band", band.driver)
    return "NO_EFFECT", ("not_separated",)


def missing_draws(readings: Sequence[CaseReading]) -> tuple[str, int | None]:
    """Over the underpowered cases: (reason, draws an arm that would do; None when no number can be given).

    lost_draws comes first and has no count, then spread, which no number of draws mends, then the largest count, then two
    draws where only one was taken. ("", None) when no case is underpowered.
    """
    short = [reading.power for reading in readings if reading.power.word == "underpowered"]
    for reason in ("lost_draws", "spread"):
        if any(power.reason == reason for power in short):
            return reason, None
    counts = [power.needed for power in short if power.reason == "draws" and power.needed is not None]
    if counts:
        return "draws", max(counts)
    return ("single_draw", 2) if short else ("", None)
