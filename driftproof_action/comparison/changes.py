"""What moved between two receipts, axis by axis. Not: whether the scores did."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from driftproof_action.canonical import canonical_bytes
from driftproof_action.comparison.comparable import is_published, judge_models, model_key, moved_rubrics
from driftproof_action.receipts.view import ReceiptView

Axis = Callable[[ReceiptView, ReceiptView], bool | None]
"""Whether it moved; None when one side does not record it."""


def _by(value: Callable[[ReceiptView], Hashable]) -> Axis:
    """An axis that is one value of a receipt; a false value (None, "", 0) means not recorded."""

    def moved(old: ReceiptView, new: ReceiptView) -> bool | None:
        before, after = value(old), value(new)
        if not before or not after:
            return None if before or after else False
        return before != after

    return moved


def _skill(old: ReceiptView, new: ReceiptView) -> bool | None:
    """By tree_hash, which sees modes and only tracked files, where both have it."""
    if old.tree_hash and new.tree_hash:
        return old.tree_hash != new.tree_hash
    return _by(lambda view: view.content_hash)(old, new)


def _case(old: ReceiptView, new: ReceiptView) -> bool | None:
    before, after = _case_hashes(old), _case_hashes(new)
    if not before or not after:
        return None if before or after else False
    return any(before[id] != after[id] for id in before.keys() & after.keys())


def _case_hashes(view: ReceiptView) -> Mapping[str, str]:
    return {id: row.case_hash for (id, _), row in view.rows.items() if row.case_hash}


def _rubric(old: ReceiptView, new: ReceiptView) -> bool | None:
    return bool(moved_rubrics(old, new, old.case_ids()))


def _harness(old: ReceiptView, new: ReceiptView) -> bool | None:
    if not old.harness or not new.harness:
        return None if old.harness or new.harness else False
    if old.harness[0] != new.harness[0]:
        return True
    versions = old.harness[1], new.harness[1]
    return versions[0] != versions[1] if all(versions) else None if any(versions) else False


def _endpoint(old: ReceiptView, new: ReceiptView) -> bool | None:
    """Of target and judge. Our own version always says: no endpoint there is the provider's own, not a gap."""
    before, after = (old.endpoint, old.judge.endpoint), (new.endpoint, new.judge.endpoint)
    if is_published(old) or is_published(new):
        return False if before == after else None
    return before != after


def _parameters(view: ReceiptView) -> bytes:
    """Without the judge's samples, which are an axis of their own."""
    own = {key: value for key, value in view.parameters.items() if key != "samples"}
    return canonical_bytes(own) if own else b""


def _judge_sampling(old: ReceiptView, new: ReceiptView) -> bool | None:
    """Samples a draw, and how they were drawn; temperature None is a setting (the surface decides), not a gap."""
    samples = _by(lambda view: view.judge.samples)(old, new)
    if not old.judge.sampling or not new.judge.sampling:
        return samples
    return samples or (old.judge.sampling, old.judge.temperature) != (new.judge.sampling, new.judge.temperature)


AXES: Mapping[str, Axis] = {
    "skill": _skill,
    "suite": _by(lambda view: view.suite_hash),
    "case": _case,
    "judge_model": _by(judge_models),
    "judge_template": _by(lambda view: view.judge.prompt_template_hash),
    "rubric": _rubric,
    "model": _by(lambda view: model_key(view.model_id)),
    "provider": _by(lambda view: view.provider),
    "surface": _by(lambda view: view.surface),
    "harness": _harness,
    "capture": _by(lambda view: view.capture),
    "parameters": _by(_parameters),
    "endpoint": _endpoint,
    "judge_sampling": _judge_sampling,
    "schema": _by(lambda view: view.version),
}


def attribute(old: ReceiptView, new: ReceiptView) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(axes that moved, axes only one side records), each in the order of AXES."""
    found = {name: axis(old, new) for name, axis in AXES.items()}
    return tuple(name for name, moved in found.items() if moved), tuple(name for name, moved in found.items() if moved is None)
