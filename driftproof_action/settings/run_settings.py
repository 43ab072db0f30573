"""Everything a run was told, already checked. Not: how it was told (inputs or flags)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RunSettings:
    """One job's settings. skill_dir: `auto`, folders or globs, as written. max_micro_usd: millionths of a dollar over the
    whole job. cases: empty = all; max_cases: None = all. compare_with: `auto`, `none` or a path. fail_on: empty = never red
    for what was found. judge_model: `auto` = the judge of the base receipt while it lives, else the default judge. max_minutes:
    how long new calls may go out. resume_dir: None or the folder of an interrupted run's journal. api_key, auth_token,
    github_token: None where not given; never shown. base_url: None = the provider's own. commit: `auto`, `true` or `false`.
    comment_key: tells the comments of one job apart. out, stub_script, registry: paths only the command line can give."""

    skill_dir: tuple[str, ...]
    models: tuple[str, ...]
    mode: str
    protocol: str
    samples: int
    min_draws: int
    max_draws: int
    max_tokens: int
    cases: tuple[str, ...]
    max_cases: int | None
    max_micro_usd: int
    max_calls: int
    concurrency: int
    compare_with: str
    store: str
    fail_on: frozenset[str]
    on_unmeasured: str
    pr_comment: str
    job_summary: bool
    task: str = "evaluate"
    method: str = "lift"
    out: str = "driftproof-out"
    stub_script: str | None = None
    registry: str | None = None
    judge_model: str = "auto"
    judge_guard: str = "warn"
    max_minutes: int = 60
    keep_answers: bool = False
    resume_dir: str | None = None
    surface: str = "auto"
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)
    commit: str = "false"
    comment_key: str = ""
    annotations: bool = False
    text_in_reports: str = "reasons"
    github_token: str | None = field(default=None, repr=False)

    @property
    def live(self) -> bool:
        """Whether models are to be asked."""
        return self.mode != "stub"

    @property
    def secrets(self) -> dict[str, str]:
        """What must never be shown or kept, by the name of its input."""
        given = {"api-key": self.api_key, "anthropic-auth-token": self.auth_token, "github-token": self.github_token}
        return {name: value for name, value in given.items() if value}

    @property
    def has_key(self) -> bool:
        """Whether a model can be asked with what was given."""
        return bool(self.api_key or self.auth_token)

    @property
    def narrowed(self) -> bool:
        """Whether only some cases were asked for: such a run earns no verdict."""
        return bool(self.cases) or self.max_cases is not None
