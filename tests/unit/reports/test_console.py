from __future__ import annotations

import re
from dataclasses import replace

import pytest

from driftproof_action.domain.finding import Finding
from driftproof_action.reports.console import because_line, data_lines, people_lines, plan_line
from tests.golden.situations import SITUATIONS, got_worse, hostile, job, likely_fell, not_measured, ten_by_three


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_line_is_ours_and_the_last_says_the_colour(name: str) -> None:
    result = SITUATIONS[name]()
    lines = people_lines(result)
    assert all(line.startswith("driftproof: ") for line in lines)
    assert not any(re.search("[\x00-\x1f\x7f\u202e\u200b]|##\\[", line) for line in lines)
    colour = "red because " if result.exit_code else "green: "
    assert lines[-1].startswith(f"driftproof: this job is {colour}")
    assert sum("this job is" in line for line in lines) == 1


def test_the_worst_row_stands_last() -> None:
    told = [line for line in people_lines(ten_by_three(), receipts=False) if " on claude-" in line]
    assert told[-1].startswith("driftproof: skill-1 on claude-haiku-4-5: helps, lift +0.23 (0.18 to 0.29 over these 10 cases); got worse")


def test_what_likely_got_worse_and_a_judge_that_moved_stand_in_the_line_of_their_row() -> None:
    line = people_lines(replace(likely_fell(), rows=(replace(likely_fell().rows[0], unmeasured={"timeout": 1}),)))[0]
    assert line.endswith(
        "; no clear difference from the last receipt; case breaking-change likely got worse; the judge moved; 1 answer lost: 1 timed out"
    )


def test_receipts_are_data_and_may_be_told_too() -> None:
    result = got_worse()
    assert data_lines(result) == ["driftproof-out/receipts/commit-messages-claude-haiku-4-5-2026-11-30-a41e90c2f7b1.json"]
    assert any(line.startswith("driftproof: receipt ") for line in people_lines(result))
    assert not any(line.startswith("driftproof: receipt ") for line in people_lines(result, receipts=False))
    assert data_lines(job()) == []


def test_a_reason_is_always_given() -> None:
    assert because_line(replace(got_worse(), because="")) == "driftproof: this job is red because exit code 1"
    assert because_line(job(because="")) == "driftproof: this job is green: no condition of fail-on holds"
    assert "##[" not in because_line(hostile())


def test_a_stub_run_says_that_nobody_was_asked() -> None:
    assert "driftproof: stub run: no model was asked, nothing was paid" in people_lines(not_measured())


def test_the_plan_in_a_line() -> None:
    line = plan_line(
        cases=10,
        sides=2,
        skills=1,
        models="claude-haiku-4-5",
        judge="j\x1b",
        fewest=210,
        most=720,
        micro_usd=2_100_000,
        limit_micro_usd=5_000_000,
    )
    assert line == ("10 cases × 2 sides on claude-haiku-4-5, judge j\\x1b: fewest 210, most 720 calls, at most 2.10 USD (limit 5.00 USD)")
    line = plan_line(cases=2, sides=1, skills=2, models="m", judge="", fewest=4, most=4, micro_usd=0, limit_micro_usd=10**6)
    assert line == "2 cases × 1 side of 2 skills on m: 4 calls, at most 0.00 USD (limit 1.00 USD)"


def test_remarks_of_lint_are_told_once_with_their_place() -> None:
    row = replace(
        not_measured().rows[0],
        skill_path="skills/x",
        findings=(
            Finding("warning", "colon", "skills/x/SKILL.md", 3, "description holds an unquoted colon\x1b", "quote it"),
            Finding("warning", "crlf", "skills/x/SKILL.md", 0, "line ends", ""),
            Finding("info", "unseen", "skills/x", 0, "one file", ""),
        ),
    )
    lines = people_lines(replace(not_measured(), rows=(row, replace(row, model_id="other"))))
    told = [line for line in lines if "remark" in line]
    assert told == [
        "driftproof: 2 remarks on skills/x: skills/x/SKILL.md:3: description holds an unquoted colon\\x1b; driftproof lint shows all"
    ]
