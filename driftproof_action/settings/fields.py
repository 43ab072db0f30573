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
        "which readings decide: `confirmed` on fresh answers (2 judge samples, 5 to 10 draws) or `published` (5 samples, 3 to 10 draws); "
        "sets the three below too",
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
    Field(
        "keep-answers",
        "boolean",
        "false",
        "keep answers and judge replies in the run folder, to read them, and to see later if the judge moved",
        "true",
    ),
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
        "what to compare with: `auto` = the receipt stored at the base commit and, where the skill changed, its text there; `base` = that "
        "text, all of its answers drawn anew; `none`; or a receipt file, of the model you come from too",
        "auto",
        choices=("auto", "base", "none"),
    ),
    Field(
        "store",
        "word",
        "auto",
        "where receipts live: `tree` = under `.driftproof/` in the branch, `branch` = on a branch of their own, `driftproof-data`, `none`; "
        "`auto` = tree when `.driftproof/` exists, else branch",
        "tree",
        choices=("auto", "tree", "branch", "none"),
    ),
    Field(
        "commit",
        "word",
        "auto",
        "whether receipts are stored: `auto` = on push, schedule and dispatch of the default branch, where the token may write; `true` = "
        "also receipts of a pull request of the same repository into its branch (store tree); `false` = never",
        "true",
        choices=("auto", "true", "false"),
        flag=False,
    ),
    Field("fail-on", "words", "regression, drift, refused", "what makes the job red", "regression, drift", choices=FAIL_ON),
    Field("fail-on-regression", "boolean", "", "older spelling: false takes `regression` out of fail-on", "false", flag=False),
    Field("fail-on-underpowered", "boolean", "", "older spelling: true adds `underpowered` to fail-on", "true", flag=False),
    Field("on-unmeasured", "word", "warn", "`fail`: a job that could measure nothing exits 7", "fail", choices=("warn", "fail")),
    Field(
        "pr-comment",
        "word",
        "changes",
        "when the pull request gets a comment: `always`; `changes` = at the first receipt and whenever something moved or is unclear; "
        "`failures` = when the job is red; one that is there already is kept true; `off`; `true` = changes, `false` = off",
        "always",
        choices=("always", "changes", "failures", "off", "true", "false"),
        flag=False,
    ),
    Field("comment-key", "text", "", "tells comments of one job apart: for the legs of a matrix", "${{ matrix.model }}", flag=False),
    Field(
        "annotations",
        "boolean",
        "true",
        "whether what was found is shown on the lines of SKILL.md and of the suite; a few of a kind",
        "true",
        flag=False,
    ),
    Field("job-summary", "boolean", "true", "whether the job summary is written", "true", flag=False),
    Field(
        "text-in-reports",
        "word",
        "reasons",
        "how much of the judge's words and of your criteria reaches comment and summary: `reasons` = short quotes, `none`; a fork's pull "
        "request: none",
        "none",
        choices=("reasons", "none"),
        flag=False,
    ),
    Field("github-token", "secret", "${{ github.token }}", "the token comments and receipts are written with", "", flag=False),
)

FLAGS: tuple[Field, ...] = (
    Field("out", "path", "driftproof-out", "the folder the run writes to", "driftproof-out"),
    Field("stub-script", "path", "", "a JSON file of replies the stub gives instead of its own", "replies.json"),
    Field(
        "registry",
        "path",
        "",
        "a JSON file of models beside the shipped ones: it adds models, and of a known one it can only raise the price",
        "models.json",
    ),
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
