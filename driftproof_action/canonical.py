"""Values to RFC 8785 bytes and digests, and the one strict JSON reader. Not: files, YAML, the meaning of any value."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, Protocol, TypeAlias

import rfc8785

from driftproof_action.errors import DocumentError

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 64
MAX_INTEGER = 2**53 - 1


def canonical_bytes(value: Json) -> bytes:
    """The RFC 8785 form of a value, UTF-8, no newline.

    Raises DocumentError for what the form cannot hold: NaN, infinities, integers beyond 2^53 - 1, lone surrogates.
    """
    try:
        return _ENCODE(_simple(value)).encode()
    except (_OddError, UnicodeEncodeError, RecursionError):
        pass  # the careful way spells it, or says what is wrong with it
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise DocumentError(
            f"cannot be written as canonical JSON: {error}",
            fix="use finite numbers, integers within ±(2^53 - 1) and well-formed Unicode",
            anchor="canonical",
        ) from error


_ENCODE = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode


class _OddError(Exception):
    """The C encoder would not spell this value as RFC 8785 does."""


def _simple(value: Any) -> Any:
    """The value with whole floats as integers, where the C encoder's text is the RFC 8785 form; four times as fast."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is int and -MAX_INTEGER <= value <= MAX_INTEGER:
        return value
    if kind is float and (value == 0 or 1e-4 <= abs(value) < 1e15):
        whole = int(value)
        return whole if whole == value else value
    if kind is dict and all(map(_sorts_alike, value)):
        return {key: _simple(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_simple(item) for item in value]
    raise _OddError


def _sorts_alike(key: Any) -> bool:
    """Whether code points and UTF-16 units put the key in the same place: both do below the surrogates."""
    return type(key) is str and (key.isascii() or max(key) < "\ud800")


def digest(value: Json) -> str:
    """Lower-hex sha256 of the canonical form."""
    return sha256_hex(canonical_bytes(value))


def sha256_hex(data: bytes) -> str:
    """Lower-hex sha256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def text_digest(text: str) -> str:
    """Lower-hex sha256 of a text's UTF-8 bytes; lone surrogates enter as U+FFFD."""
    return sha256_hex(text.encode("utf-8", "replace"))


def utf16_key(text: str) -> bytes:
    """Sort key of the published orders: by UTF-16 code unit."""
    return text.encode("utf-16-be", "surrogatepass")


def content_digest(files: Iterable[tuple[str, bytes]]) -> str:
    """The published content_hash: `path NUL sha256 LF` for each file in UTF-16 order of path.

    Source: receipt format 0.1, field skill.content_hash.
    """
    ordered = sorted(files, key=lambda item: utf16_key(item[0]))
    return sha256_hex(b"".join(path.encode() + b"\0" + sha256_hex(data).encode() + b"\n" for path, data in ordered))


def tree_digest(files: Iterable[tuple[str, bytes, bytes]]) -> str:
    """tree_hash: `mode SP path NUL payload LF` for each (mode, path bytes, payload) in raw byte order of path.

    The payload is the hex sha256 of the content, or the commit id of a submodule. Source: spec/RECEIPT.md, tree_hash.
    """
    ordered = sorted(files, key=lambda item: item[1])
    return sha256_hex(b"".join(mode.encode() + b" " + path + b"\0" + payload + b"\n" for mode, path, payload in ordered))


class Refuse(Protocol):
    """Raises a DocumentError about the document being read."""

    def __call__(self, message: str, fix: str = "", line: int | None = None) -> NoReturn: ...


def read_json(data: bytes, *, source: str, limit: int = MAX_BYTES, depth: int = MAX_DEPTH) -> Json:
    """Parse JSON the strict way; `source` names the document in errors.

    Refused, each with its own message and where possible the line: more than `limit` bytes, not UTF-8, nesting deeper
    than `depth`, duplicate keys, NaN and infinities (also 1e999), integers beyond 2^53 - 1, lone surrogates. A leading
    byte order mark is dropped. Raises DocumentError.
    """

    def refuse(message: str, fix: str = "", line: int | None = None) -> NoReturn:
        raise DocumentError(message, place=f"{source}:{line}" if line else source, fix=fix, anchor="strict-json")

    if len(data) > limit:
        refuse(f"is {len(data)} bytes, the limit is {limit}", "split it, or remove what is not needed")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        refuse(f"is not UTF-8: byte {error.start}", "save it as UTF-8", data.count(b"\n", 0, error.start) + 1)
    if not text.strip():
        refuse("is empty", "a JSON document was expected")

    def pairs(items: list[tuple[str, Json]]) -> dict[str, Json]:
        out = dict(items)
        if len(out) != len(items):
            seen: set[str] = set()
            twice = next(key for key, _ in items if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            refuse(f"holds the key {twice!r} twice in one object", "keep one of them", _line_of_second(text, twice))
        return out

    def integer(token: str) -> int:
        if len(token) > 17 or abs(int(token)) > MAX_INTEGER:
            refuse(f"holds the integer {token[:24]}, beyond ±(2^53 - 1)", "write it as a string")
        return int(token)

    def number(token: str) -> float:
        value = float(token)
        if not math.isfinite(value):
            refuse(f"holds the number {token[:24]}, which is not finite")
        return value

    def constant(token: str) -> NoReturn:
        at = text.find(token)
        refuse(f"holds {token}, which is not JSON", "use null, or leave the key out", text.count("\n", 0, at) + 1)

    try:
        value: Json = json.loads(text, object_pairs_hook=pairs, parse_int=integer, parse_float=number, parse_constant=constant)
    except json.JSONDecodeError as error:
        refuse(f"is not JSON: {error.msg} (column {error.colno})", _json_advice(text, error), error.lineno)
    except RecursionError:
        value = None
    if value is None or _deeper(value, depth):
        _refuse_depth(text, depth, refuse)
    if "\\u" in text or "\\U" in text:
        _check_surrogates(value, refuse)
    return value


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def _deeper(value: Json, depth: int) -> bool:
    """Whether containers are nested deeper than `depth`; looks one level at a time."""
    level = [whole for whole in [value] if isinstance(whole, dict | list)]
    for _ in range(depth):
        inside = (item for whole in level for item in (whole.values() if isinstance(whole, dict) else whole))
        level = [item for item in inside if isinstance(item, dict | list)]
    return bool(level)


def _refuse_depth(text: str, depth: int, refuse: Refuse) -> None:
    """Refuse with the line where the nesting becomes too deep."""
    level = 0
    for match in _TOKEN.finditer(text):
        mark = match.group()
        if mark in "[{":
            level += 1
            if level > depth:
                refuse(f"is nested deeper than {depth}", "", text.count("\n", 0, match.start()) + 1)
        elif mark in "]}":
            level -= 1


def _check_surrogates(value: Json, refuse: Refuse) -> None:
    stack: list[Json] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if any("\ud800" <= char <= "\udfff" for char in item):
                refuse("holds a lone surrogate (half of a Unicode pair)", "write the whole character")
        elif isinstance(item, Mapping):
            stack.extend(item.keys())
            stack.extend(item.values())
        elif isinstance(item, Sequence):
            stack.extend(item)


def _line_of_second(text: str, key: str) -> int | None:
    spelled = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:")
    found = [match.start() for match in spelled.finditer(text)]
    return text.count("\n", 0, found[1]) + 1 if len(found) > 1 else None


def _json_advice(text: str, error: json.JSONDecodeError) -> str:
    position = error.pos
    if error.msg.startswith("Unterminated string"):
        return "it ends too early: a quote is not closed"
    if position >= len(text.rstrip()):
        return "it ends too early: a bracket is not closed"
    around = text[max(0, position - 1) : position + 2]
    if "//" in text[max(0, position - 2) : position + 2] or "/*" in around:
        return "JSON has no comments: remove them"
    if around[:1] == "," or around[1:2] in "]}":
        return "JSON allows no comma after the last item: remove it"
    if around[1:2].isalpha() or around[1:2] == "'":
        return 'put keys and texts in double quotes: "key"'
    return "check the brackets, commas and quotes around this place"
