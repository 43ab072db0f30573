from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.canonical import text_digest
from driftproof_action.receipts.names import model_slug, receipt_name, slug, unique_model_slugs, unique_skill_slugs
from tests.unit.receipts.making import receipt
from tests.unit.receipts.older import older


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Commit Messages", "commit-messages"),
        ("  a__b--c ", "a-b-c"),
        ("Überblick", "berblick"),
        ("日本", "unnamed"),
        ("", "unnamed"),
        ("../../etc", "etc"),
    ],
)
def test_slugs(text: str, word: str) -> None:
    assert slug(text) == word


@given(st.text())
def test_a_slug_is_safe_anywhere(text: str) -> None:
    word = slug(text)
    assert 0 < len(word) <= 80
    assert set(word) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert not word.startswith("-")
    assert not word.endswith("-")


def test_a_models_date_is_not_in_its_slug() -> None:
    assert model_slug("claude-haiku-4-5-20251001") == "claude-haiku-4-5"
    assert model_slug("gpt-5.6-sol") == "gpt-5-6-sol"
    assert model_slug("claude-haiku-4-5-20251001\n") == "claude-haiku-4-5-20251001"


def test_colliding_skills_all_carry_their_path() -> None:
    found = unique_skill_slugs([("skills/a", "Notes"), ("team/b", "notes!"), ("skills/c", "Other")])
    assert found == {
        "skills/a": f"notes-{text_digest('skills/a')[:6]}",
        "team/b": f"notes-{text_digest('team/b')[:6]}",
        "skills/c": "other",
    }


def test_colliding_models_all_carry_their_id() -> None:
    ids = ["claude-haiku-4-5-20251001", "claude-haiku-4-5-20260101", "claude-sonnet-5"]
    found = unique_model_slugs(ids)
    assert found[ids[0]] == f"claude-haiku-4-5-{text_digest(ids[0])[:6]}"
    assert found[ids[2]] == "claude-sonnet-5"
    assert len(set(found.values())) == 3


@pytest.mark.parametrize(
    ("changes", "tag"),
    [({}, ""), ({"kind": "stub"}, "-stub"), ({"preset": "quick"}, "-quick"), ({"example": True, "kind": "stub"}, "-example")],
)
def test_a_receipt_is_named_by_skill_model_tag_day_and_hash(changes: dict[str, Any], tag: str) -> None:
    document = receipt(7, **changes)
    assert receipt_name(document) == f"greeting-people-claude-haiku-4-5{tag}-2026-11-29-{document['receipt_hash'][:12]}.json"
    assert receipt_name(document, skill_slug="greet-1a2b3c", model_part="m").startswith(f"greet-1a2b3c-m{tag}-2026")


def test_an_older_receipt_has_a_name_too() -> None:
    assert receipt_name(older("0.1")).startswith("tidy-notes-claude-sonnet-5-2026-05-04-")
