from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.reports.markdown import code, details, fence, fit, joined, name, seen, table, text
from tests.unit.reports.visible import outside_quotes

NASTY = st.lists(
    st.sampled_from(
        (
            *("`", "``", "|", "\n", "\r\n", "@org", "#1", "GH-2", "<b>", "</details>", "<!--", "-->", "![x](y)", "[a](b)", "https://a.b"),
            *("www.a.b", "a@b.c", ":tada:", "$x$", "**", "__", "~~", "- ", "1. ", "1)", "+", "===", "---", "> ", "\\", "&amp;", "&#64;"),
            *("\u202e", "\u200b", "\x1b[31m", "\ud800", "é", "漢", "🎉", " ", "\u00a0", "a", "deadbeef", "~~~", "[^1]", "[ ]"),
            *("\u3164", "\u0301"),
        )
    ),
    max_size=12,
).map("".join)
FOREIGN = st.one_of(NASTY, st.text(max_size=60))
ACTIVE = set('`|<>*_~[]{}#@$!\\=+:^"\n\r')
"""ASCII that Markdown or GitHub could act on, in running text."""


def _undone(markdown: str) -> str:
    """What is shown: entities read, code span marks gone. A code span of ours holds no backtick, so pairs are plain."""
    return re.sub(r"`([^`]*)`|&#([0-9]+);", lambda m: m[1] if m[2] is None else chr(int(m[2])), markdown)


@given(FOREIGN)
def test_text_leaves_nothing_for_markdown_to_act_on(value: str) -> None:
    shown = text(value, limit=10_000)
    bare = re.sub(r"&#[0-9]+;|`[^`]*`", "x", shown)
    assert not ACTIVE & set(bare)
    assert "&" not in bare
    assert not re.match(r"\s*(?:[0-9]+[.)]|[-+*>#])(?:\s|$)", bare)


@given(FOREIGN)
def test_text_says_what_it_was_given(value: str) -> None:
    assert _undone(text(value, limit=10_000)) == seen(" ".join(value.split()))


@given(FOREIGN)
def test_what_github_reads_in_the_finished_page_stands_in_code(value: str) -> None:
    """Mentions, references, addresses and emoji are found after entities are read, so no entity may carry them."""
    bare = html.unescape(outside_quotes(text(value, limit=10_000)))
    assert not re.search(r"[@#$]|:[a-z]|www\.|(?:gh|cve|ghsa)-|[0-9a-f]{7}", bare, re.IGNORECASE)


@given(FOREIGN)
def test_code_is_one_line_without_a_stray_backtick_or_pipe(value: str) -> None:
    shown = code(value)
    assert "\n" not in shown
    assert "|" not in shown
    assert shown.count("`") % 2 == 0
    assert set(outside_quotes(shown)) <= set("&#0123456789;") or shown == "(empty)"


@given(FOREIGN, FOREIGN)
def test_different_names_look_different(one: str, other: str) -> None:
    shown = {_undone(code(value, limit=10_000)).strip() for value in (one, other)}
    if seen(one).strip() != seen(other).strip() and "" not in {seen(one).strip(), seen(other).strip()}:
        assert len(shown) == 2


@given(FOREIGN)
def test_every_character_shows(value: str) -> None:
    for shown in (seen(value), text(value), code(value), seen(value, lines=True).replace("\n", "")):
        assert not re.search("[\x00-\x1f\x7f-\xa0\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u3164\ud800-\udfff]", shown)
        shown.encode()


@given(st.one_of(FOREIGN, st.text(alphabet="`~\n a", max_size=40)))
def test_a_fence_is_longer_than_any_run_in_it(value: str) -> None:
    label, empty, first, *body, last = fence(value, label="Judge, now:", limit=200).split("\n")
    assert (label, empty, first.removesuffix("text")) == ("Judge, now:", "", last)
    assert set(last) == {"`"}
    assert all(last not in line for line in body)


@given(st.text(max_size=400), st.integers(0, 100))
def test_a_fence_is_capped_and_says_by_how_much(value: str, limit: int) -> None:
    shown = fence(value, label="L", limit=limit)
    assert ("more characters)" in shown) == (len(value) > limit) or "more characters)" in value


@given(st.lists(st.text(alphabet="ab é漢\n", max_size=80), max_size=8), st.integers(200, 400))
def test_fit_keeps_the_budget_and_whole_blocks(blocks: list[str], budget: int) -> None:
    out = fit(blocks, budget)
    assert len(out.encode()) <= budget
    whole = [block for block in blocks if block]
    if len((joined(whole) + "\n").encode()) <= budget:
        assert out == joined(whole) + "\n"
    else:
        assert "left out here" in out


def test_fit_cuts_the_large_and_keeps_the_small_after_it() -> None:
    assert fit(["first", "x" * 500, "last"], 300).startswith("first\n\nlast\n\n1 part left out here")
    with pytest.raises(ValueError, match="holds nothing"):
        fit(["x" * 50], 10)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain words, and v1.2-rc (so)", "plain words, and v1.2-rc &#40;so)".replace("&#40;", "(")),
        ("a@b.c said #1", "`a@b.c` said `#1`"),
        ("x|y", "x&#124;y"),
        ("1. first", "1&#46; first"),
        ("- item", "&#45; item"),
        ("<b>", "&#60;b&#62;"),
        ("Größe 漢字 🎉", "Größe 漢字 🎉"),
        ("a\u202eb", "a&#92;u202eb"),
        ("two\nlines", "two lines"),
        ("", ""),
        (7, "7"),
    ],
)
def test_text_examples(value: object, shown: str) -> None:
    assert text(value) == shown


def test_long_text_is_cut_before_it_is_guarded() -> None:
    assert text("<" * 300, limit=3) == "&#60;&#60;…"


def test_a_look_alike_name_shows_its_spelling() -> None:
    assert name("commit") == "`commit`"
    assert name("c\u043emmit") == "`c\u043emmit` (`c\\u043emmit`)"


def test_code_keeps_edge_spaces_and_says_when_empty() -> None:
    assert code(" a") == "`  a `"
    assert code("") == "(empty)"
    assert code("a`b|c") == "`a`&#96;`b`&#124;`c`"


def test_combining_marks_do_not_pile_up() -> None:
    assert seen("e" + "\u0301" * 6) == "e" + "\u0301" * 4 + "\\u0301" * 2


def test_a_ragged_table_is_refused() -> None:
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    with pytest.raises(ValueError, match="a row of 1 cells under 2 headers"):
        table(["a", "b"], [["1"]])


def test_a_folded_block_has_room_for_markdown_inside() -> None:
    assert details("a < b", "*x*") == "<details><summary>a &lt; b</summary>\n\n*x*\n\n</details>"
