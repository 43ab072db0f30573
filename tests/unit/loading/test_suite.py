"""loading/suite, case_reader, suite_shapes: which file, which cases, what an author is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.errors import DriftproofError, SuiteError
from driftproof_action.loading.identities import suite_canary
from driftproof_action.loading.suite import SuiteSource, find_suite, load_suite, require_runnable, suite_files
from tests.unit.loading.laying import SKILL, case_of, codes, finding, lay, suite_of

GOOD = {"prompt": "P", "expected_output": "R"}


# ---- which file -------------------------------------------------------------------------------------------------


def test_the_first_of_the_places_is_read_and_the_others_are_named(tmp_path: Path) -> None:
    files = lay(tmp_path, {"s/SKILL.md": SKILL, "s/tests/evals.json": json.dumps([GOOD]), "s/evals.yaml": "- {prompt: P, expected: R}\n"})
    assert find_suite(files, "s") == SuiteSource("s/evals.yaml", ("s/tests/evals.json",))
    suite = load_suite(files, "s", skill_name="s")
    assert (suite.file, suite.status) == ("evals.yaml", "runnable")
    assert '"tests/evals.json"' in finding(suite.findings, "other-suites").message
    lay(tmp_path, {"s/evals/evals.json": json.dumps([GOOD])})
    assert load_suite(files, "s", skill_name="s").file == "evals/evals.json"
    assert suite_files(files, "s") == ("evals/evals.json",)


def test_no_suite_is_a_finding_and_an_error_of_run(tmp_path: Path) -> None:
    suite = load_suite(lay(tmp_path, {"s/SKILL.md": SKILL}), "s", skill_name="s")
    assert (suite.status, suite.file, codes(suite.findings)) == ("unusable", "", ["no-suite"])
    with pytest.raises(SuiteError, match="has no eval suite"):
        require_runnable(suite, "naming")


@pytest.mark.parametrize("target", ["/etc/passwd", "nowhere", "real.json"])
def test_a_suite_behind_a_link_is_refused(tmp_path: Path, target: str) -> None:
    files = lay(tmp_path, {"s/SKILL.md": SKILL, "s/evals/real.json": json.dumps([GOOD])})
    (tmp_path / "s/evals/evals.json").symlink_to(target)
    with pytest.raises(SuiteError, match="symbolic link") as caught:
        load_suite(files, "s", skill_name="s")
    assert caught.value.place == "s/evals/evals.json"


def test_a_folder_of_suites_behind_a_link_is_refused(tmp_path: Path) -> None:
    files = lay(tmp_path, {"s/SKILL.md": SKILL, "elsewhere/evals.json": json.dumps([GOOD])})
    (tmp_path / "s/evals").symlink_to("../elsewhere")
    with pytest.raises(SuiteError, match="symbolic link"):
        find_suite(files, "s")


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("evals/evals.json", "\ufeff" + json.dumps({"evals": [GOOD]})),
        ("evals/evals.yaml", "evals:\n  - prompt: P\n    expected_output: R\n"),
        ("evals/evals.yml", "- prompt: P\n  expected_output: R\n"),
        ("evals/evals.jsonl", json.dumps(GOOD) + "\n\n"),
    ],
)
def test_every_format_gives_the_same_case(tmp_path: Path, place: str, text: str) -> None:
    suite = suite_of(tmp_path, text, place=place)
    assert [(case.id, case.prompt, case.rubric, case.pass_threshold) for case in suite.cases] == [("case-1", "P", "R", 0.7)]


@pytest.mark.parametrize(
    ("place", "text", "line", "words"),
    [
        ("evals/evals.json", '{\n  // note\n  "evals": []}', 2, "not JSON"),
        ("evals/evals.json", '{"evals": [],}', 1, "not JSON"),
        ("evals/evals.json", "", 0, "is empty"),
        ("evals/evals.json", '{"a": NaN}', 1, "NaN"),
        ("evals/evals.json", '{"id": 12345678901234567890}', 0, "integer"),
        ("evals/evals.yaml", "a: &x [1]\nevals: *x\n", 2, "alias"),
        ("evals/evals.yaml", "evals: []\nevals: []\n", 2, "twice"),
        ("evals/evals.jsonl", '{"prompt": "P"}\nnope\n', 2, "not JSON"),
        ("evals/evals.json", "[" * 100_000, 1, "nested deeper"),
    ],
)
def test_unreadable_files_are_findings_with_their_line(tmp_path: Path, place: str, text: str, line: int, words: str) -> None:
    suite = suite_of(tmp_path, text, place=place)
    (only,) = suite.findings
    assert (only.code, only.severity, only.file, only.line) == ("not-readable", "error", f"naming/{place}", line)
    assert words in only.message
    assert suite.status == "unusable"
    with pytest.raises(SuiteError) as caught:
        require_runnable(suite, "naming")
    assert caught.value.place == (f"naming/{place}:{line}" if line else f"naming/{place}")


def test_a_file_of_another_format_is_said(tmp_path: Path) -> None:
    files = lay(tmp_path, {"s/SKILL.md": SKILL, "s/evals.txt": "x"})
    suite = load_suite(files, "s", skill_name="s", source=SuiteSource("s/evals.txt"))
    assert codes(suite.findings) == ["unknown-format"]


# ---- which cases ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        [GOOD],
        {"evals": [GOOD]},
        {"cases": [GOOD], "name": "x"},
        {"tests": [GOOD]},
        {"test_cases": [GOOD]},
        {"evaluations": [GOOD]},
        {"tasks": [GOOD]},
        {"scenarios": [GOOD]},
        GOOD,
        {"unheard_of": [GOOD], "notes": ["x"]},
    ],
)
def test_where_cases_are_found(tmp_path: Path, document: Any) -> None:
    suite = suite_of(tmp_path, document)
    assert [case.prompt for case in suite.cases] == ["P"]
    assert suite.status == "runnable"
    assert ("unusual-list" in codes(suite.findings)) == (isinstance(document, dict) and "unheard_of" in document)


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({"evals": []}, "empty-suite"),
        ([], "empty-suite"),
        ({}, "no-cases"),
        ({"a": [GOOD], "b": [GOOD]}, "no-cases"),
        ("3", "no-cases"),
        ({"metadata": {}, "runs": [{"eval_id": 1}], "run_summary": {}}, "other-file"),
        ({"expectations": [{"text": "t", "passed": True, "evidence": "e"}], "summary": {"passed": 1}}, "other-file"),
        ({"assertion_results": []}, "other-file"),
        ({"schema_version": "0.6", "receipt_hash": "x"}, "other-file"),
        (
            {"providers": ["x"], "prompts": ["y"], "tests": [{"vars": {"q": "z"}, "assert": [{"type": "contains"}]}]},
            "other-file",
        ),
        ({"name": "x", "skill": "y", "config": {}, "metrics": [], "tasks": ["tasks/*.yaml"]}, "other-file"),
        ({"initial_prompt": "x", "success_criteria": [{"type": "file_exists"}]}, "other-file"),
    ],
)
def test_what_is_no_suite_is_named(tmp_path: Path, document: Any, code: str) -> None:
    suite = suite_of(tmp_path, document)
    assert codes(suite.findings, "error") == [code]
    assert suite.status == "unusable"
    assert all(each.fix for each in suite.findings)
    with pytest.raises(SuiteError):
        require_runnable(suite, "naming")


def test_a_suite_of_another_tool_is_read_where_it_can_be(tmp_path: Path) -> None:
    text = """
