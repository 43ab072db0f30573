from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.analysis.bands import Band
from driftproof_action.analysis.evidence import ArmEvidence, CaseEvidence
from driftproof_action.decisions.band_separation.suite_gate import read_suite
from driftproof_action.domain.arithmetic import mean, sd


def arm(*scores: float, lost: int = 0) -> ArmEvidence:
    return ArmEvidence(Band(mean(scores), sd(scores), len(scores)) if scores else None, lost, scores=scores)


def suite(*gaps: float, lost: int = 0) -> list[CaseEvidence]:
    return [CaseEvidence(str(n), arm(*[round(0.5 + gap, 6)] * 5, lost=lost), arm(*[0.5] * 5)) for n, gap in enumerate(gaps)]


@pytest.mark.parametrize(
    ("gaps", "word"),
    [
        ((-0.1, -0.11, -0.09, -0.1, -0.1), "suite_down"),
        ((0.1, 0.11, 0.09, 0.1, 0.1), "suite_up"),
        ((0.0, 0.01, -0.01, 0.0, 0.0), "suite_flat"),
        ((-0.04, -0.04, -0.04, -0.04, -0.04), "suite_flat"),
        ((-0.5, 0.1, -0.4, 0.2, -0.3), "suite_flat"),
        ((-0.05, -0.05, -0.05, -0.05, -0.05), "suite_down"),
    ],
)
def test_words(gaps: tuple[float, ...], word: str) -> None:
    found = read_suite(suite(*gaps), 0.005)
    assert (found.word, found.reason, found.looks_down) == (word, "", word == "suite_down")


def test_a_smaller_share_of_the_error_rate_gates_later() -> None:
    gaps = (-0.14, -0.05, -0.13, -0.07, -0.12)
    assert read_suite(suite(*gaps), 0.005).word == "suite_down"
    assert read_suite(suite(*gaps), 0.005 / 50).word == "suite_flat"


def test_why_no_reading_is_given() -> None:
    assert (read_suite(suite(*[-0.3] * 4), 0.005).word, read_suite(suite(*[-0.3] * 4), 0.005).reason) == ("not_given", "few_cases")
    withheld = read_suite(suite(*[-0.3] * 5), 0.005, withhold="reused_arm")
    assert (withheld.word, withheld.reason, withheld.looks_down) == ("not_given", "reused_arm", True)
    none = read_suite([], 0.005)
    assert (none.word, none.statistics) == ("not_given", None)


def test_unmeasured_cases_leave_it() -> None:
    found = read_suite([*suite(*[-0.3] * 5), CaseEvidence("x", arm(lost=5), arm(0.5))], 0.005)
    assert (found.word, len(found.differences)) == ("suite_down", 5)


def test_lost_draws_must_leave_it_standing() -> None:
    cases = suite(*[-0.45, -0.44, -0.46, -0.45, -0.45])
    one = [CaseEvidence("0", arm(*[0.05] * 9, lost=1), arm(*[0.5] * 5)), *cases[1:]]
    assert read_suite(one, 0.005).word == "suite_down"
    many = [CaseEvidence(item.id, ArmEvidence(item.target.band, 5, scores=item.target.scores), item.other) for item in cases]
    found = read_suite(many, 0.005)
    assert (found.word, found.reason) == ("not_given", "lost_draws")


SCORE = st.integers(0, 20).map(lambda step: step / 20)
ROW = st.tuples(st.lists(SCORE, min_size=2, max_size=5), st.lists(SCORE, max_size=1), st.lists(SCORE, min_size=2, max_size=5))


@settings(max_examples=300, deadline=None)
@given(st.lists(ROW, min_size=5, max_size=7), st.randoms(use_true_random=False))
def test_order_of_cases_and_draws_is_nothing_and_arms_mirror(rows: list[tuple[list[float], list[float], list[float]]], random) -> None:  # type: ignore[no-untyped-def]
    pairs = [CaseEvidence(str(n), arm(*a, lost=len(x)), arm(*b)) for n, (a, x, b) in enumerate(rows)]
    found = read_suite(pairs, 0.005)
    mirrored = read_suite([CaseEvidence(pair.id, pair.other, pair.target) for pair in pairs], 0.005)
    swap = {"suite_up": "suite_down", "suite_down": "suite_up"}
    assert mirrored.word == swap.get(found.word, found.word)
    turned = [CaseEvidence(str(n), arm(*reversed(a), lost=len(x)), arm(*reversed(b))) for n, (a, x, b) in enumerate(rows)]
    random.shuffle(turned)
    assert read_suite(turned, 0.005).word == found.word
