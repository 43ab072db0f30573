"""Sets of suspects tested at one error rate, and which fresh draws they ask for. Not: who is suspect, what the draws say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from driftproof_action.decisions.band_separation.confirmation import Scores, wanted_fresh
from driftproof_action.decisions.band_separation.likely import Stored, wanted_alone
from driftproof_action.decisions.band_separation.looks import known_scores
from driftproof_action.decisions.band_separation.suspects import Suspect
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.observations import Observations

DOWN, UP, DRIFT, AGAINST_STORED = "down", "up", "drift", "past"
"""Against the baseline, both ways; against the committed skill, asked today; against answers only a receipt holds."""


@dataclass(frozen=True, slots=True)
class Family:
    """other: the arm the target is held against. chosen: those drawn afresh; left: the others, with the reason why not.
    stored: by case id, where the other arm cannot be asked again; then the target alone is drawn."""

    name: str
    other: Arm
    chosen: tuple[Suspect, ...]
    left: tuple[tuple[Suspect, str], ...]
    stored: Mapping[str, Stored] = field(default_factory=dict)


def choose(
    name: str, other: Arm, suspects: Sequence[Suspect], *, most: int, bar: str, stored: Mapping[str, Stored] | None = None
) -> Family:
    """At most `most`, the clearest first. bar: why nobody is drawn, empty when some may be. A suspect whose stored answers
    could never make it likely is not drawn either."""
    known = stored or {}
    why = {item.case: bar or (known[item.case].never() if known else "") for item in suspects}
    chosen = tuple(item for item in suspects if not why[item.case])[:most]
    left = tuple((item, why[item.case] or "cap") for item in suspects if item not in chosen)
    return Family(name, other, chosen, left, known)


def fresh_scores(seen: Observations, suspect: Suspect, target: Arm, *, family: Family) -> tuple[Scores, Scores]:
    """The confirming draws of a suspect's case in both arms, as far as they are known; none of an arm that cannot be asked."""
    case = seen.case(suspect.case)
    return known_scores(seen, case, target.name, "confirm"), known_scores(seen, case, family.other.name, "confirm")


def fresh_draws(seen: Observations, families: Sequence[Family], target: Arm) -> tuple[DrawId, ...]:
    """Draw i of every chosen suspect in both arms before draw i + 1 of any; families share the target's draws of a case."""
    plans: list[tuple[str, tuple[Arm, ...], int]] = []
    for family in families:
        for item in family.chosen:
            ours, theirs = fresh_scores(seen, item, target, family=family)
            alone = family.stored.get(item.case)
            n = wanted_alone(ours, alone) if alone else wanted_fresh(item.sign, ours, theirs)
            plans.append((seen.case(item.case).brief, (target,) if alone else (target, family.other), n))
    most = max((n for *_, n in plans), default=0)
    ids = (DrawId(brief, arm.name, "confirm", i) for i in range(most) for brief, arms, n in plans if i < n for arm in arms)
    return tuple(dict.fromkeys(ids))
