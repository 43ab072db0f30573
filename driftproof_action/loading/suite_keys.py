"""Which keys of an author's file mean what: the tables of the mapping. Not: the reading."""

from __future__ import annotations

from collections.abc import Mapping

SUITE_PLACES = (
    "evals/evals.json",
    "evals/evals.yaml",
    "evals/evals.yml",
    "evals/evals.jsonl",
    "evals.json",
    "evals.yaml",
    "evals.yml",
    "evals.jsonl",
    "tests/evals.json",
    "benchmark/evals.json",
)
"""Where a suite is looked for, below the skill's folder; the first that is there is read."""

CASE_LISTS = ("evals", "cases", "tests", "test_cases", "evaluations", "tasks", "scenarios")
ID_KEYS = ("id", "name", "eval_name", "slug")
PROMPT_KEYS = ("prompt", "input", "task", "query", "question", "user_prompt")
RUBRIC_KEYS = ("rubric", "criteria", "expected")
"""A text under one of these grades the answer as a whole."""

GOAL_KEYS = ("expected_output", "ground_truth")
"""A text under one of these says what a good answer does: context of a list of sentences, the rubric without one."""

SENTENCE_LISTS = ("criteria", "rubric", "checks", "assertions", "expectations", "expected_behavior", "must_have")
"""Lists of sentences, in the order their criteria come; under the first two a text is a rubric instead."""

AVOID_LISTS = ("must_not_have", "must_not", "fail", "avoid")
"""Lists of what an answer must not do."""

FILE_KEYS = ("files", "input_files")
THRESHOLD_KEYS = ("pass_threshold", "threshold")
COMMAND_KEYS = ("cmd", "scaffold_script", "deterministic_assertions", "setup_script", "verify_script")
"""Code in an author's file: never run, whatever it holds."""

TURN_KEYS = ("messages", "turns", "query_flow", "conversation", "dialogue")
"""Several turns: one draw is one prompt and one answer."""

TRIGGER_FLAGS = (
    "should_trigger",
    "shouldTrigger",
    "expected_trigger",
    "expectedTrigger",
    "expect_trigger",
    "should_activate",
    "should",
)
TRIGGER_LISTS = ("should_trigger", "should_not_trigger", "shouldTrigger", "shouldNotTrigger", "positive", "negative")

SILENT_KEYS = frozenset({"description", "notes", "note", "comment", "_comment", "tags", "category", "claim", "grounding", "origin"})
"""Notes to people: not read, and not worth a remark."""

CASE_KEYS = frozenset(
    {
        *ID_KEYS,
        *PROMPT_KEYS,
        *RUBRIC_KEYS,
        *GOAL_KEYS,
        *SENTENCE_LISTS,
        *AVOID_LISTS,
        *FILE_KEYS,
        *THRESHOLD_KEYS,
        *COMMAND_KEYS,
        *TURN_KEYS,
        *TRIGGER_FLAGS,
        *SILENT_KEYS,
        "example",
        "expected_skill",
    }
)

SENTENCE_KEYS: Mapping[str, tuple[str, ...]] = {
    "criteria": ("description", "pass_if", "criterion", "text", "assertion", "check", "name"),
    "rubric": ("pass_if", "criterion", "description", "text", "assertion", "check", "name"),
}
"""Where the sentence of an object in a list stands; the first that holds text. Other lists: OTHER_SENTENCE_KEYS."""

OTHER_SENTENCE_KEYS = ("text", "description", "assertion", "check", "name", "criterion", "pass_if")

_NEAR = {
    "must_avoid": "avoid",
    "must_not_include": "must_not_have",
    "must_include": "must_have",
    "expect": "expected_output",
    "expected_answer": "expected_output",
    "expected_result": "expected_output",
    "reference": "expected_output",
    "answer": "expected_output",
    "user_input": "prompt",
    "instruction": "prompt",
    "text": "prompt",
    "graders": "assertions",
    "assert": "assertions",
}


def near_miss(key: str) -> str | None:
    """The key an unknown key was probably meant to be: other case or spelling, singular for plural, a usual synonym."""
    if key in CASE_KEYS:
        return None
    return _NEAR.get(key) or _BY_FORM.get(_form(key))


def _form(key: str) -> str:
    return "".join(char for char in key.lower() if char.isalnum()).removesuffix("s")


_BY_FORM = {_form(key): key for key in (*PROMPT_KEYS, *RUBRIC_KEYS, *GOAL_KEYS, *SENTENCE_LISTS, *AVOID_LISTS, *FILE_KEYS, *THRESHOLD_KEYS)}
