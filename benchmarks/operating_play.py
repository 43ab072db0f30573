"""One suite played through the product's own rule on plain scores: first look, fresh answers, drift, the suite interval.
Not: the laws the scores come from (operating_laws), how many suites are played (operating_characteristics).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from benchmarks.operating_laws import DRIFT_LAWS, Drift, World, clip, gauss
from driftproof_action.analysis.bands import Band
from driftproof_action.analysis.evidence import ArmEvidence, CaseEvidence
from driftproof_action.analysis.lost_draws import read_case
from driftproof_action.analysis.paired import paired
from driftproof_action.comparison.suite_drift import Quartet, suite_drift
from driftproof_action.decisions.band_separation.confirmation import Outcome, is_futile, judge_family, try_suspect
from driftproof_action.decisions.band_separation.confirmed_ladder import Findings, decide_confirmed
from driftproof_action.decisions.band_separation.constants import ALPHA_CASE, ALPHA_SUITE, FRESH, FUTILITY_AFTER, MAX_DOWN, MAX_UP
from driftproof_action.decisions.band_separation.ladder import climb
from driftproof_action.decisions.band_separation.likely import LIKELY, Stored, judge_alone, wanted_alone
from driftproof_action.decisions.band_separation.stopping import stopping
from driftproof_action.decisions.band_separation.suite_gate import read_suite
from driftproof_action.decisions.band_separation.suspects import Suspect, find_suspects
from driftproof_action.domain.arithmetic import mean, sd

W, B, OLD = "with_skill", "baseline", "incumbent"


@dataclass(frozen=True)
class Design:
    low: int = 5
    top: int = 10
    samples: int = 2


DEFAULT, PUBLISHED = Design(), Design(3, 10, 5)


class Source(Protocol):
    """Where a suite's scores come from; every (case, arm, look, index) is asked for once."""

    def score(self, case: int, arm: str, look: str) -> float: ...


class Simulated:
    """A suite under a world: every case has its own law, biases and effect."""

    def __init__(self, world: World, cases: int, samples: int, *, random: Random) -> None:
        self.world, self.samples, self.random = world, samples, random
        self.laws = [world.case(case, random) for case in range(cases)]
        self.shared = [random.gauss(0, world.shared_bias) if world.shared_bias else 0.0 for _ in range(cases)]
        self.days = [world.day + (random.gauss(0, world.day_case) if world.day_case else 0.0) for _ in range(cases)]
        self.offsets = {
            (case, arm): (random.gauss(0, world.arm_effect) if world.arm_effect else 0.0) + (world.effect(case) if arm == W else 0.0)
            for case in range(cases)
            for arm in (W, B)
        }

    def score(self, case: int, arm: str, look: str) -> float:
        latent = self.laws[case][0 if arm == W else 1]()
        bias = self.shared[case]
        if self.world.reused and not (arm == B and look == "first"):
            bias += self.days[case]
        return self.world.judge.score(self.random, clip(latent + self.offsets[case, arm]) + bias, self.samples)


def draw_look(source: Source, case: int, arm: str, look: str, *, design: Design) -> list[float]:
    """One series, drawn as the published stop rule asks for it."""
    scores = {i: source.score(case, arm, look) for i in range(design.low)}
    while (need := stopping(scores, design.low, design.top).draws) > len(scores):
        scores[len(scores)] = source.score(case, arm, look)
    assert need == len(scores)
    return list(scores.values())


def evidence(scores: Sequence[float]) -> ArmEvidence:
    return ArmEvidence(Band(mean(scores), sd(scores), len(scores)), scores=tuple(scores))


@dataclass
class Played:
    """verdict, published: of the confirmed and of the published ladder. down, up: what gates each way. calls: of the first
    look; extra: of everything after it; both with their judge samples."""

    verdict: str
    published: str
    down: bool
    up: bool
    calls: int
    extra: int