scenarios:
  - name: Bulk work
    prompt: How do I delete many rows?
    assertions:
      - type: output_matches
        pattern: (ExecuteDelete|TRUNCATE)
    rubric:
      - Warns about missing filters
    timeout: 90
"""
    suite = suite_of(tmp_path, text, place="evals/evals.yaml")
    (case,) = suite.cases
    assert (case.id, [each.description for each in case.criteria if not each.check]) == ("Bulk work", ["Warns about missing filters"])
    assert [each.check.values for each in case.criteria if each.check] == [("(ExecuteDelete|TRUNCATE)",)]
    assert suite.status == "runnable"


def test_bounds(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, [GOOD] * 501)
    assert "501 cases, the limit is 500" in finding(suite.findings, "too-many-cases").message
    case, suite = case_of(tmp_path, {"prompt": "😀" * 32_769, "expected_output": "R"})
    assert "65538 characters, the limit is 65536" in finding(suite.findings, "too-long").message
    assert case.unmeasured is not None


# ---- ids, prompts, thresholds -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "id"),
    [
        ({"id": 0}, "0"),
        ({"id": 12}, "12"),
        ({"id": "a b/ü"}, "a b/ü"),
        ({"name": "n", "slug": "s"}, "n"),
        ({"eval_name": "e"}, "e"),
        ({"slug": "s"}, "s"),
        ({"id": None}, "case-1"),
        ({"id": ""}, "case-1"),
        ({"name": ["x"]}, "case-1"),
        ({}, "case-1"),
    ],
)
def test_ids(tmp_path: Path, entry: dict[str, Any], id: str) -> None:
    suite = suite_of(tmp_path, [{**GOOD, **entry}])
    assert [case.id for case in suite.cases] == [id]
    assert suite.canary == suite_canary("naming", [id])
    assert suite.status == "runnable"


@pytest.mark.parametrize("id", [True, False, 1.5, ["a"], {"a": 1}, "x" * 201, "a\nb", " "])
def test_what_is_no_id(tmp_path: Path, id: Any) -> None:
    suite = suite_of(tmp_path, [{**GOOD, "id": id}])
    assert codes(suite.findings, "error") == ["bad-id"]


def test_ids_are_unique_once_they_are_text(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, [{**GOOD, "id": 1}, {**GOOD, "id": "1"}, {**GOOD, "id": "case-4"}, GOOD])
    messages = [each.message for each in suite.findings if each.code == "duplicate-id"]
    assert messages == [
        'case "1": the id is used twice, by cases 1 and 2 of the file',
        'case "case-4": the id is used twice, by cases 3 and 4 of the file',
    ]
    assert suite.status == "partly"
    with pytest.raises(SuiteError, match="used twice") as caught:
        require_runnable(suite, "naming")
    assert "by cases 3 and 4" in caught.value.detail


@pytest.mark.parametrize("key", ["prompt", "input", "task", "query", "question", "user_prompt"])
def test_prompts_are_verbatim(tmp_path: Path, key: str) -> None:
    text = "/run {x} {{y}} %s %(z)s $HOME ${{ secrets.A }}\n\tline two \\n </answer>"
    suite = suite_of(tmp_path, [{key: text, "expected_output": text, "assertions": [text]}])
    (case,) = suite.cases
    assert (case.prompt, case.rubric, case.criteria[0].description) == (text, text, text)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ({"expected_output": "R"}, "none of prompt, input"),
        ({"prompt": "", "expected_output": "R"}, "prompt holds no text"),
        ({"prompt": ["a"], "expected_output": "R"}, "prompt holds no text"),
        ({"query_flow": ["a", "b"], "expected_output": "R"}, "several turns"),
    ],
)
def test_no_prompt(tmp_path: Path, case: dict[str, Any], words: str) -> None:
    suite = suite_of(tmp_path, [GOOD, case])
    assert words in finding(suite.findings, "no-prompt").message
    assert suite.status == "partly"
    assert [each.unmeasured.reason for each in suite.cases if each.unmeasured] == ["no_prompt"]


def test_an_empty_prompt_falls_through_to_the_next_key(tmp_path: Path) -> None:
    assert suite_of(tmp_path, [{"prompt": "", "query": "Q", "expected_output": "R"}]).cases[0].prompt == "Q"


@pytest.mark.parametrize(("value", "read"), [(0, 0), (1, 1), (0.85, 0.85), (None, 0.7)])
def test_thresholds(tmp_path: Path, value: Any, read: float) -> None:
    case, suite = case_of(tmp_path, {"expected_output": "R", "threshold": value})
    assert (case.pass_threshold, suite.status) == (read, "runnable")


@pytest.mark.parametrize("value", [70, -0.1, "0.9", True, [1]])
def test_what_is_no_threshold(tmp_path: Path, value: Any) -> None:
    _, suite = case_of(tmp_path, {"expected_output": "R", "pass_threshold": value})
    assert codes(suite.findings, "error") == ["bad-threshold"]


def test_nothing_to_grade_names_the_case_and_what_came_near(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, {"evals": [{"id": 3, "prompt": "P", "assertion": "x"}]})
    error = finding(suite.findings, "nothing-to-grade")
    assert 'case "3"' in error.message
    assert '"assertion" is not one of them' in error.message
    assert error.line == 3
    near = finding(suite.findings, "near-miss")
    assert (near.severity, near.fix) == ("warning", 'rename it to "assertions"')


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("assertion", "assertions"),
        ("expected_outputs", "expected_output"),
        ("expectedOutput", "expected_output"),
        ("Assertions", "assertions"),
        ("expectation", "expectations"),
        ("rubrics", "rubric"),
        ("file", "files"),
        ("must_avoid", "avoid"),
        ("mustNotHave", "must_not_have"),
    ],
)
def test_near_misses_are_warned(tmp_path: Path, key: str, meant: str) -> None:
    _, suite = case_of(tmp_path, {"expected_output": "R", key: "x"})
    assert f'did you mean "{meant}"?' in finding(suite.findings, "near-miss").message


def test_unknown_keys_are_listed_once(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, [{**GOOD, "colour": 1, "id": n} for n in range(3)])
    (only,) = suite.findings
    assert (only.severity, only.code, only.message) == ("info", "unknown-keys", 'keys nothing is read from: "colour"')


def test_examples_and_negative_controls(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, [{**GOOD, "example": True}, {**GOOD, "expected_skill": None, "example": "true"}])
    assert [case.example for case in suite.cases] == [True, False]
    assert codes(suite.findings) == ["example-cases", "negative-controls"]
    assert suite.status == "runnable"


def test_the_name_in_the_suite_is_compared(tmp_path: Path) -> None:
    assert codes(suite_of(tmp_path, {"skill_name": "naming", "evals": [GOOD]}).findings) == []
    assert codes(suite_of(tmp_path, {"skill_name": "other", "evals": [GOOD]}).findings) == ["skill-name"]


@pytest.mark.parametrize(
    ("case", "shape"),
    [
        ({"assertions": ["a"], "expected_output": "R"}, "agentskills"),
        ({"expectations": ["a"], "expected_output": "R"}, "skill-creator"),
        ({"question": "Q", "ground_truth": "R"}, "flat"),
        ({"rubric": "R"}, "driftproof"),
        ({"must_have": ["a"]}, "own"),
    ],
)
def test_shapes(tmp_path: Path, case: dict[str, Any], shape: str) -> None:
    assert suite_of(tmp_path, [{"prompt": "P", **case}]).shape == shape


def test_an_entry_that_is_no_object_keeps_its_place(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, ["a text", GOOD])
    assert [(case.id, case.unmeasured is None) for case in suite.cases] == [("case-1", False), ("case-2", True)]
    assert codes(suite.findings) == ["bad-entry"]


def test_a_suite_that_can_run_is_let_through(tmp_path: Path) -> None:
    require_runnable(suite_of(tmp_path, [GOOD, {**GOOD, "files": ["gone.txt"]}]), "naming")


def test_a_suite_in_which_nothing_can_run_is_not(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="no case that can run") as caught:
        require_runnable(suite_of(tmp_path, [{**GOOD, "files": ["gone.txt"]}]), "naming")
    assert "files_missing" in caught.value.detail
    assert caught.value.place == "naming/evals/evals.json"


def test_many_errors_are_cut(tmp_path: Path) -> None:
    with pytest.raises(SuiteError) as caught:
        require_runnable(suite_of(tmp_path, [{"prompt": "P"}] * 40), "naming")
    assert "and 19 more" in caught.value.detail


_leaf = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text(max_size=8)
_WORDS = """
id name prompt query rubric criteria expected expected_output assertions expectations checks must_not files pass_threshold type kind check
pattern patterns value flags text weight path content should_trigger trigger evals cmd cases example
"""
_keys = st.sampled_from(sorted(_WORDS.split()))
_document = st.recursive(_leaf, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_keys, inner, max_size=5), max_leaves=25)


@given(_document)
@settings(max_examples=300, deadline=None)
def test_no_document_ends_in_anything_but_a_suite(tmp_path_factory: pytest.TempPathFactory, document: Any) -> None:
    suite = suite_of(tmp_path_factory.getbasetemp() / "fuzz", {"evals": document} if isinstance(document, list) else document)
    assert suite.status in ("runnable", "partly", "trigger_suite", "unusable")
    assert len({case.case_hash for case in suite.cases}) <= len(suite.cases)
    assert all(each.message and "\n" not in each.message for each in suite.findings)
    try:
        require_runnable(suite, "naming")
    except DriftproofError as error:
        assert error.exit_code == 2  # noqa: PT017
    else:
        assert any(case.unmeasured is None and case.prompt and (case.rubric or case.criteria) for case in suite.cases)
