"""Jobs as reports meet them, with invented numbers. Not: how a job comes to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from driftproof_action.comparison.drift import CaseDrift, Comparison, Fresh, JudgeMove, SuiteMove
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.finding import Finding
from driftproof_action.domain.grade import Grade, GradeId
from driftproof_action.domain.observations import Frame, Observations, Stop
from driftproof_action.domain.reading import Decision, Reading
from driftproof_action.receipts.view import JudgeView, ReceiptView, RowView
from driftproof_action.reports.job import JobResult, JobRow

HAIKU, SONNET = "claude-haiku-4-5", "claude-sonnet-5"
OLD, NEW = "3f2a" * 16, "9bd1" * 16

Side = tuple[float | None, float]
"""Mean and spread of one case on one side."""


def row_view(case: str, arm: str, side: Side, *, answers: int = 5, reason: str = "the footer is there") -> RowView:
    mean, spread = side
    measured = mean is not None
    return RowView(
        id=case,
        arm=arm,
        status="ok" if measured else "failed_unmeasured",
        outcome="score" if measured else None,
        mean=mean,
        sd=spread,
        source="generation",
        n_measured=answers if measured else 0,
        n_lost=0 if measured else answers,
        losses_named=True,
        draws=(),
        samples=(),
        threshold=0.7,
        reason=reason if measured else "timeout",
        rubric_hash="c0" * 32,
        judge_model_id=HAIKU,
        case_hash="d0" * 32,
    )


def view(
    cases: Mapping[str, tuple[Side, Side]],
    *,
    name: str = "commit-messages",
    model: str = HAIKU,
    kind: str = "model",
    date: str = "2026-11-30T09:12:44.120Z",
    verdict: str = "PASSED",
    tree: str = NEW,
    seal: str = "a41e90c2f7b1" + "0" * 52,
    readings: tuple[Reading, ...] = (),
    observations: Observations | None = None,
    reason: str = "the footer is there",
) -> ReceiptView:
    """cases: id → (with the skill, without it), each a mean and its spread."""
    rows = {}
    for case, sides in cases.items():
        for arm, side in zip(("with_skill", "baseline"), sides, strict=True):
            rows[case, arm] = row_view(case, arm, side, reason=reason)
    both = [(a, b) for (a, _), (b, _) in cases.values() if a is not None and b is not None]
    with_skill = sum(a for a, _ in both) / len(both) if both else None
    baseline = sum(b for _, b in both) / len(both) if both else None
    delta = None if with_skill is None or baseline is None else round(with_skill - baseline, 6)
    return ReceiptView(
        document={},
        version="1.0-draft",
        method="lift",
        receipt_hash=seal,
        measurement_hash=None,
        level="TESTED" if kind == "model" else "UNVERIFIED",
        kind=kind,
        preset=None,
        example=False,
        skill_name=name,
        skill_version="1.0.0",
        content_hash=tree,
        tree_hash=tree,
        suite_hash="5a17" * 16,
        canary=None,
        case_count=len(cases),
        model_id=model,
        provider="anthropic",
        surface="api" if kind == "model" else "stub",
        harness=None,
        capture="text",
        protocol="published",
        parameters={},
        endpoint=None,
        date_utc=date,
        judge=JudgeView(HAIKU, "7e" * 32, 2, None, "independent", "api"),
        status="complete",
        narrowed=False,
        rows=rows,
        with_skill_score=with_skill,
        baseline_score=baseline,
        delta=delta,
        delta_uncertainty=None if delta is None else 0.09,
        economics=None,
        observations=observations,
        decision=Decision(verdict, "", ("separated_up",), readings),
    )


def drift(id: str, verdict: str, old: float | None, new: float | None, *, power: str = "separated") -> CaseDrift:
    delta = None if old is None or new is None else round(new - old, 6)
    return CaseDrift(id, verdict, old, None if old is None else 0.04, new, None if new is None else 0.06, delta, power, old_n=5, new_n=5)


def compared(headline: str, cases: Sequence[CaseDrift] = (), *, reason: str = "", changed: Sequence[str] = ("skill",)) -> Comparison:
    moves = [case.delta for case in cases if case.delta is not None]
    mean = round(sum(moves) / len(moves), 6) if moves else None
    return Comparison(headline, reason, mean, tuple(cases), tuple(changed), (), (), "0" * 64 if cases else "", "a41e" * 16 if cases else "")


def absent(headline: str, reason: str = "") -> Comparison:
    """A comparison for which there was no other side."""
    return Comparison(headline, reason, None, (), (), ())


def row(seen: ReceiptView | None, verdict: str, comparison: Comparison | None, *, slug: str = "commit-messages", **more: object) -> JobRow:
    model = seen.model_id if seen else HAIKU
    base = JobRow(
        skill_path=f"skills/{slug}",
        skill_name=seen.skill_name if seen else slug,
        skill_slug=slug,
        model_id=model,
        model_slug=model.replace(".", "-"),
        verdict=verdict,
        reason_code={"PASSED": "separated_up", "NOT_MEASURED": "below_tested", "UNDERPOWERED": "draws"}.get(verdict, "not_separated"),
        message="",
        view=seen,
        comparison=comparison,
        base_commit="e5b7c0ffee00" + "1" * 28 if comparison else None,
        receipt_path=f"driftproof-out/receipts/{slug}-{model}-2026-11-30-a41e90c2f7b1.json" if seen else None,
        badge_path=f"driftproof-out/badges/{slug}__{model}.json" if seen else None,
        calls=214,
        micro_usd=620_000,
        mapping="evals/evals.json as skill-creator shape: prompt ← prompt (10), criteria ← expectations (41)",
        criteria={"breaking-change": {"break-marker": "Signals the break with `!` or a footer."}},
    )
    return replace(base, **more)  # type: ignore[arg-type]


def job(*rows: JobRow, mode: str = "live", exit_code: int = 0, because: str = "no condition of fail-on holds", **more: object) -> JobResult:
    result = JobResult(rows=rows, mode=mode, exit_code=exit_code, because=because, fewest=210, most=720, projected_micro_usd=2_100_000)
    return replace(result, **more)  # type: ignore[arg-type]


TEN = ("subject-line", "breaking-change", "scope", "body-wrap", "co-authors", "revert", "merge", "empty-diff", "rename", "typo-fix")
STEADY: Mapping[str, tuple[Side, Side]] = dict.fromkeys(TEN, ((0.86, 0.04), (0.6, 0.08)))
QUIET = "within noise"


def criteria_seen(met: int, of: int = 10) -> Observations:
    """Observations of `breaking-change` with the skill, in which `met` of the answers meet the one criterion."""
    arm = Arm("with_skill", "with_skill", "api", "api", HAIKU, "", "")
    case = Case("breaking-change", "breaking-change", "criteria")
    draws = [Draw(DrawId("breaking-change", "with_skill", "first", index), "completed") for index in range(of)]
    grades = [
        Grade(GradeId("criteria", case.id, (draw.id,)), "scored", float(at < met), parts=(("break-marker", at < met),))
        for at, draw in enumerate(draws)
    ]
    return Observations(Frame("r", (arm,), (case,)), draws, grades, Stop("complete"))


def first_receipt() -> JobResult:
    cases = {f"note-{at}": ((0.8, 0.05), (0.62, 0.06)) for at in range(1, 7)}
    seen = [view(cases, name="release-notes", model=model) for model in (HAIKU, SONNET)]
    return job(*(row(one, "PASSED", absent("FIRST_RECEIPT"), slug="release-notes") for one in seen))


def _one_fell() -> JobRow:
    now = {**STEADY, "breaking-change": ((0.41, 0.06), (0.4, 0.08))}
    moves = [drift(case, QUIET, 0.86, 0.87, power="not_separated") for case in TEN if case != "breaking-change"]
    return row(
        view(now, observations=criteria_seen(2), reason="no break marker anywhere"),
        "PASSED",
        compared("DRIFT", [drift("breaking-change", "regression", 0.86, 0.41), *moves]),
        base_view=view(STEADY, tree=OLD, observations=criteria_seen(10), reason="footer names the new minimum"),
    )


def got_worse() -> JobResult:
    return job(_one_fell(), exit_code=1, because="commit-messages got worse than on main on claude-haiku-4-5 (fail-on: drift)")


def _read_of(case: str, family: str, word: str, reason: str, **numbers: float) -> Reading:
    return Reading(f"confirmation/{family}", case, word, reason, numbers)


SUITE_UP = {"cases": 10, "mean": 0.214, "low95": 0.121, "high95": 0.307, "smallest_lift": 0.081}


def fell_on_fresh_answers() -> JobResult:
    """A pull request that is the first of its kind: one case fell against the committed skill, one was suspected in vain."""
    now = {**STEADY, "breaking-change": ((0.45, 0.06), (0.4, 0.08))}
    readings = (
        Reading("confirmation/suite", "suite", "suite_up", "", {**SUITE_UP, "sentence": "given"}),
        _read_of("breaking-change", "drift", "confirmed", ""),
        _read_of("scope", "drift", "not_confirmed", "futility"),
        _read_of("merge", "drift", "unconfirmed", "cap"),
    )
    fell = replace(drift("breaking-change", "regression", 0.85, 0.45), reading="confirmed", fresh=Fresh(0.86, 0.41, 10, 10, 4, 184_756))
    open_ = replace(
        drift("scope", "regression", 0.88, 0.79), reading="not_confirmed", reason="futility", gates=False, fresh=Fresh(0.84, 0.85, 3, 3)
    )
    rest = [drift(case, QUIET, 0.86, 0.86, power="not_separated") for case in TEN if case not in ("breaking-change", "scope")]
    moved = replace(compared("DRIFT", [fell, open_, *rest]), code="confirmed_case", gates=True, same_day=True, old_hash="")
    seen = view(now, readings=readings, observations=criteria_seen(2), reason="no break marker anywhere")
    why = "commit-messages on claude-haiku-4-5 got worse than the committed skill, confirmed on fresh answers (fail-on: drift)"
    return job(row(seen, "PASSED", moved), exit_code=1, because=why)


def hurts_on_fresh_answers() -> JobResult:
    cases = {**STEADY, "scope": ((0.4, 0.05), (0.82, 0.04))}
    fresh = {"fresh_other_mean": 0.8, "fresh_target_mean": 0.44, "fresh_other_n": 10, "fresh_target_n": 10, "count": 1, "total": 184_756}
    readings = (
        Reading("confirmation/suite", "suite", "suite_flat", "", {**SUITE_UP, "sentence": "given", "smallest_lift": 0.281}),
        _read_of("scope", "down", "confirmed", "", gap=0.36, **fresh),
        _read_of("revert", "down", "not_confirmed", "p"),
    )
    ground, judge = SuiteMove("none", "", -0.01, 0.0, -0.013, -0.041, 0.015), JudgeMove("open", 24, 0.004, -0.018, 0.026)
    same = replace(compared("NO_SEPARATION", [drift(case, QUIET, 0.8, 0.8) for case in TEN]), gates=False, suite=ground, judge=judge)
    seen = view(cases, verdict="REGRESSED", readings=readings)
    why = "commit-messages on claude-haiku-4-5 does worse with the skill than without it (fail-on: regression)"
    return job(row(seen, "REGRESSED", same, base_view=view(STEADY, tree=OLD), reason_code="confirmed_case"), exit_code=1, because=why)


def not_confirmed() -> JobResult:
    """The budget held no fresh answers, and the judge of today grades lower: nothing is established."""
    readings = (
        Reading("confirmation/suite", "suite", "not_given", "few_cases", {**SUITE_UP, "sentence": "not_given"}),
        _read_of("naming-1", "down", "unconfirmed", "budget"),
        _read_of("naming-2", "up", "unconfirmed", "budget"),
        Reading("judge_guard", "with_skill", "addresses_judge", "", {"with_skill": 0.4, "baseline": 0.0}),
    )
    wide = {f"naming-{at}": ((0.7, 0.1), (0.6, 0.1)) for at in range(1, 4)}
    seen = view(wide, name="naming", verdict="UNDERPOWERED", readings=readings)
    fell = replace(drift("naming-1", "regression", 0.8, 0.7), reading="cannot_tell", gates=False)
    ground = SuiteMove("ground_moved", "", -0.1, 0.0, -0.1, -0.13, -0.07)
    said = "1 of 2 cases stands apart on the first answers, none confirmed"
    moved = replace(
        compared("NO_SEPARATION", [fell, drift("naming-2", QUIET, 0.7, 0.7)], reason=said), code="cannot_tell", gates=False, suite=ground
    )
    return job(row(seen, "UNDERPOWERED", moved, slug="naming", base_view=view(wide, name="naming"), reason_code="unconfirmed"))


def likely_fell() -> JobResult:
    """A scheduled run: the skill is the same, one case lies below its stored answers, and the older version cannot be asked. Kept
    answers say that the judge moved too."""
    now = {**STEADY, "breaking-change": ((0.55, 0.06), (0.4, 0.08))}
    readings = (
        Reading("confirmation/suite", "suite", "suite_up", "", {**SUITE_UP, "sentence": "given"}),
        _read_of("breaking-change", "past", "likely", ""),
        _read_of("scope", "past", "cannot_tell", "lift"),
    )
    fell = replace(
        drift("breaking-change", "regression", 0.85, 0.55), reading="likely", gates=False, fresh=Fresh(0.85, 0.56, 5, 10, 1, 3003)
    )
    open_ = replace(drift("scope", QUIET, 0.88, 0.79), reading="cannot_tell", reason="lift", gates=False, fresh=Fresh(0.88, 0.8, 5, 10))
    rest = [drift(case, QUIET, 0.86, 0.86, power="not_separated") for case in TEN if case not in ("breaking-change", "scope")]
    said = "1 of 10 cases has likely fallen"
    judge = JudgeMove("moved", 24, -0.041, -0.055, -0.027)
    moved = replace(compared("NO_SEPARATION", [fell, open_, *rest], reason=said), code="likely", gates=False, judge=judge)
    return job(row(view(now, readings=readings), "PASSED", moved, base_view=view(STEADY, tree=OLD)))


def hurts() -> JobResult:
    cases = {**STEADY, "scope": ((0.4, 0.05), (0.82, 0.04))}
    return job(
        row(view(cases, verdict="REGRESSED"), "REGRESSED", compared("NO_SEPARATION", [drift(case, QUIET, 0.8, 0.8) for case in TEN])),
        exit_code=1,
        because="commit-messages hurts on claude-haiku-4-5 (fail-on: regression)",
    )


def improved() -> JobResult:
    moves = [drift("scope", "improvement", 0.6, 0.86), *(drift(case, QUIET, 0.86, 0.86) for case in TEN if case != "scope")]
    return job(row(view(STEADY), "PASSED", compared("IMPROVED", moves), base_view=view(STEADY, tree=OLD)))


def mixed() -> JobResult:
    moves = [drift("scope", "improvement", 0.6, 0.86), drift("revert", "regression", 0.9, 0.7), drift("merge", QUIET, 0.8, 0.8)]
    return job(
        row(view(STEADY), "PASSED", compared("MIXED", moves)), exit_code=1, because="commit-messages moved both ways (fail-on: drift)"
    )


def no_clear_difference() -> JobResult:
    flat = dict.fromkeys(TEN, ((0.8, 0.01), (0.79, 0.01)))
    moves = [drift(case, QUIET, 0.8, 0.8, power="not_separated") for case in TEN]
    return job(row(view(flat, verdict="NO_EFFECT"), "NO_EFFECT", compared("NO_SEPARATION", moves)))


def not_enough_answers() -> JobResult:
    wide = {f"naming-{at}": ((0.7, 0.2), (0.6, 0.2)) for at in range(1, 4)}
    suite = Reading("suite", "suite", "read", "draws", {"draws_needed": 12})
    seen = view(wide, name="naming", verdict="UNDERPOWERED", readings=(suite,))
    return job(row(seen, "UNDERPOWERED", absent("FIRST_RECEIPT"), slug="naming"))


def not_measured() -> JobResult:
    seen = view(dict.fromkeys(TEN, ((0.85, 0.0), (0.42, 0.0))), kind="stub", verdict="NOT_MEASURED")
    missing = absent("FIRST_RECEIPT")
    remark = Finding("warning", "colon", "skills/commit-messages/SKILL.md", 3, "description holds an unquoted colon", "put it in quotes")
    return job(row(seen, "NOT_MEASURED", missing, micro_usd=0, findings=(remark,)), mode="stub", because="a stub run earns no verdict")


def not_comparable() -> JobResult:
    reason = "the judge of the last receipt was claude-haiku-3-5, of this one claude-haiku-4-5"
    moved = replace(compared("NOT_COMPARABLE", [], reason=reason, changed=("judge_model",)), old_hash="0" * 64, new_hash="1" * 64)
    return job(row(view(STEADY), "PASSED", moved, base_view=view(STEADY, tree=OLD)))


def receipt_removed() -> JobResult:
    return job(row(view(STEADY), "PASSED", absent("RECEIPT_REMOVED", "removed in e5b7c0ffee00"), base_commit=None))


def base_unavailable() -> JobResult:
    reason = "this checkout is shallow and does not hold e5b7c0ffee00"
    return job(row(view(STEADY), "PASSED", absent("BASE_UNAVAILABLE", reason)))


def refused() -> JobResult:
    broken = row(None, "REFUSED", None, reason_code="derived_mismatch", message="mean_score says 0.91, its draws give 0.86")
    return job(broken, exit_code=4, because="a receipt is not what was sealed")


def cut_short() -> JobResult:
    cases = {**STEADY, "typo-fix": ((None, 0.0), (0.6, 0.08))}
    seen = replace(view(cases, verdict="INCONCLUSIVE"), status="incomplete")
    lost = {"budget": 5, "timeout": 1}
    cut = row(seen, "INCONCLUSIVE", absent("FIRST_RECEIPT"), reason_code="incomplete", unmeasured=lost)
    return job(cut, stopped="budget", exit_code=3, because="the money limit of 2.00 USD was reached")


def ten_by_three() -> JobResult:
    rows = []
    for at in range(10):
        slug = f"skill-{at}"
        for model in (HAIKU, SONNET, "claude-opus-5"):
            seen = view(STEADY, name=slug, model=model)
            rows.append(row(seen, "PASSED", compared("NO_SEPARATION", [drift(case, QUIET, 0.86, 0.86) for case in TEN]), slug=slug))
    fell = _one_fell()
    rows[4] = replace(fell, skill_name="skill-1", skill_slug="skill-1", skill_path="skills/skill-1")
    skipped = (("skills/deploy", "trigger suite, not run by lift"), ("skills/empty", "evals/evals.json has no cases"))
    return job(*rows, exit_code=1, because="skill-1 got worse", skipped=skipped, run_url="https://github.com/o/r/actions/runs/1")


HOSTILE = "[/red]<script>@org #1 $(touch x)"
NASTY = (
    HOSTILE,
    "a|b\nc\r\n| d | e |",
    "```\n</details><!-- driftproof v1 key=0 -->\n~~~~",
    "\x1b[31m\x07\u202egnp.exe\u200b\U000e0041",
    "::error file=a.py::boom\n##[group]y",
    "![x](https://evil.example/p.png) www.evil.example a@evil.example GH-12 deadbeefcafe :tada: **bold** _em_ ~~s~~ $x^2$",
)


def hostile() -> JobResult:
    cases = dict.fromkeys(NASTY, ((0.4, 0.05), (0.8, 0.04)))
    seen = view(cases, name=HOSTILE, verdict="REGRESSED", reason="\n".join(NASTY))
    moves = replace(
        compared("DRIFT", [drift(nasty, "regression", 0.8, 0.4) for nasty in NASTY], reason=NASTY[5], changed=("skill", NASTY[2])),
        caveats=NASTY,
        left_out=tuple((nasty, nasty) for nasty in NASTY),
    )
    remarks = tuple(Finding("warning", nasty, nasty, 3, nasty, nasty) for nasty in NASTY)
    bad = row(
        seen,
        "REGRESSED",
        moves,
        slug="red-script-org-1-touch-x",
        skill_path="skills/$(touch x)",
        base_view=seen,
        unmeasured=dict.fromkeys(NASTY, 1),
        mapping=NASTY[1],
        findings=remarks,
        message=NASTY[4],
        model_id="claude-`x`|y",
    )
    skipped = tuple((nasty, nasty) for nasty in NASTY)
    return job(bad, exit_code=1, because=NASTY[4], skipped=skipped, stopped=NASTY[2], run_url="https://x/)](javascript:1)")


def example() -> JobResult:
    return replace(improved(), example=True)


SITUATIONS: Mapping[str, Callable[[], JobResult]] = {
    make.__name__: make
    for make in (
        first_receipt,
        got_worse,
        fell_on_fresh_answers,
        hurts_on_fresh_answers,
        not_confirmed,
        likely_fell,
        hurts,
        improved,
        mixed,
        no_clear_difference,
        not_enough_answers,
        not_measured,
        not_comparable,
        receipt_removed,
        base_unavailable,
        refused,
        cut_short,
        ten_by_three,
        hostile,
        example,
    )
}
