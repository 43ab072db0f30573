"""Which cases of two receipts may be set against each other, and whether the receipts may at all. Not: what they then say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from driftproof_action.analysis.bands import apart
from driftproof_action.comparison.evidence import band_of
from driftproof_action.receipts.versions import OWN, at_least
from driftproof_action.receipts.view import ReceiptView, RowView

DATE_STAMP = re.compile(r"-\d{8}$", re.ASCII)
ONLY_OLD = "only in the older receipt"
ONLY_NEW = "only in the newer receipt"
CASE_CHANGED = "its task or its grading changed"
RUBRIC_CHANGED = "its grading text changed"
BASELINE = {
    "baseline_did_not_reproduce": "the answers without the skill score differently too",
    "baseline_missing": "there are no answers without the skill on one side",
    "baseline_unmeasured": "the answers without the skill were not measured on one side",
}
"""Why a pair of different versions is refused: code → what people read, most telling first."""
UNKNOWN = "no record says that both receipts mean the same case"


@dataclass(frozen=True, slots=True)
class Barrier:
    """Why no case gets a verdict. headline: a word of DRIFTS; verdict: what every case reads; code: one machine-readable
    word; sentence: our own, for people; cases: the ids it is about, empty when it is about the receipts."""

    headline: str
    verdict: str
    code: str
    sentence: str
    cases: tuple[str, ...] = ()


def model_key(model_id: str) -> str:
    """A model id without the date it was stamped with: the name two runs are compared under."""
    return DATE_STAMP.sub("", model_id)


def pair_cases(old: ReceiptView, new: ReceiptView) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """(ids compared, (id, why) of the others), in the order of the newer receipt, then of the older.

    Equal case_hash where both record it; else equal id under an equal suite hash or an equal rubric hash.
    """
    mine, theirs = set(new.case_ids()), set(old.case_ids())
    compared: list[str] = []
    left_out: list[tuple[str, str]] = []
    for id in (*new.case_ids(), *(id for id in old.case_ids() if id not in mine)):
        why = ONLY_NEW if id not in theirs else ONLY_OLD if id not in mine else _differs(old, new, id)
        if why:
            left_out.append((id, why))
        else:
            compared.append(id)
    return tuple(compared), tuple(left_out)


def _differs(old: ReceiptView, new: ReceiptView, id: str) -> str:
    """Why a case of this id is not the same case in both; empty when it is."""
    hashes = _recorded(old, new, id, "case_hash")
    if all(hashes):
        return "" if hashes[0] == hashes[1] else CASE_CHANGED
    if old.suite_hash and old.suite_hash == new.suite_hash:
        return ""
    rubrics = _recorded(old, new, id, "rubric_hash")
    if all(rubrics):
        return "" if rubrics[0] == rubrics[1] else RUBRIC_CHANGED
    return UNKNOWN


def _recorded(old: ReceiptView, new: ReceiptView, id: str, name: str) -> tuple[str | None, str | None]:
    return _first(old, id, name), _first(new, id, name)


def _first(view: ReceiptView, id: str, name: str) -> str | None:
    values: Iterable[str | None] = (getattr(row, name) for row in _rows(view, id))
    return next((value for value in values if value), None)


def _rows(view: ReceiptView, id: str) -> tuple[RowView, ...]:
    return tuple(row for arm in ("with_skill", "baseline") if (row := view.rows.get((id, arm))) is not None)


def judge_models(view: ReceiptView) -> frozenset[str]:
    """The models that judged, without date stamps; empty when none is recorded."""
    ids = {view.judge.model_id, *(row.judge_model_id for row in view.rows.values())}
    return frozenset(model_key(id) for id in ids if id)


def moved_rubrics(old: ReceiptView, new: ReceiptView, ids: Iterable[str]) -> tuple[str, ...]:
    """Cases whose recorded rubric hashes differ."""
    pairs = ((id, _recorded(old, new, id, "rubric_hash")) for id in ids)
    return tuple(id for id, rubrics in pairs if all(rubrics) and rubrics[0] != rubrics[1])


def find_barrier(old: ReceiptView, new: ReceiptView, compared: tuple[str, ...], *, examples: bool) -> Barrier | None:
    """The first reason, in the published order, why the pair gets no verdict: method, incomplete, a baseline that does not
    reproduce, below TESTED or a smoke run, no case in common, another judge. None: nothing stands in the way."""
    return (
        _method(old, new)
        or _incomplete(old, new)
        or _baseline(old, new, compared)
        or _untested(old, new, examples=examples)
        or (None if compared else Barrier("NOT_COMPARABLE", "n/a", "no_shared_case", "the two receipts have no case in common"))
        or _judge(old, new, compared)
    )


def _sides(old: ReceiptView, new: ReceiptView) -> tuple[tuple[str, ReceiptView], ...]:
    return ("older", old), ("newer", new)


def _method(old: ReceiptView, new: ReceiptView) -> Barrier | None:
    if old.method == new.method == "lift":
        return None
    return Barrier("NOT_COMPARABLE", "n/a", "method", "only two receipts of the method lift can be compared case by case")


def _incomplete(old: ReceiptView, new: ReceiptView) -> Barrier | None:
    for side, view in _sides(old, new):
        if view.status != "complete":
            return Barrier("NOT_MEASURED", "not measured", "incomplete", f"the {side} receipt is incomplete: some cases were not measured")
        if view.narrowed:
            return Barrier("NOT_MEASURED", "not measured", "incomplete", f"the {side} receipt covers only some cases of its suite")
    return None


def _untested(old: ReceiptView, new: ReceiptView, *, examples: bool) -> Barrier | None:
    for side, view in _sides(old, new):
        if examples and view.example:
            continue
        if view.kind == "stub":
            return Barrier("NOT_MEASURED", "not measured", "below_tested", f"the {side} receipt is a stub run: no model was asked")
        if view.level != "TESTED" or view.kind not in (None, "model"):
            return Barrier("NOT_MEASURED", "not measured", "below_tested", f"the {side} receipt is not TESTED: its numbers are claims")
        if view.preset:
            return Barrier("NOT_MEASURED", "not measured", "smoke", f"the {side} receipt is a smoke run, which earns no verdict")
    return None


def _judge(old: ReceiptView, new: ReceiptView, compared: tuple[str, ...]) -> Barrier | None:
    """Another judge: model, template (where both record it), temperature, or the rubric hash of a case that is the same."""
    models = judge_models(old), judge_models(new)
    templates = old.judge.prompt_template_hash, new.judge.prompt_template_hash
    rubrics = moved_rubrics(old, new, compared)
    checks = (
        ("judge_model", all(models) and models[0] != models[1], "another model judged", ()),
        ("judge_template", all(templates) and templates[0] != templates[1], "the judge was asked in other words", ()),
        ("judge_sampling", old.judge.temperature != new.judge.temperature, "the judge ran at another temperature", ()),
        ("rubric", bool(rubrics), "the same cases were graded by other instructions", rubrics),
    )
    for code, moved, sentence, cases in checks:
        if moved:
            return Barrier("NOT_COMPARABLE", "n/a", code, f"{sentence}: the scores of the two receipts are not on one scale", cases)
    return None


def _baseline(old: ReceiptView, new: ReceiptView, compared: tuple[str, ...]) -> Barrier | None:
    """Across schema versions the answers without the skill must reproduce, or the two ways of measuring differ."""
    if old.version == new.version:
        return None
    found = {id: _baseline_code(old, new, id) for id in compared}
    for code, what in BASELINE.items():
        cases = tuple(id for id in compared if found[id] == code)
        if cases:
            versions = f"the receipts are of versions {old.version} and {new.version}"
            sentence = f"{versions}, and {what} in {len(cases)} of {len(compared)} cases: a move cannot be told from the change of version"
            return Barrier("NOT_COMPARABLE", "refused", code, sentence, cases)
    return None


def _baseline_code(old: ReceiptView, new: ReceiptView, id: str) -> str:
    rows = old.rows.get((id, "baseline")), new.rows.get((id, "baseline"))
    bands = band_of(rows[0]), band_of(rows[1])
    if None in rows:
        return "baseline_missing"
    if bands[0] is None or bands[1] is None:
        return "baseline_unmeasured"
    return "baseline_did_not_reproduce" if apart(bands[0], bands[1]) else ""


def is_published(view: ReceiptView) -> bool:
    """The receipt is of a version below our own: read by the published rule, never confirmed."""
    return not at_least(view.version, OWN)
