"""Foreign text made harmless for Markdown, and the few Markdown shapes the reports use. Not: what is said with them.

GitHub reads a comment twice: once as Markdown, then the finished HTML again for mentions, issue numbers, commit ids, emoji
and e-mail addresses. An entity disarms the first reading only, so a word that could mean something to the second goes into
a code span, which both leave alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

TEXT_LIMIT = 200
NAME_LIMIT = 60
COMMENT_BYTES = 60_000
"""GitHub takes 65,536 characters and counts some of them twice; UTF-8 bytes are never fewer."""
SUMMARY_BYTES = 900 * 1024
"""GitHub drops a summary above 1 MiB whole."""

_UNSEEN = frozenset(
    [
        0x034F,
        0x115F,
        0x1160,
        0x17B4,
        0x17B5,
        0x2800,
        0x3164,
        0xFFA0,
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)
"""Code points that are letters, marks or symbols by category and show nothing."""
_RAW = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,;%?'(/")
_RISKY = re.compile(r"[@#$`]|:(?=.)|www\.|(?:gh|ghsa|cve)-|[0-9a-f]{7,}", re.IGNORECASE)
_MARKS_IN_A_ROW = 4


def _escape(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def seen(value: object, *, lines: bool = False) -> str:
    """The value as a text in which every character shows: what does not is written as an escape (`\\x1b`, `\\u202e`).

    Not shown: controls, format characters (direction, zero width, tags), fillers, surrogates, unassigned and private code
    points, every space but U+0020, and combining marks after the fourth in a row. lines: keep LF, and CR LF as LF.
    """
    raw = str(value)
    if lines:
        raw = raw.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ")
    if raw.isascii() and raw.isprintable():
        return raw
    out: list[str] = []
    marks = 0
    for char in raw:
        category = unicodedata.category(char)
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        hidden = category[0] in "CZ" or ord(char) in _UNSEEN or marks > _MARKS_IN_A_ROW
        out.append(char if char == " " or (lines and char == "\n") or not hidden else _escape(char))
    return "".join(out)


def _cut(value: str, limit: int) -> str:
    return value if len(value) <= limit else value[: max(0, limit - 1)] + "…"


def _entity(word: str, at: int) -> str:
    char = word[at]
    if char in _RAW or not char.isascii():
        return char
    before, after = word[at - 1 : at] if at else "", word[at + 1 : at + 2]
    if char in ".-" and before.isalnum() and after.isalnum():
        return char
    if char in ".)" and before and not word[:at].isdigit():
        return char
    return f"&#{ord(char)};"


def _span(value: str) -> str:
    """Code spans without a backtick or a pipe in them; those two stand outside as entities, so that tables hold too."""
    parts = re.split(r"([`|])", value)
    out = []
    for part in parts:
        if part in {"`", "|"}:
            out.append(f"&#{ord(part)};")
        elif part:
            pad = " " if part[0] == " " or part[-1] == " " else ""
            out.append(f"`{pad}{part}{pad}`")
    return "".join(out)


def text(value: object, *, limit: int = TEXT_LIMIT) -> str:
    """Foreign text as one line of running Markdown, safe in a paragraph, a heading and a table cell.

    White space of any kind becomes one space; at most `limit` code points, then an ellipsis.
    """
    words = seen(_cut(" ".join(str(value).split()), limit)).split(" ")
    return " ".join(_span(word) if _RISKY.search(word) else "".join(_entity(word, at) for at in range(len(word))) for word in words)


def code(value: object, *, limit: int = TEXT_LIMIT) -> str:
    """Foreign text as a code span: ids, paths, names. Line breaks show as `\\x0a`, so different ids look different."""
    return _span(_cut(seen(value), limit)) or "(empty)"


def name(value: object, *, limit: int = NAME_LIMIT) -> str:
    """A name in a code span; where it holds letters outside ASCII, its ASCII spelling follows, so that a look-alike shows."""
    shown = code(value, limit=limit)
    visible = _cut(seen(value), limit)
    if visible.isascii() or shown.isascii():
        return shown
    return f"{shown} ({code(''.join(char if char.isascii() else _escape(char) for char in visible), limit=2 * limit)})"


def fence(value: object, *, label: str, limit: int) -> str:
    """Foreign text as a quoted block under a label of ours: never more than `limit` code points, never read as Markdown."""
    raw = str(value)
    body = seen(raw[:limit], lines=True).strip("\n")
    if len(raw) > limit:
        body += f"\n… ({len(raw) - limit} more characters)"
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{label}\n\n{ticks}text\n{body}\n{ticks}"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are Markdown already (`text`, `code`, our own words). Raises ValueError for a ragged row."""
    lines = ["| " + " | ".join(headers) + " |", "|" + " --- |" * len(headers)]
    for row in rows:
        if len(row) != len(headers):
            raise ValueError(f"a row of {len(row)} cells under {len(headers)} headers")
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def details(summary: str, body: str) -> str:
    """A folded block. summary: our own words only, it is HTML and not Markdown."""
    plain = summary.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<details><summary>{plain}</summary>\n\n{body}\n\n</details>"


def joined(blocks: Sequence[str]) -> str:
    """Blocks with an empty line between them; empty ones fall out."""
    return "\n\n".join(block for block in blocks if block)


def fit(blocks: Sequence[str], budget: int) -> str:
    """The blocks that fit into `budget` UTF-8 bytes, in order, cut at block borders only, with a line that says so.

    A block too large for what is left falls out and later ones still get their chance, so put the totals first. Raises
    ValueError for a budget that cannot hold the closing line.
    """
    whole = joined(blocks) + "\n"
    if len(whole.encode()) <= budget:
        return whole
    room = budget - len(_left_out(len(blocks)).encode())
    if room < 0:
        raise ValueError(f"a budget of {budget} bytes holds nothing")
    kept: list[str] = []
    dropped = 0
    for block in (block for block in blocks if block):
        size = len(block.encode()) + 2
        if size <= room:
            kept.append(block)
            room -= size
        else:
            dropped += 1
    return joined([*kept, _left_out(dropped)])


def _left_out(count: int) -> str:
    what = f"{count} part{'' if count == 1 else 's'} left out here, this place has a size limit"
    return f"{what}: all of it is in `result.json` and the receipts.\n"
