"""The registry: names to models, and files that may add or raise but never cheapen."""

from __future__ import annotations

import json

import pytest

from driftproof_action.domain.ask import Ask, Part
from driftproof_action.domain.usage import Usage
from driftproof_action.errors import DriftproofError, InputError
from driftproof_action.registry.models import PriceList, canonical_id, parse, shipped


@pytest.mark.parametrize("name", ["claude-haiku-4-5", "claude-haiku-4-5-20251001", "haiku"])
def test_ids_dated_ids_and_aliases_are_one_model(name: str) -> None:
    assert shipped().find(name).id == "claude-haiku-4-5"


def test_an_unknown_model_names_what_is_known() -> None:
    with pytest.raises(InputError) as caught:
        shipped().find("gpt-2")
    assert "claude-haiku-4-5" in str(caught.value)
    assert "--registry" in str(caught.value)


def test_only_a_date_is_taken_off() -> None:
    assert canonical_id("m-20251001") == "m"
    assert canonical_id("m-2025") == "m-2025"
    assert canonical_id("m-99999999") == "m-99999999"


def test_a_file_adds_models_and_never_cheapens_one() -> None:
    cheap = {"id": "claude-opus-5", "input_per_mtok": 0, "output_per_mtok": 99}
    mine = {"id": "local-1", "input_per_mtok": 0, "output_per_mtok": 0, "aliases": ["mine"]}
    registry = parse(json.dumps({"models": [cheap, mine]}).encode(), source="r.json", floor=shipped())
    assert registry.find("claude-opus-5").input_per_mtok == 5
    assert registry.find("claude-opus-5").output_per_mtok == 99
    assert registry.find("mine").id == "local-1"
    assert registry.find("haiku").id == "claude-haiku-4-5"


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"id": 5},
        {"id": "a b"},
        {"id": "a\n", "input_per_mtok": 1, "output_per_mtok": 1},
        {"id": "a", "input_per_mtok": True},
        {"id": "a", "input_per_mtok": -1},
        7,
    ],
)
def test_a_bad_row_is_named(row: object) -> None:
    with pytest.raises(InputError, match=r"models\[0\]") as caught:
        parse(json.dumps({"models": [row]}).encode(), source="r.json")
    assert caught.value.exit_code == 2 or isinstance(caught.value, DriftproofError)


def test_the_worst_case_counts_every_byte_as_a_token_and_the_whole_cap() -> None:
    ask = Ask("api", "m", "é" * 1000, "p" * 500, 100)
    assert shipped().find("haiku").worst_micro_usd(ask) >= (2000 + 500) * 1 + 100 * 5
    parts = Ask("api", "m", "é" * 1000, "", 100, parts=(Part("p" * 500, False),))
    assert shipped().find("haiku").worst_micro_usd(parts) == shipped().find("haiku").worst_micro_usd(ask)


def test_cached_tokens_cost_a_tenth_and_written_ones_a_quarter_more() -> None:
    haiku = shipped().find("haiku")
    assert haiku.cost_micro_usd(Usage(1, 1000, 10)) == 1050
    assert haiku.cost_micro_usd(Usage(1, 1000, 10, cached_tokens=800)) == 200 + 80 + 50
    assert haiku.cost_micro_usd(Usage(1, 1000, 10, written_tokens=800)) == 200 + 1000 + 50
    assert haiku.cost_micro_usd(Usage(1, None, 10)) is None


def test_a_call_whose_cost_nobody_knows_is_reckoned_at_its_worst() -> None:
    prices, ask = PriceList(shipped(), free=frozenset({"stub"})), Ask("api", "haiku", "", "p", 10)
    assert prices.cost(ask, Usage()) == prices.worst(ask) > 0
    assert prices.cost(ask, Usage(micro_usd=7)) == 7
    assert prices.worst(Ask("stub", "haiku", "", "p", 10)) == 0


def test_a_prefix_is_kept_only_where_it_is_long_enough() -> None:
    haiku = shipped().find("haiku")
    assert not haiku.caches("x" * 4 * 4000)
    assert haiku.caches("x" * 4 * 4096)
