"""The command line: one table of verbs, words to functions, errors to exit codes. Not: what any verb does."""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from driftproof_action import __version__
from driftproof_action.errors import DriftproofError, FileError, InputError
from driftproof_action.signals_io import Interrupted, Signals
from driftproof_action.streams_io import hang_up, murmur, say, speak_utf8, trace

READ_LIMIT = 32 * 1024 * 1024
"""Bytes of one receipt a verb reads: receipts.versions.LARGEST, which `--help` need not load."""

INTERNAL = 70


@dataclass(frozen=True, slots=True)
class Verb:
    """help: one short line. target: `module:function` below the package, imported when the verb is used and not before.
    parameters: built when the verb is used. gives: which of COLLABORATORS the function receives by name. settings: every
    flag but --json goes into the one argument `flags`, by name, for the settings room to read.

    The function takes its parameters by name and returns (text for standard output, exit code), or the exit code alone when
    it has said everything itself.
    """

    help: str
    target: str
    parameters: Callable[[], Sequence[click.Parameter]]
    gives: tuple[str, ...] = ()
    settings: bool = False


def _load(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(f"driftproof_action.{module}"), name)


# ---- what a verb may be given -----------------------------------------------------------------------------------


def _opener(folder: str) -> Any:
    return _load("files_io:FilesIO")(folder or ".")


def _read(path: str) -> bytes:
    """A file the user named, wherever it lies. Raises FileError (exit 2)."""
    folder, name = os.path.split(path)
    try:
        content: bytes = _opener(folder).read(name, limit=READ_LIMIT)
    except FileError as error:
        error.place = path
        raise
    return content


COLLABORATORS: Mapping[str, Callable[[Signals], object]] = {
    "read": lambda _: _read,
    "files": lambda _: _opener("."),
    "stop": lambda signals: signals.stop,
    "environ": lambda _: dict(os.environ),
    "action": lambda _: _load("action:main"),
}


# ---- the words of each verb -------------------------------------------------------------------------------------


def _many(name: str, metavar: str, *, required: bool = True) -> click.Parameter:
    return click.Argument([name], nargs=-1, required=required, metavar=metavar)


def _one(name: str, metavar: str, *, required: bool = True) -> click.Parameter:
    return click.Argument([name], required=required, metavar=metavar)


def _flag(name: str, target: str, text: str) -> click.Parameter:
    return click.Option([name, target], is_flag=True, help=text)


def _as_json() -> click.Parameter:
    return _flag("--json", "as_json", "print one JSON document")


def _lint() -> Sequence[click.Parameter]:
    return (_many("paths", "PATH…"), _as_json())


def _validate() -> Sequence[click.Parameter]:
    return (_many("paths", "RECEIPT…"), _as_json())


def _diff() -> Sequence[click.Parameter]:
    return (
        _one("old", "OLD"),
        _one("new", "NEW"),
        click.Option(["--mode"], type=click.Choice(["drift", "revision"]), default="drift", show_default=True, help="what may differ"),
        click.Option(["--fail-on"], multiple=True, metavar="WORD", help="exit 1 when the comparison says this; may be repeated"),
        _flag("--lift-breakdown", "lift_breakdown", "tell the lift of each receipt case by case"),
        _as_json(),
    )


def _power() -> Sequence[click.Parameter]:
    effect = click.Option(["--effect"], type=float, default=0.1, show_default=True, metavar="SIZE", help="lift or fall to reckon draws for")
    return (_one("path", "RECEIPT"), effect, _as_json())


def _badge() -> Sequence[click.Parameter]:
    json = click.Option(["--json"], is_flag=True, expose_value=False, help="print the endpoint JSON, as it does anyway")
    return (_one("path", "RECEIPT"), _flag("--svg", "svg", "print the picture instead"), json)


MEASURE_SETTINGS = (
    "models",
    "mode",
    "anthropic-base-url",
    "max-tokens",
    "case",
    "max-cases",
    "max-usd",
    "max-calls",
    "max-minutes",
    "concurrency",
    "resume-dir",
    "on-unmeasured",
)


def _run() -> Sequence[click.Parameter]:
    fields = [field for field in _load("settings.fields:FIELDS") if field.flag] + list(_load("settings.fields:FLAGS"))
    return (_many("skills", "[SKILL…]", required=False), *map(_setting, fields), _as_json())


def _measure() -> Sequence[click.Parameter]:
    fields = [field for field in _load("settings.fields:FIELDS") if field.name in MEASURE_SETTINGS] + list(_load("settings.fields:FLAGS"))
    draws = click.Option(["--draws"], type=click.IntRange(1, 100), default=10, show_default=True, help="answers drawn for each case")
    return (_many("skills", "SKILL…"), draws, *map(_setting, fields), _as_json())


