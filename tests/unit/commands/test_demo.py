"""The demo's comments, as a terminal shows them."""

from __future__ import annotations

import pytest

from driftproof_action.commands.demo import as_read, example_comment


def test_a_comment_is_shown_without_its_marker_and_entities() -> None:
    assert as_read("<!-- driftproof v1 key=x -->\n\na &#60;b&#62; &amp; c\n\x1b[0m::error::x") == "a <b> & c\n\\x1b[0m::error::x"
    assert as_read("no marker <!-- here -->") == "no marker <!-- here -->"


@pytest.mark.parametrize("name", ["improved", "regressed"])
def test_what_the_demo_prints_has_neither(name: str) -> None:
    shown = as_read(example_comment(name))
    assert "<!-- driftproof" not in shown
    assert "&#" not in shown
    assert example_comment(name).count("\n| ") == shown.count("\n| ")
