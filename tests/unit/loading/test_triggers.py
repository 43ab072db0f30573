"""loading/triggers: every shape of a trigger suite is recognised, named, and never an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from driftproof_action.errors import SuiteError
from driftproof_action.loading.suite import SuiteSource, load_suite, require_runnable
from tests.unit.loading.laying import SKILL, codes, lay, suite_of

QUERY = {"query": "name this", "should_trigger": True}


@pytest.mark.parametrize(
    ("document", "queries"),
    [
        ([QUERY, QUERY], 2),
        ({"queries": [QUERY]}, 1),
        ({"triggers": [QUERY]}, 1),
        ({"skill_name": "x", "evals": [{"id": 1, "query": "q", "should_trigger": False, "why": "w"}]}, 1),
        ({"cases": [{"prompt": "p", "expected_trigger": True, "rationale": "r"}]}, 1),
        ([{"prompt": "p", "should_trigger": True, "notes": "n"}], 1),
        ({"queries": [{"q": "x", "should": True}, {"q": "y", "should": False}]}, 2),
        ({"should_trigger": ["a", "b"], "should_not_trigger": ["c"]}, 3),
        ({"shouldTrigger": ["a"], "shouldNotTrigger": ["b"]}, 2),
        ({"should_trigger": [{"id": "t1", "query": "q", "expect": "e"}], "should_not_trigger": []}, 1),
        ({"positive": ["a"], "negative": ["b", "c"]}, 3),
        ({"skills": {"a": {"should_trigger": ["x"], "should_not_trigger": ["y"]}, "b": {"should_trigger": ["z"]}}}, 3),
        ({"query_results": [{"query": "q", "should_trigger": True, "trigger_rate": 1.0}], "summary": {}}, 1),
        ([{"trigger": "/usage", "expected_behavior": "runs it"}], 1),
        ({"initial_prompt": "p", "success_criteria": [{"type": "skill_triggered", "skill_name": "x"}]}, 1),
    ],
)
def test_every_shape(tmp_path: Path, document: Any, queries: int) -> None:
    suite = suite_of(tmp_path, document)
    assert (suite.status, suite.cases, suite.shape) == ("trigger_suite", (), "trigger")
    assert sum(each.count for each in suite.mapping) == queries
    assert codes(suite.findings) == ["trigger-suite"]
    assert suite.findings[0].severity == "info"
    with pytest.raises(SuiteError, match="trigger suite"):
        require_runnable(suite, "naming")


def test_a_flag_beside_a_text_to_grade_by_is_an_ordinary_case(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, [{**QUERY, "expected_output": "R"}, QUERY])
    assert [case.prompt for case in suite.cases] == ["name this"]
    assert (suite.status, codes(suite.findings)) == ("runnable", ["trigger-cases"])


@pytest.mark.parametrize("document", [{"positive": ["a"]}, {"words": ["a"]}, [{"query": "q"}]])
def test_what_is_none(tmp_path: Path, document: Any) -> None:
    assert suite_of(tmp_path, document).status == "unusable"


def test_a_trigger_file_that_cannot_be_read_is_no_error(tmp_path: Path) -> None:
    files = lay(tmp_path, {"s/SKILL.md": SKILL, "s/evals/trigger_queries.json": '{"should_trigger": [],\n "should_trigger": []}'})
    suite = load_suite(files, "s", skill_name="s", source=SuiteSource("s/evals/trigger_queries.json"))
    assert (suite.status, [(each.severity, each.code) for each in suite.findings]) == (
        "trigger_suite",
        [("warning", "not-readable"), ("info", "trigger-suite")],
    )
