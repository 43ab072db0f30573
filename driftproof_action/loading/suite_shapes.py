"""What kind of file an author's document is: where its cases are, or what else it looks like. Not: what a case says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from driftproof_action.canonical import Json
from driftproof_action.loading import suite_keys as keys
from driftproof_action.loading.grading import has_grading
from driftproof_action.loading.located import Path


@dataclass(frozen=True, slots=True)
class CaseList:
    """entries: as written. path: of the list in the document; None for a document that is one case itself. key: the key
    the list stands under, empty for none. usual: whether that is a key suites are known by."""

    entries: Sequence[Json]
    path: Path | None
    key: str = ""
    usual: bool = True

    def path_of(self, index: int) -> Path:
        return () if self.path is None else (*self.path, index)


def find_cases(document: Json) -> CaseList | None:
    """The list of cases: the document itself, the first of the usual keys, one other list whose every entry is a case, or
    the document as a case of its own. None when there is no such thing."""
    if isinstance(document, list):
        return CaseList(document, ())
    if not isinstance(document, Mapping):
        return None
    for key in keys.CASE_LISTS:
        value = document.get(key)
        if isinstance(value, list):
            return CaseList(value, (key,), key)
    if _first_prompt(document) and (has_grading(document) or "id" in document):
        return CaseList([document], None)
    others = [key for key, value in document.items() if isinstance(value, list) and value and all(_is_case(entry) for entry in value)]
    return CaseList(document[others[0]], (others[0],), others[0], usual=False) if len(others) == 1 else None  # type: ignore[arg-type]


def _is_case(entry: Json) -> bool:
    return isinstance(entry, Mapping) and _first_prompt(entry) and has_grading(entry)


def _first_prompt(case: Mapping[str, Json]) -> bool:
    return any(isinstance(value := case.get(key), str) and value.strip() for key in keys.PROMPT_KEYS)


def shape_of(entries: Sequence[Json]) -> str:
    """The family a suite's keys belong to, by what most of its cases use; `own` when they belong to none."""
    cases = [entry for entry in entries if isinstance(entry, Mapping)]
    for name, known in _FAMILIES:
        if cases and sum(any(key in case for key in known) for case in cases) * 2 > len(cases):
            return name
    return "own"


_FAMILIES = (
    ("agentskills", ("assertions",)),
    ("skill-creator", ("expectations",)),
    ("flat", ("question", "ground_truth")),
    ("driftproof", ("rubric", "criteria", "expected")),
    ("agentskills", ("expected_output",)),
)


def foreign(document: Json) -> tuple[str, str] | None:
    """(what a document that is no suite looks like, what to do about it)."""
    if not isinstance(document, Mapping):
        return None
    for needed, what, fix in _FOREIGN:
        if all(key in document for key in needed):
            return what, fix
    return None


_A_SUITE = "give the eval suite it was made from (evals/evals.json)"
_FOREIGN: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("receipt_hash",), "a receipt", "read it with `driftproof validate`"),
    (("run_summary",), "the result of a benchmark run (benchmark.json)", _A_SUITE),
    (("runs", "metadata"), "the result of a benchmark run (benchmark.json)", _A_SUITE),
    (("assertion_results",), "the grading of one run (grading.json)", _A_SUITE),
    (("expectations", "summary"), "the grading of one run (grading.json)", _A_SUITE),
    (("schemaVersion", "aggregates"), "the result of a plugin evaluation", _A_SUITE),
    (("total_tokens", "duration_ms"), "the timing of one run (timing.json)", _A_SUITE),
    (("providers", "prompts"), "a promptfoo configuration", "write the prompts and what a good answer does into evals/evals.json"),
    (("prompts", "tests"), "a promptfoo configuration", "write the prompts and what a good answer does into evals/evals.json"),
    (("metrics", "tasks"), "a waza eval.yaml, whose tasks lie in files of their own", "write them as cases into evals/evals.json"),
    (("graders", "tasks"), "a waza eval.yaml, whose tasks lie in files of their own", "write them as cases into evals/evals.json"),
    (("config", "skill", "tasks"), "a waza eval.yaml, whose tasks lie in files of their own", "write them as cases into evals/evals.json"),
    (("schema_version", "graders"), "a case of a plugin evaluation (case.yaml)", "write its prompt and graders into evals/evals.json"),
    (("initial_prompt", "success_criteria"), "one task for an agent in a workspace", "write its prompt and criteria into evals/evals.json"),
)
