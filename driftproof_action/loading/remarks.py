"""Collects what is worth telling an author, each with place and advice. Not: how it is shown, or what follows from it."""

from __future__ import annotations

import json

from driftproof_action.domain.finding import Finding, Severity

SHOWN = 60
"""Characters of an author's text a message quotes."""


def quoted(value: object) -> str:
    """An author's text as messages quote it: on one line, in double quotes, cut."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return json.dumps(text if len(text) <= SHOWN else text[:SHOWN] + "…", ensure_ascii=False)


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 case`, `2 cases`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


class Remarks:
    """The findings about one file, in the order they were made."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: list[Finding] = []

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(self._found)

    def error(self, code: str, line: int, message: str, *, fix: str = "") -> None:
        """What stops a run until it is mended."""
        self._add("error", code, line, message=message, fix=fix)

    def warning(self, code: str, line: int, message: str, *, fix: str = "") -> None:
        """What is read otherwise than its author may think, or not at all."""
        self._add("warning", code, line, message=message, fix=fix)

    def info(self, code: str, line: int, message: str, *, fix: str = "") -> None:
        """What is good to know."""
        self._add("info", code, line, message=message, fix=fix)

    def _add(self, severity: Severity, code: str, line: int, *, message: str, fix: str) -> None:
        self._found.append(Finding(severity, code, self.file, line, message, fix))
