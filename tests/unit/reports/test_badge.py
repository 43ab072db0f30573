from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.domain.words import VERDICTS
from driftproof_action.reports.badge import FILLS, LABEL_FILL, MESSAGE_LIMIT, SHIELDS, badge_json, badge_of, badge_svg, undated
from tests.golden.situations import STEADY, view

SEEN = view(STEADY)


@pytest.mark.parametrize("verdict", VERDICTS)
def test_what_shields_reads(verdict: str) -> None:
    word = VERDICTS[verdict]
    assert badge_json(SEEN, verdict) == {
        "schemaVersion": 1,
        "label": "driftproof",
        "message": f"{word.badge} · claude-haiku-4-5 · 30 Nov",
        "color": SHIELDS[word.colour],
    }


@pytest.mark.parametrize("seen", [view(STEADY, kind="stub"), replace(SEEN, preset="quick")])
def test_what_no_model_answered_is_never_green(seen: object) -> None:
    for verdict in ("PASSED", "REGRESSED", "NOT_MEASURED"):
        told = badge_json(seen, verdict)  # type: ignore[arg-type]
        assert (told["color"], str(told["message"]).split(" · ")[0]) == ("lightgrey", "not measured")


def test_an_example_says_so_and_a_missing_date_is_left_out() -> None:
    assert badge_of(replace(SEEN, example=True, date_utc=None), "PASSED").message == "example · helps · claude-haiku-4-5"


def test_a_model_is_named_without_its_date() -> None:
    assert undated("claude-haiku-4-5-20261001") == "claude-haiku-4-5"
    assert undated("gpt-5.6") == "gpt-5.6"


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colour", [*FILLS.values(), LABEL_FILL])
def test_white_text_can_be_read_on_every_colour(colour: str) -> None:
    assert 1.05 / (_luminance(colour) + 0.05) >= 4.5


@given(st.text(max_size=120), st.text(max_size=40), st.sampled_from(list(VERDICTS)))
def test_a_picture_holds_text_and_nothing_that_acts(model: str, seal: str, verdict: str) -> None:
    picture = badge_svg(replace(SEEN, model_id=model, receipt_hash=seal), verdict)
    root = ElementTree.fromstring(picture)
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert names == {"svg", "title", "rect", "g", "text"}
    attributes = {key for element in root.iter() for key in element.attrib}
    assert not {key for key in attributes if "href" in key or key.startswith("on") or key == "style"}
    message = badge_of(replace(SEEN, model_id=model), verdict).message
    assert len(message) <= MESSAGE_LIMIT
    assert root.attrib["aria-label"] == f"driftproof: {message}" == root[0].text
    assert root.attrib["role"] == "img"
    assert float(root.attrib["width"]) == sum(float(element.attrib["width"]) for element in root.iter() if element.tag.endswith("rect"))
