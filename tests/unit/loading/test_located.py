"""loading/located: JSON with lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.errors import DocumentError
from driftproof_action.loading.located import Located, Path, read_json_located, read_jsonl_located


def test_keys_and_entries_have_their_lines() -> None:
    text = '{\n "a": [\n  1,\n  {"b": "x,}]\\"{",\n   "c": null}\n ],\n "d": {}\n}\n'
    located = read_json_located(text.encode(), source="x.json")
    assert located.lines == {(): 1, ("a",): 2, ("a", 0): 3, ("a", 1): 4, ("a", 1, "b"): 4, ("a", 1, "c"): 5, ("d",): 7}


def test_escaped_keys_are_found_by_what_they_spell() -> None:
    located = read_json_located(b'{\n"\\u0061\\n": 1}', source="x")
    assert located.line("a\n") == 2


def test_the_strictness_is_that_of_the_one_reader() -> None:
    with pytest.raises(DocumentError, match="twice"):
        read_json_located(b'{"a": 1, "a": 2}', source="x")
    with pytest.raises(DocumentError, match="not JSON") as caught:
        read_json_located(b'{\n // note\n "a": 1}', source="x.json")
    assert caught.value.place == "x.json:2"
    assert "comments" in caught.value.fix


def test_lines_of_json_count_in_the_file() -> None:
    located = read_jsonl_located(b'\xef\xbb\xbf{"id": 1}\r\n\r\n{"id": 2}\n', source="x.jsonl")
    assert located.value == [{"id": 1}, {"id": 2}]
    assert located.line(1, "id") == 3
    with pytest.raises(DocumentError) as caught:
        read_jsonl_located(b'{"id": 1}\n{"id": }\n', source="x.jsonl")
    assert caught.value.place == "x.jsonl:2"
    with pytest.raises(DocumentError, match="empty"):
        read_jsonl_located(b"\n\n", source="x")


def test_big_tables_do_not_grow_without_bound() -> None:
    located = read_json_located(b"[" + b"1," * 300_000 + b"1]", source="x")
    assert len(located.lines) <= 100_000
    assert located.line(299_999) == 1


_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=15,
)


def _paths(value: object, path: Path = ()) -> list[Path]:
    parts: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        parts = list(value.items())
    elif isinstance(value, list):
        parts = list(enumerate(value))
    return [path, *(deeper for step, part in parts for deeper in _paths(part, (*path, step)))]


@given(_values, st.sampled_from([None, 1, 3]))
def test_every_part_has_a_line_that_holds_it(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    located = read_json_located(text.encode("utf-8", "surrogatepass"), source="x")
    assert set(located.lines) == {path for path in _paths(value) if len(path) <= 6}
    lines = text.split("\n")
    for path, line in located.lines.items():
        if path and isinstance(path[-1], str):
            assert json.dumps(path[-1], ensure_ascii=False) in lines[line - 1]


def test_without_a_table_everything_is_on_line_one() -> None:
    assert Located({"a": 1}).line("a") == 1
