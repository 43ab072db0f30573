"""`driftproof diff OLD NEW`: two receipts set against each other, as Markdown or JSON. Not: how they are compared.

`--json` prints one object: `headline` (a word of the drift table), `code` (its cause, empty when the cases decided), `reason`,
`delta` (mean move, null without a verdict), `cases` (reading order; each `id`, `verdict`, means, spreads, `delta`, `power`,
`reason`, `reading`, `gates`, `draws_needed`, measured and lost draws of both sides), `changed`, `caveats`, `left_out`,
`old_hash`, `new_hash`, `old`, `new` (what each receipt is), `mode`, `exit_code` and `because`; with `--lift-breakdown` also
`lift_breakdown`, an object with `old` and `new`: `reason`, `lift`, `lift_reason`, `carriers`, `carriers_reason`, `helps`, `hurts`,
`limits`, `cases`. Two receipts that cannot be compared give `error` (`message`, `place`, `detail`, `fix`, `anchor`) and `exit_code`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from driftproof_action.canonical import Json
from driftproof_action.comparison.comparable import model_key
from driftproof_action.comparison.compare import compare
from driftproof_action.comparison.confirmed import confirm
from driftproof_action.comparison.drift import Comparison
from driftproof_action.comparison.verdict import published_verdict
from driftproof_action.decisions.table import TABLE
from driftproof_action.errors import DriftproofError, InputError, NotComparableError
from driftproof_action.receipts.read import load
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.comparison_json import comparison_to_json
from driftproof_action.reports.diff_page import diff_page

Condition = Callable[[Comparison, ReceiptView], bool]


def _got_worse(found: Comparison, new: ReceiptView) -> bool:
    return found.worse


def _own(verdict: str) -> Condition:
    """The newer receipt's own verdict is this one."""
    return lambda found, new: (new.decision or published_verdict(new)).verdict == verdict


CONDITIONS: Mapping[str, tuple[Condition, str]] = {
    "drift": (_got_worse, "a case got worse"),
    "any-drift": (_got_worse, "a case got worse"),
    "regression": (_own("REGRESSED"), "the newer receipt reads worse with the skill than without it"),
    "underpowered": (_own("UNDERPOWERED"), "the newer receipt has not enough answers to tell"),
    "no-effect": (_own("NO_EFFECT"), "the newer receipt shows no clear difference"),
    "unmeasured": (lambda found, new: found.headline == "NOT_MEASURED", "the comparison was not measured"),
    "refused": (lambda found, new: found.count("refused") > 0, "the answers without the skill do not reproduce"),
}
"""`--fail-on` word → when it holds, and how the sentence ends. In a comparison of two files nobody's change is judged, so
drift and any-drift are one."""


def run(
    old: str,
    new: str,
    *,
    mode: str = "drift",
    as_json: bool = False,
    fail_on: Sequence[str] = (),
    lift_breakdown: bool = False,
    read: Callable[[str], bytes],
) -> tuple[str, int]:
    """(what goes to stdout, exit code): 0 whatever is found, 1 when a `fail_on` condition holds. as_json: what would be raised
    is printed.

    mode `revision`: both receipts must be one model's on one surface over one suite, with different skill files.
    lift_breakdown: tell the lift of each receipt case by case as well. Raises FileError or InputError (2), ReceiptError (4)
    for a receipt that is not valid, NotComparableError (6) for a pair that is no revision pair.
    """
    try:
        return _compare(old, new, mode=mode, as_json=as_json, fail_on=fail_on, lift_breakdown=lift_breakdown, read=read)
    except DriftproofError as error:
        if not as_json:
            raise
        document = {"error": error.to_json(), "exit_code": error.exit_code}
        return json.dumps(document, ensure_ascii=False, indent=2) + "\n", error.exit_code


