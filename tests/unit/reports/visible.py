"""What a reader sees of Markdown of ours. Not: a Markdown renderer; it knows only the shapes reports/ makes."""

from __future__ import annotations

import html
import re


def outside_quotes(body: str) -> str:
    """The body without fenced blocks and code spans: the part Markdown would act on."""
    body = re.sub(r"^(`{3,})text\n.*?\n\1$", "", body, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", body)


def visible(body: str) -> str:
    """Without our marker, tags and marks; entities read; lines joined by spaces."""
    body = re.sub(r"<!--.*?-->\n?", "", body, flags=re.DOTALL)
    spans: list[str] = []

    def keep(match: re.Match[str]) -> str:
        spans.append(match[1])
        return f"\x00{len(spans) - 1}\x00"

    body = re.sub(r"`([^`\n]*)`", keep, body)
    body = re.sub(r"<[^>]*>|\*\*|^#+ ", "", body, flags=re.MULTILINE)
    body = re.sub("\x00([0-9]+)\x00", lambda match: spans[int(match[1])], html.unescape(body))
    return " ".join(body.split())
