from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from driftproof_action.receipts.schema_check import misfits, show
from driftproof_action.receipts.versions import OWN, SCHEMAS, schema
from tests.unit.receipts.making import receipt
from tests.unit.receipts.older import PUBLISHED, mutated, older

BASES: dict[str, Any] = {version: older(version) for version in PUBLISHED} | {OWN: receipt(7)}
ORACLES = {version: Draft202012Validator(schema(version)) for version in SCHEMAS}


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(list(SCHEMAS)), st.sampled_from(list(SCHEMAS)), st.randoms(use_true_random=False), st.integers(0, 3))
def test_it_agrees_with_a_general_validator(version: str, pretended: str, dice: random.Random, changes: int) -> None:
    document = BASES[version]
    for _ in range(changes):
        document = mutated(dice, document)
    if dice.random() < 0.3:
        document = {**document, "schema_version": pretended}
    shape = pretended if document.get("schema_version") == pretended else version
    assert (not misfits(document, schema(shape))) == ORACLES[shape].is_valid(document)


@pytest.mark.parametrize("version", SCHEMAS)
def test_a_receipt_of_the_version_fits(version: str) -> None:
    assert misfits(BASES[version], schema(version)) == []


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        ({"pattern": "^[a-f0-9]{4}$"}, "abcd\n"),
        ({"pattern": "^[0-9]{2}$"}, "\u0661\u0662"),
        ({"type": "integer"}, True),
        ({"type": "integer"}, 1.0),
        ({"type": "number"}, False),
        ({"minimum": 1}, 0),
        ({"exclusiveMinimum": 0}, 0),
        ({"const": 1}, True),
        ({"enum": [0, 1]}, False),
        ({"const": True}, 1),
        ({"minItems": 1}, []),
        ({"maxItems": 0}, [1]),
        ({"not": {"const": "a"}}, "a"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}),
        ({"contains": {"required": ["a"]}}, [{}]),
        ({"additionalProperties": {"type": "string"}}, {"a": 1}),
        ({"$ref": "#/$defs/word", "$defs": {"word": {"type": "string"}}}, 1),
    ],
)
def test_it_refuses(shape: dict[str, Any], value: Any) -> None:
    assert misfits(value, shape)


def test_a_misfit_names_its_place() -> None:
    shape = {
        "properties": {"rows": {"items": {"required": ["id"], "additionalProperties": False, "properties": {"id": {"type": "string"}}}}}
    }
    found = [(item.path, item.demand, item.found) for item in misfits({"rows": [{}, {"id": 3}, {"id": "a", "b\n": 1}]}, shape)]
    assert found == [("rows[0].id", "a value", "nothing"), ("rows[1].id", "string", "3"), ('rows[2]."b?"', "no such key", "1")]


def test_an_unknown_keyword_is_never_a_silent_pass() -> None:
    with pytest.raises(KeyError):
        misfits(1, {"multipleOf": 2})


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "null"), (True, "true"), (0.5, "0.5"), ([1, 2], "a list of 2"), ({}, "an object of 0 keys"), ("a\x1b[0m\u202e", '"a?[0m?"')],
)
def test_values_are_shown_in_one_harmless_line(value: Any, shown: str) -> None:
    assert show(value) == shown
    assert len(show("x" * 5000)) < 80
