"""What a receipt says of a run besides its observations: who was asked, by whom it was judged, at what prices.

Not: anything a receipt derives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from driftproof_action.canonical import Json
from driftproof_action.domain.skill import Skill
from driftproof_action.domain.suite import Suite


@dataclass(frozen=True, slots=True)
class ReceiptFacts:
    """generated_at, finished_at: ISO 8601 UTC ending in Z, before the first call and after the last.

    judge_model_id None: nobody judged (everything was decided in code). rubric_hashes: by case id. parameters: min_draws,
    max_draws, samples, max_tokens, temperature; absent = null. prices: by model id (input, output, registered), dollars a
    million tokens. kind: who answered. narrowed: only some cases of the suite were asked. protocol None: the method has
    none. endpoint, judge_endpoint: origins target and judge were asked at, None = none (stub) or the provider's own.
    grading_code_hash: over the code and the prompts that read and reduce grades. incumbent_commit, incumbent_tree_hash: the
    committed skill that was asked too, None without one.
    """

    method: Literal["lift", "measure"]
    skill: Skill
    suite: Suite
    model_id: str
    model_release_date: str | None
    provider: str
    surface: str
    runner_version: str
    generated_at: str
    finished_at: str
    registry: Literal["registered", "unregistered"]
    transcripts: Literal["retained-local", "hashes-only", "none"]
    judge_model_id: str | None
    judge_prompt_template_hash: str | None
    judge_criteria_template_hash: str | None
    judge_samples: int
    judge_temperature: float | None
    judge_sampling: str
    judge_surface: str
    rubric_hashes: Mapping[str, str]
    protocol: str | None
    parameters: Mapping[str, Json]
    prices: Mapping[str, tuple[float, float, bool]]
    prices_source: str
    kind: Literal["model", "stub"]
    isolation: Literal["eval-user", "same-user", "none"]
    run_id: str
    preset: Literal["quick"] | None = None
    narrowed: bool = False
    example: bool = False
    judge_endpoint: str | None = None
    endpoint: str | None = None
    grading_code_hash: str | None = None
    incumbent_commit: str | None = None
    incumbent_tree_hash: str | None = None
    harness: tuple[str, str | None] | None = None

    @property
    def level(self) -> str:
        """TESTED only where a model answered the whole suite as it is; an example is DECLARED."""
        if self.example:
            return "DECLARED"
        tested = self.kind == "model" and self.preset is None and not self.narrowed
        return "TESTED" if tested else "UNVERIFIED"
