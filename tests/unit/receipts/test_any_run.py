"""Every number of a receipt follows from its draws: of any run what is built is clean, and any one number that is changed is named."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.canonical import read_json
from driftproof_action.decisions.table import TABLE
from driftproof_action.receipts.mismatch import Mismatch
from driftproof_action.receipts.read import view
from driftproof_action.receipts.sealing import seal, to_file_bytes
from driftproof_action.receipts.verify import check
from driftproof_action.receipts.versions import OWN, schema
from tests.unit.receipts.any_run import any_run

Document = dict[str, Any]
Path = tuple[str | int, ...]
SEEDS = st.integers(0, 2**32)
"""A table that Hypothesis draws number by number takes five times as long."""

FACTS = (
    r"observations\b",  # what everything else follows from
    r"skill\.(tokens|unseen_files\[\]\.bytes)",
    r"run\.parameters\.(max_tokens|temperature)",
    r"run\.judge\.temperature",
    r"run\.pricing_snapshot\b",
    r"results\.cases\[\]\.criteria\[\]\.weight",
)
"""Numbers a run is given. All others are derived, those of fields nobody has thought of yet too."""

ELSEWHERE = (
    r"results\.cases\[\]\.(usage|activation|excluded_draws|generation\.draws\[\]\.(captured_files|auxiliary_calls))\b",
    r"run\.import\b",
    r"economics\.(with_skill|baseline)\.mean_total_tokens",
)
"""Numbers the format has for what others measured: no receipt of our own holds one."""

MOST_RUNS = 400
"""Runs in which every other number of the format turns up."""


def spelled(path: Path) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)[1:]


def numbers(value: Any, path: Path = (), kind: str = "") -> Iterator[tuple[str, Path, int | float]]:
    """(kind of place: without its positions, as the format names it; place; number) of every number there is."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        here = f"{kind}[]" if isinstance(key, int) else f"{kind}.{key}" if kind else key
        if isinstance(inner, dict | list):
            yield from numbers(inner, (*path, key), here)
        elif isinstance(inner, int | float) and not isinstance(inner, bool):
            yield here, (*path, key), inner


@cache
def is_of(patterns: tuple[str, ...], kind: str) -> bool:
    return any(re.match(pattern, kind) for pattern in patterns)


def derived(document: Document) -> dict[str, list[tuple[Path, int | float]]]:
    """Every number that is no fact, by the kind of its place."""
    found: dict[str, list[tuple[Path, int | float]]] = {}
    for kind, path, value in numbers(document):
        if not is_of(FACTS, kind):
            found.setdefault(kind, []).append((path, value))
    return found


def changed_and_sealed_again(document: Document, path: Path, value: int | float) -> tuple[Mismatch, ...]:
    here: Any = document
    for step in path[:-1]:
        here = here[step]
    before, here[path[-1]] = here[path[-1]], value
    checked = check(seal(document), rules=TABLE)
    here[path[-1]] = before
    assert checked.hash_verified
    return checked.mismatches


def nearby(dice: random.Random, value: int | float) -> list[int | float]:
    """One unit up or down: of a count, or of the last place figures are stored to."""
    steps = [-0.000001, 0.000001] if isinstance(value, float) else [-1, 1, -0.000001, 0.000001]
    dice.shuffle(steps)
    return [value + step if isinstance(step, int) else round(value + step, 6) for step in steps]


def far_off(dice: random.Random, value: int | float) -> list[int | float]:
    """Another share, the other sign, or far more."""
    out = [round(dice.random(), 6), (value + 0.5) % 1, -value, value + dice.randint(2, 10**6), value * 3]
    dice.shuffle(out)
    return [other for other in out if abs(other - value) > 0.01]


@settings(max_examples=1000, deadline=None)
@given(SEEDS)
def test_what_is_built_is_clean_and_gives_the_table_back(seed: int) -> None:
    run = any_run(random.Random(seed))
    document: Any = read_json(to_file_bytes(run.receipt()), source="r.json")
    checked = check(document, rules=TABLE)
    assert [item.sentence() for item in checked.mismatches] == []
    assert checked.hash_verified
    read = view(document)
    assert read.observations == run.seen
    assert read.decision == run.decision
    asked = run.seen.frame
    assert ("incumbent" in document) == (asked.arm_of("incumbent") is not None)
    assert document.get("confirmation", {"rule": {}})["rule"].get("models_in_job") == asked.terms.get("models_in_job")


def unnamed(dice: random.Random, document: Document, path: Path, value: int | float) -> list[tuple[str, float, float]]:
    """What the place was changed to, by a little and by much, without being named for it."""
    out = []
    for others in (nearby(dice, value), far_off(dice, value)):
        for other in others:
            found = changed_and_sealed_again(document, path, other)
            refused = [item for item in found if item.kind == "schema"]
            if not refused:  # else no such number may stand there, and another one is tried
                break
        if not refused and spelled(path) not in {item.path for item in found}:
            out.append((spelled(path), value, other))
    return out


@settings(max_examples=1000, deadline=None)
@given(SEEDS)
def test_any_one_number_that_is_changed_and_sealed_again_is_named(seed: int) -> None:
    dice = random.Random(seed)
    document = any_run(dice).receipt()
    places = derived(document)
    path, value = dice.choice(places[dice.choice(sorted(places))])
    assert unnamed(dice, document, path, value) == []


def of_the_format(shape: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Every place of a schema where a number may stand; free keys have none."""
    kinds = shape.get("type", [])
    if {"integer", "number"} & set([kinds] if isinstance(kinds, str) else kinds):
        yield path[1:]
    for name, inner in shape.get("properties", {}).items():
        yield from of_the_format(inner, f"{path}.{name}")
    if "items" in shape:
        yield from of_the_format(shape["items"], f"{path}[]")


def test_no_number_of_the_format_is_left_out() -> None:
    """Of every kind of number at least one is changed, and none of ours is missing."""
    left = {kind for kind in of_the_format(schema(OWN)) if not is_of(FACTS + ELSEWHERE, kind)}
    assert len(left) > 130
    tried: set[str] = set()
    for seed in range(MOST_RUNS):
        dice = random.Random(seed)
        document = any_run(dice).receipt()
        for kind, places in derived(document).items():
            if kind not in tried:
                assert unnamed(dice, document, *dice.choice(places)) == []
                tried.add(kind)
        if tried >= left and seed > 20:
            break
    assert left - tried == set()
    assert {f"decision.readings[].numbers.{name}" for name in ("resolution", "gap", "rate", "count", "total", "alpha", "df")} <= tried


def test_a_count_is_of_the_draws_taken_and_not_of_those_measured() -> None:
    """Also of a row of which all were lost, and which no total reads."""
    tried = 0
    for seed in range(40):
        document = any_run(random.Random(seed)).receipt()
        blocks = [row["generation"] for row in document["results"]["cases"] if "generation" in row]
        for kind, path, value in numbers(document):
            if kind.endswith(".generations_per_arm"):
                for other in {block["n_measured"] for block in blocks} - {value}:
                    assert spelled(path) in {item.path for item in changed_and_sealed_again(document, path, other)}
                    tried += 1
    assert tried > 20


def test_some_runs_grade_old_answers_again() -> None:
    words = [item.word for seed in range(300) for item in any_run(random.Random(seed)).decision.readings if item.rule == "anchor"]
    assert {"not_given"} <= set(words)
    assert {"moved", "steady", "open"} & set(words)
