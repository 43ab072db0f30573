"""The laws answers follow in the simulation of operating_characteristics.py: what a draw of a case is worth, and what a judge
makes of it. Not: any rule.

A draw has a latent quality g; the judge gives k samples clip(round((g + bias + N(0, jsd)) / q) * q, 0, 1) and the draw's mean
is theirs. Unless a law says otherwise: jsd 0.04, q 0.05, no bias, case centre U(0.60, 0.85), both arms alike. An effect moves
the latent quality of the answers with the skill.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import exp, floor, log, sqrt
from random import Random

Latent = Callable[[], float]
"""One draw's quality."""
Law = Callable[[Random], tuple[Latent, Latent]]
"""A new case: how its answers with and without the skill fall."""


@dataclass(frozen=True)
class Judge:
    sd: float = 0.04
    grid: float = 0.05
    snaps: bool = False

    def score(self, random: Random, quality: float, k: int) -> float:
        """The mean of k samples, six places."""
        if self.snaps:
            values = [0.87 if random.random() < 0.6 else 0.60 for _ in range(k)]
            return floor(sum(values) / k * 1e6 + 0.5) / 1e6
        steps, top = 0, round(1 / self.grid)
        for _ in range(k):
            noisy = quality + random.gauss(0, self.sd) if self.sd else quality
            steps += min(top, max(0, floor(noisy / self.grid + 0.5)))
        return floor(steps * self.grid / k * 1e6 + 0.5) / 1e6


EXACT = Judge(sd=0)


@dataclass(frozen=True)
class World:
    """law: of a case. shared_bias: sd of one judge bias a case, alike in both arms. arm_effect: sd of what all draws of one
    arm of a case share. reused: the baseline's first look was judged on another day; everything else has bias `day` (plus
    N(0, day_case) a case). effect: added to the latent quality with the skill, by the number of the case. first: another law for
    the first case."""

    law: Law
    judge: Judge = field(default_factory=Judge)
    shared_bias: float = 0.0
    arm_effect: float = 0.0
    reused: bool = False
    day: float = 0.0
    day_case: float = 0.0
    effect: Callable[[int], float] = lambda _: 0.0
    first: Law | None = None

    def case(self, number: int, random: Random) -> tuple[Latent, Latent]:
        return (self.first if self.first and number == 0 else self.law)(random)


def clip(value: float) -> float:
    return 0.0 if value < 0 else 1.0 if value > 1 else value


def gauss(sd: float, low: float = 0.60, high: float = 0.85) -> Law:
    def law(random: Random) -> tuple[Latent, Latent]:
        mu = random.uniform(low, high)
        draw = _normal(random, mu, sd)
        return draw, draw

    return law


def _normal(random: Random, mu: float, sd: float) -> Latent:
    return lambda: clip(random.gauss(mu, sd))


def _modes(random: Random, chance: float, high: float, low: float) -> Latent:
    return lambda: clip((high if random.random() < chance else low) + random.gauss(0, 0.01))


def beta(random: Random) -> tuple[Latent, Latent]:
    mu = random.uniform(0.7, 0.9)
    variance = min(0.12**2, 0.9 * mu * (1 - mu))
    size = mu * (1 - mu) / variance - 1

    def draw() -> float:
        return random.betavariate(mu * size, (1 - mu) * size)

    return draw, draw


def two_mode(chance: float | None, high: float = 0.88, low: float = 0.35) -> Law:
    """chance None: its own for every case, U(.05, .95)."""

    def law(random: Random) -> tuple[Latent, Latent]:
        draw = _modes(random, random.uniform(0.05, 0.95) if chance is None else chance, high, low)
        return draw, draw

    return law


def pass_fail(random: Random) -> tuple[Latent, Latent]:
    chance = random.uniform(0.05, 0.95)

    def draw() -> float:
        return 1.0 if random.random() < chance else 0.0

    return draw, draw


