"""What only a 1.0 receipt can show: its measurement hash, and rows, grades, coverage and decision from its observations.

Not: the checks every version has (verify), nor any rule: rules are handed in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driftproof_action.decisions.band_separation.confirmed_readings import published_verdict_of
from driftproof_action.domain.grade import Grade
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.observations import Observations, Wanted
from driftproof_action.domain.rule import Rule
from driftproof_action.domain.table_records import decision_to_json, observations_from_json
from driftproof_action.errors import DriftproofError
from driftproof_action.graders.reductions import REDUCTIONS, weighted_share
from driftproof_action.receipts.answered import answered_by
from driftproof_action.receipts.confirmation import INCUMBENT, confirmation, incumbent_rows, origin_of
from driftproof_action.receipts.draw_sets import MODES, rows_of
from driftproof_action.receipts.economics import economics
from driftproof_action.receipts.mismatch import Mismatch
from driftproof_action.receipts.recompute import same
from driftproof_action.receipts.run_ties import untied
from driftproof_action.receipts.schema_check import show
from driftproof_action.receipts.sealing import measurement_hash, plain
from driftproof_action.receipts.taken_over import taken_over
from driftproof_action.receipts.totals import is_incomplete

ADDED = frozenset({"judge", "counts", "label", "activation", "excluded_draws", "criteria"})
"""What the run adds to a row and observations cannot give."""


def rechecked(document: Mapping[str, Any], *, rules: Mapping[str, Rule] | None) -> Iterator[Mismatch]:
    """The document fits the 1.0 schema and its rows are unique. Later checks need what earlier ones establish."""
    broken = list(_integrity(document["observations"]))
    if broken:
        yield from broken
        return
    seen = observations_from_json(document["observations"])
    strange = list(_rows(document, seen))
    yield from strange
    if not strange:
        yield from _figures(document, seen)
        gives = measurement_hash(document)
        if gives != document["measurement_hash"]:
            yield Mismatch("measurement_hash", "measurement_hash", show(document["measurement_hash"]), gives, "what was measured")
    weights = {row["id"]: {item["id"]: item["weight"] for item in row.get("criteria", ())} for row in document["results"]["cases"]}
    for index, grade in enumerate(seen.grades):
        yield from _reduction(grade, f"observations.grades[{index}]", weights.get(grade.id.case, {}))
    yield from untied(document)
    yield from taken_over(document)
    yield from _status(document, seen)
    yield from _incumbent(document, seen)
    if rules is not None:
        yield from _ruled(document, seen, rules)
    yield from _earned(document)


def _integrity(observed: Mapping[str, Any]) -> Iterator[Mismatch]:
    """Names are unique and refer to something: without that the table cannot be read as one."""
    frame = observed["frame"]
    arms, cases = [arm["name"] for arm in frame["arms"]], [case["id"] for case in frame["cases"]]
    briefs = {case["brief"] for case in frame["cases"]}
    drawn = [_draw_key(draw) for draw in observed["draws"]]
    graded = [(grade["grader"], grade["case"], tuple(_draw_key(draw) for draw in grade["draws"])) for grade in observed["grades"]]
    roles = [arm["role"] for arm in frame["arms"]]
    for path, names in (("frame.arms", arms), ("frame.arms", roles), ("frame.cases", cases), ("draws", drawn), ("grades", graded)):
        for name, times in Counter[Any](names).items():
            if times > 1:
                yield Mismatch("observations", f"observations.{path}", f"{_named(name)} {times} times", "it once", "a table")
    known = set(drawn)
    for index, key in enumerate(drawn):
        if key[0] not in briefs or key[1] not in arms:
            yield Mismatch("observations", f"observations.draws[{index}]", _named(key), "its briefs and arms", "the frame")
    for index, (_, case, draws) in enumerate(graded):
        if case not in cases or not known.issuperset(draws):
            yield Mismatch("observations", f"observations.grades[{index}]", _named(case), "its cases and draws", "the table")


def _draw_key(draw: Mapping[str, Any]) -> tuple[Any, ...]:
    return draw["brief"], draw["arm"], draw["look"], draw["index"], draw.get("attempt", 0)


def _named(name: Any) -> str:
    return show(name if isinstance(name, str) else " ".join(str(part) for part in name))


def _rows(document: Mapping[str, Any], seen: Observations) -> Iterator[Mismatch]:
    held = document["results"]["cases"]
    given = {(row["id"], row["mode"]): row for row in plain(rows_of(seen))}
    for index, row in enumerate(held):
        path = f"results.cases[{index}]"
        gives = given.pop((row["id"], row["mode"]), None)
        if gives is None:
            yield Mismatch("observations", path, f"{show(row['id'])} in {row['mode']}", "no such row", "the frame")
            continue
        yield from _differences({k: v for k, v in row.items() if k not in ADDED}, gives, path)
    for id, mode in given:
        yield Mismatch("observations", "results.cases", "nothing", f"{show(id)} in {mode}", "the frame")
    order = [row["id"] for row in held if row["mode"] == held[0]["mode"]] if held else []
    ranked = [(order.index(row["id"]) if row["id"] in order else -1, MODES.index(row["mode"])) for row in held]
    if ranked != sorted(ranked):
        yield Mismatch("rows", "results.cases", "rows in another order", "each case with_skill first", "the format")


def _figures(document: Mapping[str, Any], seen: Observations) -> Iterator[Mismatch]:
    """What answered and what it cost, again from the rows."""
    run = document["run"]
    says = run["answered_by"]
    gives = answered_by(seen, says["kind"], model_id=run["model_id"], isolation=says["isolation"])
    yield from _differences(says, gives, "run.answered_by")
    if "pricing_snapshot" in run:
        judge = (run["judge"] or {}).get("model_id")
        rows = document["results"]["cases"]
        cost = economics(rows, run["pricing_snapshot"], target=run["model_id"], judge=judge, surface=run["surface"], seen=seen)
        yield from _differences(document.get("economics"), plain(cost), "economics")


def _differences(says: Any, gives: Any, path: str) -> Iterator[Mismatch]:
    """Where two values differ, as deep as both go. The kind of a check is not in the observations."""
    if isinstance(says, dict) and isinstance(gives, dict):
        for key in dict.fromkeys((*gives, *says)):
            if not (key == "kind" and ".checks[" in path):
                yield from _differences(says.get(key), gives.get(key), f"{path}.{key}")
    elif isinstance(says, list) and isinstance(gives, list) and len(says) == len(gives):
        for index, (one, other) in enumerate(zip(says, gives, strict=True)):
            yield from _differences(one, other, f"{path}[{index}]")
    elif not same(says, gives):
        yield Mismatch("observations", path, show(says), show(gives), "its observations")


def _reduction(grade: Grade, path: str, weights: Mapping[str, float]) -> Iterator[Mismatch]:
    """The grade again, by the reduction it names, from the samples or parts it stores."""
    if (grade.outcome is None) == (grade.hole is None):
        yield Mismatch("reduction", path, "an outcome and a hole" if grade.hole else "neither", "one of the two", "a grade")
        return
    if grade.hole is not None:
        reduce = REDUCTIONS.get(grade.reduction or "mean_of_samples")
        if grade.samples and reduce and not isinstance(reduce(grade.samples), Hole):
            yield Mismatch("reduction", f"{path}.hole", show(grade.hole.reason), "a score", "its samples")
        return
    gives: Any
    yield from _samples(grade, path, weights)
    if grade.reduction in REDUCTIONS:
        gives = REDUCTIONS[grade.reduction](grade.samples)
        if isinstance(gives, Hole) or gives != grade.score:
            yield Mismatch(
                "reduction", f"{path}.score", show(grade.score), gives.reason if isinstance(gives, Hole) else show(gives), "its samples"
            )
    elif grade.reduction == "all_pass":
        gives = "pass" if all(met for _, met in grade.parts) else "fail"
        if grade.outcome != gives:
            yield Mismatch("reduction", f"{path}.outcome", show(grade.outcome), show(gives), "its parts")
    elif grade.reduction in CODED:
        yield from _coded(grade, path, weights)
    else:
        known = ", ".join((*REDUCTIONS, "all_pass", *CODED))
        yield Mismatch("reduction", f"{path}.reduction", show(grade.reduction), known, "this release")


CODED = ("decided_in_code",)
"""Scores no judge stands behind: a share of weighted parts."""


def _coded(grade: Grade, path: str, weights: Mapping[str, float]) -> Iterator[Mismatch]:
    if grade.samples:
        yield Mismatch("reduction", f"{path}.samples", show(len(grade.samples)), "none", "a grade decided in code")
    if grade.score != (gives := _share(grade.parts, weights)):
        yield Mismatch("reduction", f"{path}.score", show(grade.score), show(gives), "its parts")


def _samples(grade: Grade, path: str, weights: Mapping[str, float]) -> Iterator[Mismatch]:
    """A judge's sample over criteria: its value is the share of what it says is met."""
    for index, sample in enumerate(grade.samples):
        if sample.parts and sample.value is not None and sample.value != (gives := _share(sample.parts, weights)):
            yield Mismatch("reduction", f"{path}.samples[{index}].value", show(sample.value), show(gives), "its parts")


