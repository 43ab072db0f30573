"""What today's skill is set against beside the baseline: the skill as it is at the base, today's skill on an earlier model, or
answers that only a receipt holds.

Not: what changed, or what the answers say (decisions).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from driftproof_action.canonical import canonical_bytes
from driftproof_action.commands.answers import find_texts
from driftproof_action.commands.base import Shelf
from driftproof_action.commands.targets import Target
from driftproof_action.commands.world import World
from driftproof_action.decisions.band_separation.anchor import FEWEST
from driftproof_action.decisions.table import TABLE
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId
from driftproof_action.domain.hole import Origin
from driftproof_action.domain.reply import Reply
from driftproof_action.domain.usage import NO_USAGE
from driftproof_action.errors import DriftproofError
from driftproof_action.graders.fingerprint import grading_code_hash
from driftproof_action.graders.judging import JudgeSetting
from driftproof_action.graders.prompt import template_hash
from driftproof_action.loading.paths import joined
from driftproof_action.loading.skill import SKILL_MD, read_text
from driftproof_action.loading.suite import suite_files
from driftproof_action.loading.tree import commit_tree_hash
from driftproof_action.methods.lift import BASELINE, INCUMBENT, PAST, PAST_BASELINE, WITH_SKILL, Incumbent, Past
from driftproof_action.receipts.read import load
from driftproof_action.receipts.versions import OWN
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.registry.models import Model, canonical_id
from driftproof_action.reports.terminal import plain
from driftproof_action.settings.run_settings import RunSettings

ANCHORS = FEWEST + 4
"""Old answers graded again: a few more than are needed, for some may be lost."""


@dataclass(frozen=True, slots=True)
class Before:
    """One of the two: incumbent is asked again today, past is all there is of it. commit: where the incumbent lies, None for
    an earlier model; tree_hash: the state of the skill. origin: the receipt the first look is taken from, None where it is drawn.
    why: why no receipt would do, one sentence, empty where one does."""

    incumbent: Incumbent | None
    past: Past | None
    tree_hash: str | None
    commit: str | None = None
    origin: Origin | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Committed:
    """The skill at the base, where what a model gets of it differs from today's."""

    commit: str
    tree_hash: str
    text: str


def find_before(
    target: Target, model: Model, model_slug: str, *, judge: JudgeSetting, settings: RunSettings, world: World, shelf: Shelf
) -> Before | None:
    """The committed skill where a change is proposed to it; else today's skill on the other model the receipt names, as long as
    that is still known; else the receipt's answers alone.

    None when nobody wants it (compare-with is `none`, a stub run, a run of some cases only, a pull request that changes neither
    skill nor model) or there is nothing. Never an error: what the base holds is nobody's fault here.
    """
    if not settings.live or settings.protocol != "confirmed" or settings.narrowed:
        return None
    committed = _committed(target, world, shelf)
    stored, why, found = _stored(target, model_slug, judge=judge, settings=settings, world=world, shelf=shelf)
    origin = Origin(stored.receipt_hash, stored.date_utc or "") if stored else None
    if committed:
        why = why or _other(stored, model, committed.tree_hash)
        if stored is None or origin is None or why:
            return Before(Incumbent(committed.text), None, committed.tree_hash, committed.commit, why=why)
        draws, grades = _first_look(stored, target, origin, {WITH_SKILL: INCUMBENT})
        again, kept = _anchor(stored, draws, grades, INCUMBENT, settings=settings, world=world)
        return Before(Incumbent(committed.text, (*draws, *again), grades, kept=kept), None, committed.tree_hash, committed.commit, origin)
    if stored is None or origin is None:
        if found:
            world.say(f"{plain(target.path)}: today's answers are not held against those of the stored receipt, {why}")
        return None
    if world.pull_request and not _moved(stored, model, target):
        return None
    if _served(stored, model, target, world):
        return _earlier_model(stored, target, origin, settings=settings, world=world)
    with_, without = _stored_arms(stored)
    draws, grades = _first_look(stored, target, origin, {WITH_SKILL: PAST, BASELINE: PAST_BASELINE})
    again, kept = _anchor(stored, draws, grades, PAST, settings=settings, world=world)
    return Before(None, Past((with_, without), (*draws, *again), grades, kept), stored.tree_hash, origin=origin)


