"""loading/front_matter: strict first, tolerant second, nothing silent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.loading.front_matter import FrontMatter, read_front_matter
from driftproof_action.loading.remarks import Remarks


def _read(text: str) -> tuple[FrontMatter, Remarks]:
    remarks = Remarks("SKILL.md")
    return read_front_matter(text, remarks=remarks), remarks


def test_good_front_matter_says_nothing() -> None:
    front, remarks = _read("---\nName: naming\ndescription: x\nmetadata:\n  version: 1.10\n---\nBody\n")
    assert front.fields == {"name": "naming", "description": "x", "metadata": {"version": "1.10"}}
    assert front.lines["description"] == 3
    assert front.body == "Body\n"
    assert not remarks.findings


def test_a_colon_in_the_description_is_read_and_remarked() -> None:
    front, remarks = _read("---\nname: notes\n# one\n# two\n# three\nlicense: MIT\ndescription: Draft notes: scope, risks\n---\n")
    assert front.fields["description"] == "Draft notes: scope, risks"
    assert front.fields["name"] == "notes"
    (only,) = remarks.findings
    assert (only.code, only.line, only.severity) == ("front-matter-yaml", 7, "warning")
    assert "quotes" in only.fix
    assert "description" in only.fix


def test_a_key_that_comes_twice_is_named_and_the_first_is_read() -> None:
    front, remarks = _read("---\nname: a\ndescription: first\ndescription: second\n---\n")
    assert front.fields["description"] == "first"
    assert [(each.code, each.line) for each in remarks.findings] == [("front-matter-yaml", 4), ("front-matter-duplicate", 4)]


def test_a_fence_that_never_closes_makes_everything_body() -> None:
    front, remarks = _read("---\nname: a\n# Title\n")
    assert front.fields == {}
    assert front.body == "---\nname: a\n# Title\n"
    assert [each.code for each in remarks.findings] == ["front-matter-open"]


def test_no_front_matter_is_remarked() -> None:
    front, remarks = _read("# Title\n")
    assert (front.fields, [each.code for each in remarks.findings]) == ({}, ["front-matter-missing"])


@pytest.mark.parametrize(
    ("head", "fields"),
    [
        ("name: 'a'\nx: y: z\n", {"name": "a", "x": "y: z"}),
        ("name: a\nx: y: z\ndescription: >-\n  one\n  two: three\n", {"name": "a", "x": "y: z", "description": "one two: three"}),
        ("x: y: z\nmetadata:\n  version: '2.0'\n  a: b\n", {"x": "y: z", "metadata": {"version": "2.0", "a": "b"}}),
        ("x: y: z\n  more\n- stray\n", {"x": "y: z more"}),
        ("x: y: z\nempty:\n", {"x": "y: z", "empty": ""}),
    ],
)
def test_the_second_reading(head: str, fields: dict[str, object]) -> None:
    front, remarks = _read(f"---\n{head}---\n")
    assert front.fields == fields
    assert [each.code for each in remarks.findings] == ["front-matter-yaml"]


def test_a_list_where_keys_should_be() -> None:
    front, remarks = _read("---\n- a\n- b\n---\n")
    assert front.fields == {}
    assert [each.code for each in remarks.findings] == ["front-matter-yaml"]


def test_aliases_are_not_expanded() -> None:
    front, _ = _read("---\na: &x [1, 2]\nb: *x\n---\n")
    assert front.fields == {"a": "&x [1, 2]", "b": "*x"}


@given(st.text(max_size=120))
def test_any_text_is_read(text: str) -> None:
    front, _ = _read(f"---\n{text}\n---\nbody")
    assert isinstance(front.fields, dict)
