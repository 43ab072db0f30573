"""Foreign text made harmless for terminals and job logs, and errors as people read them. Not: writing them anywhere."""

from __future__ import annotations

import re

from driftproof_action.errors import DriftproofError
from driftproof_action.reports.markdown import seen

_COMMAND = re.compile(r"^(\s*):(?=:)")


def plain(value: object) -> str:
    """The value on one line, every character visible: controls as `\\x1b`, line breaks as `\\x0a`, direction marks as `\\u202e`.

    What a job runner would read as a command (`::` first on a line, `##[` anywhere) is broken up by an escape too.
    """
    return _COMMAND.sub(r"\1\\x3a", seen(value)).replace("##[", "#\\x23[")


def error_lines(error: DriftproofError) -> str:
    """`driftproof: ` and what happened, then why, what to do and where to read, one a line; no line break at the end."""
    first, *rest = error.lines()
    return "\n".join([f"driftproof: {plain(first)}", *(plain(line if line.startswith("  ") else f"  {line}") for line in rest)])