def _share(parts: Sequence[tuple[str, bool]], weights: Mapping[str, float]) -> float | None:
    """None where a part is no criterion of its case, or one is missing."""
    return weighted_share(parts, weights) if parts and sorted(id for id, _ in parts) == sorted(weights) else None


def _status(document: Mapping[str, Any], seen: Observations) -> Iterator[Mismatch]:
    gives = "incomplete" if is_incomplete(seen, document["results"]["cases"]) else "complete"
    says = document["run"].get("status", "complete")
    if says != gives:
        yield Mismatch("observations", "run.status", show(says), show(gives), "its observations")


def _ruled(document: Mapping[str, Any], seen: Observations, rules: Mapping[str, Rule]) -> Iterator[Mismatch]:
    """Coverage and decision by the rule the receipt names."""
    rule = rules.get(seen.frame.rule)
    if rule is None:
        yield Mismatch("decision", "observations.frame.rule", show(seen.frame.rule), ", ".join(rules), "this release")
        return
    try:
        made = rule.decide(seen)
        wanted, decision = rule.wanted(seen), plain(decision_to_json(made))
    except DriftproofError as error:
        yield Mismatch("decision", error.place or "observations.frame", error.message, "what it needs", "the rule")
        return
    yield from _coverage(seen, wanted)
    held = {key: value for key, value in document["decision"].items() if key != "published_verdict"}
    for item in _differences(held, decision, "decision"):
        yield Mismatch("decision", item.path, item.says, item.gives, "its observations")
    published = document["decision"]["published_verdict"]
    gives = published_verdict_of(made) if document["method"] == "lift" else None
    if published != gives:
        yield Mismatch("decision", "decision.published_verdict", show(published), show(gives), "the published rule")
    for item in _differences(document.get("confirmation"), plain(confirmation(seen, made)), "confirmation"):
        yield Mismatch("decision", item.path, item.says, item.gives, "its observations")


