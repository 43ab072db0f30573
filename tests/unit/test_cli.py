"""The command line's own promises: words to functions, errors to exit codes, streams. Not: what the verbs do."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import pytest

from driftproof_action import __version__, cli
from driftproof_action.cli import READ_LIMIT, VERBS, Verb, main
from driftproof_action.errors import DriftproofError, InputError, ReceiptError
from driftproof_action.receipts.versions import LARGEST
from driftproof_action.reports.terminal import error_lines
from driftproof_action.settings.fields import FIELDS, FLAGS
from driftproof_action.settings.read import from_flags

Play = Callable[..., None]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    """play(function, like="validate"): a verb `play` that takes the words of another one and calls the function."""
    load = cli._load

    def set_up(function: Callable[..., Any], *, like: str = "", gives: tuple[str, ...] = ()) -> None:
        model = VERBS.get(like, Verb("play", "", lambda: ()))
        verb = Verb("play", "play:it", model.parameters, gives or model.gives, model.settings)
        monkeypatch.setattr(cli, "VERBS", {**VERBS, "play": verb})
        monkeypatch.setattr(cli, "_load", lambda target: function if target == "play:it" else load(target))

    return set_up


def _raise(error: BaseException) -> Callable[..., Any]:
    def function(**_: Any) -> Any:
        raise error

    return function


# ---- help and version -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_help_names_every_verb(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word]) == 0
    out, err = capsys.readouterr()
    assert all(f"  {name} " in out for name in VERBS)
    assert not err


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_version(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word]) == 0
    assert capsys.readouterr().out == f"driftproof {__version__}\n"


def test_saying_nothing_is_a_mistake_that_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "Verbs:" in capsys.readouterr().out


@pytest.mark.parametrize("name", list(VERBS))
def test_every_verb_has_a_help_of_its_own(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Usage: driftproof {name}")
    assert VERBS[name].help.lower() in " ".join(out.lower().split())


@pytest.mark.parametrize("name", ["lint", "validate", "diff", "power", "badge", "run", "measure"])
def test_json_is_offered_where_it_is_promised(name: str) -> None:
    assert any("--json" in parameter.opts for parameter in VERBS[name].parameters())


# ---- words to functions -----------------------------------------------------------------------------------------


def test_a_function_gets_its_words_by_name(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    got: dict[str, Any] = {}

    def function(**words: Any) -> tuple[str, int]:
        got.update(words)
        return "said", 4

    play(function, like="diff", gives=("stop",))
    assert main(["play", "a", "b", "--mode", "revision", "--fail-on", "DRIFT", "--fail-on", "MIXED", "--json"]) == 4
    stop = got.pop("stop")
    assert got == {"old": "a", "new": "b", "mode": "revision", "fail_on": ("DRIFT", "MIXED"), "lift_breakdown": False, "as_json": True}
    assert not stop.is_set()
    assert capsys.readouterr().out == "said\n"


def test_a_function_that_said_everything_returns_its_code_alone(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play(lambda: 3)
    assert main(["play"]) == 3
    assert capsys.readouterr().out == ""


def test_settings_arrive_as_one_argument_the_settings_room_reads(play: Play) -> None:
    got: dict[str, Any] = {}

    def function(**words: Any) -> int:
        got.update(words)
        return 0

    play(function, like="run", gives=("stop",))
    words = ["skills/a", "skills/b", "--max-usd", "2.50", "--case", "one", "--case", "two", "--mode", "stub", "--json"]
    assert main(["play", *words]) == 0
    assert got["as_json"] is True
    settings = from_flags(got["flags"])
    assert settings.skill_dir == ("skills/a", "skills/b")
    assert settings.cases == ("one", "two")
    assert (settings.max_micro_usd, settings.mode) == (2_500_000, "stub")


def test_skills_may_be_named_by_flag_too(play: Play) -> None:
    got: dict[str, Any] = {}
    play(lambda **words: got.update(words) or 0, like="run")
    assert main(["play", "a", "--skill-dir", "b"]) == 0
    assert from_flags({**got["flags"], "mode": "stub"}).skill_dir == ("a", "b")


def test_no_skill_named_means_auto(play: Play) -> None:
    got: dict[str, Any] = {}
    play(lambda **words: got.update(words) or 0, like="run")
    assert main(["play"]) == 0
    assert from_flags({**got["flags"], "mode": "stub"}).skill_dir == ("auto",)


def test_run_has_a_flag_for_every_setting_the_command_line_has() -> None:
    flags = {name for parameter in VERBS["run"].parameters() for name in parameter.opts}
    assert {f"--{field.name}" for field in (*FIELDS, *FLAGS) if field.flag} <= flags
    assert not {f"--{field.name}" for field in FIELDS if not field.flag} & flags


def test_measure_can_be_asked_elsewhere_limited_and_gone_on_with() -> None:
    flags = {option for parameter in VERBS["measure"].parameters() for option in parameter.opts}
    assert {"--anthropic-base-url", "--max-minutes", "--resume-dir", "--on-unmeasured"} <= flags


@pytest.mark.parametrize("verb", ["run", "measure"])
def test_help_shows_the_defaults_of_the_command_line(verb: str) -> None:
    helps = {parameter.opts[0]: parameter.help for parameter in VERBS[verb].parameters() if isinstance(parameter, click.Option)}
    assert (helps["--on-unmeasured"] or "").endswith("[fail]")
    assert (helps["--max-minutes"] or "").endswith("[60]")


def test_every_collaborator_a_verb_asks_for_exists() -> None:
    assert {name for verb in VERBS.values() for name in verb.gives} <= set(cli.COLLABORATORS)


def test_read_opens_a_file_wherever_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "receipt.json").write_bytes(b"{}")
    monkeypatch.chdir(tmp_path)
    assert cli._read("receipt.json") == cli._read(str(tmp_path / "receipt.json")) == b"{}"


def test_read_names_the_whole_path_in_its_error(tmp_path: Path) -> None:
    with pytest.raises(DriftproofError) as caught:
        cli._read(str(tmp_path / "absent.json"))
    assert (caught.value.exit_code, caught.value.place) == (2, str(tmp_path / "absent.json"))


# ---- errors to exit codes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [["nonsense"], ["lint"], ["diff", "a"], ["--nonsense"], ["run", "--max-us", "3"], ["diff", "--mode", "x", "a", "b"]]
)
def test_usage_errors_are_exit_2_with_advice(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith("driftproof: ")
    assert "--help" in err
    assert "docs/errors.md#usage" in err


@pytest.mark.parametrize("error", [InputError("no", place="here", fix="do"), ReceiptError("broken")])
def test_our_errors_keep_their_code_and_are_told(error: DriftproofError, play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play(_raise(error))
    assert main(["play"]) == error.exit_code
    assert capsys.readouterr() == ("", error_lines(error) + "\n")


def test_what_a_user_types_cannot_act_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["\x1b[31mred\n::error::x"]) == 2
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert not any(line.startswith("::") for line in err.splitlines())


def test_an_unexpected_error_is_one_line_and_tells_no_secret(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play(_raise(KeyError("sk-secret")))
    assert main(["play"]) == 70
    err = capsys.readouterr().err
    assert err.splitlines() == ["driftproof: internal error (KeyError); DRIFTPROOF_DEBUG=1 shows where"]


def test_debug_shows_the_traceback(play: Play, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRIFTPROOF_DEBUG", "1")
    play(_raise(KeyError("x")))
    assert main(["play"]) == 70
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    "error", [RecursionError(), MemoryError(), click.ClickException("x"), SystemError()], ids=lambda e: type(e).__name__
)
def test_every_other_error_is_internal(error: Exception, play: Play) -> None:
    play(_raise(error))
    assert main(["play"]) == 70


# ---- signals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_verb_that_does_not_stop_by_itself(number: int, code: int, play: Play) -> None:
    play(lambda: os.kill(os.getpid(), number) or time.sleep(5))
    assert main(["play"]) == code


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_verb_that_can_stop_is_asked_to_and_finishes(number: int, code: int, play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    def function(stop: Any) -> tuple[str, int]:
        os.kill(os.getpid(), number)
        assert stop.wait(5)
        return "what was done", 0

    play(function, gives=("stop",))
    assert main(["play"]) == code
    assert capsys.readouterr().out == "what was done\n"


def test_a_second_signal_does_not_wait(play: Play) -> None:
    def function(stop: Any) -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.wait(5)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
        return 0

    play(function, gives=("stop",))
    assert main(["play"]) == 130


def test_handlers_are_put_back(play: Play) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    play(lambda: 0)
    main(["play"])
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_verb_reads_as_much_as_a_receipt_may_hold() -> None:
    assert READ_LIMIT == LARGEST


# ---- the process itself -----------------------------------------------------------------------------------------


def test_the_collector_does_not_search_all_there_is_at_the_end() -> None:
    program = (
        "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 0)); "
        "from driftproof_action.cli import main; print(gc.get_freeze_count()); main()"
    )
    assert _process(program, "--version").stdout.decode().split() == ["0", "driftproof", __version__, "True"]


def _process(program: str, *words: str, environment: Mapping[str, str] | None = None, **streams: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", program, *words]
    env = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), **(environment or {})}
    return subprocess.run(command, env=env, check=False, **({"capture_output": True} | streams))


SPEAK = """
import sys
from driftproof_action import cli
cli.VERBS = {"play": cli.Verb("play", "play:it", lambda: ())}
load = cli._load
cli._load = lambda target: (lambda: (TEXT, CODE)) if target == "play:it" else load(target)
sys.exit(cli.main(["play"]))
"""


def _speak(text: str, code: int = 0, *, times: int = 1) -> str:
    return SPEAK.replace("TEXT", f"{text!a} * {times}").replace("CODE", str(code))


@pytest.mark.parametrize("text", ["✓ grün → 日本語", "half \ud83d of a pair"])
def test_printing_never_fails_for_what_is_printed(text: str) -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = _process(_speak(text), environment=ascii_only)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("utf-8") == text.encode("utf-8", "backslashreplace").decode() + "\n"


def test_a_closed_pipe_is_quiet_and_changes_no_code() -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = _process(_speak("x", 4, times=1_000_000), capture_output=False, stdout=write, stderr=subprocess.PIPE)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (4, b"")


def test_a_closed_pipe_is_quiet_for_help_too() -> None:
    read, write = os.pipe()
    os.close(read)
    program = "import sys; from driftproof_action.cli import main; sys.exit(main(['--help']))"
    try:
        done = _process(program, capture_output=False, stdout=write, stderr=subprocess.PIPE)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_is_an_error_and_not_a_traceback() -> None:
    with open("/dev/full", "wb") as full:
        done = _process(_speak("x"), capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith(b"driftproof: standard output cannot be written")


def test_no_streams_at_all_is_no_error() -> None:
    program = _speak("x", 3).replace("import sys", "import sys; sys.stdout = sys.stderr = None", 1)
    assert _process(program).returncode == 3


def test_the_package_can_be_run_as_a_module() -> None:
    direct = subprocess.run([sys.executable, "-m", "driftproof_action", "--version"], capture_output=True, check=False)
    assert (direct.returncode, direct.stdout.decode()) == (0, f"driftproof {__version__}\n")


def test_streams_that_cannot_be_set_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["--version"]) == 0
    assert out.getvalue() == f"driftproof {__version__}\n"
