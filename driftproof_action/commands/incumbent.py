"""The skill as it is at the base, to be asked again beside today's: its text, and its answers where a receipt holds them.

Not: what changed it, or what the answers say (decisions).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from driftproof_action.canonical import canonical_bytes
from driftproof_action.commands.base import Shelf
from driftproof_action.commands.targets import Target
from driftproof_action.commands.world import World
from driftproof_action.decisions.table import TABLE
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId
from driftproof_action.domain.hole import Origin
from driftproof_action.errors import DriftproofError
from driftproof_action.graders.fingerprint import grading_code_hash
from driftproof_action.graders.judging import JudgeSetting
from driftproof_action.graders.prompt import template_hash
from driftproof_action.loading.paths import joined
from driftproof_action.loading.skill import SKILL_MD, read_text
from driftproof_action.loading.suite import suite_files
from driftproof_action.loading.tree import commit_tree_hash
from driftproof_action.methods.lift import INCUMBENT, WITH_SKILL, Incumbent
from driftproof_action.receipts.read import load
from driftproof_action.receipts.versions import OWN
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.registry.models import Model, canonical_id
from driftproof_action.settings.run_settings import RunSettings


@dataclass(frozen=True, slots=True)
class Committed:
    """arm: what is asked. commit, tree_hash: where it lies and what it is. origin: the receipt its first look is taken from,
    None where it is drawn. why: why no receipt would do, one sentence, empty where one does."""

    arm: Incumbent
    commit: str
    tree_hash: str
    origin: Origin | None = None
    why: str = ""


def find_incumbent(
    target: Target, model: Model, model_slug: str, *, judge: JudgeSetting, settings: RunSettings, world: World, shelf: Shelf
) -> Committed | None:
    """The committed skill, where this run asks it again; None when there is no base, when the skill is new or unchanged, when
    what a model gets of it is unchanged, or nobody wants it (compare-with is `none` or names a receipt; a stub run; a run of
    some cases only). Never an error: what the base holds is nobody's fault here."""
    commit = shelf.base.commit if shelf.base.state == "found" else None
    asked = settings.live and settings.protocol == "confirmed" and not settings.narrowed and shelf.asks_base
    if not asked or world.git is None or commit is None:
        return None
    try:
        left_out = suite_files(world.files, target.path)
        tree = commit_tree_hash(world.git, commit, target.path, left_out=left_out)
        if tree is None or tree == target.skill.tree_hash:
            return None
        place = joined(target.path, SKILL_MD)
        data = world.git.show(commit, place)
        text = read_text(data, place) if data is not None else ""
    except DriftproofError:
        return None
    if not text or text == target.skill.text:
        return None
    stored, why = _stored(target, model, model_slug, judge=judge, settings=settings, world=world, shelf=shelf, tree=tree)
    if stored is None:
        return Committed(Incumbent(text), commit, tree, why=why)
    origin = Origin(stored.receipt_hash, stored.date_utc or "")
    draws, grades = _first_look(stored, target, origin)
    return Committed(Incumbent(text, draws, grades), commit, tree, origin)


def _stored(
    target: Target, model: Model, model_slug: str, *, judge: JudgeSetting, settings: RunSettings, world: World, shelf: Shelf, tree: str
) -> tuple[ReceiptView | None, str]:
    """(the stored receipt, empty) when its answers may stand for the committed skill's, else (None, why not)."""
    if settings.compare_with == "base":
        return None, "compare-with is base"
    try:
        found = shelf.find(target.slug, model_slug)
        if found.state != "found" or found.data is None:
            return None, found.reason or "no receipt is stored"
        view = load(found.data, source=found.path, rules=TABLE)
    except DriftproofError as error:
        return None, error.lines()[0]
    checks = (
        ("it is of an older version", view.version == OWN and view.observations is not None and view.method == "lift"),
        ("it is no whole measurement by a model", view.level == "TESTED" and view.status == "complete" and not view.narrowed),
        ("it is of another state of the skill", view.tree_hash == tree),
        ("another model answered", canonical_id(view.model_id) == model.id),
        ("another model judged", canonical_id(view.judge.model_id or "") == judge.model),
        ("the judge was asked in other words", _templates(view) == (template_hash("judge"), template_hash("criteria"))),
        ("it was graded by another release", _run(view).get("grading_code_hash") == grading_code_hash()),
        ("it was asked at another address", (view.endpoint, view.judge.endpoint) == (world.endpoint, world.endpoint)),
        ("it was drawn with other settings", canonical_bytes(dict(view.parameters)) == canonical_bytes(drawn_with(settings))),
        ("none of its cases is asked today", bool(_shared(view, target))),
    )
    why = next((reason for reason, holds in checks if not holds), "")
    return (None, why) if why else (view, "")


def drawn_with(settings: RunSettings) -> dict[str, int | None]:
    """The parameters of a lift, as receipts store them."""
    return {
        "min_draws": settings.min_draws,
        "max_draws": settings.max_draws,
        "samples": settings.samples,
        "max_tokens": settings.max_tokens,
        "temperature": None,
    }


def _run(view: ReceiptView) -> Mapping[str, object]:
    run = view.document["run"]
    return run if isinstance(run, Mapping) else {}


def _templates(view: ReceiptView) -> tuple[object, object]:
    judge = _run(view).get("judge")
    criteria = judge.get("criteria_template_hash") if isinstance(judge, Mapping) else None
    return view.judge.prompt_template_hash, criteria


def _shared(view: ReceiptView, target: Target) -> dict[str, str]:
    """Brief of the receipt → case id, of the cases that are asked and graded today exactly as then."""
    today = {case.id: case.case_hash for case in target.cases if not case.unmeasured}
    then = view.observations.frame.cases if view.observations else ()
    return {case.brief: case.id for case in then if case.digest and today.get(case.id) == case.digest}


def _first_look(view: ReceiptView, target: Target, origin: Origin) -> tuple[tuple[Draw, ...], tuple[Grade, ...]]:
    """The receipt's first look with the skill, as rows of the arm `incumbent`."""
    seen = view.observations
    arm = seen.frame.arm_of(WITH_SKILL) if seen else None
    if seen is None or arm is None:
        return (), ()
    briefs = _shared(view, target)

    def renamed(id: DrawId) -> DrawId:
        return replace(id, brief=briefs[id.brief], arm=INCUMBENT)

    def mine(id: DrawId) -> bool:
        return id.arm == arm.name and id.look == "first" and id.brief in briefs

    draws = [replace(draw, id=renamed(draw.id), origin=origin) for draw in seen.draws if mine(draw.id)]
    grades = [
        replace(grade, id=GradeId(grade.id.grader, grade.id.case, (renamed(grade.id.draws[0]),)), origin=origin)
        for grade in seen.grades
        if len(grade.id.draws) == 1 and mine(grade.id.draws[0]) and grade.id.case == briefs[grade.id.draws[0].brief]
    ]
    return tuple(draws), tuple(grades)
