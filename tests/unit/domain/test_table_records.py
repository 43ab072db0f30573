from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.domain import table_records as records
from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw
from driftproof_action.domain.grade import Grade
from driftproof_action.domain.observations import Frame, Observations, Stop, Withheld
from driftproof_action.domain.reading import Decision, Reading
from tests.unit.domain.test_records import COUNTS, DRAWS, GRADES, HOLES, MAYBE_WORD, SHARES, TEXTS, WORDS, through
from tests.unit.receipts.making import decided, run_of

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


def test_what_a_model_is_told_is_not_stored() -> None:
    arm = Arm("a", "a", "p", "s", "m", "the skill's text", "d")
    frame = Frame("r", (arm,), ())
    assert records.frame_from_json(records.frame_to_json(frame)).arms == (replace(arm, system=""),)
