from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.analysis.bands import Band, separation
from driftproof_action.analysis.evidence import ArmEvidence, CaseEvidence
from driftproof_action.analysis.welch import welch
from driftproof_action.decisions.band_separation.suspects import find_suspects, suspect

SCORES = st.integers(0, 20).map(lambda step: step / 20)
BANDS = st.builds(Band, SCORES, st.integers(0, 300).map(lambda step: step / 1000), st.integers(1, 10))


@pytest.mark.parametrize(
    ("target", "other", "sign", "by"),
    [
        (Band(0.5, 0.01, 5), Band(0.9, 0.01, 5), -1, "both"),
        (Band(0.9, 0.0, 2), Band(0.85, 0.0, 2), 1, "both"),
        (Band(0.6, 0.2, 5), Band(0.9, 0.2, 5), -1, "welch"),
        (Band(0.3, 0.2, 2), Band(0.8, 0.2, 2), -1, "r1"),
    ],
)
def test_what_makes_a_case_suspect(target: Band, other: Band, sign: int, by: str) -> None:
    found = suspect("c", target, other)
    assert found is not None
    assert (found.sign, found.by) == (sign, by)


@pytest.mark.parametrize(
    ("target", "other"),
    [
        (None, Band(0.9, 0.0, 5)),
        (Band(0.9, 0.0, 5), None),
        (Band(0.1, 0.0, 1), Band(0.9, 0.0, 9)),
        (Band(0.86, 0.0, 9), Band(0.9, 0.0, 9)),
        (Band(0.7, 0.3, 5), Band(0.8, 0.3, 5)),
    ],
)
def test_what_does_not(target: Band | None, other: Band | None) -> None:
    assert suspect("c", target, other) is None


@settings(max_examples=1000, deadline=None)
@given(BANDS, BANDS)
def test_swapping_the_arms_turns_the_sign_and_nothing_else(one: Band, two: Band) -> None:
    here, there = suspect("c", one, two), suspect("c", two, one)
    assert (here is None) == (there is None)
    if here and there:
        assert here.sign == -there.sign
        assert (here.by, here.welch.p) == (there.by, pytest.approx(there.welch.p))
        assert separation(one, two) != 0 or welch(one, two).p <= 0.05


def case(id: str, target: float, other: float = 0.9, sd: float = 0.05) -> CaseEvidence:
    return CaseEvidence(id, ArmEvidence(Band(target, sd, 5)), ArmEvidence(Band(other, sd, 5)))


def test_clearest_first_then_by_id() -> None:
    found = find_suspects([case("d", 0.7), case("c", 0.7), case("b", 0.5), case("a", 0.9)])
    assert [item.case for item in found] == ["b", "c", "d"]
