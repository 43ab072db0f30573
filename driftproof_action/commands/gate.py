"""What colour a job ends with, decided last and from its rows alone. Not: any report; no reporting input reaches this."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from driftproof_action.comparison.drift import CaseDrift, Comparison
from driftproof_action.domain.observations import Stop
from driftproof_action.domain.words import DRIFTS, VERDICTS
from driftproof_action.reports.job import JobRow

OWN_CHANGES = frozenset({"skill", "suite", "case", "rubric"})
"""What a pull request itself can have moved (words of Comparison.changed)."""

CONDITIONS = ("regression", "drift", "any-drift", "underpowered", "no-effect", "unmeasured", "refused")

_STOPS = {
    "wrong_model": (5, "another model answered than the one asked for"),
    "not_allowed": (2, "the provider refused the request"),
    "budget": (3, "the money limit (max-usd) was reached before the work was done"),
    "calls": (3, "the limit on calls (max-calls) was reached before the work was done"),
    "minutes": (3, "the time limit (max-minutes) was reached before the work was done"),
}
_COMPLETE = Stop("complete")
_ORDER = (70, 130, 143, 5, 4, 2, 3, 1, 7, 0)


@dataclass(frozen=True, slots=True)
class Gate:
    """because: why, as the end of the sentence `this job is red because …`; for 0, a sentence of its own."""

    exit_code: int
    because: str


def decide(
    rows: Sequence[JobRow],
    *,
    fail_on: Collection[str],
    on_unmeasured: str,
    mode: str = "live",
    stopped: str = "",
    detail: str = "",
    signal: int = 0,
    narrowed: bool = False,
    quick: bool = False,
    pull_request: bool = False,
    skipped: int = 0,
) -> Gate:
    """The exit code: the first that holds of 130/143, 5, 4, 2, 3, 1, 7, 0.

    stopped, detail: why the run ended early (domain/observations.Stop). signal: its number when that was why. Stub,
    quick and narrowed runs earn no verdict, so none of 1 and 7 is theirs; what was refused or cut short still is.
    pull_request: drift counts only where the pull request itself moved something. skipped: skills that were not to be run.
    """
    found = [*_refusals(rows, fail_on), *_stops(stopped, detail, signal)]
    earns_nothing = mode == "stub" or quick or narrowed
    if not earns_nothing:
        found += _conditions(rows, fail_on, pull_request=pull_request)
        found += _unmeasured(rows, on_unmeasured, skipped=skipped)
    if found:
        return min(found, key=lambda gate: _ORDER.index(gate.exit_code))
    return Gate(0, _calm(rows, mode=mode, partial=quick or narrowed))


def _stops(stopped: str, detail: str, signal: int) -> Iterable[Gate]:
    """What a provider refused is told by the detail alone: it names the input to change."""
    if signal or stopped == "signal":
        yield Gate(143 if signal == 15 else 130, "it was asked to stop")
    elif stopped in _STOPS:
        code, because = _STOPS[stopped]
        yield Gate(code, detail if detail and stopped == "not_allowed" else f"{because}: {detail}" if detail else because)


def gravest(stops: Iterable[Stop]) -> Stop:
    """Of the ends of several plans the one a job is told by: the first in the order of codes, then the first that was cut short
    at all. `complete` when none was."""
    return min(stops, key=_gravity, default=_COMPLETE)


def _gravity(stop: Stop) -> int:
    if stop.reason == _COMPLETE.reason:
        return len(_ORDER)
    codes = [gate.exit_code for gate in _stops(stop.reason, stop.detail, 0)]
    return _ORDER.index(codes[0] if codes else 0)


def _refusals(rows: Sequence[JobRow], fail_on: Collection[str]) -> Iterable[Gate]:
    for row in rows:
        if row.reason_code == "wrong_model":
            yield Gate(5, f"another model answered for {_who(row)}" + (f": {row.message}" if row.message else ""))
        if "refused" in fail_on and "REFUSED" in (row.verdict, row.drift):
            yield Gate(4, f"a receipt of {_who(row)} is not what was sealed (fail-on: refused)")


def _conditions(rows: Sequence[JobRow], fail_on: Collection[str], *, pull_request: bool) -> Iterable[Gate]:
    for condition in CONDITIONS:
        if condition in fail_on and condition != "refused":
            for row in rows:
                if what := _meets(row, condition, pull_request=pull_request):
                    yield Gate(1, f"{_who(row)} {what} (fail-on: {condition})")


def _meets(row: JobRow, condition: str, *, pull_request: bool) -> str:
    """What the row says that meets a condition, empty when it does not."""
    verdict, drift = row.verdict, row.drift
    worse = row.comparison is not None and row.comparison.worse
    if condition == "regression" and verdict == "REGRESSED":
        return "does worse with the skill than without it"
    if worse and (condition == "any-drift" or (condition == "drift" and (not pull_request or _moved_here(row)))):
        if row.comparison is not None and row.comparison.code == "confirmed_case":
            return f"got worse than {row.comparison.asked}, confirmed on fresh answers"
        return "got worse since the last receipt"
    if condition == "underpowered" and (verdict == "UNDERPOWERED" or (verdict == "INCONCLUSIVE" and row.reason_code == "lost_draws")):
        return "has not enough answers to tell"
    if condition == "no-effect" and verdict == "NO_EFFECT":
        return "shows no clear difference"
    if condition == "unmeasured" and verdict == "NOT_MEASURED":
        return "was not measured"
    if condition == "unmeasured" and drift == "RECEIPT_REMOVED":
        return "has lost its stored receipt"
    return ""


def _moved_here(row: JobRow) -> bool:
    """Whether the pull request may have done it: what fell against an earlier model, the model did."""
    if row.comparison is not None and row.comparison.earlier_model and row.comparison.code == "confirmed_case":
        return False
    return row.comparison is not None and not OWN_CHANGES.isdisjoint(row.comparison.changed)


def _unmeasured(rows: Sequence[JobRow], on_unmeasured: str, *, skipped: int) -> Iterable[Gate]:
    if on_unmeasured != "fail":
        return
    if not rows and not skipped:
        yield Gate(7, "nothing was measured")
    for row in rows:
        if row.verdict == "NOT_MEASURED":
            yield Gate(7, f"{_who(row)} could not be measured: {row.message or row.reason_code} (on-unmeasured: fail)")


def graver(gate: Gate, *others: Gate) -> Gate:
    """The one that stands first in the order of codes."""
    return min((gate, *others), key=lambda item: _ORDER.index(item.exit_code) if item.exit_code in _ORDER else -1)


def brought_along(names: Sequence[str], *, fail_on: Collection[str]) -> Iterable[Gate]:
    """A pull request that brings stored files which are not believed (names) is refused like a receipt that is not."""
    if names and "refused" in fail_on:
        yield Gate(4, f"this pull request brings a stored file that is not believed: {names[0]} (fail-on: refused)")


def reddened(rows: Sequence[JobRow], *, fail_on: Collection[str], pull_request: bool) -> list[JobRow]:
    """The rows for whose sake a condition of fail-on holds."""
    return [
        row
        for row in rows
        if ("refused" in fail_on and "REFUSED" in (row.verdict, row.drift))
        or any(_meets(row, condition, pull_request=pull_request) for condition in CONDITIONS if condition in fail_on)
    ]


def _calm(rows: Sequence[JobRow], *, mode: str, partial: bool) -> str:
    if not rows:
        return "there was nothing to measure"
    if mode == "stub":
        return "no model was asked (stub), so nothing was judged"
    if partial:
        return "only a part was asked for, so nothing was judged"
    return "nothing that fail-on names was found"


def _who(row: JobRow) -> str:
    return f"{row.skill_name} on {row.model_id}"


# ---- the printed matrix -----------------------------------------------------------------------------------------


def matrix() -> str:
    """verdict × drift × `fail-on` → exit code, as a Markdown table: one skill on one model, a push, on-unmeasured warn."""
    lines = ["| verdict | drift | " + " | ".join(f"`{condition}`" for condition in CONDITIONS) + " |"]
    lines.append("|---|---|" + "---|" * len(CONDITIONS))
    for verdict in VERDICTS:
        for drift in ("", *DRIFTS):
            codes = [str(_one(verdict, drift, condition)) for condition in CONDITIONS]
            lines.append(f"| {verdict} | {drift or '–'} | " + " | ".join(codes) + " |")
    return "\n".join(lines) + "\n"


def _one(verdict: str, drift: str, condition: str) -> int:
    fallen = (CaseDrift("", "regression", None, None, None, None, None),) if drift in ("DRIFT", "MIXED") else ()
    comparison = Comparison(drift, "", None, fallen, (), ()) if drift else None
    row = JobRow("", "", "", "", "", verdict, "", "", comparison=comparison)
    return decide((row,), fail_on=(condition,), on_unmeasured="warn").exit_code
