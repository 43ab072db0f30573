"""How each kind of setting is spelled, and what its text becomes. Not: which settings there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind = Literal["word", "words", "boolean", "integer", "dollars", "models", "lines", "path", "model", "url", "secret", "text"]
Value: TypeAlias = "str | bool | int | tuple[str, ...]"

MAX_ITEMS = 500
MAX_TEXT = 500

_INTEGER = re.compile(r"[1-9][0-9]{0,8}")
_DOLLARS = re.compile(r"(0|[1-9][0-9]{0,6})(?:\.([0-9]{1,6}))?")
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}")
_URL = re.compile(r"https?://[A-Za-z0-9.:/_~%\[\]-]+")
_SECRET = re.compile(r"[!-~]{1,4096}")
_COMMA = re.compile(r"[ \n]*,[ \n]*")


@dataclass(frozen=True, slots=True)
class Field:
    """One setting: its name as an input (`max-usd`) and as a flag (`--max-usd`).

    default: as the user would write it; empty = not set. choices: of words. low, high: of numbers, both included (dollars:
    above low). most: items of a list. flag: whether the command line has it.
    """

    name: str
    kind: Kind
    default: str
    meaning: str
    example: str
    choices: tuple[str, ...] = ()
    low: int = 1
    high: int = 1
    most: int = MAX_ITEMS
    flag: bool = True

    @property
    def allowed(self) -> str:
        """What may be written, in words."""
        words = " or ".join(filter(None, [", ".join(self.choices[:-1]), *self.choices[-1:]]))
        return {
            "word": words,
            "words": f"a comma list of {words}",
            "boolean": "true or false",
            "integer": f"a whole number from {self.low} to {self.high}",
            "dollars": f"a number above {self.low} and at most {self.high}, like 5 or 2.50",
            "models": f"a comma list of at most {self.most} model ids",
            "lines": f"one or several, one a line (at most {self.most})",
            "model": f"{words} or a model id" if words else "a model id",
            "url": "an https address without user name, query or fragment",
            "secret": "a secret on one line",
            "text": "any printable text on one line",
            "path": f"{', '.join(self.choices)} or a path" if words else "a path",
        }[self.kind]


class SpellingError(ValueError):
    """A text does not fit its field's grammar; the field says what would."""


def value_of(field: Field, text: str) -> Value:
    """What a text means. Raises SpellingError. dollars become millionths."""
    return _READERS[field.kind](field, text)


def _word(field: Field, text: str) -> str:
    if text not in field.choices:
        raise SpellingError
    return text


def _words(field: Field, text: str) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(_word(field, word) for word in _COMMA.split(text.rstrip("\n"))))
    if "none" in words and len(words) > 1:
        raise SpellingError
    return words


def _boolean(field: Field, text: str) -> bool:
    if text not in ("true", "false"):
        raise SpellingError
    return text == "true"


def _integer(field: Field, text: str) -> int:
    if not _INTEGER.fullmatch(text) or not field.low <= int(text) <= field.high:
        raise SpellingError
    return int(text)


def _dollars(field: Field, text: str) -> int:
    match = _DOLLARS.fullmatch(text)
    if match is None:
        raise SpellingError
    micro = int(match[1]) * 1_000_000 + int((match[2] or "").ljust(6, "0"))
    if not field.low * 1_000_000 < micro <= field.high * 1_000_000:
        raise SpellingError
    return micro


def _models(field: Field, text: str) -> tuple[str, ...]:
    models = tuple(dict.fromkeys(_COMMA.split(text.rstrip("\n"))))
    if len(models) > field.most or not all(_MODEL.fullmatch(model) for model in models):
        raise SpellingError
    return models


def _lines(field: Field, text: str) -> tuple[str, ...]:
    lines = tuple(dict.fromkeys(line.strip(" ") for line in text.split("\n") if line.strip(" ")))
    if not 0 < len(lines) <= field.most:
        raise SpellingError
    return tuple(_path(field, line) for line in lines)


def _path(field: Field, text: str) -> str:
    """Any printable text of bounded length; control characters, format characters and half surrogates do not print."""
    if not 0 < len(text) <= MAX_TEXT or not text.isprintable():
        raise SpellingError
    return text


def _model(field: Field, text: str) -> str:
    if text not in field.choices and not _MODEL.fullmatch(text):
        raise SpellingError
    return text


def _url(field: Field, text: str) -> str:
    """Its shape alone; where a key may be sent is decided by whoever sends it."""
    if len(text) > MAX_TEXT or not _URL.fullmatch(text):
        raise SpellingError
    return text


def _secret(field: Field, text: str) -> str:
    """Line breaks around it come from how secrets are pasted."""
    secret = text.strip("\r\n ")
    if not _SECRET.fullmatch(secret):
        raise SpellingError
    return secret


_READERS: Mapping[Kind, Callable[[Field, str], Value]] = {
    "word": _word,
    "words": _words,
    "boolean": _boolean,
    "integer": _integer,
    "dollars": _dollars,
    "models": _models,
    "lines": _lines,
    "path": _path,
    "model": _model,
    "url": _url,
    "secret": _secret,
    "text": _path,
}
