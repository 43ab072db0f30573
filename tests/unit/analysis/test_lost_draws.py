from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.analysis.bands import Band, power, separation
from driftproof_action.analysis.evidence import ArmEvidence, CaseEvidence
from driftproof_action.analysis.lost_draws import read_case
from driftproof_action.domain.arithmetic import mean, round6, sd


def arm(*scores: float, lost: int = 0, listed: bool = True) -> ArmEvidence:
    return ArmEvidence(Band(mean(scores), sd(scores), len(scores)) if scores else None, lost, listed, scores)


def test_without_losses_the_bands_decide() -> None:
    up = read_case(CaseEvidence("c", arm(0.9, 0.9, 0.9), arm(0.5, 0.5, 0.5)))
    assert up is not None
    assert (up.word, up.held, up.may_fall, up.gap) == ("separated_up", True, False, 0.4)
    down = read_case(CaseEvidence("c", arm(0.5, 0.5), arm(0.9, 0.9)))
    assert down is not None
    assert (down.word, down.held, down.may_fall) == ("separated_down", True, True)


def test_a_separation_holds_when_every_fill_of_the_losses_agrees() -> None:
    up = read_case(CaseEvidence("c", arm(*[0.95] * 9, lost=1), arm(*[0.05] * 5)))
    assert up is not None
    assert (up.word, up.held, up.may_fall) == ("separated_up", True, False)
    down = read_case(CaseEvidence("c", arm(*[0.05] * 5), arm(*[0.95] * 9, lost=1)))
    assert down is not None
    assert (down.word, down.held, down.may_fall) == ("separated_down", True, True)


def test_a_separation_one_fill_undoes_does_not_hold() -> None:
    for target, other in (((0.9,) * 4, (0.5,) * 5), ((0.5,) * 4, (0.7,) * 5)):
        read = read_case(CaseEvidence("c", arm(*target, lost=1), arm(*other)))
        assert read is not None
        assert (read.word, read.held) == ("inconclusive", False)


def test_losses_nobody_listed_undo_everything() -> None:
    for side in (arm(*[0.95] * 9, lost=1, listed=False), ArmEvidence(Band(0.95, 0.0, 9), 1)):
        read = read_case(CaseEvidence("c", side, arm(*[0.05] * 5)))
        assert read is not None
        assert (read.word, read.held, read.may_fall) == ("inconclusive", False, True)


def test_no_separation_with_a_loss_could_not_tell() -> None:
    read = read_case(CaseEvidence("c", arm(0.9, 0.9, 0.9), arm(0.9, 0.9, 0.9, lost=1)))
    assert read is not None
    assert (read.word, read.power.reason, read.power.needed) == ("underpowered", "lost_draws", None)


def test_a_flat_reading_holds_only_over_very_many_draws() -> None:
    few = read_case(CaseEvidence("c", arm(*[0.9] * 9, lost=1), arm(*[0.9] * 10)))
    assert few is not None
    assert few.word == "underpowered"
    many = read_case(CaseEvidence("c", arm(*[0.9] * 999, lost=1), arm(*[0.9] * 999)))
    assert many is not None
    assert (many.word, many.held) == ("not_separated", False)


def test_what_no_fill_separates_down_may_not_fall() -> None:
    read = read_case(CaseEvidence("c", arm(0.9, 0.9, 0.9, 0.9, lost=1), arm(0.2, 0.2, 0.2, 0.2)))
    assert read is not None
    assert not read.may_fall


def test_nothing_measured_is_no_reading() -> None:
    assert read_case(CaseEvidence("c", arm(0.9), arm(lost=3))) is None


SCORES = st.lists(st.one_of(st.integers(0, 20).map(lambda n: n / 20), st.sampled_from([0.02, 0.97])), min_size=1, max_size=10)
FILL = st.lists(st.one_of(st.integers(0, 20).map(lambda n: n / 20), st.floats(0, 1).map(round6)), max_size=3)


@settings(max_examples=2000, deadline=None)
@given(SCORES, FILL, SCORES, FILL)
def test_what_holds_holds_over_every_fill(
    target: list[float], lost_target: list[float], other: list[float], lost_other: list[float]
) -> None:
    read = read_case(CaseEvidence("c", arm(*target, lost=len(lost_target)), arm(*other, lost=len(lost_other))))
    assert read is not None
    ours, theirs = [Band(mean(scores), sd(scores), len(scores)) for scores in (target + lost_target, other + lost_other)]
    if not read.may_fall:
        assert separation(ours, theirs) >= 0
    if read.held:
        assert separation(ours, theirs) == read.sign
    if read.word == "not_separated":
        assert power(ours, theirs).word == "not_separated"
