"""lift: does the model answer better with the skill than without? Not: the rule that decides (decisions/band_separation)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from driftproof_action.canonical import digest, text_digest
from driftproof_action.domain.arm import Arm, Delivery
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade
from driftproof_action.domain.grader import Grader
from driftproof_action.domain.observations import Frame
from driftproof_action.domain.plan import Plan
from driftproof_action.domain.reading import Scalar
from driftproof_action.domain.reply import Reply
from driftproof_action.domain.rule import Rule
from driftproof_action.domain.suite import Check, SuiteCase
from driftproof_action.graders.checks import ChecksGrader
from driftproof_action.graders.criteria import CriteriaCase, CriteriaGrader
from driftproof_action.graders.judge import JudgeGrader
from driftproof_action.graders.judging import JudgeSetting
from driftproof_action.graders.prompt import criteria_hash, rubric_hash
from driftproof_action.methods.briefing import brief_of, withheld

WITH_SKILL = "with_skill"
BASELINE = "baseline"
INCUMBENT = "incumbent"
PAST, PAST_BASELINE = "past", "past_baseline"


@dataclass(frozen=True, slots=True)
class Incumbent:
    """What is asked again beside today's: the skill as it is at the base, or today's skill on an earlier model. text: its
    SKILL.md, as a model gets it. draws, grades: its first look where a receipt holds one, already under the arm `incumbent` and
    each with its origin; none: the first look is drawn. model: the earlier model, None for today's; then baseline is the
    arm its answers without the skill are under, which is never asked. kept: texts of rows of the look `anchor`, to be graded
    again."""

    text: str
    draws: tuple[Draw, ...] = ()
    grades: tuple[Grade, ...] = ()
    model: str | None = None
    baseline: Arm | None = None
    kept: Mapping[DrawId, Reply] = field(default_factory=dict)

    @property
    def how(self) -> str:
        """As the rule's terms spell it."""
        return "stored" if self.draws else "drawn"


@dataclass(frozen=True, slots=True)
class Past:
    """The first look of a receipt whose version nobody asks again. arms: as the receipt has them, named `past` and
    `past_baseline`; draws, grades: theirs, each with its origin; kept: as of an Incumbent."""

    arms: tuple[Arm, Arm]
    draws: tuple[Draw, ...]
    grades: tuple[Grade, ...]
    kept: Mapping[DrawId, Reply] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LiftInput:
    """cases: those to be run, in suite order. place: the cell (surface, model, configuration). score_only: grade every case
    by one score, whatever the case asks for. strict: a criterion whose quote is not in the answer is not graded. incumbent:
    None where nothing of the skill changed, or nobody asks; past: None where there is an incumbent, or no receipt to hold
    today's answers against. endpoint: the origin the model is asked at, None for a surface
    without one: the same name elsewhere is another model."""

    skill_text: str
    cases: tuple[SuiteCase, ...]
    surface: str
    model: str
    temperature: float | None
    max_tokens: int
    judge: JudgeSetting
    terms: Mapping[str, Scalar]
    strict: bool = False
    score_only: bool = False
    incumbent: Incumbent | None = None
    past: Past | None = None
    endpoint: str | None = None


def plan(given: LiftInput, rule: Rule) -> Plan:
    """Two arms, with an incumbent three, with a past four; one brief a case, the case's own grader deciding and its native
    checks beside."""
    old, past = given.incumbent, given.past
    unasked = past.arms if past else (old.baseline,) if old and old.baseline else ()
    arms = (
        _arm(WITH_SKILL, given, given.skill_text),
        _arm(BASELINE, given, ""),
        *((_arm(INCUMBENT, given, old.text, model=old.model),) if old else ()),
        *unasked,
    )
    frame = Frame(
        rule=rule.name,
        arms=arms,
        cases=tuple(_case(case, score_only=given.score_only) for case in given.cases),
        terms=dict(given.terms),
        withheld=withheld(given.cases, [arm.name for arm in arms]),
    )
    briefs = {case.id: brief_of(case, max_tokens=given.max_tokens) for case in given.cases}
    graders = _graders(given.cases, given.judge, strict=given.strict)
    handed = [side for side in (old, past) if side]
    return Plan(
        frame,
        briefs,
        graders,
        rule,
        prior_draws=tuple(draw for side in handed for draw in side.draws),
        prior_grades=tuple(grade for side in handed for grade in side.grades),
        unasked=frozenset(arm.name for arm in unasked),
        may_refuse=frozenset({INCUMBENT}) if old and old.model else frozenset(),
        kept={id: reply for side in handed for id, reply in side.kept.items()},
    )


def _arm(name: str, given: LiftInput, system: str, *, model: str | None = None) -> Arm:
    model = model or given.model
    place = f"{given.surface}/{model}"
    identity = digest(
        {
            "surface": given.surface,
            "endpoint": given.endpoint,
            "model": model,
            "system": text_digest(system) if system else None,
            "temperature": given.temperature,
        }
    )
    delivery: Delivery = "inline" if system else "none"
    return Arm(name, name, place, given.surface, model, system, identity, delivery, given.temperature)


def _case(case: SuiteCase, *, score_only: bool) -> Case:
    grader = "criteria" if case.criteria and not score_only else "judge"
    beside = ("checks",) if case.checks else ()
    return Case(case.id, case.id, grader, beside, digest=case.case_hash, threshold=case.pass_threshold)


def _graders(cases: Sequence[SuiteCase], judge: JudgeSetting, *, strict: bool) -> Mapping[str, Grader]:
    checks: dict[str, tuple[Check, ...]] = {case.id: case.checks for case in cases}
    return {
        "judge": JudgeGrader({case.id: case.rubric for case in cases}, judge),
        "criteria": CriteriaGrader(
            {case.id: CriteriaCase(case.rubric, case.criteria) for case in cases if case.criteria}, judge, strict=strict
        ),
        "checks": ChecksGrader(checks),
    }


def rubric_hashes(cases: Sequence[SuiteCase]) -> Mapping[str, str]:
    """The published rubric_hash of every case, by id."""
    return {case.id: criteria_hash(case.rubric, case.criteria) if case.criteria else rubric_hash(case.rubric) for case in cases}
