"""What is judged, as the engine sees it: ids and digests only. Not: the author's words (domain/suite)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """grader: the one that decides; beside: graders that only report; digest: case_hash; threshold in [0, 1]."""

    id: str
    brief: str
    grader: str
    beside: tuple[str, ...] = ()
    pairwise: str | None = None
    kind: str = ""
    split: str = ""
    digest: str = ""
    threshold: float | None = None
