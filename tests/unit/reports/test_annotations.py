"""Annotations: on the right lines, the important ones first, and few. Not: how the runner is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from driftproof_action.domain.finding import Finding
from driftproof_action.reports.annotations import MOST, Annotation, annotate
from driftproof_action.reports.job import JobResult
from tests.golden.situations import SITUATIONS, STEADY, absent, compared, drift, job, row, view

SUITE = "skills/commit-messages/evals/evals.json"


def placed(name: str) -> JobResult:
    """A situation whose rows know their suite."""
    result = SITUATIONS[name]()
    return replace(
        result,
        rows=tuple(replace(one, suite_file=SUITE, case_lines={"breaking-change": 17, "scope": 9, "revert": 30}) for one in result.rows),
    )


def test_a_fall_is_shown_on_its_case_and_on_the_skill() -> None:
    result = placed("got_worse")
    assert annotate(result, red=result.rows) == [
        Annotation("error", "skills/commit-messages/SKILL.md", 1, "commit-messages got worse on claude-haiku-4-5: 1 of 10 cases fell"),
        Annotation("error", SUITE, 17, "case breaking-change on claude-haiku-4-5: fell from 0.86 to 0.41"),
    ]


def test_a_green_job_shows_no_error() -> None:
    for name in SITUATIONS:
        assert all(item.level != "error" for item in annotate(placed(name), red=())), name
    assert {item.level for item in annotate(placed("got_worse"), red=())} == {"warning"}


def test_cases_that_are_worse_with_the_skill() -> None:
    result = placed("hurts")
    assert annotate(result, red=result.rows)[1] == Annotation(
        "error", SUITE, 9, "case scope on claude-haiku-4-5: 0.40 with the skill, 0.82 without it"
    )


@pytest.mark.parametrize("name", ["first_receipt", "improved", "no_clear_difference", "not_measured"])
def test_what_is_well_or_was_a_stub_is_left_alone(name: str) -> None:
    assert [item for item in annotate(placed(name), red=()) if item.file.endswith("SKILL.md") and item.line == 1] == []


def test_what_is_unclear_is_a_notice() -> None:
    for name in ("not_enough_answers", "cut_short", "not_comparable", "receipt_removed", "base_unavailable"):
        (item,) = annotate(placed(name), red=())
        assert (item.level, item.line) == ("notice", 1)


def test_remarks_about_what_people_wrote() -> None:
    warning = Finding("warning", "colon", "skills/x/SKILL.md", 3, "an unquoted colon", "put it in quotes")
    info = Finding("info", "unseen", "skills/x/refs", 0, "three files are not sent")
    result = job(row(view(STEADY), "PASSED", absent("FIRST_RECEIPT"), findings=(warning, info, warning)))
    assert annotate(result, red=()) == [Annotation("warning", "skills/x/SKILL.md", 3, "an unquoted colon → put it in quotes")]


def test_few_of_each_kind_and_the_rest_is_counted() -> None:
    many = tuple(Finding("warning", "x", f"skills/x/{number}", number, "a remark", "") for number in range(1, 60))
    moves = [drift(f"c{number}", "regression", 0.9, 0.1) for number in range(20)]
    worse = [row(view(STEADY), "PASSED", compared("DRIFT", moves), suite_file=SUITE, findings=many) for _ in range(20)]
    found = annotate(job(*worse, exit_code=1), red=worse[:1])
    for level in ("error", "warning", "notice"):
        assert sum(item.level == level for item in found) <= MOST
    assert found[MOST // 2].level == "warning" or found[0].level == "error"
    assert "more findings like these" in found[-1].message


def test_stored_files_that_are_not_believed() -> None:
    result = replace(placed("first_receipt"), refused_changes=((".driftproof/x.json", "is not what was sealed"),), exit_code=4)
    assert annotate(result, red=())[0] == Annotation(
        "error", ".driftproof/x.json", 1, "this stored file is not believed: is not what was sealed"
    )


def test_no_text_of_others_acts() -> None:
    result = SITUATIONS["hostile"]()
    result = replace(result, rows=tuple(replace(one, suite_file=SUITE) for one in result.rows))
    for item in annotate(result, red=result.rows):
        assert item.message.isprintable()
        assert "##[" not in item.message
        assert not item.message.startswith("::")
    assert any("\\x" in item.message for item in annotate(result, red=result.rows))