def _earlier_model(stored: ReceiptView, target: Target, origin: Origin, *, settings: RunSettings, world: World) -> Before:
    """Today's skill on the receipt's model. Its answers without the skill come along: should the model not be served any more,
    stored answers are all there is after all."""
    draws, grades = _first_look(stored, target, origin, {WITH_SKILL: INCUMBENT, BASELINE: PAST_BASELINE})
    again, kept = _anchor(stored, draws, grades, INCUMBENT, settings=settings, world=world)
    asked = Incumbent(
        target.skill.text, (*draws, *again), grades, canonical_id(stored.model_id), baseline=_stored_arms(stored)[1], kept=kept
    )
    return Before(asked, None, target.skill.tree_hash, origin=origin)


def check_named(shelf: Shelf) -> None:
    """Raises ReceiptError for a receipt that compare-with names and that is none: before a call is paid for."""
    if shelf.compare_with in ("auto", "base", "none"):
        return
    found = shelf.find("", "")
    load(found.data or b"", source=found.path, rules=TABLE)


def _committed(target: Target, world: World, shelf: Shelf) -> _Committed | None:
    """None when there is no base or nothing is proposed to it, when the skill is new or unchanged, when what a model gets of it
    is unchanged, or the base cannot be read."""
    commit = shelf.base.commit if shelf.base.state == "found" else None
    if world.git is None or commit is None or not shelf.asks_base:
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
    return _Committed(commit, tree, text) if text and text != target.skill.text else None


def _moved(view: ReceiptView, model: Model, target: Target) -> bool:
    """Whether the skill's files or the model are others than the receipt's. Where neither is, no pull request did anything."""
    return view.tree_hash != target.skill.tree_hash or canonical_id(view.model_id) != model.id


def _served(view: ReceiptView, model: Model, target: Target, world: World) -> bool:
    """Whether another model answered then, with the skill as it is today, and may still be asked: this version knows it."""
    older = canonical_id(view.model_id)
    return older != model.id and view.tree_hash == target.skill.tree_hash and older in world.registry.models


def _other(view: ReceiptView | None, model: Model, tree: str) -> str:
    """Why a receipt's answers are not those of the committed skill on today's model; empty when they are."""
    if view is None:
        return ""
    if view.tree_hash != tree:
        return "it is of another state of the skill"
    return "" if canonical_id(view.model_id) == model.id else "another model answered"


def _stored(
    target: Target, model_slug: str, *, judge: JudgeSetting, settings: RunSettings, world: World, shelf: Shelf
) -> tuple[ReceiptView | None, str, bool]:
    """(the stored receipt, empty, True) when today's answers may be held against its own, else (None, why not, whether there is
    one that can be read)."""
    if settings.compare_with == "base":
        return None, "compare-with is base", False
    try:
        found = shelf.find(target.slug, model_slug)
        if found.state != "found" or found.data is None:
            return None, found.reason or "no receipt is stored", False
        view = load(found.data, source=found.path, rules=TABLE)
    except DriftproofError as error:
        return None, error.lines()[0], False
    checks = (
        ("it is of an older version", view.version == OWN and view.observations is not None and view.method == "lift"),
        ("it is no whole measurement by a model", view.level == "TESTED" and view.status == "complete" and not view.narrowed),
        ("not every answer in it names its model", _run(view).get("answered_by", {}).get("attested") is True),
        ("another model judged", canonical_id(view.judge.model_id or "") == judge.model),
        ("the judge was asked in other words", _templates(view) == (template_hash("judge"), template_hash("criteria"))),
        ("it was graded by another release", _run(view).get("grading_code_hash") == grading_code_hash()),
        ("it was asked at another address", (view.endpoint, view.judge.endpoint) == (world.endpoint, world.endpoint)),
        ("it was drawn with other settings", canonical_bytes(dict(view.parameters)) == canonical_bytes(drawn_with(settings))),
        ("none of its cases is asked today", bool(_shared(view, target))),
    )
    why = next((reason for reason, holds in checks if not holds), "")
    return (None, why, True) if why else (view, "", True)


