"""One entry of a suite becomes a SuiteCase, in its author's words. Not: finding the entries, or what the suite adds up to."""

from __future__ import annotations

import dataclasses
import unicodedata
from collections.abc import Mapping, Sequence

from driftproof_action.canonical import Json
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.suite import SuiteCase
from driftproof_action.loading import suite_keys as keys
from driftproof_action.loading.case_files import CaseFiles, Folders, read_case_files
from driftproof_action.loading.grading import Grading, read_grading
from driftproof_action.loading.identities import case_hash
from driftproof_action.loading.notebook import Notebook, Place
from driftproof_action.loading.remarks import quoted

DEFAULT_THRESHOLD = 0.7
TEXT_MAX_UNITS = 65_536
"""UTF-16 units of one text of a case. Source: limits of the published suite format."""

ID_MAX = 200

_USUAL_GRADING = ("rubric", "criteria", "expected_output", "assertions", "expectations", "expected_behavior")


def read_case(entry: Json, number: int, *, place: Place, book: Notebook, folders: Folders) -> tuple[SuiteCase, tuple[str, ...]]:
    """(the case, the paths of the files it carries, below the skill's folder). number: its position, from 1.

    Never raises for what an author wrote: a case with errors comes back unmeasured, with the first error as its reason.
    """
    fallback = f"case-{number}"
    book.begin(fallback)
    if not isinstance(entry, Mapping):
        book.case_error("bad-entry", place, "is not an object", fix='write {"prompt": "…", "expected_output": "…"}')
        return _finished(SuiteCase(fallback, "", "", (), DEFAULT_THRESHOLD, line=place.line), book, CaseFiles(), ""), ()
    id = _id(entry, fallback, place=place, book=book)
    book.case = id
    prompt = _prompt(entry, place, book)
    grading = read_grading(entry, place=place, book=book)
    if not grading.rubric and not grading.criteria and not book.failed:
        _remark_nothing_to_grade(entry, place, book)
    threshold = _threshold(entry, place, book)
    files = read_case_files(entry, place=place, book=book, folders=folders)
    _refuse_long_texts(prompt, grading, place=place, book=book)
    _note_other_keys(entry, place, book)
    case = SuiteCase(
        id=id,
        prompt=prompt,
        rubric=grading.rubric,
        criteria=grading.criteria,
        pass_threshold=threshold,
        checks=grading.checks,
        files=files.files,
        line=place.line,
        example=entry.get("example") is True,
    )
    return _finished(case, book, files, grading.workspace), files.inside


def _finished(case: SuiteCase, book: Notebook, files: CaseFiles, workspace: str) -> SuiteCase:
    """With its hole, if it has one, and its hash."""
    hole = files.hole
    if book.failed:
        hole = Hole(book.failed.replace("-", "_"), "the suite file has an error here")
    elif workspace:
        hole = Hole("needs_workspace", f"{workspace} needs a workspace, an API model has none")
        fix = "say it as a sentence about the answer, or leave it to a surface with a workspace"
        message = f"case {quoted(case.id)}: {workspace} needs a workspace; the case is not measured"
        book.remarks.warning("needs-workspace", case.line, message, fix=fix)
    case = dataclasses.replace(case, unmeasured=hole)
    return dataclasses.replace(case, case_hash=case_hash(case))


def _id(case: Mapping[str, Json], fallback: str, *, place: Place, book: Notebook) -> str:
    for key in keys.ID_KEYS:
        value = case.get(key)
        if value is None or value == "":
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            if key != "id":
                continue
            message = f"id is {quoted(value)}, neither a text nor a whole number"
            book.case_error("bad-id", place.at(key), message, fix='write "id": "a-name"')
            return fallback
        id = str(value)
        if len(id) > ID_MAX or any(unicodedata.category(char) in ("Cc", "Cs") for char in id) or not id.strip():
            message = f"{key} is longer than {ID_MAX} characters, blank, or holds control characters"
            book.case_error("bad-id", place.at(key), message, fix='write "id": "a-name"')
            return fallback
        return id
    return fallback


def _prompt(case: Mapping[str, Json], place: Place, book: Notebook) -> str:
    for key in keys.PROMPT_KEYS:
        value = case.get(key)
        if isinstance(value, str) and value.strip():
            book.count("prompt", key)
            return value
    turns = next((key for key in keys.TURN_KEYS if case.get(key)), None)
    present = next((key for key in keys.PROMPT_KEYS if key in case), None)
    if turns:
        message, fix = f"has no single prompt; {turns} holds several turns, which are not run", 'add "prompt": "one message"'
    elif present:
        message, fix = f"{present} holds no text", f'write "{present}": "what the model is asked"'
    else:
        message, fix = f"has no prompt: none of {', '.join(keys.PROMPT_KEYS)}", 'add "prompt": "what the model is asked"'
    book.case_error("no-prompt", place.at(present) if present else place, message, fix=fix)
    return ""


def _remark_nothing_to_grade(case: Mapping[str, Json], place: Place, book: Notebook) -> None:
    spoken = dict.fromkeys((*keys.RUBRIC_KEYS, *keys.GOAL_KEYS, *keys.SENTENCE_LISTS, *keys.AVOID_LISTS))
    near = [key for key in case if keys.near_miss(key) in spoken]
    meant = f"; {quoted(near[0])} is not one of them" if near else ""
    message = f"has nothing to grade by: none of {', '.join(_USUAL_GRADING)} holds text{meant}"
    fix = 'add "expected_output": "what a good answer does" (or a list of sentences under "assertions")'
    book.case_error("nothing-to-grade", place, message, fix=fix)


def _threshold(case: Mapping[str, Json], place: Place, book: Notebook) -> float:
    for key in keys.THRESHOLD_KEYS:
        if case.get(key) is None:
            continue
        value = book.number(case[key])
        if value is None or not 0 <= value <= 1:
            message = f"{key} is {quoted(case[key])}, not a number from 0 to 1"
            book.case_error("bad-threshold", place.at(key), message, fix=f'write "{key}": {DEFAULT_THRESHOLD}, or leave it out')
            return DEFAULT_THRESHOLD
        book.count("threshold", key)
        return value
    return DEFAULT_THRESHOLD


def _refuse_long_texts(prompt: str, grading: Grading, *, place: Place, book: Notebook) -> None:
    texts: Sequence[tuple[str, str]] = (
        ("its prompt", prompt),
        ("its rubric", grading.rubric),
        *((f"criterion {each.id}", each.description) for each in grading.criteria),
    )
    for what, text in texts:
        units = len(text.encode("utf-16-le")) // 2
        if units > TEXT_MAX_UNITS:
            message = f"{what} has {units} characters, the limit is {TEXT_MAX_UNITS}"
            book.case_error("too-long", place, message, fix="shorten it, or put the material into a file under files")


def _note_other_keys(case: Mapping[str, Json], place: Place, book: Notebook) -> None:
    for key, value in case.items():
        if key in keys.COMMAND_KEYS and value:
            book.command(place.at(key), key)
        elif key not in keys.CASE_KEYS:
            book.unknown(key, place.at(key).line)
