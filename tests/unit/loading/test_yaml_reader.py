"""loading/yaml_reader: values, lines, refusals."""

from __future__ import annotations

import json
import string
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.errors import DocumentError
from driftproof_action.loading.yaml_reader import MAX_YAML_BYTES, read_yaml


def test_only_json_words_and_numbers_get_a_type() -> None:
    words = ["true", "False", "yes", "2024-05-01", "1.10", "0.7", "010", "12", "null", "~", "", "1e5", ".inf", "'7'", "-3", "0x1F"]
    text = "".join(f"{key}: {word}\n" for key, word in zip("abcdefghijklmnop", words, strict=True))
    value = read_yaml(text.encode(), source="x.yaml").value
    assert value == {
        "a": True,
        "b": "False",
        "c": "yes",
        "d": "2024-05-01",
        "e": "1.10",
        "f": 0.7,
        "g": "010",
        "h": 12,
        "i": None,
        "j": None,
        "k": None,
        "l": "1e5",
        "m": ".inf",
        "n": "7",
        "o": -3,
        "p": "0x1F",
    }


def test_strings_keeps_every_scalar_as_written() -> None:
    value = read_yaml(b"name: 2024-05-01\nversion: 1.10\nok: yes\nnone: ~\nn: 7\nempty:\n", source="x", strings=True).value
    assert value == {"name": "2024-05-01", "version": "1.10", "ok": "yes", "none": "~", "n": "7", "empty": ""}


def test_folded_text_is_one_text() -> None:
    text = b"description: >\n  Reads tables.\n  Triggers: csv, tsv\n  and more.\nnext: x\n"
    assert read_yaml(text, source="x", strings=True).value == {"description": "Reads tables. Triggers: csv, tsv and more.\n", "next": "x"}


def test_lines_are_those_of_the_file() -> None:
    located = read_yaml(b"\xef\xbb\xbf# note\nevals:\n  - id: a\n    prompt: |\n      one\n      two\n  - id: b\n", source="x")
    assert [located.line("evals"), located.line("evals", 0), located.line("evals", 0, "prompt"), located.line("evals", 1)] == [2, 3, 4, 7]
    assert located.line("evals", 1, "absent", 5) == 7


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("a: &x 1\nb: *x\n", "alias *x", 2),
        ("base: &b {x: 1}\nc:\n  <<: *b\n", "merge key", 3),
        ("<<: {a: 1}\n", "merge key", 1),
        ("a: 1\nb: 2\na: 3\n", "twice", 3),
        ("a: !!python/object:os.system x\n", "tag", 1),
        ("a: !!str 1\n", "tag", 1),
        ("a: 1\n---\nb: 2\n", "more than one document", 2),
        ("a: 1\n? [x]\n: 2\n", "key that is not a text", 2),
        ("a: 123456789012345678901\n", "integer", 1),
        ("a: 1\nb: x: y\n", "mapping values", 2),
        ("a: 1\nb: [1, 2\n", "not YAML", 3),
        ("a: 1\nb: @x\n", "not YAML", 2),
    ],
)
def test_refused_with_its_line(text: str, words: str, line: int) -> None:
    with pytest.raises(DocumentError) as caught:
        read_yaml(text.encode(), source="x.yaml")
    assert words in caught.value.message
    assert caught.value.place == f"x.yaml:{line}"
    assert caught.value.fix


def test_an_anchor_nobody_refers_to_is_harmless() -> None:
    assert read_yaml(b"a: &x 1\n", source="x").value == {"a": 1}


def test_the_line_counts_from_where_the_document_starts_in_its_file() -> None:
    with pytest.raises(DocumentError) as caught:
        read_yaml(b"a: 1\na: 2\n", source="SKILL.md", first_line=2)
    assert caught.value.place == "SKILL.md:3"


def test_depth_is_bounded() -> None:
    assert read_yaml(b"[" * 32 + b"]" * 32, source="x").value
    with pytest.raises(DocumentError, match="deeper than 32"):
        read_yaml(b"[" * 40 + b"]" * 40, source="x")
    with pytest.raises(DocumentError, match=r"deeper than 32|nesting depth"):
        read_yaml(b"[" * 200_000, source="x")


def test_aliases_that_multiply_are_refused_before_they_do() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    with pytest.raises(DocumentError, match="alias"):
        read_yaml("\n".join(rows).encode(), source="x")


def test_size_and_encoding_are_refused() -> None:
    with pytest.raises(DocumentError, match="the limit is"):
        read_yaml(b"a" * (MAX_YAML_BYTES + 1), source="x")
    with pytest.raises(DocumentError) as caught:
        read_yaml(b"a: 1\nb: \xff\n", source="x")
    assert caught.value.place == "x:2"
    with pytest.raises(DocumentError):
        read_yaml(b'a: "\\ud800"\n', source="x")
    with pytest.raises(DocumentError):
        read_yaml(b"a: \x01\n", source="x")


def test_an_empty_document_is_nothing() -> None:
    assert read_yaml(b"", source="x").value is None
    assert read_yaml(b"# only a note\n", source="x").value is None
    assert read_yaml(b"", source="x", strings=True).value == ""


_texts = st.text(alphabet=string.ascii_letters + " é日\"'{}%$", max_size=12)
_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | _texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts, inner, max_size=4),
    max_leaves=12,
)


@given(_values)
def test_json_is_yaml_and_reads_alike(value: object) -> None:
    assert read_yaml(json.dumps(value, ensure_ascii=False).encode(), source="x").value == value


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_a_document_error(data: bytes) -> None:
    with suppress(DocumentError):
        assert read_yaml(data, source="x").lines
