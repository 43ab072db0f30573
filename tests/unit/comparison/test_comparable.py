from __future__ import annotations

import dataclasses

import pytest

from driftproof_action.comparison.comparable import (
    CASE_CHANGED,
    ONLY_NEW,
    ONLY_OLD,
    RUBRIC_CHANGED,
    UNKNOWN,
    is_published,
    judge_models,
    model_key,
    pair_cases,
)
from driftproof_action.comparison.compare import compare
from driftproof_action.receipts.view import ReceiptView
from tests.unit.comparison.views import JUDGE, answer, receipt, row, with_rows

SCORES = ((0.8, 0.8), (0.5, 0.5))


def legacy(rubric: str | None, suite: str | None) -> ReceiptView:
    rows = (answer("a", arm, 0.8, 0.01, rubric_hash=rubric) for arm in ("with_skill", "baseline"))
    return with_rows(receipt(version="0.3", suite_hash=suite), *rows)


@pytest.mark.parametrize(
    ("id", "key"),
    [
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("claude-haiku-4-5", "claude-haiku-4-5"),
        ("gpt-5-2025100", "gpt-5-2025100"),
        ("model-20251001-x", "model-20251001-x"),
        ("m-٢٠٢٥١٠٠١", "m-٢٠٢٥١٠٠١"),
    ],
)
def test_models_are_compared_without_their_date(id: str, key: str) -> None:
    assert model_key(id) == key


def test_cases_on_one_side_are_named() -> None:
    old, new = receipt({"a": SCORES, "gone": SCORES}), receipt({"fresh": SCORES, "a": SCORES})
    assert pair_cases(old, new) == (("a",), (("fresh", ONLY_NEW), ("gone", ONLY_OLD)))


def test_an_edited_case_is_left_out_even_under_its_old_name() -> None:
    old, new = receipt({"a": SCORES, "b": SCORES}), receipt({"a": SCORES, "b": SCORES})
    edited = with_rows(new, row("b", "with_skill", (0.1, 0.1), case_hash="other"), row("b", "baseline", (0.1, 0.1), case_hash="other"))
    assert pair_cases(old, edited) == (("a",), (("b", CASE_CHANGED),))
    found = compare(old, edited)
    assert (found.headline, found.changed) == ("NO_SEPARATION", ("case",))


def test_equal_case_hashes_outlive_another_suite() -> None:
    assert pair_cases(receipt({"a": SCORES}), receipt({"a": SCORES}, suite_hash="f" * 64)) == (("a",), ())


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (("r", "s"), ("r", "s"), ""),
        (("r", "s"), ("r", "t"), ""),
        (("r", "s"), ("q", "t"), RUBRIC_CHANGED),
        ((None, "s"), (None, "s"), ""),
        ((None, None), (None, None), UNKNOWN),
        ((None, "s"), ("r", "t"), UNKNOWN),
    ],
)
def test_older_receipts_go_by_suite_or_rubric(old: tuple[str | None, str | None], new: tuple[str | None, str | None], why: str) -> None:
    compared, left_out = pair_cases(legacy(*old), legacy(*new))
    assert (compared, left_out) == ((), (("a", why),)) if why else (("a",), ())


def test_one_suite_graded_by_other_instructions_is_another_judge() -> None:
    found = compare(legacy("r", "s"), legacy("q", "s"))
    assert (found.headline, found.code, found.changed) == ("NOT_COMPARABLE", "rubric", ("rubric",))


def test_nothing_in_common_is_not_comparable() -> None:
    found = compare(receipt({"a": SCORES}), receipt({"b": SCORES}))
    assert (found.headline, found.code, found.cases, found.delta) == ("NOT_COMPARABLE", "no_shared_case", (), None)
    assert [why for _, why in found.left_out] == [ONLY_NEW, ONLY_OLD]


def test_judges_are_collected_from_run_and_rows() -> None:
    view = receipt({"a": SCORES})
    assert judge_models(view) == {"judge-model"}
    mixed = with_rows(view, row("a", "baseline", (0.5, 0.5), judge_model_id="second"))
    assert judge_models(mixed) == {"judge-model", "second"}
    silent = dataclasses.replace(receipt({}), judge=dataclasses.replace(JUDGE, model_id=None))
    assert judge_models(silent) == frozenset()


def test_published_versions_are_those_below_our_own() -> None:
    assert [is_published(receipt(version=version)) for version in ("0.1", "0.10", "0.11", "1.0-draft")] == [True, True, True, False]
