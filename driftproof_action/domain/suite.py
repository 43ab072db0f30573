"""The eval suite as loaded: what is asked and what is judged by, in the author's words. Not: how it is read or run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from driftproof_action.domain.finding import Finding
from driftproof_action.domain.hole import Hole

CheckKind = Literal["regex", "contains", "not_contains", "min_length"]
SuiteStatus = Literal["runnable", "partly", "trigger_suite", "unusable"]


@dataclass(frozen=True, slots=True)
class Check:
    """One test decided in code on the whole reply.

    regex: every one of `values` (patterns) must match; contains, not_contains: literal `values[0]`; min_length: the
    trimmed reply has at least `minimum` characters. flags: a subset of "ims" (regex), "i" (contains, not_contains).
    """

    name: str
    kind: CheckKind
    values: tuple[str, ...] = ()
    flags: str = ""
    minimum: int = 0


@dataclass(frozen=True, slots=True)
class Criterion:
    """One sentence decided met or not met; weight > 0. With a check it is decided in code, without one by the judge."""

    id: str
    weight: float
    description: str
    check: Check | None = None


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A file the prompt carries inline. path as the author wrote it; sha256 of its bytes."""

    path: str
    sha256: str
    bytes: int
    text: str


@dataclass(frozen=True, slots=True)
class SuiteCase:
    """One task of a suite. criteria non-empty: criteria grade and `rubric` is context; empty: the rubric grades.

    pass_threshold in [0, 1]. unmeasured: why no surface we have can run the case (the case stays, named). line: where the
    case starts in its file, 1-based. example: a starter case nobody has edited yet.
    """

    id: str
    prompt: str
    rubric: str
    criteria: tuple[Criterion, ...]
    pass_threshold: float
    checks: tuple[Check, ...] = ()
    files: tuple[CaseFile, ...] = ()
    unmeasured: Hole | None = None
    line: int = 0
    example: bool = False
    case_hash: str = ""


@dataclass(frozen=True, slots=True)
class Mapped:
    """`count` times, `target` (a word of ours) was read from `source` (a key of the author's)."""

    target: str
    source: str
    count: int


@dataclass(frozen=True, slots=True)
class Suite:
    """status `runnable`: every case can run; `partly`: some; `trigger_suite`, `unusable`: none (findings say why).

    file: relative to the skill's folder, empty when there is none. own_files: paths below the skill's folder of the suite
    file and of every file its cases carry (their digests are in case_hash); they are not part of the skill.
    """

    file: str
    shape: str
    status: SuiteStatus
    cases: tuple[SuiteCase, ...]
    suite_hash: str
    canary: str
    mapping: tuple[Mapped, ...] = ()
    findings: tuple[Finding, ...] = ()
    mapping_version: str = "1"
    own_files: tuple[str, ...] = ()

    def mapping_sentence(self) -> str:
        """What was read from what, in one line."""
        read = ", ".join(f"{item.count} {item.target} ← {item.source}" for item in self.mapping)
        return f"read {self.file} as {self.shape}: {read}" if read else f"read {self.file} as {self.shape}"