def corpus(random: Random) -> tuple[Latent, Latent]:
    """Four cases in ten steady, three scattered, three with a sudden drop."""
    kind, mu = random.random(), random.uniform(0.55, 0.9)
    if kind < 0.7:
        draw = _normal(random, mu, 0.01 if kind < 0.4 else 0.08)
        return draw, draw
    chance, drop = random.uniform(0.2, 0.8), random.uniform(0.25, 0.6)

    def falls() -> float:
        return clip(random.gauss(mu, 0.01) - (0.0 if random.random() < chance else drop))

    return falls, falls


def ties(random: Random) -> tuple[Latent, Latent]:
    def draw() -> float:
        return random.choices((0.80, 0.85, 0.90, 0.60), (0.1, 0.7, 0.1, 0.1))[0]

    return draw, draw


def spreads(random: Random) -> tuple[Latent, Latent]:
    mu, sd = random.uniform(0.3, 0.95), exp(random.gauss(log(0.06), 0.8))
    draw = _normal(random, mu, sd)
    return draw, draw


def unequal(random: Random) -> tuple[Latent, Latent]:
    mu = random.uniform(0.60, 0.85)
    return _normal(random, mu, 0.03), _normal(random, mu, 0.15)


def steady_against_modes(random: Random) -> tuple[Latent, Latent]:
    return _normal(random, 0.615, 0.01), _modes(random, 0.5, 0.88, 0.35)


def steady_against_disasters(random: Random) -> tuple[Latent, Latent]:
    return _normal(random, 0.85, 0.01), _modes(random, 0.93, 0.90, 0.18)


def chained(r: float) -> Law:
    """Neighbouring draws of an arm correlate r."""

    def law(random: Random) -> tuple[Latent, Latent]:
        mu = random.uniform(0.60, 0.85)
        return _chain(random, mu, r), _chain(random, mu, r)

    return law


def _chain(random: Random, mu: float, r: float) -> Latent:
    state, fresh = random.gauss(0, 0.08), 0.08 * sqrt(1 - r * r)

    def draw() -> float:
        nonlocal state
        now, state = state, r * state + random.gauss(0, fresh)
        return clip(mu + now)

    return draw


SAME_LAW: Mapping[str, World] = {
    "gauss 0.03": World(gauss(0.03)),
    "gauss 0.06": World(gauss(0.06)),
    "gauss 0.10": World(gauss(0.10)),
    "gauss 0.18": World(gauss(0.18)),
    "beta, sd 0.12": World(beta),
    "ceiling 0.97, sd 0.06": World(gauss(0.06, 0.97, 0.97)),
    "ceiling, 5 % failures": World(two_mode(0.95, 0.97, 0.40)),
    "two modes 95/5": World(two_mode(0.95)),
    "two modes 80/20": World(two_mode(0.80)),
    "two modes 50/50": World(two_mode(0.50)),
    "two modes, chance by case": World(two_mode(None)),
    "pass or fail, chance by case": World(pass_fail, EXACT),
    "mixed suite": World(corpus),
    "judge snaps to 0.87 or 0.60": World(gauss(0.06), Judge(snaps=True)),
    "judge grid 0.1": World(gauss(0.06), Judge(grid=0.1)),
    "judge grid 0.25": World(gauss(0.06), Judge(grid=0.25)),
    "judge without scatter": World(gauss(0.06), EXACT),
    "judge without scatter, grid 0.1, gauss 0.03": World(gauss(0.03), Judge(sd=0, grid=0.1)),
    "heavy ties": World(ties, EXACT),
    "spread differs by case": World(spreads),
    "judge bias 0.1 shared by a case": World(gauss(0.08), shared_bias=0.1),
}
"""Nothing changed: both arms follow one law and every draw is made alone."""

OTHER_DAY: Mapping[str, World] = {
    "reused baseline, judge -0.05 since": World(gauss(0.06), reused=True, day=-0.05),
    "reused baseline, judge -0.05 by case": World(gauss(0.06), reused=True, day=-0.05, day_case=0.03),
    "reused baseline, judge -0.10 since": World(gauss(0.06), reused=True, day=-0.10),
}
"""Nothing changed but the judge, between the reused baseline's day and today."""

