from __future__ import annotations

import re
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.analysis.bands import Band
from driftproof_action.analysis.envelopes import SLACK, Envelope, envelope, unbounded
from driftproof_action.domain.arithmetic import mean, round6, sd
from tests.contract.package_source import ROOT

SCORE = st.one_of(st.integers(0, 20).map(lambda step: step / 20), st.floats(0, 1).map(round6), st.sampled_from([0.0, 1.0]))


@settings(max_examples=1500, deadline=None)
@given(st.lists(SCORE, min_size=1, max_size=9), st.lists(SCORE, min_size=1, max_size=5))
def test_every_fill_lies_inside(scores: list[float], lost: list[float]) -> None:
    could = envelope(scores, len(lost))
    whole = [*scores, *lost]
    band = Band(mean(whole), sd(whole), len(whole))
    assert could.low <= band.low <= could.highest_low
    assert could.lowest_high <= band.high <= could.high
    assert could.mean_low <= band.mean <= could.mean_high
    assert band.sd <= could.sd_high
    assert could.n == band.n


@settings(max_examples=300, deadline=None)
@given(st.lists(SCORE, min_size=1, max_size=9), st.integers(1, 4))
def test_the_ends_are_reached(scores: list[float], lost: int) -> None:
    """No wider than it must be: some fill comes within the slack and one rounding of every end."""
    could = envelope(scores, lost)
    corners = [[*scores, *[0.0] * zeros, *[1.0] * (lost - zeros)] for zeros in range(lost + 1)]
    alike = [[*scores, *[step / 2000] * lost] for step in range(2001)]
    near = SLACK + 2e-6
    assert min(mean(fill) - sd(fill) for fill in corners) <= could.low + near
    assert max(mean(fill) + sd(fill) for fill in corners) >= could.high - near
    assert max(mean(fill) - sd(fill) for fill in alike) >= could.highest_low - 1e-3
    assert min(mean(fill) + sd(fill) for fill in alike) <= could.lowest_high + 1e-3


@pytest.mark.parametrize(
    ("scores", "lost", "expected"),
    [
        ((0.9, 0.9, 0.9, 0.9), 1, (0.317506, 1.122494, 0.900002, 0.899998, 0.719998, 0.920002, 0.402494)),
        ((0.6, 0.7, 0.8), 1, (0.1656, 0.945785, 0.629291, 0.770709, 0.524998, 0.775002, 0.3594)),
        ((0.5, 0.9, 0.7, 0.8), 2, (0.086259, 1.011941, 0.623966, 0.826034, 0.483331, 0.816669, 0.397075)),
    ],
)
def test_worked_examples_of_the_docs(scores: tuple[float, ...], lost: int, expected: tuple[float, ...]) -> None:
    could = envelope(scores, lost)
    found = (could.low, could.high, could.highest_low, could.lowest_high, could.mean_low, could.mean_high, could.sd_high)
    assert found == pytest.approx(expected, abs=1e-6)


def test_the_docs_print_what_is_computed() -> None:
    page = (ROOT / "docs" / "readings.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| ([0-9. ]+) \| (\d) \| (.+) \|$", page)
    assert len(rows) == 3
    for scores, lost, shown in rows:
        could = envelope([float(score) for score in scores.split()], int(lost))
        found = (could.low, could.high, could.highest_low, could.lowest_high, could.mean_low, could.mean_high, could.sd_high)
        assert re.findall(r"[0-9.]*[0-9]", shown) == [f"{value:.6f}" for value in found]


def test_without_a_loss_it_is_the_band_and_the_slack() -> None:
    around = Envelope.around(Band(0.5, 0.1, 7))
    assert around == Envelope(0.4 - SLACK, 0.6 + SLACK, 0.4 + SLACK, 0.6 - SLACK, 0.5 - SLACK, 0.5 + SLACK, 0.1 + SLACK, 7)


def test_unrecorded_losses_are_unbounded() -> None:
    could = unbounded(4)
    assert (could.low, could.high, could.highest_low, could.lowest_high) == (-inf, inf, inf, -inf)
    assert (could.mean_low, could.mean_high) == (0.0, 1.0)


def test_nothing_measured_or_nothing_lost_has_none() -> None:
    for scores, lost in (((), 1), ((0.5,), 0)):
        with pytest.raises(ValueError, match="a measured and a lost draw"):
            envelope(scores, lost)
