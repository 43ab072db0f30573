"""What an author wants decided in code: objects with a kind become checks. Not: running them (graders/checks)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from driftproof_action.canonical import Json
from driftproof_action.domain.suite import Check, CheckKind
from driftproof_action.loading.remarks import quoted

PATTERN_MAX = 256
"""Characters of one pattern. Source: limits of the published suite format."""

CODE_KINDS: Mapping[str, CheckKind] = {
    "contains": "contains",
    "contains_phrase": "contains",
    "output_contains": "contains",
    "not_contains": "not_contains",
    "output_not_contains": "not_contains",
    "regex": "regex",
    "patterns": "regex",
    "output_matches": "regex",
    "min_length": "min_length",
}

WORKSPACE_KINDS = frozenset(
    {
        "file_exists",
        "file_not_exists",
        "file_contains",
        "file_not_contains",
        "file_matches",
        "files_exist",
        "file",
        "exit_code",
        "exit_success",
        "command",
        "shell",
        "script",
        "code",
        "tool_used",
        "tool_called",
        "tool_not_used",
        "tool_order",
        "tool_calls",
        "skill_invoked",
        "skill_triggered",
        "build",
        "program",
    }
)
"""What only a workspace or a transcript can show."""

_FLAGS = {"regex": "ims", "contains": "i", "not_contains": "i", "min_length": ""}
_LITERAL_KEYS = ("value", "phrase", "substring", "pattern", "expected")
_PATTERN_KEYS = ("pattern", "value", "regex")
_LENGTH_KEYS = ("value", "min_length", "minimum", "min", "length")
VALUE_KEYS = frozenset({*_LITERAL_KEYS, *_PATTERN_KEYS, *_LENGTH_KEYS, "patterns", "flags"})
"""Where the value of a check may stand."""

_WORD = re.compile(r"[A-Za-z0-9_-]+")


class BadCheckError(Exception):
    """An object with a kind that cannot be read as a check; never leaves the loading room."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


def kind_word(entry: Mapping[str, Json]) -> str:
    """What an object says it is: `type`, else `kind`, else `check` when that is one word. Empty when it does not say."""
    for key in ("type", "kind", "check"):
        value = entry.get(key)
        if isinstance(value, str) and _WORD.fullmatch(value.strip()):
            return value.strip().lower().replace("-", "_")
    return ""


def read_check(word: str, entry: Mapping[str, Json], *, name: str) -> Check:
    """A check of one of CODE_KINDS. Raises BadCheckError for what an author must mend."""
    kind = CODE_KINDS[word]
    if kind == "min_length":
        return Check(name, kind, minimum=_length(entry))
    flags = _flags(entry, kind)
    if kind == "regex":
        return Check(name, kind, _patterns(entry, flags), flags)
    value = next((text for key in _LITERAL_KEYS if isinstance(text := entry.get(key), str)), None)
    if not value:
        raise BadCheckError(f"{word} names no text to look for", 'add "value": "the text"')
    return Check(name, kind, (value,), flags)


def sentence_of(check: Check) -> str:
    """The description of a criterion whose author gave none."""
    if check.kind == "min_length":
        return f"The answer has at least {check.minimum} characters."
    verb = {"regex": "matches", "contains": "contains", "not_contains": "does not contain"}[check.kind]
    return f"The answer {verb} {' and '.join(quoted(value) for value in check.values)}."


def _length(entry: Mapping[str, Json]) -> int:
    value = next((entry[key] for key in _LENGTH_KEYS if key in entry), None)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise BadCheckError("min_length needs a whole number of characters", 'add "value": 200')
    return value


def _flags(entry: Mapping[str, Json], kind: Literal["regex", "contains", "not_contains"]) -> str:
    written = entry.get("flags", "")
    if not isinstance(written, str):
        raise BadCheckError(f"flags is {quoted(written)}, not a text", 'write "flags": "i"')
    ignore = entry.get("case_sensitive") is False or entry.get("ignore_case") is True or entry.get("case_insensitive") is True
    flags = "".join(sorted(set(written) | ({"i"} if ignore else set())))
    unknown = sorted(set(flags) - set(_FLAGS[kind]))
    if unknown:
        allowed = ", ".join(_FLAGS[kind])
        raise BadCheckError(f"{kind} does not take the flag {quoted(unknown[0])}", f"use of {allowed} what you need, nothing else")
    return flags


def _patterns(entry: Mapping[str, Json], flags: str) -> tuple[str, ...]:
    listed = entry.get("patterns")
    if listed is None:
        listed = [next((entry[key] for key in _PATTERN_KEYS if key in entry), None)]
    if isinstance(listed, str):
        listed = [listed]
    if not isinstance(listed, list) or not listed:
        raise BadCheckError("regex has no pattern", 'add "pattern": "…"')
    return tuple(_pattern(each, flags) for each in listed)


def _pattern(pattern: Json, flags: str) -> str:
    if not isinstance(pattern, str) or not pattern:
        message = f"the pattern {quoted(pattern)} is not a text" if pattern is not None else "regex has no pattern"
        raise BadCheckError(message, 'add "pattern": "…"')
    if len(pattern) > PATTERN_MAX:
        raise BadCheckError(f"the pattern has {len(pattern)} characters, the limit is {PATTERN_MAX}", "split it into several patterns")
    import regex  # slow to load, needed only where a suite holds a pattern

    chosen = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL}
    try:
        regex.compile(pattern, sum(chosen[flag] for flag in flags), cache_pattern=False)
    except (regex.error, OverflowError, RecursionError, ValueError, KeyError) as error:
        reason = str(error) or type(error).__name__
        raise BadCheckError(f"the pattern {quoted(pattern)} is not a regular expression: {reason}", "mend the pattern") from error
    return pattern
