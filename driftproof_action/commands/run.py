"""`driftproof run` and `driftproof measure`: skills from the command line. Not: the Action's door (action.py)."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence

from driftproof_action.commands.evaluate import evaluate, measure
from driftproof_action.commands.local import at_hand
from driftproof_action.reports.console import data_lines, people_lines
from driftproof_action.reports.job import JobResult
from driftproof_action.reports.rates import rate_lines
from driftproof_action.settings.read import Flag, from_flags
from driftproof_action.streams_io import murmur


def run(flags: Mapping[str, Flag], *, as_json: bool, environ: Mapping[str, str], stop: threading.Event) -> tuple[str, int]:
    """The lift of the named skills. (what standard output gets: the receipts' paths, or one JSON document; exit code).
    People's text goes to standard error as it comes."""
    settings, world, shelf = at_hand(from_flags(flags, environ=environ), environ=environ, stop=stop, say=_say)
    result = evaluate(settings, world, shelf)
    return _told(result, people_lines(result, receipts=False), as_json=as_json)


def measured(flags: Mapping[str, Flag], *, as_json: bool, environ: Mapping[str, str], stop: threading.Event) -> tuple[str, int]:
    """Pass rates of the named skills: as `run`, with `draws` (answers a case) among the flags."""
    draws = flags["draws"]
    assert isinstance(draws, int)
    rest = {name: value for name, value in flags.items() if name != "draws"}
    settings, world, shelf = at_hand(from_flags(rest, environ=environ), environ=environ, stop=stop, say=_say)
    result = measure(settings, world, shelf, draws=draws)
    return _told(result, rate_lines(result), as_json=as_json)


def _say(line: str) -> None:
    murmur(f"driftproof: {line}")


def _told(result: JobResult, lines: Sequence[str], *, as_json: bool) -> tuple[str, int]:
    for line in lines:
        murmur(line)
    return _document(result) if as_json else "\n".join(data_lines(result)), result.exit_code


def _document(result: JobResult) -> str:
    from driftproof_action.reports.result import to_json  # slow to load, and only --json needs it

    return json.dumps(to_json(result), indent=2, ensure_ascii=False)