def _compare(
    old: str, new: str, *, mode: str, as_json: bool, fail_on: Sequence[str], lift_breakdown: bool, read: Callable[[str], bytes]
) -> tuple[str, int]:
    words = _words(fail_on)
    before, after = (load(read(path), source=path, rules=TABLE) for path in (old, new))
    if mode == "revision":
        _check_revision(before, after, old=old, new=new)
    found = compare(before, after)
    if before.protocol == after.protocol == "confirmed":
        found = confirm(found, before, after, asked=_asked(after) == (before.tree_hash, model_key(before.model_id)))
    because = next((CONDITIONS[word][1] + f" (fail-on: {word})" for word in words if CONDITIONS[word][0](found, after)), "")
    code = 1 if because else 0
    labels = ("pinned", "current") if mode == "revision" else ("older", "newer")
    broken, blocks = _break_down(before, after, labels) if lift_breakdown else ({}, "")
    if as_json:
        return json.dumps(_to_json(found, before, after, mode=mode, because=because) | broken, ensure_ascii=False, indent=2) + "\n", code
    return diff_page(found, before, after, labels=labels, because=because) + blocks, code


def _asked(view: ReceiptView) -> tuple[Json, Json]:
    """tree_hash and model of the skill a receipt asked beside its own; None, None without one."""
    block = view.document.get("incumbent")
    return (block.get("tree_hash"), block.get("model_id")) if isinstance(block, Mapping) else (None, None)


def _break_down(before: ReceiptView, after: ReceiptView, labels: tuple[str, str]) -> tuple[dict[str, Json], str]:
    """The lift of both receipts case by case: (what --json adds, what the page adds)."""
    # only who asks for it pays for exact fractions
    from driftproof_action.comparison.lift_breakdown import lift_breakdown
    from driftproof_action.reports.lift_breakdown import lift_block, lift_to_json  # as above

    old, new = lift_breakdown(before), lift_breakdown(after)
    told: dict[str, Json] = {"lift_breakdown": {"old": lift_to_json(old), "new": lift_to_json(new)}}
    return told, "".join(f"\n{lift_block(one, label)}\n" for one, label in zip((old, new), labels, strict=True))


def _words(given: Sequence[str]) -> tuple[str, ...]:
    words = [word.strip() for item in given for word in item.split(",")]
    for word in words:
        if word not in CONDITIONS and word != "none":
            raise InputError(
                f"got {word[:60]!r}, expected a word of {', '.join((*CONDITIONS, 'none'))}",
                place="fail-on",
                fix="for example --fail-on drift",
                anchor="input",
            )
    return tuple(word for word in words if word != "none")


def _check_revision(before: ReceiptView, after: ReceiptView, *, old: str, new: str) -> None:
    axes = {
        "model": (before.model_id, after.model_id),
        "provider": (before.provider, after.provider),
        "surface": (before.surface, after.surface),
        "suite": (before.suite_hash, after.suite_hash),
    }
    moved = [name for name, (one, other) in axes.items() if one != other]
    moved += ["suite (not recorded)"] if before.suite_hash is None and after.suite_hash is None else []
    same = before.content_hash == after.content_hash
    if not moved and not same:
        return
    detail = "the skill's files are the same in both" if same and not moved else f"different: {', '.join(moved)}"
    raise NotComparableError(
        "are not two revisions of one skill",
        place=f"{old}, {new}",
        detail=f"{detail}\nrevision mode wants one model, provider, surface and suite, and different skill files",
        fix="leave out --mode revision to compare them all the same",
        anchor="revision-mode",
    )


def _to_json(found: Comparison, before: ReceiptView, after: ReceiptView, *, mode: str, because: str) -> dict[str, Json]:
    shown: dict[str, Any] = comparison_to_json(found)
    more = {
        case.id: {
            "draws_needed": case.needed,
            "old_measured": case.old_n,
            "old_lost": case.old_lost,
            "new_measured": case.new_n,
            "new_lost": case.new_lost,
        }
        for case in found.cases
    }
    cases: list[Json] = [{**case, **more[case["id"]]} for case in shown["cases"]]
    return shown | {
        "cases": cases,
        "code": found.code,
        "old": _side(before),
        "new": _side(after),
        "mode": mode,
        "exit_code": 1 if because else 0,
        "because": because,
    }


def _side(view: ReceiptView) -> dict[str, Json]:
    return {
        "skill": view.skill_name,
        "model_id": view.model_id,
        "schema_version": view.version,
        "verification_level": view.level,
        "date_utc": view.date_utc,
        "content_hash": view.content_hash,
        "suite_hash": view.suite_hash,
        "with_skill_score": view.with_skill_score,
        "baseline_score": view.baseline_score,
        "lift": view.delta,
    }
