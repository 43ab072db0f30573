"""Every error Driftproof raises on purpose: what happened, where, what to do, where to read. Not: how it is printed."""

from __future__ import annotations

from typing import ClassVar


class DriftproofError(Exception):
    """An error that carries its own advice.

    message: one line, what happened. place: `file`, `file:line` or a field path. detail: why, in one or two lines.
    fix: what to do about it. anchor: the heading of docs/errors.md that explains it.
    """

    exit_code: ClassVar[int] = 70
    default_anchor: ClassVar[str] = "internal"

    def __init__(self, message: str, *, place: str = "", detail: str = "", fix: str = "", anchor: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.detail = detail
        self.fix = fix
        self.anchor = anchor or self.default_anchor

    def lines(self) -> list[str]:
        """The error as people read it, first line first; no line holds a line break."""
        head = f"{self.place}: {self.message}" if self.place else self.message
        out = head.splitlines() or [""]
        out += [f"  {line}" for line in self.detail.splitlines()]
        out += [f"  → {line}" for line in self.fix.splitlines()]
        return [*out, f"  docs/errors.md#{self.anchor}"]

    def to_json(self) -> dict[str, str]:
        """The error as `--json` prints it."""
        return {"message": self.message, "place": self.place, "detail": self.detail, "fix": self.fix, "anchor": self.anchor}

    def __str__(self) -> str:
        return "\n".join(self.lines())


class InputError(DriftproofError):
    """An input, flag or settings value is not usable (exit 2)."""

    exit_code = 2
    default_anchor = "input"


class SkillError(DriftproofError):
    """A skill folder cannot be read as one (exit 2)."""

    exit_code = 2
    default_anchor = "skill"


class SuiteError(DriftproofError):
    """A suite file cannot be run (exit 2)."""

    exit_code = 2
    default_anchor = "suite"


class DocumentError(DriftproofError):
    """JSON or YAML the strict reader refuses (exit 2; 4 when the document is a receipt)."""

    exit_code = 2
    default_anchor = "document"


class FileError(DriftproofError):
    """A path that may not be read or written: absent, a link, outside its root, already there (exit 2)."""

    exit_code = 2
    default_anchor = "file"


class GitError(DriftproofError):
    """Git could not answer (exit 2)."""

    exit_code = 2
    default_anchor = "git"


class BudgetError(DriftproofError):
    """Refused before the first call because a limit cannot hold even the fewest calls (exit 3)."""

    exit_code = 3
    default_anchor = "budget"


class ReceiptError(DriftproofError):
    """A receipt is unreadable, invalid, or not what was sealed (exit 4)."""

    exit_code = 4
    default_anchor = "receipt"


class NotComparableError(DriftproofError):
    """Two receipts cannot be set against each other where that was demanded (exit 6)."""

    exit_code = 6
    default_anchor = "not-comparable"


class ApiError(DriftproofError):
    """GitHub's API refused or could not be reached: a notice where only a report is lost, exit 2 where the job needs it.

    status: of the answer, 0 when there was none. unsure: what was asked for may have happened nevertheless.
    """

    exit_code = 2
    default_anchor = "api"

    def __init__(
        self, message: str, *, place: str = "", detail: str = "", fix: str = "", anchor: str = "", status: int = 0, unsure: bool = False
    ) -> None:
        super().__init__(message, place=place, detail=detail, fix=fix, anchor=anchor)
        self.status = status
        self.unsure = unsure
