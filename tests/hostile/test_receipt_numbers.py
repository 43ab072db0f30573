"""Documents that abuse how JSON spells numbers, keys and text: each is refused in words, with exit 4 and no traceback."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from driftproof_action.canonical import sha256_hex
from driftproof_action.commands.validate import run
from driftproof_action.decisions.table import TABLE
from driftproof_action.errors import ReceiptError
from driftproof_action.receipts.read import load
from driftproof_action.receipts.sealing import seal, to_file_bytes
from tests.unit.receipts.making import receipt
from tests.unit.receipts.older import changed, older

TEXT = to_file_bytes(older("0.7")).decode()
SCORE = '"mean_score": 0.8125'


def spelled(number: str) -> bytes:
    """The receipt with the first mean score written another way."""
    assert SCORE in TEXT
    return TEXT.replace(SCORE, f'"mean_score": {number}', 1).encode()


def resealed(path: str, value: Any, version: str = "0.7") -> bytes:
    return to_file_bytes(changed(older(version), path, value))


def _count_with_a_point() -> bytes:
    """Sealed over the very same canonical bytes, where 2.0 and 2 are one: only the spelling is off."""
    return TEXT.replace('"case_count": 2', '"case_count": 2.0').encode()


def _keys_twice() -> bytes:
    """As an edited file would: the sealed value last, the one to be read first."""
    return TEXT.replace(SCORE, f'"mean_score": 0.99, {SCORE}', 1).encode()


def _latin() -> bytes:
    return TEXT.replace("tidy-notes", "tidy-nötes").encode("latin-1")


TRICKS: dict[str, bytes] = {
    "1e999 is infinity to a careless reader": spelled("1e999"),
    "minus infinity": spelled("-1e999"),
    "NaN": spelled("NaN"),
    "Infinity": spelled("Infinity"),
    "an integer of 5000 digits": spelled("9" * 5000),
    "2^53 + 1": spelled("9007199254740993"),
    "a float of 400 digits": spelled("0." + "1" * 400),
    "a leading zero": spelled("00.8125"),
    "a plus sign": spelled("+0.8125"),
    "hexadecimal": spelled("0x1"),
    "true for a number": spelled("true"),
    "text for a number": spelled('"0.8125"'),
    "true for a count, sealed": resealed("results.aggregates.with_skill.pass_count", True),
    "a count with a point": _count_with_a_point(),
    "minus one half, sealed": resealed("results.aggregates.with_skill.mean_score", -0.5),
    "minus zero for a score that is not zero": spelled("-0.0"),
    "the same key twice": _keys_twice(),
    "a lone surrogate": TEXT.replace("tidy-notes", "\\ud800", 1).encode(),
    "a surrogate in a key": TEXT.replace('"suite_hash"', '"\\udc00"', 1).encode(),
    "arrays 100,000 deep": b"[" * 100_000,
    "objects 100,000 deep": b'{"a":' * 100_000,
    "a hash with a line feed": resealed("skill.content_hash", "a" * 64 + "\n"),
    "a day with a line feed": resealed("run.model_release_date", "2026-01-02\n"),
    "digits that are not ASCII": resealed("run.date_utc", "\u0662026-05-04T03:02:01Z"),
    "an unknown key, sealed": resealed("run.trusted", True),
    "a hash in capitals": TEXT.replace(older("0.7")["receipt_hash"], older("0.7")["receipt_hash"].upper()).encode(),
    "UTF-16": TEXT.encode("utf-16"),
    "Latin-1": _latin(),
    "nothing": b"",
    "white space": b" \n",
    "too large": b'"' + b"x" * (9 * 1024 * 1024) + b'"',
    "a comment": b"// sealed\n" + TEXT.encode(),
    "two documents": (TEXT + TEXT).encode(),
    "a list of receipts": b"[" + TEXT.encode() + b"]",
}


@pytest.mark.parametrize("name", TRICKS)
def test_the_trick_is_refused_in_one_line(name: str) -> None:
    text, code = run(["r.json"], False, read=lambda _: TRICKS[name], rules=TABLE)
    assert code == 4
    first = text.splitlines()[0]
    assert re.match(r"r\.json(:[0-9]+)?: \S", first)
    assert len(first) < 300
    assert "Traceback" not in text
    assert json.loads(run(["r.json"], True, read=lambda _: TRICKS[name])[0])["receipts"][0]["status"] in ("invalid", "unreadable")
    with pytest.raises(ReceiptError):
        load(TRICKS[name], source="r.json")


def test_naive_reading_falls_for_some_of_them() -> None:
    """Why the strict reader exists: the standard reader takes these without a word."""
    assert json.loads(TRICKS["1e999 is infinity to a careless reader"])["results"]["aggregates"]["with_skill"]["mean_score"] == float("inf")
    twice = json.loads(_keys_twice())
    assert seal(twice) == twice
    assert json.loads(TRICKS["a count with a point"])["results"]["aggregates"]["baseline"]["case_count"] == 2
    assert sha256_hex(TRICKS["NaN"]) != sha256_hex(TEXT.encode())
    assert json.loads(TRICKS["NaN"])["schema_version"] == "0.7"


def test_the_honest_receipt_passes() -> None:
    assert run(["r.json"], False, read=lambda _: TEXT.encode())[1] == 0


def test_text_of_a_receipt_cannot_act_on_a_terminal() -> None:
    document = receipt(7)
    document["decision"]["verdict"] = "\x1b[2J\u202e\n::error::x"
    text, code = run(["r.json"], False, read=lambda _: to_file_bytes(seal(document)))
    assert code == 4
    assert not set("\x1b\u202e") & set(text)
    assert not any(line.startswith("::") for line in text.splitlines())
