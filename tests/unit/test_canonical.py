from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.canonical import (
    MAX_BYTES,
    canonical_bytes,
    content_digest,
    digest,
    read_json,
    sha256_hex,
    text_digest,
    tree_digest,
    utf16_key,
)
from driftproof_action.errors import DocumentError

VECTORS = Path(__file__).resolve().parents[2] / "spec" / "vectors"


def _held(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", _held("canonical")["vectors"], ids=lambda vector: vector["name"])
def test_the_canonical_form_of_the_vectors(vector: dict[str, str]) -> None:
    value = read_json(vector["input"].encode(), source="vector")
    assert canonical_bytes(value).decode() == vector["canonical"]
    assert digest(value) == vector["sha256"] == sha256_hex(vector["canonical"].encode())
    assert canonical_bytes(read_json(vector["canonical"].encode(), source="vector")).decode() == vector["canonical"]


@pytest.mark.parametrize("vector", _held("refusals")["refusals"], ids=lambda vector: vector["name"])
def test_what_a_reader_must_refuse(vector: dict[str, Any]) -> None:
    text = vector["repeat"][0] * vector["repeat"][1] if "repeat" in vector else vector["input"]
    with pytest.raises(DocumentError) as caught:
        read_json(text.encode("utf-8", "surrogatepass"), source="vector")
    assert vector["message"] in caught.value.message
    assert caught.value.place.startswith("vector")
    assert len(caught.value.message) < 200


FLOATS = st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: not 2**53 <= abs(number) < 1e21)
"""Without those whose canonical form is an integer no reader may take for one."""
SCALARS = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | FLOATS | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(VALUES)
def test_the_form_comes_back_and_is_its_own_form(value: Any) -> None:
    once = canonical_bytes(value)
    assert canonical_bytes(read_json(once, source="x")) == once


@given(VALUES)
def test_the_form_is_that_of_the_reference_library(value: Any) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


@given(st.text(), st.text())
def test_keys_are_ordered_by_utf16_units(one: str, other: str) -> None:
    if one != other:
        first, _ = json.loads(canonical_bytes({one: 1, other: 1}), object_pairs_hook=lambda pairs: [key for key, _ in pairs])
        assert first == min(one, other, key=utf16_key)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2**53, -(2**53), "\ud800", {"\udfff": 1}, [[math.nan]]])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(DocumentError, match="cannot be written as canonical JSON"):
        canonical_bytes(value)


def test_minus_zero_is_zero() -> None:
    assert canonical_bytes([-0.0, 0.5 - 0.5, {"delta": -0.0}]) == b'[0,0,{"delta":0}]'


@pytest.mark.parametrize(
    ("data", "line"),
    [(b'{\n "a": 1,\n "a": 2\n}', 3), (b'{\n\n "mean": NaN}', 3), (b'["ok",\n "bad\xff"]', 2), (b'{\n "a": 1,\n}', 3)],
)
def test_a_refusal_names_the_line(data: bytes, line: int) -> None:
    with pytest.raises(DocumentError) as caught:
        read_json(data, source="r.json")
    assert caught.value.place == f"r.json:{line}"


def test_the_key_that_stands_twice_is_named() -> None:
    with pytest.raises(DocumentError, match="'score' twice"):
        read_json(b'{"score": 0.95, "score": 0.4}', source="r.json")


def test_bounds_are_bounds() -> None:
    assert read_json(b'"' + b"x" * 100 + b'"', source="x", limit=102) == "x" * 100
    with pytest.raises(DocumentError, match="103 bytes, the limit is 102"):
        read_json(b'"' + b"x" * 101 + b'"', source="x", limit=102)
    assert MAX_BYTES == 8 * 1024 * 1024
    assert read_json(b"[" * 60 + b"]" * 60, source="x")
    assert read_json(b"null", source="x") is None


def test_a_byte_order_mark_is_dropped() -> None:
    assert read_json(b"\xef\xbb\xbf[1]", source="x") == [1]


@given(st.binary(max_size=60))
def test_bytes_are_read_or_refused_in_words(data: bytes) -> None:
    try:
        value = read_json(data, source="x")
    except DocumentError:
        return
    assert canonical_bytes(value)


IDENTITIES = _held("identities")


@pytest.mark.parametrize("vector", IDENTITIES["content_hash"])
def test_content_hash(vector: dict[str, Any]) -> None:
    files = [(path, text.encode()) for path, text in vector["files"]]
    assert content_digest(files) == content_digest(reversed(files)) == vector["sha256"]


@pytest.mark.parametrize("vector", IDENTITIES["tree_hash"])
def test_tree_hash(vector: dict[str, Any]) -> None:
    files = [(mode, path.encode(), text_digest(text).encode()) for mode, path, text in vector["files"]]
    assert tree_digest(files) == tree_digest(reversed(files)) == vector["sha256"]


@pytest.mark.parametrize("vector", IDENTITIES["case_hash"])
def test_case_hash(vector: dict[str, Any]) -> None:
    assert digest(vector["case"]) == vector["sha256"]


def test_the_hash_of_a_receipt_leaves_itself_out() -> None:
    (vector,) = IDENTITIES["receipt_hash"]
    assert digest({key: value for key, value in vector["receipt"].items() if key != "receipt_hash"}) == vector["sha256"]


def test_identities_of_small_folders() -> None:
    """The check values of the format: a lone SKILL.md, an empty folder, and files with modes and a name that is not ASCII."""
    lone = [("SKILL.md", b"# hi\n")]
    assert content_digest(lone) == "56cbda9f699b26f91dbd4fa8e51390ae4b2b9e5ad28b67a5aa1c19e5b010c576"
    assert content_digest([]) == sha256_hex(b"")
    rows = [("100644", b"SKILL.md", text_digest("# hi\n").encode())]
    assert tree_digest(rows) == "e670849267a4ec70dd15e46a69386b2f0ef74d4f3c5ff016e04c8e2fbcff3e28"
    more = [("100755", b"scripts/a.sh", text_digest("echo A\n").encode()), ("100644", "refs/é.txt".encode(), text_digest("A").encode())]
    assert tree_digest(rows + more) == "952eb0c2553641ffe1846425fbe57159a71c99dd7b03d7d1d91d21b2c824fe8f"
    assert (
        digest({"id": "c1", "prompt": "P", "rubric": "R", "pass_threshold": 0.7})
        == "a875d2d7bef3c95d2693278656460aa5111b76c3e6d9bb56324e04511ee110e8"
    )


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ('{"a": 1', "it ends too early: a bracket is not closed"),
        ('{"a": [1, 2\n', "it ends too early: a bracket is not closed"),
        ('{"a":', "it ends too early: a bracket is not closed"),
        ("[", "it ends too early: a bracket is not closed"),
        ('{"a": "cut of', "it ends too early: a quote is not closed"),
        ('{"a": 1,}', "JSON allows no comma after the last item: remove it"),
        ("{a: 1}", 'put keys and texts in double quotes: "key"'),
    ],
)
def test_the_advice_fits_the_fault(text: str, advice: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_json(text.encode(), source="x")
    assert caught.value.fix == advice