def play(source: Source, cases: int, design: Design, *, reused: bool = False) -> Played:
    """A whole run on plain scores, stage by stage as the rule does it (no lost draws, no incumbent)."""
    looks = {(case, arm): draw_look(source, case, arm, "first", design=design) for case in range(cases) for arm in (W, B)}
    pairs = [CaseEvidence(name(case), evidence(looks[case, W]), evidence(looks[case, B])) for case in range(cases)]
    first = sum(len(scores) for (_, arm), scores in looks.items() if not (reused and arm == B))
    suite = read_suite(pairs, ALPHA_SUITE, withhold="reused_arm" if reused else "")
    extra = 0
    if reused and suite.looks_down:
        again = [draw_look(source, case, B, "redraw", design=design) for case in range(cases)]
        extra += sum(map(len, again))
        suite = read_suite([CaseEvidence(pair.id, pair.target, evidence(new)) for pair, new in zip(pairs, again, strict=True)], ALPHA_SUITE)
    suspects = find_suspects(pairs)
    fallen = [] if suite.word == "suite_down" else [item for item in suspects if item.sign < 0]
    risen = [] if suite.word == "suite_up" else [item for item in suspects if item.sign > 0]
    down, used_down = confirm(source, fallen[:MAX_DOWN])
    up, used_up = confirm(source, risen[:MAX_UP])
    read = [reading for pair in pairs if (reading := read_case(pair))]
    left = {"unconfirmed"} if len(fallen) > MAX_DOWN or len(risen) > MAX_UP else set()
    if (suite.word == "suite_down" and any(item.sign < 0 for item in suspects)) or (
        suite.word == "suite_up" and any(item.sign > 0 for item in suspects)
    ):
        left = {"unconfirmed"}
    is_down, is_up = (any(item.status == "confirmed" for item in family) for family in (down, up))
    statuses = {item.status for item in (*down, *up)} - {"confirmed"}
    verdict, _ = decide_confirmed(Findings(is_down, is_up, suite.word, frozenset(statuses | left), read))
    calls = 1 + design.samples
    return Played(
        verdict,
        climb(read)[0],
        is_down or suite.word == "suite_down",
        is_up or suite.word == "suite_up",
        first * calls,
        (extra + used_down + used_up) * calls,
    )


def name(case: int) -> str:
    return f"{case:03d}"


def confirm(source: Source, suspects: Sequence[Suspect], arms: tuple[str, str] = (W, B)) -> tuple[tuple[Outcome, ...], int]:
    """(outcomes, draws): three fresh draws an arm, ten where they show the floor, arms in turn."""
    trials, used = [], 0
    for item in suspects:
        case = int(item.case)
        target: dict[int, float | None] = {}
        other: dict[int, float | None] = {}
        for i in range(FRESH):
            if i == FUTILITY_AFTER and is_futile(item.sign, target, other):
                break
            target[i], other[i] = source.score(case, arms[0], "confirm"), source.score(case, arms[1], "confirm")
        used += len(target) + len(other)
        trials.append((item, try_suspect(item.sign, target, other)))
    return judge_family(trials, ALPHA_CASE, "stopped"), used


# ---- drift ----------------------------------------------------------------------------------------------------------


class Moved:
    """Two receipts of one suite. Looks: `old` is the stored receipt's, everything else is today's. The old skill drawn today
    differs from the new one by the skill's change alone."""

    def __init__(self, drift: Drift, cases: int, samples: int, *, random: Random) -> None:
        self.drift, self.samples, self.random = drift, samples, random
        self.laws = [DRIFT_LAWS[drift.law](random) for _ in range(cases)]
        self.judge = World(gauss(0.06)).judge

    def score(self, case: int, arm: str, look: str) -> float:
        today = look != "old"
        quality = self.laws[case][1 if arm == B else 0]()
        if today:
            quality += self.drift.model + (self.drift.baseline if arm == B else 0.0) + (self.drift.skill(case) if arm == W else 0.0)
        return self.judge.score(self.random, clip(quality) + (self.drift.judge if today else 0.0), self.samples)


