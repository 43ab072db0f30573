"""The one table of settings. Not: their grammar (grammar.py) or how they are gathered (read.py)."""

from __future__ import annotations

from collections.abc import Mapping

from driftproof_action.settings.grammar import Field

FAIL_ON = ("regression", "drift", "any-drift", "underpowered", "no-effect", "unmeasured", "refused", "none")

FIELDS: tuple[Field, ...] = (
    Field("task", "word", "evaluate", "what the job does", "evaluate", choices=("evaluate",), flag=False),
    Field("method", "word", "lift", "`lift`: with the skill or without it", "lift", choices=("lift",)),
    Field(
        "skill-dir",
        "lines",
        "auto",
        "the skill folder, several of them (one a line) or globs; `auto` = every folder with a SKILL.md and a suite",
        "skills/commit-messages",
        most=200,
    ),
    Field(
        "models",
        "models",
        "claude-haiku-4-5",
        "the models to measure on: canonical ids or aliases",
        "claude-haiku-4-5,claude-sonnet-5",
        most=20,
    ),
    Field(
        "mode",
        "word",
        "auto",
        "`live` asks models and needs a key; `stub` runs offline and free and earns no verdict; `auto` = live",
        "stub",
        choices=("auto", "live", "stub"),
    ),
    Field("surface", "word", "auto", "through which door models are asked: `api`; `auto` = api", "api", choices=("auto", "api")),
    Field("api-key", "secret", "", "the key of the Anthropic API, from a secret; the command line reads ANTHROPIC_API_KEY", "", flag=False),
    Field(
        "anthropic-auth-token",
        "secret",
        "",
        "a bearer token instead of a key, for gateways; the command line reads ANTHROPIC_AUTH_TOKEN",
        "",
        flag=False,
    ),
    Field("anthropic-base-url", "url", "", "where the Messages API is spoken, if not at Anthropic", "https://gateway.example.com"),
    Field(
        "judge-model",
        "model",
        "auto",
        "the model that grades every answer; `auto` = the judge of the receipt compared with, else claude-haiku-4-5",
        "claude-haiku-4-5",
        choices=("auto",),
    ),
    Field(
        "judge-guard",
        "word",
        "warn",
        "`strict`: a criterion whose quote is not in the answer is not graded, and answers that speak to the judge earn no verdict",
        "strict",
        choices=("warn", "strict"),
    ),
    Field(
        "protocol",
        "word",
        "confirmed",
        "`confirmed` (2 judge samples, 5 to 10 draws) or `published` (5 samples, 3 to 10 draws); sets the three below",
        "published",
        choices=("confirmed", "published"),
    ),
    Field("samples", "integer", "", "how often the judge scores each answer; empty = by protocol", "2", high=20),
    Field("min-draws", "integer", "", "the fewest answers drawn for a case in each arm; empty = by protocol", "5", high=100),
    Field("max-draws", "integer", "", "the most answers drawn for a case in each arm; empty = by protocol", "10", high=100),
    Field("max-tokens", "integer", "4096", "the longest answer a model may give, in tokens", "4096", high=128_000),
    Field("case", "lines", "", "run only the cases with these ids, one a line; such a run earns no verdict", "breaking-change", most=500),
    Field("max-cases", "integer", "", "run only the first so many cases; such a run earns no verdict", "3", high=500),
    Field("max-usd", "dollars", "20", "the most the whole job may cost, in US dollars; a hard limit", "2.50", low=0, high=10_000),
    Field("max-calls", "integer", "20000", "the most model calls the whole job may make; a hard limit", "500", high=1_000_000),
    Field("max-minutes", "integer", "60", "how many minutes new calls may go out; a hard limit", "30", high=350),
    Field("concurrency", "integer", "8", "how many calls are in flight at once", "8", high=64),
    Field("keep-answers", "boolean", "false", "keep answers and judge replies in the run folder, for reading side by side", "true"),
    Field(
        "resume-dir",
        "path",
        "",
        "the journal folder of an interrupted run, outside the checkout: what is in it is not paid for again",
        "../journal",
    ),
    Field(
        "compare-with",
        "path",
        "auto",
        "the receipt to compare with: `auto` = the one stored at the base commit, `none`, or a receipt file",
        "auto",
        choices=("auto", "none"),
    ),
    Field(
        "store",
        "word",
        "auto",
        "where receipts live: `tree` = under `.driftproof/` in the branch, `none`; `auto` = tree when `.driftproof/` exists",
        "tree",
        choices=("auto", "tree", "none"),
    ),
    Field("fail-on", "words", "regression, drift, refused", "what makes the job red", "regression, drift", choices=FAIL_ON),
    Field("fail-on-regression", "boolean", "", "older spelling: false takes `regression` out of fail-on", "false", flag=False),
    Field("fail-on-underpowered", "boolean", "", "older spelling: true adds `underpowered` to fail-on", "true", flag=False),
    Field("on-unmeasured", "word", "warn", "`fail`: a job that could measure nothing exits 7", "fail", choices=("warn", "fail")),
    Field(
        "pr-comment",
        "word",
        "changes",
        "`off` leaves out `comment.md`; `always`, `changes`, `failures` say when it is posted, which this version does not do yet; "
        "`true` = changes, `false` = off",
        "always",
        choices=("always", "changes", "failures", "off", "true", "false"),
        flag=False,
    ),
    Field("job-summary", "boolean", "true", "whether the job summary is written", "true", flag=False),
)

FLAGS: tuple[Field, ...] = (
    Field("out", "path", "driftproof-out", "the folder the run writes to", "driftproof-out"),
    Field("stub-script", "path", "", "a JSON file of replies the stub gives instead of its own", "replies.json"),
    Field("registry", "path", "", "a JSON file of models that replaces the shipped registry", "models.json"),
)
"""Only on the command line, beside every field with `flag`."""

COMMAND_LINE_DEFAULTS: Mapping[str, str] = {"on-unmeasured": "fail"}
"""Where the command line's default differs from the Action's."""

SECRET_INPUTS = ("api-key", "openai-api-key", "anthropic-auth-token", "api-headers", "sign-key", "github-token")
"""Inputs whose values are masked before anything else, declared in this version or not."""

KEY_VARIABLES: Mapping[str, str] = {"api-key": "ANTHROPIC_API_KEY", "anthropic-auth-token": "ANTHROPIC_AUTH_TOKEN"}
"""Where the command line finds the secrets: never in a flag, which every process of the machine may read."""

PROTOCOL_DRAWS: Mapping[str, tuple[int, int, int]] = {"confirmed": (2, 5, 10), "published": (5, 3, 10)}
"""protocol → (judge samples, fewest draws, most draws)."""
