"""Inputs or flags to one RunSettings, every mistake told at once. Not: the table of settings (fields.py)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, cast

from driftproof_action.errors import InputError
from driftproof_action.settings.fields import COMMAND_LINE_DEFAULTS, FIELDS, FLAGS, KEY_VARIABLES, PROTOCOL_DRAWS
from driftproof_action.settings.grammar import Field, SpellingError, Value, value_of
from driftproof_action.settings.run_settings import RunSettings

Flag: TypeAlias = "str | int | bool | Sequence[str] | None"

_SHOWN = 80
_DEFAULT_FAIL_ON = next(field.default for field in FIELDS if field.name == "fail-on")
_PR_COMMENT = {"true": "changes", "false": "off"}


def input_variable(name: str) -> str:
    """The environment variable the runner puts an input in: upper case, hyphens kept."""
    return "INPUT_" + name.upper()


def from_inputs(environ: Mapping[str, str]) -> RunSettings:
    """The Action's inputs; an empty value counts as not given. Raises InputError that lists every mistake."""
    given = {field.name: environ.get(input_variable(field.name), "") for field in FIELDS}
    return _settings(given, FIELDS, defaults={}, spelled={})


def from_flags(flags: Mapping[str, Flag], *, environ: Mapping[str, str] | None = None) -> RunSettings:
    """The command line's flags, by name (`max-usd` or `max_usd`); None and empty count as not given.

    DRIFTPROOF_STUB=1 in `environ` stands for `--mode stub`, here and nowhere else. Raises InputError that lists every mistake.
    """
    given = {name.replace("_", "-"): _text_of(value) for name, value in flags.items()}
    if (environ or {}).get("DRIFTPROOF_STUB") == "1" and given.get("mode", "") in ("", "auto"):
        given["mode"] = "stub"
    given |= {name: (environ or {}).get(variable, "") for name, variable in KEY_VARIABLES.items()}
    fields = [field for field in FIELDS if field.flag or field.kind == "secret"]
    return _settings(given, (*fields, *FLAGS), defaults=COMMAND_LINE_DEFAULTS, spelled=KEY_VARIABLES)


def _text_of(flag: Flag) -> str:
    if flag is None:
        return ""
    if isinstance(flag, bool):
        return "true" if flag else "false"
    if isinstance(flag, (str, int)):
        return str(flag)
    return "\n".join(flag)


def _settings(given: Mapping[str, str], fields: Sequence[Field], *, defaults: Mapping[str, str], spelled: Mapping[str, str]) -> RunSettings:
    """spelled: what the user calls a setting, where that is not its name."""
    mistakes: list[tuple[str, str]] = []
    values: dict[str, Value] = {}
    for field in fields:
        text = given.get(field.name, "") or defaults.get(field.name, field.default)
        # The default of a secret is an expression only the runner can resolve.
        if not text or (field.kind == "secret" and text == field.default):
            continue
        try:
            values[field.name] = value_of(field, text)
        except SpellingError:
            got = "what was given" if field.kind == "secret" else _quoted(text)
            example = f", for example {_quoted(field.example)}" if field.example else ""
            mistakes.append((spelled.get(field.name, field.name), f"got {got}, expected {field.allowed}{example}"))
    mistakes += _contradictions(given, values, spelled=spelled)
    if mistakes:
        raise _refusal(mistakes)
    return _assembled(values)


