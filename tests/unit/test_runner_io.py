"""The runner's files and commands, read back by the runner's rules. Not: what the Action writes."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.errors import FileError, InputError
from driftproof_action.runner_io import LINE_LIMIT, OUTPUT_LIMIT, SUMMARY_TARGET, RunnerIO, output_value
from tests.runner_rules import SUMMARY_LIMIT, Command, read_file_command, read_log

SAFE = re.compile(r"[A-Za-z0-9 ._/:+,=@%()~±#?-]*")
ATTACKS = (
    "::error::boom",
    "  ::error file=a.py::boom",
    "a ##[error]boom",
    "##[add-mask]e",
    "::stop-commands::x",
    "text\n::set-output name=verdict::PASSED",
    "text\r::warning::x",
    "text\r\n::warning::x",
    "text\u2028::warning::x",
    "text\x85::warning::x",
    "text\x0b::warning::x",
    "%0A::error::x",
    "\x1b[31mred\x1b]8;;http://example.com\x07",
    "a\u202eb\u200bc\U000e0041",
    "half \ud800 pair",
)


def logged(write: object) -> str:
    log = io.StringIO()
    write(RunnerIO(output_path=None, summary_path=None, log=log))  # type: ignore[operator]
    return log.getvalue()


def output_of(tmp_path: Path, *values: tuple[str, str]) -> dict[str, str]:
    path = tmp_path / "output"
    path.touch()
    runner = RunnerIO(output_path=str(path), summary_path=None, log=io.StringIO())
    for name, value in values:
        runner.output(name, value)
    return read_file_command(path.read_bytes())


# ---- log lines --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ATTACKS)
def test_no_foreign_line_is_a_command(text: str) -> None:
    said = logged(lambda runner: runner.say(text))
    assert read_log(said) == []
    assert all(char.isprintable() or char in "\n\t" for char in said)


def test_the_reader_sees_the_attacks() -> None:
    assert [command.name for attack in ATTACKS[:4] for command in read_log(attack)] == ["error", "error", "error", "add-mask"]


@given(st.lists(st.sampled_from([*ATTACKS, "::", "##[", "]", "error", "\n", "\r", "%", "x"]), max_size=8).map("".join))
def test_say_never_speaks_for_others(text: str) -> None:
    said = logged(lambda runner: runner.say(text))
    assert read_log(said) == []
    assert all(line.startswith("driftproof: ") for line in said.splitlines())


def test_our_name_stands_once() -> None:
    assert logged(lambda runner: runner.say("driftproof: done")) == "driftproof: done\n"
    assert logged(lambda runner: runner.say("two\nlines")) == "driftproof: two\ndriftproof: lines\n"
    assert logged(lambda runner: runner.say("")) == "driftproof: \n"


def test_a_long_line_is_cut() -> None:
    assert len(logged(lambda runner: runner.say("x" * 10_000_000))) < LINE_LIMIT + 100


def test_a_log_that_is_not_utf8_gets_escapes() -> None:
    raw = io.BytesIO()
    log = io.TextIOWrapper(raw, encoding="ascii")
    RunnerIO(output_path=None, summary_path=None, log=log).say("→ é")
    assert raw.getvalue() == b"driftproof: \\u2192 \\xe9\n"


@given(
    st.sampled_from(["notice", "warning", "error"]),
    st.text(max_size=80) | st.sampled_from(ATTACKS),
    st.text(max_size=30) | st.sampled_from(ATTACKS),
)
def test_a_notice_is_one_command_whatever_it_says(level: str, message: str, title: str) -> None:
    said = logged(lambda runner: runner.notice(level, message, title=title))  # type: ignore[arg-type]
    commands = read_log(said)
    assert [command.name for command in commands] == [level]
    assert said.count("\n") == 1
    assert set(commands[0].properties) <= {"title"}


def test_a_notice_reads_as_it_was_written() -> None:
    said = logged(lambda runner: runner.notice("error", "100% wrong:\nsecond, line", title="a,b:c=d", file="x y.py", line=3))
    assert read_log(said) == [Command("error", "100% wrong:\nsecond, line", {"title": "a,b:c=d", "file": "x y.py", "line": "3"})]


def test_every_line_of_a_secret_is_masked() -> None:
    secret = "-----BEGIN KEY-----\nabc%25##[x]\n\nlast::line"
    masked = [command.data for command in read_log(logged(lambda runner: runner.mask(secret)))]
    assert masked == [secret, "-----BEGIN KEY-----", "abc%25##[x]", "last::line"]
    assert logged(lambda runner: runner.mask(" \n ")) == ""


@given(st.text(min_size=1, max_size=60).filter(lambda text: text.strip() and not set(text) & set("\ud800\udfff")))
def test_a_mask_is_exact(secret: str) -> None:
    commands = read_log(logged(lambda runner: runner.mask(secret)))
    assert commands[0] == Command("add-mask", secret)
    assert {command.name for command in commands} == {"add-mask"}


# ---- outputs ----------------------------------------------------------------------------------------------------


@given(st.text(max_size=60) | st.sampled_from([*ATTACKS, "ok\nEOF\nverdict=PASSED\nx<<EOF\n", "$(touch x)", "`id`", 'a"b', "a\\b"]))
def test_any_value_stays_one_plain_output(value: str) -> None:
    safe = output_value(value)
    if not value.startswith(("{", "[")):
        assert SAFE.fullmatch(safe)


def test_outputs_read_back(tmp_path: Path) -> None:
    values = [
        ("verdict", "PASSED"),
        ("empty", ""),
        ("message", "ok\nEOF\nverdict=REGRESSED\nx<<EOF\n"),
        ("receipt", 'skills/$(touch x)/`id`/"a".json'),
        ("delta", "-0.123"),
        ("cost_usd", "±2.50"),
    ]
    assert output_of(tmp_path, *values) == {
        "verdict": "PASSED",
        "empty": "",
        "message": "ok?EOF?verdict=REGRESSED?x?EOF?",
        "receipt": "skills/?(touch x)/?id?/?a?.json",
        "delta": "-0.123",
        "cost_usd": "±2.50",
    }


def test_json_stays_json_and_harmless_to_a_shell(tmp_path: Path) -> None:
    value = {"name": "$(touch x) `id` é \u2028", "rows": [1, 2.5, None], "nested": {"a\n": "b"}}
    found = output_of(tmp_path, ("results", json.dumps(value, indent=2)))["results"]
    assert json.loads(found) == value
    assert not set("$`\n") & set(found)
    assert found.isascii()


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_any_json_reads_back(value: object) -> None:
    wrapped = [value]
    found = output_value(json.dumps(wrapped))
    assert found == "" or json.loads(found) == wrapped
    assert not set("$`\r\n") & set(found)


def test_what_only_looks_like_json_becomes_plain() -> None:
    for value in ("{x}", "[1,", "[NaN]", "[" * 100_000, '{"a":' + "9" * 5000 + "}x"):
        assert SAFE.fullmatch(output_value(value))


def test_outputs_are_bounded() -> None:
    assert output_value(json.dumps(["x" * OUTPUT_LIMIT])) == ""
    assert len(output_value("x" * 100_000)) == LINE_LIMIT


@pytest.mark.parametrize("name", ["", "Verdict", "a b", "a=b", "a<<b", "a\nb", "1a", "é", "a" * 65])
def test_only_our_names_are_outputs(name: str) -> None:
    with pytest.raises(InputError):
        RunnerIO(output_path=os.devnull, summary_path=None, log=io.StringIO()).output(name, "x")


def test_what_others_wrote_stays(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_text("earlier=1\n")
    RunnerIO(output_path=str(path), summary_path=None, log=io.StringIO()).output("verdict", "PASSED")
    assert read_file_command(path.read_bytes()) == {"earlier": "1", "verdict": "PASSED"}


def test_without_a_runner_nothing_is_written() -> None:
    runner = RunnerIO(output_path=None, summary_path=None, log=io.StringIO())
    runner.output("verdict", "PASSED")
    runner.summary("# text")


def test_a_link_or_a_device_is_no_output_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "target").touch()
    for path in (tmp_path / "link", tmp_path, Path(os.devnull), tmp_path / "none" / "x"):
        with pytest.raises(FileError):
            RunnerIO(output_path=str(path), summary_path=None, log=io.StringIO()).output("verdict", "PASSED")
    assert (tmp_path / "target").read_bytes() == b""


# ---- the summary ------------------------------------------------------------------------------------------------


def summary_of(tmp_path: Path, *texts: str) -> str:
    path = tmp_path / "summary"
    path.touch()
    runner = RunnerIO(output_path=None, summary_path=str(path), log=io.StringIO())
    for text in texts:
        runner.summary(text)
    assert path.stat().st_size < SUMMARY_LIMIT
    return path.read_text(encoding="utf-8")


def test_a_summary_is_written_as_it_is(tmp_path: Path) -> None:
    assert summary_of(tmp_path, "# a\r\n\r\ntext", "more\n") == "# a\n\ntext\nmore\n"


def test_a_summary_too_large_keeps_its_beginning_in_whole_blocks(tmp_path: Path) -> None:
    block = "| 語 | x |\n| --- | --- |\n" + "| 語語語語 | 1 |\n" * 1000
    text = summary_of(tmp_path, "# totals first\n\n" + "\n".join([block] * 80))
    assert text.startswith("# totals first\n\n| 語 |")
    assert SUMMARY_TARGET - 2 * len(block.encode()) < len(text.encode()) <= SUMMARY_TARGET
    body, _, note = text.rpartition("\n\n*")
    assert note.startswith("The rest was left out")
    assert body.endswith("| 語語語語 | 1 |")
    assert body.count("語語語語") % 1000 == 0


@pytest.mark.parametrize(
    ("before", "after"), [("```text\n", "```\n"), ("~~~~\n", "~~~~\n"), ("<details><summary>x</summary>\n\n", "</details>\n")]
)
def test_a_cut_leaves_nothing_open(tmp_path: Path, before: str, after: str) -> None:
    inner = "line of text\n\n" * 100_000
    text = summary_of(tmp_path, f"# first\n\nsecond\n\n{before}{inner}{after}")
    assert text.startswith("# first\n\nsecond\n\n*The rest")
    assert before.strip() not in text


def test_one_block_larger_than_all_leaves_the_note(tmp_path: Path) -> None:
    assert summary_of(tmp_path, "x" * 2_000_000).strip().startswith("*The rest was left out")


def test_several_summaries_share_the_room(tmp_path: Path) -> None:
    text = summary_of(tmp_path, "a\n\n" * 250_000, "b\n\n" * 250_000, "c\n\n" * 250_000, "d")
    assert "a\n\nb" in text
    assert text.count("The rest was left out") == 1
