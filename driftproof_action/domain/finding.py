"""A remark about a file someone wrote. Not: an error, which stops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """line: 1-based, 0 when the finding is about the whole file; code: its heading in docs/lint.md."""

    severity: Severity
    code: str
    file: str
    line: int
    message: str
    fix: str = ""
