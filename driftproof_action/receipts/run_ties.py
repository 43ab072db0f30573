"""What a receipt says of its run twice, in `run` and in the frame of its observations: both must say the same.

Not: what follows from the observations (verify_own), nor any rule's reading of its terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from driftproof_action.decisions.band_separation.confirmed_readings import NAME as CONFIRMED_RULE
from driftproof_action.decisions.band_separation.readings import NAME as PUBLISHED_RULE
from driftproof_action.receipts.mismatch import Kind, Mismatch
from driftproof_action.receipts.recompute import same
from driftproof_action.receipts.schema_check import show

PROTOCOLS: Mapping[str, str] = {PUBLISHED_RULE: "published", CONFIRMED_RULE: "confirmed"}
"""The protocol of every rule that has one."""
GUARDS = ("warn", "strict")
DRAWN = ("min_draws", "max_draws")
OTHER_DAYS = ("incumbent", "past", "past_baseline")
"""Roles that may have been answered by an earlier model; what is said of them elsewhere is checked there."""


def untied(document: Mapping[str, Any]) -> Iterator[Mismatch]:
    """Where the two differ. The document fits the 1.0 schema."""
    run, frame = document["run"], document["observations"]["frame"]
    terms = frame["terms"]
    yield from tie("decision", "run.protocol", run["protocol"], PROTOCOLS.get(frame["rule"]), source="the rule it names")
    for index, arm in enumerate(frame["arms"]):
        if arm["role"] in OTHER_DAYS:
            continue
        yield from tie("observations", f"observations.frame.arms[{index}].model", arm["model"], run["model_id"], source="run.model_id")
    yield from _parameters(run, terms, method=document["method"])
    path = "observations.frame.terms"
    yield from tie("observations", f"{path}.kind", terms.get("kind"), run["answered_by"]["kind"], source="run.answered_by.kind")
    if run["judge"] is not None:
        if "samples" in run["judge"]:
            yield from tie("observations", "run.judge.samples", run["judge"]["samples"], terms.get("samples"), source="the frame")
        if terms.get("judge_guard") not in GUARDS:
            yield Mismatch("observations", f"{path}.judge_guard", _said(terms.get("judge_guard")), " or ".join(GUARDS), "the format")
    yield from _cases(document)


def _parameters(run: Mapping[str, Any], terms: Mapping[str, Any], *, method: str) -> Iterator[Mismatch]:
    """A lift's are its rule's terms. A measurement has one number of draws, which it may leave unsaid here."""
    given = run["parameters"]
    if method == "lift":
        for name in (*DRAWN, "samples"):
            yield from tie("observations", f"run.parameters.{name}", given[name], terms.get(name), source="the frame")
        return
    for name in DRAWN:
        if given[name] is not None:
            yield from tie("observations", f"run.parameters.{name}", given[name], terms.get("draws"), source="the frame")


def _cases(document: Mapping[str, Any]) -> Iterator[Mismatch]:
    """The whole suite was asked, unless the run says that only some of it was."""
    said, asked = document["suite"]["case_count"], len(document["observations"]["frame"]["cases"])
    if said < asked or (said > asked and not document["run"].get("narrowed")):
        yield Mismatch("observations", "suite.case_count", show(said), show(asked), "the frame")


def tie(kind: Kind, path: str, says: Any, gives: Any, *, source: str) -> Iterator[Mismatch]:
    """A mismatch unless the two are the same."""
    if not same(says, gives):
        yield Mismatch(kind, path, _said(says), _said(gives), source)


def _said(value: Any) -> str:
    return "nothing" if value is None else show(value)