def _incumbent(document: Mapping[str, Any], seen: Observations) -> Iterator[Mismatch]:
    """The rows of the committed skill, and the receipt they were taken from."""
    held, origin, arm = document.get("incumbent"), origin_of(seen, INCUMBENT), seen.frame.arm_of(INCUMBENT)
    if (held is None) != (arm is None):
        yield Mismatch("observations", "incumbent", "a block" if held else "nothing", "an arm" if arm else "no such arm", "the frame")
    elif held is not None and arm is not None:
        yield from _differences(held["model_id"], arm.model, "incumbent.model_id")
        gives = {"receipt_hash": origin.receipt_hash, "date": origin.date} if origin else None
        yield from _differences(held["origin"], gives, "incumbent.origin")
        yield from _differences(held["cases"], plain(incumbent_rows(seen)), "incumbent.cases")


def _coverage(seen: Observations, wanted: Wanted) -> Iterator[Mismatch]:
    asked, drawn = {*wanted.draws, *wanted.extra}, {draw.id for draw in seen.draws}
    if seen.stop is not None and seen.stop.reason == "complete":
        missing = [id for id in wanted.draws if id not in drawn]
        if missing:
            yield Mismatch("coverage", "observations.stop.reason", '"complete"', f"{len(missing)} draws that are not there", "the rule")
        for case in seen.frame.cases:
            lacking = sum(seen.grade(case.id, id) is None for id in wanted.draws if id.brief == case.brief and id in drawn)
            if lacking:
                yield Mismatch(
                    "coverage", "observations.grades", f"{lacking} draws of {show(case.id)} ungraded", "every draw graded", "a complete run"
                )
    extra = [id for id in sorted(drawn) if id not in asked]
    if extra:
        yield Mismatch("coverage", "observations.draws", f"{len(extra)} draws", "none of them", "the rule")


def _earned(document: Mapping[str, Any]) -> Iterator[Mismatch]:
    """A receipt that is not TESTED earns no verdict, and a lift's published verdict stands beside its own."""
    verdict = document["decision"]["verdict"]
    if document["verification_level"] != "TESTED" and not document["run"].get("example") and verdict != "NOT_MEASURED":
        yield Mismatch("decision", "decision.verdict", show(verdict), '"NOT_MEASURED"', f"level {document['verification_level']}")
    tested = document["run"]["answered_by"]["kind"] == "model" and not document["run"].get("narrowed")
    if document["verification_level"] == "TESTED" and not tested:
        yield Mismatch("decision", "verification_level", '"TESTED"', '"UNVERIFIED"', "how it was run")
