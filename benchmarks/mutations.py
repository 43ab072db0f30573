"""How many small lies in a receipt does `validate` catch? Mutates every leaf kind of the receipts given, sealed and re-sealed.

Usage: python benchmarks/mutations.py PATH… [--mutants 200] [--seed 1]     (receipt files, or folders of them)

A mutant changes one leaf (or drops one key) so that the canonical form changes. As it stands its seal is broken. The same
mutant sealed again is caught when the leaf was one the schema binds or other numbers follow from; a leaf that is free text,
a hash of something outside, or a first-hand figure (usage, a clock) cannot be: that is what signatures are for. Exit 1 when a
broken seal was accepted, or a leaf in DERIVED was changed, sealed again and not reported.
Not: a test; it prints a table.
"""

from __future__ import annotations

import argparse
import copy
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from driftproof_action.canonical import canonical_bytes, read_json
from driftproof_action.decisions.table import TABLE
from driftproof_action.receipts.sealing import seal
from driftproof_action.receipts.verify import Checked, check

DERIVED = re.compile(
    r"results\.aggregates\.(with_skill|baseline)\.(case_count|pass_count|borderline_count|mean_score|stddev)\Z|comparison\.(with_skill_score|baseline_score|delta|delta_uncertainty)\Z"
    r"|results\.cases\[\]\.(mean|stddev|score|outcome)\Z"
    r"|\.generation\.(n_drawn|n_measured|n_unmeasured|n_truncated|mean|sd|judge_sd_mean)\Z|\.draws\[\]\.(mean|stddev)\Z"
)
"""Leaves that hold a derived number. What they follow from (a sample, a threshold) may move by too little to show."""

MOST = 24
"""Places listed of leaves that cannot be checked."""

Path_ = tuple[str | int, ...]


def leaves(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The place of every value that is no container."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from leaves(item, (*path, key))
    if not isinstance(value, dict | list):
        yield path


def place(path: Path_) -> str:
    """A path without positions: `results.cases[].mean`."""
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def other(value: Any, dice: random.Random) -> Any:
    """Another value, mostly of the same kind and plausible."""
    if isinstance(value, bool):
        return dice.choice([not value, int(value), None])
    if isinstance(value, int | float):
        near = [value + 1, value - 1, value / 2 + 0.01, round(1 - value, 6), value + 0.000001, -value, 0, 1]
        return dice.choice([*near, *near, None, str(value), True, [value]])
    if isinstance(value, str):
        turned = value[::-1] if value[::-1] != value else value + "x"
        return dice.choice([value + "x", value[:-1], value.upper(), turned, "", None, 0, value + "\n"])
    return dice.choice([0, "x", False, 0.5])


def mutant(document: Any, dice: random.Random) -> tuple[Any, str]:
    """A copy with one leaf changed or dropped, and where. The seal itself is left to the other half of the trial."""
    path = dice.choice([leaf for leaf in leaves(document) if leaf not in (("receipt_hash",), ("schema_version",))])
    changed = copy.deepcopy(document)
    parent = changed
    for step in path[:-1]:
        parent = parent[step]
    if dice.random() < 0.15:
        del parent[path[-1]]
        return changed, place(path) + " left out"
    parent[path[-1]] = other(parent[path[-1]], dice)
    return changed, place(path)


def tried(document: Any, mutants: int, dice: random.Random) -> Iterator[tuple[str, Checked, Checked]]:
    """For each mutant whose canonical form moved: (place, as it stands, sealed again)."""
    before = canonical_bytes(document)
    left = mutants
    while left:
        changed, where = mutant(document, dice)
        if canonical_bytes(changed) != before:
            left -= 1
            yield where, check(changed, rules=TABLE), check(seal(changed), rules=TABLE)


def first_class(checked: Checked) -> str:
    """What is named first, fatal findings before remarks; `accepted` when nothing is."""
    ordered = sorted(checked.mismatches, key=lambda item: not item.fatal)
    if not ordered:
        return "accepted"
    return ordered[0].kind if ordered[0].fatal else f"{ordered[0].kind} (remark)"


def receipts(paths: list[str]) -> Iterator[tuple[Path, Any]]:
    """Every JSON file with a schema_version under the paths."""
    for path in map(Path, paths):
        for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
            document = read_json(file.read_bytes(), source=str(file))
            if isinstance(document, dict) and "schema_version" in document:
                yield file, document


def report(table: Mapping[str, Counter[str]], title: str) -> None:
    names = sorted({name for row in table.values() for name in row})
    print(f"\n{title}\n{'version':10}" + "".join(f"{name:>20}" for name in names) + f"{'all':>10}")
    for version, row in [*table.items(), ("all", sum(table.values(), Counter[str]()))]:
        print(f"{version:10}" + "".join(f"{row[name]:>20}" for name in names) + f"{sum(row.values()):>10}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    broken: dict[str, Counter[str]] = {}
    sealed: dict[str, Counter[str]] = {}
    free: Counter[str] = Counter()
    missed: list[str] = []
    files = 0
    for file, document in receipts(given.paths):
        files += 1
        version = document["schema_version"]
        intact = check(document, rules=TABLE)
        if intact.status != "valid":
            missed.append(f"{file}: {intact.status} as it is: {intact.mismatches[0].sentence()}")
        for where, as_is, again in tried(document, given.mutants, random.Random(f"{given.seed} {files}")):
            broken.setdefault(version, Counter())[first_class(as_is)] += 1
            sealed.setdefault(version, Counter())[first_class(again)] += 1
            free[where] += not again.mismatches
            if as_is.status != "invalid":
                missed.append(f"{file}: {where} changed, seal broken, {as_is.status}")
            if DERIVED.search(where) and not again.mismatches:
                missed.append(f"{file}: {where} changed and sealed again, not reported")
    report(broken, f"{files} receipts, {given.mutants} mutants each, as they stand: first finding")
    report(sealed, "the same sealed again: first finding")
    listed = [f"{where} {times}" for where, times in free.most_common() if times]
    print(f"\nsealed again and accepted, by leaf ({len(listed)} places, the {MOST} commonest): " + ", ".join(listed[:MOST]))
    print("\n" + ("\n".join(missed) if missed else "nothing missed"))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
