"""How often do the readings cry wolf, and what do they find? Plays whole suites under the laws of operating_laws.py through
the product's own rule and prints Markdown.

Usage: python -m benchmarks.operating_characteristics [--state FILE] [--quick] [--processes 2] [--seed 1]

Every chunk of suites has its own seed and is added to the state file when it is done, so a run that was cut goes on where it
stopped and the numbers do not depend on the number of processes. `--quick` plays one suite in twenty.
Not: a test; tests/unit/decisions/test_operating_characteristics.py shows that the quick path here and the rule on a real table
agree. Exit 1 when a promise does not hold (not checked with `--quick`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.operating_laws import BEYOND, COVERAGE, DRIFTS, EFFECTS, OTHER_DAY, SAME_LAW
from benchmarks.operating_play import (
    DEFAULT,
    PUBLISHED,
    Moved,
    Simulated,
    play,
    play_coverage,
    play_drift,
    play_past,
)
from benchmarks.operating_report import Results, promises, report

# ---- the plan of work ---------------------------------------------------------------------------------------------------

NULLS = {**SAME_LAW, **OTHER_DAY, **BEYOND}
DESIGNS = {"default": DEFAULT, "published": PUBLISHED}
CHUNK = 250


@dataclass(frozen=True)
class Job:
    """One chunk of suites of one row."""

    section: str
    row: str
    cases: int
    design: str
    chunk: int
    suites: int

    @property
    def key(self) -> str:
        return "/".join(map(str, (self.section, self.row, self.cases, self.design, self.chunk, self.suites)))


def jobs(section: str, rows: Sequence[str], cases: int, *, suites: int, design: str = "default") -> Iterator[Job]:
    for row in rows:
        for chunk, start in enumerate(range(0, suites, CHUNK)):
            yield Job(section, row, cases, design, chunk, min(CHUNK, suites - start))


def plan(quick: bool) -> list[Job]:
    share = 20 if quick else 1
    out = [
        *jobs("null", list(NULLS), 10, suites=4000 // share),
        *jobs("null", list(NULLS), 30, suites=6000 // share),
        *jobs("null", list(NULLS), 10, suites=4000 // share, design="published"),
        *jobs("null", list(NULLS), 30, suites=2000 // share, design="published"),
        *jobs("effect", list(EFFECTS), 10, suites=4000 // share),
        *jobs("effect", list(EFFECTS), 10, suites=4000 // share, design="published"),
        *jobs("drift", list(DRIFTS), 10, suites=4000 // share),
        *jobs("past", list(DRIFTS), 10, suites=4000 // share),
    ]
    for cases in (3, 5, 10, 30):
        out += jobs("coverage", list(COVERAGE), cases, suites=4000 // share)
    return out


def work(job: Job, seed: int) -> Counter[str]:
    random = Random(f"{seed}/{job.key}")
    tally: Counter[str] = Counter()
    for _ in range(job.suites):
        if job.section == "drift":
            tally += play_drift(DRIFTS[job.row], job.cases, DEFAULT, random=random)
        elif job.section == "past":
            tally += play_past(Moved(DRIFTS[job.row], job.cases, DEFAULT.samples, random=random), job.cases, DEFAULT)
        elif job.section == "coverage":
            spread, between, skewed = COVERAGE[job.row]
            tally += play_coverage(spread, between, job.cases, skewed=skewed, random=random)
        else:
            world = (NULLS if job.section == "null" else EFFECTS)[job.row]
            design = DESIGNS[job.design]
            played = play(Simulated(world, job.cases, design.samples, random=random), job.cases, design, reused=world.reused)
            tally.update(
                n=1,
                down=played.down,
                up=played.up,
                published_down=played.published == "REGRESSED",
                published_up=played.published == "PASSED",
                regressed=played.verdict == "REGRESSED",
                passed=played.verdict == "PASSED",
                calls=played.calls,
                extra=played.extra,
            )
    return tally


def run(todo: Sequence[Job], state: Path | None, *, seed: int, processes: int) -> Results:
    """Whatever the state file lacks is played; the file gains a line a chunk."""
    done: dict[str, dict[str, int]] = {}
    if state and state.exists():
        for line in state.read_text().splitlines():
            row = json.loads(line)
            if row["seed"] == seed:
                done[row["key"]] = row["tally"]
    left = [job for job in todo if job.key not in done]
    with ProcessPoolExecutor(processes) as pool:
        flying = {pool.submit(work, job, seed): job for job in left}
        for count, ended in enumerate(as_completed(flying), 1):
            job = flying[ended]
            done[job.key] = dict(ended.result())
            if state:
                with state.open("a") as file:
                    file.write(json.dumps({"seed": seed, "key": job.key, "tally": done[job.key]}) + "\n")
            if count % 50 == 0:
                print(f"{count} of {len(left)} chunks", file=sys.stderr, flush=True)
    out: dict[tuple[str, str, int, str], Counter[str]] = {}
    for job in todo:
        out.setdefault((job.section, job.row, job.cases, job.design), Counter()).update(done[job.key])
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    parser.add_argument("--state", type=Path, help="file of finished chunks, to go on where a run was cut")
    parser.add_argument("--quick", action="store_true", help="one suite in twenty, promises printed and not enforced")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    results = run(plan(given.quick), given.state, seed=given.seed, processes=given.processes)
    print("\n".join(report(results, given.seed, quick=given.quick)))
    return 0 if given.quick or all(holds for _, _, holds in promises(results)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
