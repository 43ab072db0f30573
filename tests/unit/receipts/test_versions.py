from __future__ import annotations

from importlib import resources

import pytest
from jsonschema import Draft202012Validator

from driftproof_action.receipts import versions
from driftproof_action.receipts.own_schema import VERSION, own_schema
from driftproof_action.receipts.published_sampled import CHANGES, published_schema
from driftproof_action.receipts.schema_check import _KEYWORDS, ANNOTATIONS


@pytest.mark.parametrize("version", versions.SCHEMAS)
def test_the_frozen_file_is_what_the_generator_writes(version: str) -> None:
    made = own_schema() if version == versions.OWN else published_schema(version)
    held = resources.files("driftproof_action.receipts").joinpath("schemas", versions.SCHEMAS[version]).read_bytes()
    assert held == versions.frozen(made).encode()


@pytest.mark.parametrize("version", versions.SCHEMAS)
def test_the_frozen_file_is_a_schema_that_demands_its_version(version: str) -> None:
    shape = versions.schema(version)
    Draft202012Validator.check_schema(shape)
    assert shape["properties"]["schema_version"] == {"const": version}
    assert shape["$id"] == f"https://driftproofhq.com/spec/receipt.v{version}.schema.json"


@pytest.mark.parametrize("version", versions.SCHEMAS)
def test_every_keyword_is_one_our_checker_knows(version: str) -> None:
    def keywords(shape: object, *, names: bool = False) -> set[str]:
        if isinstance(shape, list):
            return set().union(*(keywords(item) for item in shape)) if shape else set()
        if not isinstance(shape, dict):
            return set()
        found = set() if names else set(shape)
        for key, value in shape.items():
            if names or key not in ("enum", "const", "required", "dependentRequired"):
                found |= keywords(value, names=not names and key in ("properties", "$defs"))
        return found

    assert keywords(versions.schema(version)) <= _KEYWORDS.keys() | ANNOTATIONS


def test_versions_are_ordered_as_they_came_out() -> None:
    assert tuple(versions.SCHEMAS) == (*CHANGES, VERSION)
    assert versions.at_least("0.10", "0.9")
    assert not versions.at_least("0.3", "0.3.1")
    assert versions.at_least(versions.OWN, "0.11")


@pytest.mark.parametrize("word", ["constructor", "__class__", "0.12", "1.0", "", "0.1 "])
def test_no_other_word_finds_a_schema(word: str) -> None:
    with pytest.raises(KeyError):
        versions.schema(word)
    with pytest.raises(KeyError):
        published_schema(word)
