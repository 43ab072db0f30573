from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from driftproof_action.comparison.caveats import PEOPLE, list_caveats
from driftproof_action.comparison.changes import AXES, attribute
from driftproof_action.comparison.compare import compare
from tests.unit.comparison.views import JUDGE, receipt, row, with_rows

SCORES = ((0.8, 0.8), (0.5, 0.5))


def judge(**change: Any) -> dict[str, Any]:
    return {"judge": dataclasses.replace(JUDGE, **change)}


@pytest.mark.parametrize(
    ("change", "moved"),
    [
        ({}, ()),
        ({"tree_hash": "9" * 64}, ("skill",)),
        ({"content_hash": "9" * 64}, ()),
        ({"tree_hash": None, "content_hash": "9" * 64}, ("skill",)),
        ({"suite_hash": "9" * 64}, ("suite",)),
        ({"model_id": "model-y"}, ("model",)),
        ({"model_id": "model-x"}, ()),
        ({"provider": "openai", "surface": "openai-api"}, ("provider", "surface")),
        ({"harness": ("codex", "1.0")}, ("harness",)),
        ({"capture": "files"}, ("capture",)),
        ({"parameters": {"max_tokens": 1024}}, ("parameters",)),
        ({"parameters": {"max_tokens": 4096, "samples": 9}}, ()),
        ({"endpoint": "https://proxy.example.com"}, ("endpoint",)),
        ({"endpoint": None}, ("endpoint",)),
        ({"version": "0.11"}, ("schema",)),
        (judge(model_id="other"), ("judge_model",)),
        (judge(prompt_template_hash="9" * 64), ("judge_template",)),
        (judge(samples=2), ("judge_sampling",)),
        (judge(temperature=None, sampling="surface-controlled"), ("judge_sampling",)),
        (judge(endpoint="https://judge.example.com"), ("endpoint",)),
        (judge(surface="claude-cli"), ()),
    ],
)
def test_each_axis_moves_alone(change: dict[str, Any], moved: tuple[str, ...]) -> None:
    old, new = receipt({"a": SCORES}), receipt({"a": SCORES}, **change)
    if "judge_model" in moved:
        new = with_rows(new, *(row("a", arm, (0.8, 0.8), judge_model_id="other") for arm in ("with_skill", "baseline")))
    assert attribute(old, new)[0] == moved
    assert attribute(new, old)[0] == moved


def test_cases_and_rubrics_move_by_their_hashes() -> None:
    old = receipt({"a": SCORES})
    edited = with_rows(old, *(row("a", arm, (0.8, 0.8), case_hash="x", rubric_hash="y") for arm in ("with_skill", "baseline")))
    assert attribute(old, edited)[0] == ("case", "rubric")


def test_what_one_side_does_not_record_has_not_moved() -> None:
    old = receipt({"a": SCORES}, version="0.3", provider=None, harness=None, capture=None, parameters={}, endpoint=None, tree_hash=None)
    moved, unrecorded = attribute(old, receipt({"a": SCORES}))
    assert moved == ("schema",)
    assert unrecorded == ("provider", "harness", "capture", "parameters", "endpoint")


def test_harness_versions_need_both_sides() -> None:
    old, new = receipt(harness=("claude-code", "2.1.0")), receipt(harness=("claude-code", None))
    assert attribute(old, new) == ((), ("harness",))
    assert attribute(old, receipt(harness=("claude-code", "2.2.0")))[0] == ("harness",)


def test_every_axis_has_a_name_for_people() -> None:
    assert set(PEOPLE) == set(AXES)
    assert list(AXES) == [
        "skill",
        "suite",
        "case",
        "judge_model",
        "judge_template",
        "rubric",
        "model",
        "provider",
        "surface",
        "harness",
        "capture",
        "parameters",
        "endpoint",
        "judge_sampling",
        "schema",
    ]


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ({}, {"skill_name": "other"}, "different skills"),
        ({}, {"tree_hash": "9" * 64, "model_id": "m"}, "skill, model moved together"),
        ({}, {"surface": "claude-cli"}, "surface moved: part"),
        ({}, judge(samples=None), "is not recorded on both sides"),
        ({}, judge(samples=1), "its own scatter is not seen"),
        ({}, judge(samples=2), "5 times in the older receipt and 2 times in the newer"),
        ({}, judge(prompt_template_hash=None), "the judge's prompt is recorded on one side only"),
        ({"version": "0.11", "harness": None}, {"version": "0.11"}, "recorded on one side only, so not compared: host program"),
        ({"version": "0.9"}, {"version": "0.11"}, "0.11 and 0.9: read by the published rule"),
    ],
)
def test_caveats(old: dict[str, Any], new: dict[str, Any], part: str) -> None:
    found = compare(receipt({"a": SCORES}, **old), receipt({"a": SCORES}, **new))
    assert any(part in caveat for caveat in found.caveats), found.caveats


def test_a_clean_pair_has_no_caveat() -> None:
    view = receipt({"a": SCORES})
    assert compare(view, view).caveats == ()


def test_losses_and_left_out_cases_are_counted() -> None:
    old, new = receipt({"a": SCORES, "b": SCORES}), receipt({"a": ((0.8, None, None), (0.5,)), "c": SCORES})
    caveats = compare(old, new).caveats
    assert any("2 cases are in one receipt only" in caveat for caveat in caveats)
    assert any("2 answers were lost in 1 of 1 cases" in caveat for caveat in caveats)


def test_no_sentence_of_ours_holds_text_of_a_receipt() -> None:
    """Reports print reasons and caveats as they are."""
    evil = "<b>@everyone</b>"
    old = receipt({evil: SCORES}, skill_name=evil, model_id=evil, version="0.11", provider=evil, harness=(evil, evil))
    new = receipt(
        {evil: (SCORES[0], (0.99, 0.99)), evil + "2": SCORES}, skill_name="b", surface=evil, **judge(model_id=evil, sampling=evil)
    )
    for one, other in ((old, new), (new, old), (old, dataclasses.replace(new, level="DECLARED", preset=evil, method=evil))):
        found = compare(one, other)
        assert evil not in "".join((found.reason, found.code, *found.caveats, *found.changed, *(why for _, why in found.left_out)))
        assert list_caveats(one, other, found.cases, changed=found.changed, unrecorded=(), left_out=0)
