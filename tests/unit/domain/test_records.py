from __future__ import annotations

import json
import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.domain import records
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole, Origin
from driftproof_action.domain.observations import Frame, Observations, Stop, Withheld
from driftproof_action.domain.reading import Decision, Reading
from driftproof_action.domain.reply import File, Reply
from driftproof_action.domain.usage import Usage
from tests.unit.receipts.making import decided, run_of

WORDS = st.text(min_size=1, max_size=8)
TEXTS = st.text(max_size=8)
COUNTS = st.integers(0, 10**9)
SHARES = st.floats(0, 1)
MAYBE_WORD = st.none() | WORDS
HOLES = st.builds(Hole, WORDS, TEXTS)
ORIGINS = st.builds(Origin, WORDS, WORDS)
USAGES = st.builds(Usage, st.integers(1, 9), *(st.none() | COUNTS,) * 5)
LOOKS = st.sampled_from(["first", "confirm", "redraw"])
DRAW_IDS = st.builds(DrawId, WORDS, WORDS, LOOKS, COUNTS, st.integers(0, 3))
PARTS = st.lists(st.tuples(WORDS, st.booleans()), max_size=3).map(tuple)
ENDINGS = st.sampled_from(["completed", "cut", "timeout", "withheld"])
DRAWS = st.builds(Draw, DRAW_IDS, ENDINGS, TEXTS, MAYBE_WORD, MAYBE_WORD, MAYBE_WORD, USAGES, TEXTS, TEXTS, st.none() | ORIGINS)
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
ARMS = st.builds(
    Arm, WORDS, WORDS, WORDS, WORDS, WORDS, st.just(""), WORDS, st.sampled_from(["none", "inline", "install"]), st.none() | SHARES
)
CASES = st.builds(Case, WORDS, WORDS, WORDS, st.lists(WORDS, max_size=2).map(tuple), MAYBE_WORD, TEXTS, TEXTS, TEXTS, st.none() | SHARES)
SCALARS = st.text() | COUNTS | SHARES | st.booleans()
FRAMES = st.builds(
    Frame,
    WORDS,
    st.lists(ARMS, max_size=3).map(tuple),
    st.lists(CASES, max_size=3).map(tuple),
    st.dictionaries(WORDS, SCALARS, max_size=3),
    st.lists(st.builds(Withheld, WORDS, WORDS, HOLES), max_size=2).map(tuple),
)
DECISIONS = st.builds(
    Decision,
    WORDS,
    TEXTS,
    st.lists(WORDS, max_size=3).map(tuple),
    st.lists(st.builds(Reading, WORDS, WORDS, WORDS, TEXTS, st.dictionaries(WORDS, st.none() | SCALARS, max_size=3)), max_size=3).map(
        tuple
    ),
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


@given(FRAMES)
def test_frames(frame: Frame) -> None:
    assert records.frame_from_json(through(records.frame_to_json(frame))) == frame  # type: ignore[arg-type]


@given(DECISIONS)
def test_decisions(decision: Decision) -> None:
    assert records.decision_from_json(through(records.decision_to_json(decision))) == decision  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(FRAMES, st.lists(DRAWS, max_size=3), st.lists(GRADES, max_size=3), st.none() | st.builds(Stop, WORDS, TEXTS))
def test_tables(frame: Frame, draws: list[Draw], grades: list[Grade], stop: Stop | None) -> None:
    seen = Observations(frame, draws, grades, stop)
    assert records.observations_from_json(through(records.observations_to_json(seen))) == seen  # type: ignore[arg-type]


def test_a_whole_run_comes_back_and_decides_alike() -> None:
    _, seen = run_of(random.Random(2), cases=3)
    again = records.observations_from_json(through(records.observations_to_json(seen)))  # type: ignore[arg-type]
    assert again == seen
    assert decided(again) == decided(seen)


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


def test_what_a_model_is_told_is_not_stored() -> None:
    arm = Arm("a", "a", "p", "s", "m", "the skill's text", "d")
    frame = Frame("r", (arm,), ())
    assert records.frame_from_json(records.frame_to_json(frame)).arms == (replace(arm, system=""),)
