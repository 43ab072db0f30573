"""measure: how often do answers pass the suite's deterministic checks? One arm, no judge, no assertion. Not: a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from driftproof_action.canonical import digest, text_digest
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.observations import Frame, Withheld
from driftproof_action.domain.plan import Plan
from driftproof_action.domain.reading import Scalar
from driftproof_action.domain.rule import Rule
from driftproof_action.domain.suite import Check, SuiteCase
from driftproof_action.graders.checks import ChecksGrader
from driftproof_action.methods.briefing import brief_of, withheld

ARM = "with_skill"


@dataclass(frozen=True, slots=True)
class MeasureInput:
    """As LiftInput, without a judge; terms hold `draws`."""

    skill_text: str
    cases: tuple[SuiteCase, ...]
    surface: str
    model: str
    temperature: float | None
    max_tokens: int
    terms: Mapping[str, Scalar]
    endpoint: str | None = None


def plan(given: MeasureInput, rule: Rule) -> Plan:
    """Every case with something to check is drawn; the others stay in the table with their reason."""
    checks = {case.id: checks_of(case) for case in given.cases}
    no_checks = Hole("no_checks", "the case has nothing that code can decide")
    frame = Frame(
        rule=rule.name,
        arms=(_arm(given),),
        cases=tuple(Case(case.id, case.id, "checks", digest=case.case_hash) for case in given.cases),
        terms=dict(given.terms),
        withheld=(
            *withheld(given.cases, [ARM]),
            *(Withheld(case.id, ARM, no_checks) for case in given.cases if not case.unmeasured and not checks[case.id]),
        ),
    )
    briefs = {case.id: brief_of(case, max_tokens=given.max_tokens) for case in given.cases}
    return Plan(frame, briefs, {"checks": ChecksGrader(checks)}, rule)


def _arm(given: MeasureInput) -> Arm:
    identity = digest(
        {
            "surface": given.surface,
            "endpoint": given.endpoint,
            "model": given.model,
            "system": text_digest(given.skill_text),
            "temperature": given.temperature,
        }
    )
    place = f"{given.surface}/{given.model}"
    return Arm(ARM, "measured", place, given.surface, given.model, given.skill_text, identity, "inline", given.temperature)


def checks_of(case: SuiteCase) -> tuple[Check, ...]:
    """Native checks and criteria that code decides, in this order."""
    return (*case.checks, *(item.check for item in case.criteria if item.check))
