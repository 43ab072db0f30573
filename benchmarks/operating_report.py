"""What the results of operating_characteristics.py look like on a page, and what is promised of them. Not: how they are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.operating_laws import BEYOND, COVERAGE, DRIFTS, EFFECTS, OTHER_DAY, SAME_LAW
from driftproof_action.analysis.intervals import clopper_pearson

Results = Mapping[tuple[str, str, int, str], Counter[str]]
"""(section, row, cases, design) → counts."""

DESIGNS = ("default", "published")


def rate(hits: int, n: int) -> str:
    low, high = clopper_pearson(hits, n)
    return f"{hits / n:.4f} ({low:.4f}-{high:.4f})"


def upper(hits: int, n: int) -> float:
    """One-sided 95 % upper bound."""
    return clopper_pearson(hits, n, 0.90)[1]


def null_table(results: Results, rows: Sequence[str]) -> Iterator[str]:
    columns = ("no effect at all", "published rule and draws, 10 cases: REGRESSED / PASSED", "confirmed, 10 cases: down", "up", "calls")
    yield f"| {' | '.join(columns)} | confirmed, 30 cases: down | up |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for row in rows:
        ten, thirty, old = (results["null", row, cases, design] for cases, design in ((10, "default"), (30, "default"), (10, "published")))
        yield (
            "| "
            + " | ".join(
                (
                    row,
                    f"{old['published_down'] / old['n']:.3f} / {old['published_up'] / old['n']:.3f}",
                    rate(ten["down"], ten["n"]),
                    rate(ten["up"], ten["n"]),
                    f"{1 + ten['extra'] / ten['calls']:.2f}",
                    rate(thirty["down"], thirty["n"]),
                    rate(thirty["up"], thirty["n"]),
                )
            )
            + " |"
        )


def pooled(results: Results, rows: Sequence[str], cases: int, *, way: str, design: str = "default") -> tuple[int, int]:
    found = [results["null", row, cases, design] for row in rows]
    return sum(tally[way] for tally in found), sum(tally["n"] for tally in found)


def effect_table(results: Results) -> Iterator[str]:
    yield "| what changed | default: down | up | calls a suite | published draws (3..10, 5 samples): down | up | calls a suite |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for row in EFFECTS:
        cells = [row]
        for design in DESIGNS:
            tally = results["effect", row, 10, design]
            n = tally["n"]
            cells += [rate(tally["down"], n), rate(tally["up"], n), f"{(tally['calls'] + tally['extra']) / n:.0f}"]
        yield "| " + " | ".join(cells) + " |"


def drift_table(results: Results) -> Iterator[str]:
    yield "| law: what moved | published (R-6) | a case, old skill drawn again (D-1) | suite (D-2) | gates |"
    yield "| --- | --- | --- | --- | --- |"
    for row in DRIFTS:
        tally = results["drift", row, 10, "default"]
        n = tally["n"]
        cells = (row, f"{tally['published'] / n:.3f}", *(rate(tally[key], n) for key in ("case", "suite", "gates")))
        yield "| " + " | ".join(cells) + " |"


def past_table(results: Results) -> Iterator[str]:
    yield "| law: what moved | looks lower | at least one case likely | fresh answers a run |"
    yield "| --- | --- | --- | --- |"
    for row in DRIFTS:
        tally = results["past", row, 10, "default"]
        n = tally["n"]
        yield f"| {row} | {tally['suspected'] / n:.3f} | {rate(tally['likely'], n)} | {tally['draws'] / n:.1f} |"


def coverage_table(results: Results) -> Iterator[str]:
    yield "| world | cases | holds the mean of these cases | holds the mean of the population | half width |"
    yield "| --- | --- | --- | --- | --- |"
    for row in COVERAGE:
        for cases in (3, 5, 10, 30):
            tally = results["coverage", row, cases, "default"]
            n = tally["n"]
            cells = (row, str(cases), rate(tally["here"], n), rate(tally["population"], n), f"{tally['width'] / n / 1e6:.3f}")
            yield "| " + " | ".join(cells) + " |"


def promises(results: Results) -> Iterator[tuple[str, float, bool]]:
    """(what is promised, the figure, whether it holds)."""
    alone, moved = list(SAME_LAW), list(OTHER_DAY)
    for cases in (10, 30):
        for way in ("down", "up"):
            tallies = {row: results["null", row, cases, "default"] for row in (*alone, *moved)}
            worst = max(tallies, key=lambda row: upper(tallies[row][way], tallies[row]["n"]))
            bound = upper(tallies[worst][way], tallies[worst]["n"])
            yield f"{cases} cases, false {way}: largest one-sided 95 % upper bound ({worst}) at most 0.015", bound, bound <= 0.015
            hits, n = pooled(results, alone, cases, way=way)
            yield f"{cases} cases, false {way}: all laws together at most 0.01", hits / n, hits / n <= 0.01
        ratios = {
            row: 1 + results["null", row, cases, "default"]["extra"] / results["null", row, cases, "default"]["calls"] for row in alone
        }
        costly = max(ratios, key=lambda row: ratios[row])
        yield f"{cases} cases, calls with confirmation against without ({costly}) at most 1.20", ratios[costly], ratios[costly] <= 1.20
    floors = (
        ("gauss 0.10, one case -0.30", "down", 0.95),
        ("gauss 0.10, every case -0.10", "down", 0.90),
        ("gauss 0.10, every case +0.20", "up", 0.99),
    )
    for row, way, least in floors:
        tally = results["effect", row, 10, "default"]
        yield f"{row}: found at least {least}", tally[way] / tally["n"], tally[way] / tally["n"] >= least
    for row, drift in DRIFTS.items():
        tally = results["drift", row, 10, "default"]
        if drift.skill(0) == drift.skill(1) == 0:
            yield f"drift, {row}: gating alarms at most 0.01", tally["gates"] / tally["n"], tally["gates"] / tally["n"] <= 0.01
            stored = results["past", row, 10, "default"]
            share = stored["likely"] / stored["n"]
            yield f"against stored answers, {row}: a case likely at most 0.01", share, share <= 0.01
        elif row == "gauss 0.10: skill: one case -0.30":
            yield f"drift, {row}: found at least 0.95", tally["gates"] / tally["n"], tally["gates"] / tally["n"] >= 0.95
    shares = {(row, cases): tally["here"] / tally["n"] for (section, row, cases, _), tally in results.items() if section == "coverage"}
    least = min(shares.values())
    yield "95 % interval, these cases: smallest coverage at least 0.93", least, least >= 0.93


def report(results: Results, seed: int, *, quick: bool) -> Iterator[str]:
    yield "# Operating characteristics"
    yield ""
    yield "What the readings of this project do when there is no effect at all, and what they find when there is one. Every figure was"
    yield "made by the code that reads receipts, on simulated suites; docs/readings.md says how the readings work."
    yield ""
    yield f"`python -m benchmarks.operating_characteristics --seed {seed}{' --quick' if quick else ''}`. In brackets: exact 95 % interval"
    yield "(Clopper and Pearson). *Down*, *up*: share of runs that gate that way. *Calls*: with confirmation against without, same first"
    yield "look. Default design: 5 to 10 draws an arm, two judge samples; published: 3 to 10 draws, five samples."
    yield ""
    for way, word in (("down", "hurts"), ("up", "helps")):
        for cases in (10, 30):
            ours, published = (
                pooled(results, list(SAME_LAW), cases, way=way),
                pooled(results, list(SAME_LAW), cases, way=f"published_{way}", design="published"),
            )
            yield (
                f'- {cases} cases, no effect at all, false "{word}": **{ours[0] / ours[1]:.4f}** confirmed, '
                f"{published[0] / published[1]:.3f} published, over all {len(SAME_LAW)} laws"
            )
    yield ""
    yield "## Promises"
    yield ""
    yield "| promise | measured | holds |"
    yield "| --- | --- | --- |"
    for text, figure, holds in promises(results):
        yield f"| {text} | {figure:.4f} | {'yes' if holds else '**no**'} |"
    sections = (
        ("## False alarms: both arms alike, every draw made alone", null_table(results, list(SAME_LAW))),
        ("## False alarms: the judge moved after a reused baseline", null_table(results, list(OTHER_DAY))),
        ("", iter(("*Calls* here: against a run that draws one arm only, since the other is reused.",))),
        ("## What no rule on draws can repair", null_table(results, list(BEYOND))),
        ("## What is found, ten cases", effect_table(results)),
        ("## Drift between two receipts, ten cases", drift_table(results)),
        ("## Against stored answers, when the old version cannot be asked again (D-3, never gates)", past_table(results)),
        ("## Coverage of the 95 % suite interval", coverage_table(results)),
    )
    for title, lines in sections:
        yield from ("", title, "") if title else ("",)
        yield from lines