def drawn_with(settings: RunSettings) -> dict[str, int | None]:
    """The parameters of a lift, as receipts store them."""
    return {
        "min_draws": settings.min_draws,
        "max_draws": settings.max_draws,
        "samples": settings.samples,
        "max_tokens": settings.max_tokens,
        "temperature": None,
    }


def _run(view: ReceiptView) -> Mapping[str, Any]:
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


def _stored_arms(view: ReceiptView) -> tuple[Arm, Arm]:
    """With the skill and without it, as arms nobody is asked under."""
    arms = _arms(view)
    return (
        replace(arms[WITH_SKILL], name=PAST, role=PAST),
        replace(arms[BASELINE], name=PAST_BASELINE, role=PAST_BASELINE),
    )


def _anchor(
    view: ReceiptView, draws: Sequence[Draw], grades: Sequence[Grade], arm: str, *, settings: RunSettings, world: World
) -> tuple[tuple[Draw, ...], Mapping[DrawId, Reply]]:
    """Old answers whose texts are still in the run folder, as rows to be graded again: one of every case before the second of
    any. Texts that cannot be read are said and left."""
    try:
        texts = find_texts(world.out, settings.out, receipt_hash=view.receipt_hash)
    except DriftproofError as error:
        world.say(error.lines()[0])
        return (), {}
    scored = {grade.id.draws[0] for grade in grades if grade.score is not None}
    able = [draw for draw in draws if draw.id.arm == arm and draw.id in scored and draw.reply_hash in texts]
    chosen = sorted(able, key=lambda draw: (draw.id.index, draw.id.brief))[:ANCHORS]
    if len(chosen) < FEWEST:
        return (), {}
    rows = [replace(draw, id=replace(draw.id, look="anchor")) for draw in chosen]
    return tuple(rows), {row.id: Reply("completed", texts[row.reply_hash or ""]) for row in rows}


def _arms(view: ReceiptView) -> dict[str, Arm]:
    return {arm.role: arm for arm in view.observations.frame.arms} if view.observations else {}


def _first_look(view: ReceiptView, target: Target, origin: Origin, names: Mapping[str, str]) -> tuple[tuple[Draw, ...], tuple[Grade, ...]]:
    """The receipt's first look, as rows of arms of ours: what a rule reads of it. What it cost, the judge's words and what is
    graded beside stay in the receipt they come from. names: role there → arm here."""
    seen = view.observations
    if seen is None:
        return (), ()
    briefs, arms = _shared(view, target), {arm.name: names[role] for role, arm in _arms(view).items() if role in names}
    deciding = {(case.id, case.grader) for case in seen.frame.cases}

    def renamed(id: DrawId) -> DrawId:
        return replace(id, brief=briefs[id.brief], arm=arms[id.arm])

    def mine(id: DrawId) -> bool:
        return id.arm in arms and id.look == "first" and id.brief in briefs

    draws = [replace(draw, id=renamed(draw.id), origin=origin, usage=NO_USAGE) for draw in seen.draws if mine(draw.id)]
    grades = [
        replace(
            grade,
            id=GradeId(grade.id.grader, grade.id.case, (renamed(grade.id.draws[0]),)),
            samples=tuple(replace(sample, usage=NO_USAGE, reason="", serving_id=None) for sample in grade.samples),
            origin=origin,
        )
        for grade in seen.grades
        if len(grade.id.draws) == 1
        and mine(grade.id.draws[0])
        and (grade.id.case, grade.id.grader) in deciding
        and grade.id.case == briefs[grade.id.draws[0].brief]
    ]
    return tuple(draws), tuple(grades)
