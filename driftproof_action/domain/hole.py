"""Why there is no value. Not: a value; a hole is never zero and never a pass."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hole:
    """reason: a machine-readable word such as `timeout` or `files_missing`; detail: one line for people."""

    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """The receipt a row was taken over from: the row was not paid for in this run."""

    receipt_hash: str
    date: str