def _setting(field: Any) -> click.Parameter:
    """The flag of a setting. Its text is read by the settings room, which tells every mistake at once."""
    default = _load("settings.fields:COMMAND_LINE_DEFAULTS").get(field.name, field.default)
    known = f" [{default}]" if default else ""
    several = field.kind == "lines"
    text = field.meaning.replace(", one a line", "; may be repeated").replace("(one a line)", "(may be repeated)")
    return click.Option([f"--{field.name}"], metavar=field.kind.upper(), multiple=several, default=None, help=text + known)


def _init() -> Sequence[click.Parameter]:
    return (
        _one("skill_dir", "[FOLDER]", required=False),
        _flag("--no-workflow", "no_workflow", "write suites only"),
    )


def _none() -> Sequence[click.Parameter]:
    return ()


VERBS: Mapping[str, Verb] = {
    "run": Verb("measure a skill and write its receipt", "commands.run:run", _run, ("environ", "stop"), settings=True),
    "measure": Verb("pass rates of one arm, nothing compared", "commands.run:measured", _measure, ("environ", "stop"), settings=True),
    "demo": Verb("see it all once, offline, in a throw-away repository", "commands.demo:run", _none, ("action", "environ")),
    "lint": Verb("say what a skill or suite will be read as", "commands.lint:run", _lint),
    "validate": Verb("check receipts: schema, seal, numbers", "commands.validate:run", _validate, ("read",)),
    "diff": Verb("compare two receipts, case by case", "commands.diff:run", _diff, ("read",)),
    "power": Verb("what more draws would show and cost", "commands.power:run", _power, ("read",)),
    "badge": Verb("a badge from a receipt", "commands.badge:run", _badge, ("read",)),
    "init": Verb("write a workflow and starter suites", "commands.init:run", _init, ("files",)),
    "action": Verb("the GitHub Action's own door", "action:main", _none),
}
"""The one lazy table: nothing a verb needs is imported before that verb is used."""


# ---- the door ---------------------------------------------------------------------------------------------------


class Door(click.Group):
    """The verbs of VERBS. Help and the list of verbs load none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        return click.Command(cmd_name, params=list(verb.parameters()), help=_sentence(verb.help), callback=_caller(verb, ctx.obj))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl([(name, verb.help) for name, verb in VERBS.items()])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _caller(verb: Verb, signals: Signals) -> Callable[..., tuple[str, int]]:
    def call(**words: Any) -> tuple[str, int]:
        given = {name: COLLABORATORS[name](signals) for name in verb.gives}
        said: tuple[str, int] | int = _load(verb.target)(**(_gathered(words) if verb.settings else words), **given)
        return said if isinstance(said, tuple) else ("", said)

    return call


def _gathered(words: dict[str, Any]) -> dict[str, Any]:
    """Named skills stand for --skill-dir, which stays for those who like one spelling everywhere."""
    as_json, skills = words.pop("as_json"), words.pop("skills")
    words["skill_dir"] = (*skills, *words.get("skill_dir", ()))
    return {"flags": words, "as_json": as_json}


def _door() -> Door:
    return Door(
        "driftproof",
        help="Does this agent skill still help, and did it change?",
        params=[
            click.Option(["-V", "--version"], is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
        ],
        epilog="driftproof VERB --help tells more.",
        no_args_is_help=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        subcommand_metavar="VERB …",
    )


def _version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(f"driftproof {__version__}")
        ctx.exit(0)


def main(words: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code. Never raises on bad input; DRIFTPROOF_DEBUG=1 shows an internal error's
    traceback. Standard output carries the verb's data, standard error everything else, both as UTF-8."""
    if words is None:
        _spare_the_collector()
    speak_utf8()
    try:
        with Signals() as signals:
            return _settle(tuple(sys.argv[1:] if words is None else words), signals)
    except Interrupted as error:
        return error.exit_code


def _spare_the_collector() -> None:
    """For a process of our own. Most of what a verb makes, it keeps: to search it for cycles as often as usual, and all of it
    once more at the interpreter's end, takes a tenth of a short run."""
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)


def _settle(words: tuple[str, ...], signals: Signals) -> int:
    try:
        return _answer(words, signals)
    except DriftproofError as error:
        murmur(_load("reports.terminal:error_lines")(error))
        return error.exit_code
    except Exception as error:
        if os.environ.get("DRIFTPROOF_DEBUG") == "1":
            trace(error)
        murmur(f"driftproof: internal error ({type(error).__name__}); DRIFTPROOF_DEBUG=1 shows where")
        return INTERNAL


def _answer(words: tuple[str, ...], signals: Signals) -> int:
    """A verb's exit code stands even when nobody reads what it found; a signal outranks all but an internal error."""
    door = _door()
    try:
        with door.make_context("driftproof", list(words) or ["--help"], obj=signals) as context:
            text, code = door.invoke(context)
    except click.exceptions.Exit as error:
        return error.exit_code if words else InputError.exit_code
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "driftproof"
        raise InputError(error.format_message(), fix=f"{where} --help", anchor="usage") from error
    except BrokenPipeError:
        hang_up()
        return 0
    say(text)
    return 128 + signals.received if signals.received and code != INTERNAL else code


if __name__ == "__main__":
    sys.exit(main())
