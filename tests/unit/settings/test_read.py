"""Inputs and flags to settings: the grammar, the defaults, every mistake at once. Not: what the settings do."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.errors import InputError
from driftproof_action.settings.fields import FIELDS, FLAGS, PROTOCOL_DRAWS
from driftproof_action.settings.read import from_flags, from_inputs, input_variable
from driftproof_action.settings.run_settings import RunSettings

STUB = {"INPUT_MODE": "stub"}


def given_inputs(**inputs: str) -> RunSettings:
    """Inputs by attribute-like names (`max_usd`), mode stub."""
    return from_inputs(STUB | {input_variable(name.replace("_", "-")): value for name, value in inputs.items()})


def mistake(**inputs: str) -> InputError:
    with pytest.raises(InputError) as caught:
        given_inputs(**inputs)
    assert caught.value.exit_code == 2
    return caught.value


def test_variables_are_spelled_as_the_runner_spells_them() -> None:
    assert input_variable("skill-dir") == "INPUT_SKILL-DIR"


def test_defaults() -> None:
    assert given_inputs() == RunSettings(
        skill_dir=("auto",),
        models=("claude-haiku-4-5",),
        mode="stub",
        protocol="confirmed",
        samples=2,
        min_draws=5,
        max_draws=10,
        max_tokens=4096,
        cases=(),
        max_cases=None,
        max_micro_usd=20_000_000,
        max_calls=20_000,
        concurrency=8,
        compare_with="auto",
        store="auto",
        fail_on=frozenset({"regression", "drift", "refused"}),
        on_unmeasured="warn",
        pr_comment="changes",
        job_summary=True,
        commit="auto",
        annotations=True,
    )


def test_the_command_line_differs_where_it_says() -> None:
    settings = from_flags({"mode": "stub"})
    assert settings.on_unmeasured == "fail"
    assert (settings.pr_comment, settings.job_summary) == ("off", False)
    assert settings.out == "driftproof-out"


def test_an_empty_value_is_not_given() -> None:
    names = [field.name for field in FIELDS if field.name != "mode"]
    assert from_inputs(STUB | {input_variable(name): "" for name in names}) == given_inputs()


def test_the_defaults_of_action_yml_change_nothing() -> None:
    """The runner hands in every default that action.yml names."""
    everything = {input_variable(field.name): field.default for field in FIELDS} | STUB
    assert from_inputs(everything) == given_inputs()
    assert from_inputs(everything | {"INPUT_FAIL-ON-REGRESSION": "false"}).fail_on == {"drift", "refused"}


@pytest.mark.parametrize(
    ("inputs", "attribute", "value"),
    [
        ({"skill_dir": "a"}, "skill_dir", ("a",)),
        ({"skill_dir": "  skills/*\n\nplugins/é x\nskills/*\n"}, "skill_dir", ("skills/*", "plugins/é x")),
        ({"models": "a,b"}, "models", ("a", "b")),
        ({"models": "claude-haiku-4-5 ,\n b-1.5_x,a"}, "models", ("claude-haiku-4-5", "b-1.5_x", "a")),
        ({"max_usd": "2.5"}, "max_micro_usd", 2_500_000),
        ({"max_usd": "0.000001"}, "max_micro_usd", 1),
        ({"max_usd": "10000"}, "max_micro_usd", 10_000_000_000),
        ({"case": "1\n2"}, "cases", ("1", "2")),
        ({"max_cases": "3"}, "max_cases", 3),
        ({"fail_on": "none"}, "fail_on", frozenset()),
        ({"fail_on": "drift,any-drift"}, "fail_on", frozenset({"drift", "any-drift"})),
        ({"fail_on_underpowered": "true"}, "fail_on", frozenset({"regression", "drift", "refused", "underpowered"})),
        ({"fail_on_regression": "true"}, "fail_on", frozenset({"regression", "drift", "refused"})),
        ({"pr_comment": "true"}, "pr_comment", "changes"),
        ({"pr_comment": "false"}, "pr_comment", "off"),
        ({"pr_comment": "failures"}, "pr_comment", "failures"),
        ({"job_summary": "false"}, "job_summary", False),
        ({"compare_with": "old/receipt.json"}, "compare_with", "old/receipt.json"),
        ({"protocol": "published"}, "samples", 5),
        ({"protocol": "published"}, "min_draws", 3),
        ({"protocol": "published", "samples": "1"}, "samples", 1),
        ({"max_draws": "3"}, "min_draws", 3),
        ({"min_draws": "12"}, "max_draws", 12),
        ({"min_draws": "4"}, "max_draws", 10),
    ],
)
def test_what_is_given_counts(inputs: dict[str, str], attribute: str, value: object) -> None:
    assert getattr(given_inputs(**inputs), attribute) == value


NOT_NUMBERS = (
    "٣",
    "1_000",
    " 5 ",
    "５",
    "inf",
    "nan",
    "1e3",
    "+5",
    "-1",
    "²",
    "0x10",
    "05",
    "5.",
    ".5",
    "1,5",
    "5 USD",
    "true",
    "5\n",
    "9" * 400,
)


@pytest.mark.parametrize("value", [*NOT_NUMBERS, "0", "1.5"])
@pytest.mark.parametrize("name", ["samples", "min_draws", "max_draws", "max_tokens", "max_cases", "max_calls", "concurrency"])
def test_whole_numbers_are_plain_ascii_digits(name: str, value: str) -> None:
    assert mistake(**{name: value}).place == name.replace("_", "-")


@pytest.mark.parametrize("value", [*NOT_NUMBERS, "0", "0.0", "0.0000001", "10000.01", "10001", "$5"])
def test_dollars_are_plain_numbers(value: str) -> None:
    error = mistake(max_usd=value)
    assert error.place == "max-usd"
    assert "like 5 or 2.50" in error.message


@pytest.mark.parametrize(
    "inputs",
    [
        {"samples": "21"},
        {"max_draws": "101"},
        {"max_cases": "501"},
        {"concurrency": "65"},
        {"max_calls": "1000001"},
        {"job_summary": "True"},
        {"job_summary": "yes"},
        {"fail_on_regression": "1"},
        {"protocol": "Confirmed"},
        {"store": "trunk"},
        {"task": "plan"},
        {"method": "contest"},
        {"on_unmeasured": "error"},
        {"pr_comment": "on"},
        {"fail_on": "regresion"},
        {"fail_on": "drift,"},
        {"fail_on": "none, drift"},
        {"fail_on": "Drift"},
        {"models": "a,,b"},
        {"models": "-x"},
        {"models": "a b"},
        {"models": "modèle"},
        {"models": "a\nb"},
        {"models": ",".join(f"m{number}" for number in range(21))},
        {"skill_dir": "\n \n"},
        {"skill_dir": "a\tb"},
        {"skill_dir": "a\rb"},
        {"skill_dir": "a\x1b[31m"},
        {"skill_dir": "a\u202eb"},
        {"skill_dir": "a\udcff"},
        {"skill_dir": "a" * 501},
        {"skill_dir": "\n".join(f"s{number}" for number in range(201))},
        {"case": "\n".join(f"c{number}" for number in range(501))},
        {"compare_with": "a\0b"},
        {"min_draws": "6", "max_draws": "5"},
        {"fail_on": "drift", "fail_on_regression": "true"},
    ],
)
def test_what_is_not_allowed_is_refused(inputs: dict[str, str]) -> None:
    error = mistake(**inputs)
    assert error.place in {name.replace("_", "-") for name in inputs}
    assert "expected" in error.message or "cannot stand beside" in error.message
    assert all(line.isprintable() for line in error.lines())


def test_a_mistake_names_value_allowed_and_example() -> None:
    error = mistake(max_usd="5 USD")
    assert error.lines()[0] == 'max-usd: got "5 USD", expected a number above 0 and at most 10000, like 5 or 2.50, for example "2.50"'


def test_every_mistake_is_told_at_once() -> None:
    error = mistake(max_usd="five", samples="many", job_summary="no", min_draws="7", max_draws="6")
    assert error.message == "4 settings cannot be used"
    assert [line.partition(":")[0] for line in error.detail.splitlines()] == ["samples", "max-usd", "job-summary", "min-draws"]


def test_a_long_value_is_cut() -> None:
    assert len(mistake(max_usd="9" * 100_000).message) < 300


@pytest.mark.parametrize(("mode", "live"), [("", True), ("auto", True), ("live", True), ("stub", False)])
def test_auto_is_live_and_never_silently_the_stub(mode: str, live: bool) -> None:
    assert from_inputs({"INPUT_MODE": mode}).live is live


def test_the_stub_variable_is_for_the_command_line_only() -> None:
    environ = {"DRIFTPROOF_STUB": "1"}
    assert from_flags({}, environ=environ).mode == "stub"
    assert from_flags({"mode": "auto"}, environ=environ).mode == "stub"
    assert from_flags({"mode": "live"}, environ=environ).live
    assert from_flags({}, environ={"DRIFTPROOF_STUB": "true"}).live
    assert from_flags({}).live
    assert from_inputs(environ).live


def test_secrets_come_from_inputs_or_the_environment_and_never_show() -> None:
    settings = from_inputs({"INPUT_API-KEY": "sk-secret-0123\n"})
    assert settings.secrets == {"api-key": "sk-secret-0123"}
    assert settings.has_key
    with_token = from_inputs({"INPUT_GITHUB-TOKEN": "ghs_0123456789"})
    assert with_token.secrets == {"github-token": "ghs_0123456789"}
    assert not with_token.has_key, "no model can be asked with it"
    assert "sk-secret" not in repr(settings)
    assert from_flags({}, environ={"ANTHROPIC_API_KEY": "sk-env"}).api_key == "sk-env"
    assert from_inputs({"ANTHROPIC_API_KEY": "sk-env"}).api_key is None
    with pytest.raises(InputError) as caught:
        from_inputs({"INPUT_API-KEY": "sk secret"})
    assert "sk secret" not in str(caught.value)
    with pytest.raises(InputError, match="cannot stand beside api-key"):
        from_inputs({"INPUT_API-KEY": "a", "INPUT_ANTHROPIC-AUTH-TOKEN": "b"})


def test_two_keys_are_told_by_the_names_the_user_gave_them_and_only_where_one_is_used() -> None:
    both = {"ANTHROPIC_API_KEY": "a", "ANTHROPIC_AUTH_TOKEN": "b"}
    with pytest.raises(InputError) as caught:
        from_flags({}, environ=both)
    assert caught.value.lines()[0] == "ANTHROPIC_AUTH_TOKEN: cannot stand beside ANTHROPIC_API_KEY: give one of the two"
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY: got what was given"):
        from_flags({}, environ={"ANTHROPIC_API_KEY": "two words"})
    assert not from_flags({"mode": "stub"}, environ=both).live
    assert not from_flags({}, environ=both | {"DRIFTPROOF_STUB": "1"}).live
    assert not from_inputs({"INPUT_MODE": "stub", "INPUT_API-KEY": "a", "INPUT_ANTHROPIC-AUTH-TOKEN": "b"}).live


def test_flags_come_as_the_command_line_has_them() -> None:
    settings = from_flags(
        {
            "skill_dir": ("a", "b"),
            "max-usd": "3",
            "max_cases": 2,
            "mode": "stub",
            "case": (),
            "out": "elsewhere",
            "stub_script": "replies.json",
            "registry": None,
        }
    )
    assert settings.skill_dir == ("a", "b")
    assert (settings.max_micro_usd, settings.max_cases, settings.cases) == (3_000_000, 2, ())
    assert (settings.out, settings.stub_script, settings.registry) == ("elsewhere", "replies.json", None)
    assert settings.narrowed
    assert not from_flags({"mode": "stub"}).narrowed
    assert from_flags({"mode": "stub", "case": "1"}).narrowed


def test_flags_that_are_no_inputs_and_the_other_way_round() -> None:
    assert from_inputs(STUB | {"INPUT_OUT": "x", "INPUT_STUB-SCRIPT": "y", "INPUT_REGISTRY": "z"}) == given_inputs()
    assert from_flags({"mode": "stub", "pr-comment": "always", "job-summary": True}) == from_flags({"mode": "stub"})


def test_the_table_is_sound() -> None:
    names = [field.name for field in (*FIELDS, *FLAGS)]
    assert len(set(names)) == len(names)
    assert all(field.meaning and (field.example or field.kind == "secret") for field in (*FIELDS, *FLAGS))
    attributes = {field.name for field in fields(RunSettings)}
    assert {"samples", "min_draws", "max_draws"} <= attributes
    assert set(PROTOCOL_DRAWS) == set(next(field.choices for field in FIELDS if field.name == "protocol"))


def test_every_example_is_accepted() -> None:
    for field in FIELDS:
        if field.example:
            from_inputs(STUB | {input_variable(field.name): field.example})
    assert from_flags({"mode": "stub"} | {field.name: field.example for field in FLAGS})


@given(st.sampled_from([field.name for field in FIELDS]), st.text(max_size=30))
def test_any_text_is_a_setting_or_a_clear_refusal(name: str, value: str) -> None:
    try:
        from_inputs(STUB | {input_variable(name): value})
    except InputError as refusal:
        lines = refusal.lines()
    else:
        lines = []
    assert all(line.isprintable() for line in lines)
