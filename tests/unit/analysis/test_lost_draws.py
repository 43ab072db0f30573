from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.analysis.bands import Band, separation
from driftproof_action.analysis.evidence import ArmEvidence, CaseEvidence
from driftproof_action.analysis.lost_draws import read_case
from driftproof_action.domain.arithmetic import mean, sd


def arm(*scores: float, lost: int = 0, listed: bool = True) -> ArmEvidence:
    return ArmEvidence(Band(mean(scores), sd(scores), len(scores)) if scores else None, lost, listed)


def test_without_losses_the_bands_decide() -> None:
    up = read_case(CaseEvidence("c", arm(0.9, 0.9, 0.9), arm(0.5, 0.5, 0.5)))
    assert up is not None
    assert (up.word, up.held, up.may_fall, up.gap) == ("separated_up", True, False, 0.4)
    down = read_case(CaseEvidence("c", arm(0.5, 0.5), arm(0.9, 0.9)))
    assert down is not None
    assert (down.word, down.held, down.may_fall) == ("separated_down", True, True)


def test_a_separation_never_rests_on_a_lost_draw() -> None:
    for target, other in (((0.9,) * 4, (0.1,) * 5), ((0.1,) * 4, (0.9,) * 5)):
        read = read_case(CaseEvidence("c", arm(*target, lost=1), arm(*other)))
        assert read is not None
        assert (read.word, read.held) == ("inconclusive", False)


def test_no_separation_with_a_loss_could_not_tell() -> None:
    read = read_case(CaseEvidence("c", arm(0.9, 0.9, 0.9), arm(0.9, 0.9, 0.9, lost=1)))
    assert read is not None
    assert (read.word, read.power.reason, read.power.needed) == ("underpowered", "lost_draws", None)


def test_what_cannot_fall_by_the_floor_may_not_fall() -> None:
    high = read_case(CaseEvidence("c", arm(0.9, 0.9, 0.9, 0.9, lost=1), arm(0.2, 0.2, 0.2, 0.2)))
    assert high is not None
    assert not high.may_fall
    unlisted = read_case(CaseEvidence("c", arm(0.9, 0.9, 0.9, 0.9, lost=1, listed=False), arm(0.2, 0.2, 0.2, 0.2)))
    assert unlisted is not None
    assert unlisted.may_fall


def test_nothing_measured_is_no_reading() -> None:
    assert read_case(CaseEvidence("c", arm(0.9), arm(lost=3))) is None


SCORES = st.lists(st.integers(0, 20).map(lambda n: n / 20), min_size=1, max_size=6)
FILL = st.lists(st.integers(0, 20).map(lambda n: n / 20), max_size=3)


@given(SCORES, FILL, SCORES, FILL)
def test_no_fill_of_the_losses_separates_down_what_may_not_fall(
    target: list[float], lost_target: list[float], other: list[float], lost_other: list[float]
) -> None:
    case = CaseEvidence("c", arm(*target, lost=len(lost_target)), arm(*other, lost=len(lost_other)))
    read = read_case(case)
    assert read is not None
    whole = (target + lost_target, other + lost_other)
    bands = [Band(mean(scores), sd(scores), len(scores)) for scores in whole]
    if not read.may_fall:
        assert separation(bands[0], bands[1]) >= 0
    if read.held:
        assert separation(bands[0], bands[1]) == read.sign