BEYOND: Mapping[str, World] = {
    "with: sd 0.03, without: sd 0.15": World(unequal),
    "with: steady 0.615, without: 50/50 of 0.88 and 0.35": World(steady_against_modes),
    "with: steady 0.85, without: 0.90 or, 7 %, 0.18": World(steady_against_disasters),
    "neighbouring draws correlate 0.5": World(chained(0.5)),
    "neighbouring draws correlate 0.8": World(chained(0.8)),
    "an arm's draws share N(0, 0.02)": World(gauss(0.06), arm_effect=0.02),
    "an arm's draws share N(0, 0.04)": World(gauss(0.06), arm_effect=0.04),
}
"""Equal means under different laws, and draws that are not made alone."""


def one(size: float) -> Callable[[int], float]:
    return lambda case: size if case == 0 else 0.0


def every(size: float, first: float | None = None) -> Callable[[int], float]:
    return lambda case: first if first is not None and case == 0 else size


def fallen_mode(random: Random) -> tuple[Latent, Latent]:
    """With the skill three answers in ten are good, without it nine."""
    return _modes(random, 0.3, 0.88, 0.35), _modes(random, 0.9, 0.88, 0.35)


EFFECTS: Mapping[str, World] = {
    "gauss 0.06, one case -0.30": World(gauss(0.06), effect=one(-0.30)),
    "gauss 0.10, one case -0.30": World(gauss(0.10), effect=one(-0.30)),
    "gauss 0.18, one case -0.30": World(gauss(0.18), effect=one(-0.30)),
    "mixed suite, one case -0.30": World(corpus, effect=one(-0.30)),
    "two modes 90/10, one case 30/70": World(two_mode(0.90), first=fallen_mode),
    "gauss 0.06, every case -0.05": World(gauss(0.06), effect=every(-0.05)),
    "gauss 0.10, every case -0.10": World(gauss(0.10), effect=every(-0.10)),
    "mixed suite, every case -0.10": World(corpus, effect=every(-0.10)),
    "gauss 0.10, every case +0.10": World(gauss(0.10), effect=every(0.10)),
    "gauss 0.10, every case +0.20": World(gauss(0.10), effect=every(0.20)),
    "gauss 0.10, one case -0.30, the rest +0.20": World(gauss(0.10), effect=every(0.20, -0.30)),
}
"""Something did change."""


@dataclass(frozen=True)
class Drift:
    """skill: effect of the change of the skill by case; judge, model, baseline: what else moved between the two receipts."""

    law: str
    skill: Callable[[int], float] = lambda _: 0.0
    judge: float = 0.0
    model: float = 0.0
    baseline: float = 0.0


DRIFT_LAWS = {"gauss 0.06": gauss(0.06), "gauss 0.10": gauss(0.10), "mixed suite": corpus, "two modes 80/20": two_mode(0.80)}
TRUTHS: Mapping[str, Drift] = {
    "nothing": Drift(""),
    "judge -0.05": Drift("", judge=-0.05),
    "model -0.10 in both arms": Drift("", model=-0.10),
    "baseline +0.10": Drift("", baseline=0.10),
    "skill: one case -0.30": Drift("", one(-0.30)),
    "skill: one case -0.30, judge -0.05": Drift("", one(-0.30), judge=-0.05),
    "skill: every case -0.10": Drift("", every(-0.10)),
}
DRIFTS = {f"{law}: {truth}": replace(drift, law=law) for law in DRIFT_LAWS for truth, drift in TRUTHS.items()}
"""Two receipts of one suite: what moved between them."""

COVERAGE: Mapping[str, tuple[float, float, bool]] = {
    f"spread {spread}, between cases {between}{', skewed' if skewed else ''}": (spread, between, skewed)
    for spread in (0.06, 0.10)
    for between in (0.0, 0.05, 0.10)
    for skewed in ((False, True) if between else (False,))
}
"""Spread of the draws, spread of the lifts between cases, whether those are skewed."""
