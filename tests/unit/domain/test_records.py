from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.domain import records
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole, Origin
from driftproof_action.domain.reply import File, Reply
from driftproof_action.domain.usage import Usage

WORDS = st.text(min_size=1, max_size=8)
TEXTS = st.text(max_size=8)
COUNTS = st.integers(0, 10**9)
SHARES = st.floats(0, 1)
MAYBE_WORD = st.none() | WORDS
HOLES = st.builds(Hole, WORDS, TEXTS)
ORIGINS = st.builds(Origin, WORDS, WORDS)
USAGES = st.builds(Usage, st.integers(1, 9), *(st.none() | COUNTS,) * 6)
LOOKS = st.sampled_from(["first", "confirm", "redraw"])
DRAW_IDS = st.builds(DrawId, WORDS, WORDS, LOOKS, COUNTS, st.integers(0, 3))
PARTS = st.lists(st.tuples(WORDS, st.booleans()), max_size=3).map(tuple)
ENDINGS = st.sampled_from(["completed", "cut", "timeout", "withheld"])
DRAWS = st.builds(Draw, DRAW_IDS, ENDINGS, TEXTS, MAYBE_WORD, MAYBE_WORD, MAYBE_WORD, USAGES, TEXTS, TEXTS, st.none() | ORIGINS, COUNTS)
SAMPLES = st.builds(
    Sample,
    COUNTS,
    st.integers(0, 1),
    st.none() | SHARES,
    MAYBE_WORD,
    st.none() | HOLES,
    MAYBE_WORD,
    MAYBE_WORD,
    USAGES,
    PARTS,
    st.lists(WORDS, max_size=2).map(tuple),
    TEXTS,
)
GRADES = st.builds(
    Grade,
    st.builds(GradeId, WORDS, WORDS, st.lists(DRAW_IDS, min_size=1, max_size=2).map(tuple)),
    st.sampled_from([None, "scored", "pass", "fail", "left", "right", "tie"]),
    st.none() | SHARES,
    st.none() | HOLES,
    TEXTS,
    TEXTS,
    PARTS,
    st.lists(SAMPLES, max_size=2).map(tuple),
    st.booleans(),
    st.none() | ORIGINS,
)
REPLIES = st.builds(
    Reply,
    ENDINGS,
    TEXTS,
    TEXTS,
    st.none() | st.lists(st.builds(File, WORDS, TEXTS), max_size=2).map(tuple),
    MAYBE_WORD,
    MAYBE_WORD,
    usage=USAGES,
)


def through(value: object) -> object:
    """As a file would hold it."""
    return json.loads(json.dumps(value))


@given(DRAWS)
def test_draws(draw: Draw) -> None:
    assert records.draw_from_json(through(records.draw_to_json(draw))) == draw  # type: ignore[arg-type]


@given(GRADES)
def test_grades(grade: Grade) -> None:
    assert records.grade_from_json(through(records.grade_to_json(grade))) == grade  # type: ignore[arg-type]


@given(REPLIES)
def test_replies(reply: Reply) -> None:
    assert records.reply_from_json(through(records.reply_to_json(reply))) == reply  # type: ignore[arg-type]


def test_defaults_take_no_room() -> None:
    assert records.draw_to_json(Draw(DrawId("b", "a"), "completed")) == {
        "brief": "b",
        "arm": "a",
        "look": "first",
        "index": 0,
        "ending": "completed",
    }
    assert records.sample_to_json(Sample(0, 0, 0.0)) == {"index": 0, "attempt": 0, "value": 0.0}
    assert records.grade_to_json(Grade(GradeId("g", "c", (DrawId("b", "a"),)), "scored", 0.0))["score"] == 0.0
