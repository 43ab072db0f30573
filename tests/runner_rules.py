"""How the job runner reads what a step leaves behind: file commands and log lines. Not: our way of writing them.

Written from the runner's published behaviour (version 2.336), so that escaping is tested against another reader.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

COMMANDS = frozenset(
    {
        "debug",
        "notice",
        "warning",
        "error",
        "group",
        "endgroup",
        "add-mask",
        "echo",
        "add-matcher",
        "remove-matcher",
        "stop-commands",
        "save-state",
        "set-output",
        "set-env",
        "add-path",
    }
)
SUMMARY_LIMIT = 1_048_576


class BrokenFileCommandError(Exception):
    """The runner would fail the step."""


@dataclass(frozen=True)
class Command:
    name: str
    data: str
    properties: dict[str, str] = field(default_factory=dict)


def read_file_command(content: bytes) -> dict[str, str]:
    """What a file of KEY=VALUE and KEY<<DELIMITER lines sets."""
    text = content.decode("utf-8-sig")
    found: dict[str, str] = {}
    position = 0

    def line() -> tuple[str, bool]:
        nonlocal position
        end = text.find("\n", position)
        out, ended = (text[position:], False) if end < 0 else (text[position:end], True)
        position = len(text) if end < 0 else end + 1
        return out, ended

    while position < len(text):
        head, ended = line()
        if not head:
            continue
        equals, heredoc = head.find("="), head.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            found[head[:equals]] = head[equals + 1 :]
            continue
        if heredoc < 0 or not head[:heredoc] or not head[heredoc + 2 :]:
            raise BrokenFileCommandError(f"invalid format {head!r}")
        name, delimiter = head[:heredoc], head[heredoc + 2 :]
        lines = []
        while True:
            if position >= len(text):
                raise BrokenFileCommandError(f"no delimiter {delimiter!r}")
            value, ended = line()
            if value == delimiter:
                break
            if not ended:
                raise BrokenFileCommandError("no line break at the end of a heredoc line")
            lines.append(value)
        found[name] = "\n".join(lines)
    return found


def read_log(text: str) -> list[Command]:
    """The commands of a log: a registered name after `::` at a line's start, or `##[` anywhere in a line."""
    return [command for line in re.split(r"\r\n|\r|\n", text) if (command := parse_line(line.rstrip("\r")))]


def parse_line(line: str, *, more: frozenset[str] = frozenset()) -> Command | None:
    """The command of one log line. more: names that count beside the registered ones (a token that ends `stop-commands`)."""
    names = COMMANDS | {name.lower() for name in more}
    return _double_colon(line.lstrip(), names) or _bracket(line, names)


def _double_colon(line: str, names: frozenset[str]) -> Command | None:
    if not line.startswith("::"):
        return None
    end = line.find("::", 2)
    if end < 0:
        return None
    name, _, rest = line[2:end].partition(" ")
    if name.lower() not in names:
        return None
    properties = dict(pair.split("=", 1) for pair in rest.strip().split(",") if pair.count("=") >= 1 and pair.split("=", 1)[1])
    return Command(name.lower(), _unescape(line[end + 2 :]), {key.strip(): _unescape(value, ":", ",") for key, value in properties.items()})


def _bracket(line: str, names: frozenset[str]) -> Command | None:
    start = line.find("##[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    name, _, rest = line[start + 3 : end].partition(" ")
    if name.lower() not in names:
        return None
    properties = dict(pair.split("=", 1) for pair in rest.strip().split(";") if pair.count("=") >= 1)
    return Command(name.lower(), _unescape(line[end + 1 :], ";", "]"), properties)


def _unescape(text: str, *more: str) -> str:
    for char in ("\r", "\n", *more, "%"):
        text = text.replace(f"%{ord(char):02X}", char)
    return text