def _contradictions(given: Mapping[str, str], values: Mapping[str, Value], *, spelled: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Mistakes no single field shows. A stub asks nobody, so it does not matter with which key."""
    if given.get("api-key") and given.get("anthropic-auth-token") and values.get("mode") != "stub":
        key, token = (spelled.get(name, name) for name in ("api-key", "anthropic-auth-token"))
        yield token, f"cannot stand beside {key}: give one of the two"
    # The runner hands in the default of action.yml where the workflow says nothing.
    if given.get("fail-on", "") not in ("", _DEFAULT_FAIL_ON):
        for older in ("fail-on-regression", "fail-on-underpowered"):
            if given.get(older):
                yield older, f"cannot stand beside fail-on: leave it out and say it there, for example {_quoted('regression, drift')}"
    low, high = values.get("min-draws"), values.get("max-draws")
    if isinstance(low, int) and isinstance(high, int) and low > high:
        yield "min-draws", f"got {low}, expected at most max-draws, which is {high}"


def _refusal(mistakes: Sequence[tuple[str, str]]) -> InputError:
    if len(mistakes) == 1:
        name, what = mistakes[0]
        return InputError(what, place=name, anchor="input")
    return InputError(
        f"{len(mistakes)} settings cannot be used", detail="\n".join(f"{name}: {what}" for name, what in mistakes), anchor="input"
    )


def _assembled(values: Mapping[str, Value]) -> RunSettings:
    samples, min_draws, max_draws = _draws(values)
    max_cases = values.get("max-cases")
    comment = str(values.get("pr-comment", "off"))
    return RunSettings(
        task=str(values.get("task", "evaluate")),
        method=str(values["method"]),
        skill_dir=cast("tuple[str, ...]", values["skill-dir"]),
        models=cast("tuple[str, ...]", values["models"]),
        mode=str(values["mode"]),
        protocol=str(values["protocol"]),
        samples=samples,
        min_draws=min_draws,
        max_draws=max_draws,
        max_tokens=int(cast("int", values["max-tokens"])),
        cases=cast("tuple[str, ...]", values.get("case", ())),
        max_cases=max_cases if isinstance(max_cases, int) else None,
        max_micro_usd=int(cast("int", values["max-usd"])),
        max_calls=int(cast("int", values["max-calls"])),
        concurrency=int(cast("int", values["concurrency"])),
        compare_with=str(values["compare-with"]),
        store=str(values["store"]),
        fail_on=_fail_on(values),
        on_unmeasured=str(values["on-unmeasured"]),
        pr_comment=_PR_COMMENT.get(comment, comment),
        job_summary=bool(values.get("job-summary", False)),
        out=str(values.get("out", "driftproof-out")),
        stub_script=_optional(values.get("stub-script")),
        registry=_optional(values.get("registry")),
        judge_model=str(values.get("judge-model", "auto")),
        judge_guard=str(values.get("judge-guard", "warn")),
        max_minutes=int(cast("int", values.get("max-minutes", 60))),
        keep_answers=bool(values.get("keep-answers", False)),
        resume_dir=_optional(values.get("resume-dir")),
        surface=str(values.get("surface", "auto")),
        base_url=_optional(values.get("anthropic-base-url")),
        api_key=_optional(values.get("api-key")),
        auth_token=_optional(values.get("anthropic-auth-token")),
        commit=str(values.get("commit", "false")),
        comment_key=str(values.get("comment-key", "")),
        annotations=bool(values.get("annotations", False)),
        text_in_reports=str(values.get("text-in-reports", "reasons")),
        github_token=_optional(values.get("github-token")),
    )


def _draws(values: Mapping[str, Value]) -> tuple[int, int, int]:
    """Samples, fewest and most draws. Where only one end was given and passes the protocol's other end, that end follows."""
    samples, low, high = PROTOCOL_DRAWS[str(values["protocol"])]
    samples = cast("int", values.get("samples", samples))
    given_low, given_high = cast("int | None", values.get("min-draws")), cast("int | None", values.get("max-draws"))
    if given_low is None:
        low = min(low, given_high or low)
    if given_high is None:
        high = max(high, given_low or high)
    return samples, given_low or low, given_high or high


def _fail_on(values: Mapping[str, Value]) -> frozenset[str]:
    words = set(cast("tuple[str, ...]", values["fail-on"])) - {"none"}
    if values.get("fail-on-regression") is False:
        words.discard("regression")
    if values.get("fail-on-underpowered") is True:
        words.add("underpowered")
    return frozenset(words)


def _optional(value: Value | None) -> str | None:
    return None if value is None else str(value)


def _quoted(text: str) -> str:
    """A user's text in a message: what does not print as an escape, cut when long."""
    safe = "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text[: _SHOWN + 1])
    return f'"{safe[:_SHOWN]}…"' if len(safe) > _SHOWN else f'"{safe}"'