def draw_both(source: Source, cases: int, design: Design) -> dict[tuple[int, str, str], ArmEvidence]:
    """The first look of both receipts, by (case, arm, look)."""
    return {
        (case, arm, look): evidence(draw_look(source, case, arm, look, design=design))
        for case in range(cases)
        for look in ("old", "first")
        for arm in (W, B)
    }


def play_past(source: Source, cases: int, design: Design) -> Counter[str]:
    """D-3: today's answers against stored ones while nobody can be asked for the old version again. likely: at least one case
    reads so, of those suspected; draws: fresh answers, all with the skill."""
    looks = draw_both(source, cases, design)
    pairs = [CaseEvidence(name(case), looks[case, W, "first"], looks[case, W, "old"]) for case in range(cases)]
    stored = {
        name(case): Stored(looks[case, W, "old"].scores[:FRESH], looks[case, B, "old"].scores, looks[case, B, "first"].scores, cases)
        for case in range(cases)
    }
    words, used = [], 0
    for item in [item for item in find_suspects(pairs) if item.sign < 0 and not stored[item.case].never()][:MAX_DOWN]:
        fresh: dict[int, float | None] = {}
        while len(fresh) < wanted_alone(fresh, stored[item.case]):
            fresh[len(fresh)] = source.score(int(item.case), W, "confirm")
        used += len(fresh)
        words.append(judge_alone(item, fresh, stored[item.case], "stopped").status)
    return Counter(n=1, likely=LIKELY in words, suspected=bool(words), draws=used)


def play_drift(drift: Drift, cases: int, design: Design, *, random: Random) -> Counter[str]:
    source = Moved(drift, cases, design.samples, random=random)
    looks = draw_both(source, cases, design)
    pairs = [CaseEvidence(name(case), looks[case, W, "first"], looks[case, W, "old"]) for case in range(cases)]
    fallen = [item for item in find_suspects(pairs) if item.sign < 0][:MAX_DOWN]
    outcomes, used = confirm(source, fallen, (W, OLD))
    quartets = [
        Quartet(
            name(case),
            *(side.band.mean for look in ("old", "first") for arm in (W, B) if (side := looks[case, arm, look]).band),
        )
        for case in range(cases)
    ]
    case_alarm, suite_alarm = any(item.status == "confirmed" for item in outcomes), suite_drift(quartets).gates
    published = any(reading and reading.word == "separated_down" for reading in map(read_case, pairs))
    return Counter(n=1, published=published, case=case_alarm, suite=suite_alarm, gates=case_alarm or suite_alarm, draws=used)


# ---- coverage of the suite interval ------------------------------------------------------------------------------------


def play_coverage(spread: float, between: float, cases: int, *, skewed: bool, random: Random) -> Counter[str]:
    """Does the 95 % interval hold the mean lift of these cases, and of the cases they were taken from (0.15)?

    Centres are kept away from 0 and 1 and the judge scatters, so that a case's true lift is its latent one.
    """
    judge, design = World(gauss(spread)).judge, DEFAULT
    lifts = [0.15 + between * (random.expovariate(1) - 1 if skewed else random.gauss(0, 1)) for _ in range(cases)]
    found = []
    for lift in lifts:
        mu = random.uniform(0.40, 0.50)
        means = []
        for centre in (mu + lift, mu):
            series = [judge.score(random, random.gauss(centre, spread), design.samples) for _ in range(design.low)]
            means.append(mean(series))
        found.append(means[0] - means[1])
    statistics = paired(found)
    low, high = statistics.interval(0.95)
    here = sum(lifts) / cases
    return Counter(n=1, here=low <= here <= high, population=low <= 0.15 <= high, width=round((high - low) / 2 * 1e6))
