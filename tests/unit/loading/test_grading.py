"""loading/grading and loading/code_checks: every row of the mapping table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from driftproof_action.domain.suite import Check, Mapped
from tests.unit.loading.laying import case_of, codes, finding, suite_of


def _sentences(tmp_path: Path, case: dict[str, Any]) -> list[str]:
    return [each.description for each in case_of(tmp_path, case)[0].criteria]


@pytest.mark.parametrize("key", ["checks", "assertions", "expectations", "expected_behavior", "must_have", "criteria", "rubric"])
def test_lists_of_sentences_are_criteria(tmp_path: Path, key: str) -> None:
    case, suite = case_of(tmp_path, {key: ["says one", "says two"]})
    assert [(each.id, each.weight, each.description, each.check) for each in case.criteria] == [
        ("check-1", 1, "says one", None),
        ("check-2", 1, "says two", None),
    ]
    assert (case.rubric, suite.status) == ("", "runnable")
    assert Mapped("criteria", key, 2) in suite.mapping


@pytest.mark.parametrize("key", ["expected_behavior", "assertions", "must_have", "checks"])
def test_a_text_is_a_list_of_one(tmp_path: Path, key: str) -> None:
    assert _sentences(tmp_path, {key: "greets the user"}) == ["greets the user"]


@pytest.mark.parametrize("key", ["must_not_have", "must_not", "fail", "avoid"])
def test_what_must_not_be(tmp_path: Path, key: str) -> None:
    case, _ = case_of(tmp_path, {"assertions": ["a"], key: ["swears"]})
    assert [(each.id, each.description) for each in case.criteria] == [
        ("check-1", "a"),
        ("avoid-1", "The answer does not do this: swears"),
    ]


@pytest.mark.parametrize("key", ["rubric", "criteria", "expected"])
def test_an_explicit_rubric_grades_and_the_lists_are_one_finding(tmp_path: Path, key: str) -> None:
    case, suite = case_of(tmp_path, {key: "Be kind.", "assertions": ["a"], "expectations": ["b"], "expected_output": "c"})
    assert (case.rubric, case.criteria) == ("Be kind.", ())
    only = finding(suite.findings, "lists-not-used")
    assert all(word in only.message for word in ("assertions", "expectations", "expected_output", f"`{key}`"))
    assert codes(suite.findings).count("lists-not-used") == 1


@pytest.mark.parametrize("key", ["expected_output", "ground_truth"])
def test_the_expected_output_alone_is_the_rubric_and_context_otherwise(tmp_path: Path, key: str) -> None:
    alone, suite = case_of(tmp_path, {key: "Goal", "assertions": []})
    assert (alone.rubric, alone.criteria) == ("Goal", ())
    assert Mapped("rubric", key, 1) in suite.mapping
    beside, suite = case_of(tmp_path, {key: "Goal", "assertions": ["a"]})
    assert (beside.rubric, [each.description for each in beside.criteria]) == ("Goal", ["a"])
    assert Mapped("context", key, 1) in suite.mapping


def test_both_assertions_and_expectations_count_in_key_order_and_equal_texts_once(tmp_path: Path) -> None:
    case, suite = case_of(tmp_path, {"expectations": ["b", "a"], "assertions": ["a", "c"], "must_have": ["d"], "expected_behavior": ["b"]})
    assert [each.description for each in case.criteria] == ["a", "c", "b", "d"]
    assert finding(suite.findings, "equal-texts").severity == "info"


def test_the_two_keys_mean_the_same(tmp_path: Path) -> None:
    one, first = case_of(tmp_path / "1", {"assertions": ["a", "b"]})
    other, second = case_of(tmp_path / "2", {"expectations": ["a", "b"]})
    assert one.case_hash == other.case_hash
    assert first.suite_hash == second.suite_hash


def test_native_criteria_keep_id_weight_and_context(tmp_path: Path) -> None:
    case, _ = case_of(tmp_path, {"criteria": [{"id": "k1", "weight": 2, "description": "d"}], "rubric": "context"})
    assert [(each.id, each.weight, each.description) for each in case.criteria] == [("k1", 2, "d")]
    assert case.rubric == "context"


@pytest.mark.parametrize(
    ("entry", "id", "text"),
    [
        ({"text": "t", "description": "d"}, "check-1", "t"),
        ({"name": "has-x", "description": "d"}, "has-x", "d"),
        ({"name": "Has X!", "description": "d"}, "check-1", "d"),
        ({"name": "only the name"}, "check-1", "only the name"),
        ({"id": "a.b", "name": "n", "assertion": "s"}, "a.b", "s"),
        ({"id": 7, "text": "t"}, "7", "t"),
        ({"id": "no spaces please", "text": "t"}, "check-1", "t"),
        ({"check": "says a thing", "name": "n"}, "n", "says a thing"),
        ({"check": "word", "name": "the name"}, "check-1", "the name"),
        ({"text": "t", "type": "semantic"}, "check-1", "t"),
        ({"text": "t", "type": "contains"}, "check-1", "t"),
        ({"text": "t", "critical": True}, "check-1", "t"),
    ],
)
def test_objects_collapse_to_a_sentence(tmp_path: Path, entry: dict[str, Any], id: str, text: str) -> None:
    case, suite = case_of(tmp_path, {"assertions": [entry]})
    assert [(each.id, each.description, each.check) for each in case.criteria] == [(id, text, None)]
    assert suite.status == "runnable"


def test_rubric_lists(tmp_path: Path) -> None:
    entries = [
        {"dimension": "truth", "pass_if": "is true"},
        {"criterion": "Clear", "weight": 0.4, "description": "d"},
        {"description": "e"},
    ]
    case, _ = case_of(tmp_path, {"rubric": entries, "assertions": ["last"]})
    assert [(each.id, each.weight, each.description) for each in case.criteria] == [
        ("truth", 1, "is true"),
        ("check-2", 0.4, "Clear"),
        ("check-3", 1, "e"),
        ("check-4", 1, "last"),
    ]


def test_ids_that_are_not_unique_are_numbered(tmp_path: Path) -> None:
    case, suite = case_of(tmp_path, {"assertions": [{"id": "x", "text": "a"}, {"id": "x", "text": "b"}, {"id": "check-1", "text": "c"}]})
    ids = [each.id for each in case.criteria]
    assert len(set(ids)) == 3
    assert ids[2] == "check-1"
    assert codes(suite.findings).count("criterion-id") == 2


@pytest.mark.parametrize(
    ("entry", "check"),
    [
        ({"type": "contains", "value": "Hi"}, Check("contains", "contains", ("Hi",))),
        ({"type": "contains_phrase", "phrase": "Hi", "flags": "i"}, Check("contains_phrase", "contains", ("Hi",), "i")),
        ({"type": "not_contains", "value": "x", "case_sensitive": False}, Check("not_contains", "not_contains", ("x",), "i")),
        ({"type": "regex", "pattern": "^a", "flags": "mi"}, Check("regex", "regex", ("^a",), "im")),
        ({"check": "regex", "pattern": "a", "scope": "response"}, Check("regex", "regex", ("a",))),
        ({"type": "patterns", "patterns": ["a", "b"]}, Check("patterns", "regex", ("a", "b"))),
        ({"type": "regex", "patterns": ["a", "b"]}, Check("regex", "regex", ("a", "b"))),
        ({"type": "min_length", "value": 20}, Check("min_length", "min_length", minimum=20)),
        ({"type": "output_matches", "pattern": "(A|B)"}, Check("output_matches", "regex", ("(A|B)",))),
    ],
)
def test_what_is_decided_in_code(tmp_path: Path, entry: dict[str, Any], check: Check) -> None:
    case, suite = case_of(tmp_path, {"assertions": ["judged", {**entry, "name": "by-code"}]})
    judged, decided = case.criteria
    assert judged.check is None
    assert (decided.id, decided.check, decided.description) == ("by-code", check, "by-code")
    assert Mapped("criteria in code", "assertions", 1) in suite.mapping
    nameless, _ = case_of(tmp_path, {"assertions": [entry]})
    assert nameless.criteria[0].description.startswith("The answer ")


def test_native_checks_stand_beside_and_do_not_grade(tmp_path: Path) -> None:
    checks = [
        {"kind": "contains", "value": "x"},
        {"name": "n", "kind": "regex", "pattern": "a|b", "flags": "i"},
        {"kind": "min_length", "value": 3},
    ]
    case, suite = case_of(tmp_path, {"rubric": "R", "checks": checks})
    assert case.checks == (
        Check("contains", "contains", ("x",)),
        Check("n", "regex", ("a|b",), "i"),
        Check("min_length", "min_length", minimum=3),
    )
    assert (case.rubric, case.criteria) == ("R", ())
    alone, suite = case_of(tmp_path, {"checks": checks})
    assert codes(suite.findings, "error") == ["nothing-to-grade"]
    assert alone.unmeasured is not None


def test_native_checks_that_need_a_workspace_are_left_out(tmp_path: Path) -> None:
    case, suite = case_of(tmp_path, {"rubric": "R", "checks": [{"kind": "file_exists", "value": "x"}]})
    assert (case.checks, case.unmeasured, codes(suite.findings)) == ((), None, ["check-needs-workspace"])


@pytest.mark.parametrize("kind", ["file_exists", "tool_used", "command"])
def test_what_needs_a_workspace_is_not_measured(tmp_path: Path, kind: str) -> None:
    case, suite = case_of(tmp_path, {"assertions": ["a", {"type": kind, "path": "out.md"}]})
    assert case.unmeasured is not None
    assert case.unmeasured.reason == "needs_workspace"
    assert len(case.criteria) == 2
    assert (suite.status, codes(suite.findings)) == ("unusable", ["needs-workspace"])


def test_commands_are_ignored_with_one_finding(tmp_path: Path) -> None:
    command = {"check": "passes the gate", "cmd": ["sh", "-c", "touch /tmp/never"], "expect_exit": 0}
    case, suite = case_of(tmp_path, {"assertions": ["a", command], "deterministic_assertions": [command], "scaffold_script": "rm -rf /"})
    assert [each.description for each in case.criteria] == ["a"]
    only = finding(suite.findings, "commands-ignored")
    assert codes(suite.findings) == ["commands-ignored"]
    assert all(word in only.message for word in ("assertions[].cmd", "deterministic_assertions", "scaffold_script"))
    assert case.unmeasured is None


@pytest.mark.parametrize(
    ("entry", "code", "words"),
    [
        (7, "bad-entry", "assertions[1] is the number 7"),
        (True, "bad-entry", "assertions[1] is true"),
        (None, "bad-entry", "assertions[1] is null"),
        ("", "bad-entry", "assertions[1] is an empty text"),
        ("  ", "bad-entry", "assertions[1] is an empty text"),
        (["x"], "bad-entry", "assertions[1] is a list"),
        ({}, "bad-entry", "assertions[1] has no sentence"),
        ({"type": "llm_judge"}, "unknown-kind", '"llm_judge"'),
        ({"type": "regex", "pattern": "("}, "bad-check", "not a regular expression"),
        ({"type": "regex", "pattern": 5}, "bad-check", "is not a text"),
        ({"type": "regex"}, "bad-check", "no pattern"),
        ({"type": "patterns", "patterns": []}, "bad-check", "no pattern"),
        ({"type": "regex", "pattern": "a", "flags": "g"}, "bad-check", 'flag "g"'),
        ({"type": "regex", "pattern": "a", "flags": 3}, "bad-check", "not a text"),
        ({"type": "contains", "value": "a", "flags": "m"}, "bad-check", 'flag "m"'),
        ({"type": "contains", "value": ""}, "bad-check", "no text to look for"),
        ({"type": "min_length", "value": "long"}, "bad-check", "whole number"),
        ({"type": "min_length", "value": True}, "bad-check", "whole number"),
        ({"type": "regex", "pattern": "a" * 257}, "bad-check", "257 characters, the limit is 256"),
        ({"text": "t", "weight": 0}, "bad-weight", "not a number above 0"),
        ({"text": "t", "weight": "2"}, "bad-weight", "not a number above 0"),
        ({"text": "t", "weight": True}, "bad-weight", "not a number above 0"),
    ],
)
def test_bad_entries_are_errors_with_case_and_place(tmp_path: Path, entry: Any, code: str, words: str) -> None:
    case, suite = case_of(tmp_path, {"assertions": ["fine", entry]})
    only = finding(suite.findings, code)
    assert only.severity == "error"
    assert 'case "c1"' in only.message
    assert words in only.message
    assert only.fix
    text = (tmp_path / "naming/evals/evals.json").read_text().split("\n")
    assert '"fine"' in text[only.line - 2]
    assert case.unmeasured is not None
    assert case.unmeasured.reason == code.replace("-", "_")


@pytest.mark.parametrize(
    ("case", "key"),
    [({"rubric": 7}, "rubric"), ({"expected_output": {"a": 1}}, "expected_output"), ({"assertions": {"contains": "x"}}, "assertions")],
)
def test_grading_of_other_types_is_an_error(tmp_path: Path, case: dict[str, Any], key: str) -> None:
    _, suite = case_of(tmp_path, case)
    assert finding(suite.findings, "grading-not-text").message.startswith(f'case "c1": {key} is ')


def test_an_unknown_kind_of_a_native_check_is_an_error(tmp_path: Path) -> None:
    _, suite = case_of(tmp_path, {"rubric": "R", "checks": [{"kind": "sounds_nice"}]})
    assert finding(suite.findings, "bad-check").severity == "error"


def test_the_number_of_criteria_is_bounded(tmp_path: Path) -> None:
    assert case_of(tmp_path, {"assertions": [f"s{n}" for n in range(50)]})[1].status == "runnable"
    _, suite = case_of(tmp_path, {"assertions": [f"s{n}" for n in range(51)]})
    assert "51 criteria, the limit is 50" in finding(suite.findings, "too-many-criteria").message


def test_numbers_may_be_text_in_yaml(tmp_path: Path) -> None:
    text = "evals:\n  - id: 1.10\n    prompt: P\n    pass_threshold: 0.80\n    assertions:\n      - {text: a, weight: 2.50}\n"
    suite = suite_of(tmp_path, text, place="evals/evals.yaml")
    (case,) = suite.cases
    assert (case.id, case.pass_threshold, case.criteria[0].weight) == ("1.10", 0.8, 2.5)
