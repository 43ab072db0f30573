"""Ten thousand hostile strings through GitHub's own Markdown reader: no node of theirs, every character shown. Not: mentions and
the like, which GitHub reads in the finished page (unit/reports/test_markdown)."""

from __future__ import annotations

import html
import random
import re

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from driftproof_action.reports.markdown import code, fence, name, seen, table, text

PIECES = (
    *("`", "``", "```", "~~~", "|", "\n", "\r\n", "\n\n", "@org", "#1", "<b>", "<script>", "</details>", "<!--", "-->", "&lt;", "&#64;"),
    *(
        "![x](https://evil.example/p.png)",
        "[a](b)",
        "[a]: b",
        "<https://a.b>",
        "https://a.b",
        "www.a.b",
        "a@b.c",
        "$x$",
        "$$",
        "[^1]",
        "[^1]: x",
    ),
    *(
        "**",
        "__",
        "*",
        "_",
        "~~",
        "- ",
        "+ ",
        "1. ",
        "1) ",
        "# ",
        "===",
        "---",
        "> ",
        "> [!NOTE]",
        "\\",
        "    ",
        "\t",
        "[ ] ",
        "|-|-|",
        ":-:",
    ),
    *(
        "fixes #1",
        "deadbeefcafe",
        "<!-- driftproof v1 key=0 -->",
        "\u202e",
        "\u200b",
        "\x1b[31m",
        "\x00",
        "é",
        "漢",
        "🎉",
        " ",
        "a",
        "B",
        "7",
        "'",
        '"',
    ),
)
COUNT = 10_000


def strings() -> list[str]:
    dice = random.Random(34)
    return ["".join(dice.choice(PIECES) for _ in range(dice.randint(1, 9))) for _ in range(COUNT)]


def drawn(markdown: str) -> str:
    return cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE)


def tags(page: str) -> set[str]:
    return set(re.findall(r"</?([a-zA-Z!][a-zA-Z0-9]*)", page))


def shown(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def test_the_naive_way_is_hurt() -> None:
    hurt = sum(bool(tags(drawn(f"Case {value}: fell")) - {"p", "code"}) for value in strings()[:1000])
    assert hurt > 300


@pytest.mark.parametrize("guard", [text, code, name])
def test_a_guarded_string_makes_no_node_and_loses_nothing(guard) -> None:  # type: ignore[no-untyped-def]
    for value in strings():
        page = drawn(f"Case {guard(value, limit=10_000)}: fell")
        assert tags(page) <= {"p", "code"}, value
        if guard is not name:
            given = seen(" ".join(value.split())) if guard is text else seen(value)
            # A code span shows a run of spaces as one.
            assert " ".join(shown(page).split()) == " ".join(f"Case {given or '(empty)' * (guard is code)}: fell".split()), value


def test_in_a_cell_it_stays_in_its_cell() -> None:
    for value in strings()[:2000]:
        page = drawn(table(["one", "two"], [[text(value), code(value)]]))
        assert page.count("<td>") == 2, value
        assert tags(page) <= {"table", "thead", "tbody", "tr", "th", "td", "code"}, value


def test_in_a_fence_it_stays_in_the_fence() -> None:
    for value in strings()[:2000]:
        page = drawn(fence(value, label="Judge:", limit=10_000) + "\n\nafter")
        assert tags(page) <= {"p", "pre", "code"}, value
        assert page.count("<pre") == 1, value
        assert page.rstrip().endswith("<p>after</p>"), value
