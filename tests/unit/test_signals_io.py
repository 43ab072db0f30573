"""Signals as an event and an exception. Not: what commands do about them (test_cli.py)."""

from __future__ import annotations

import os
import signal
import time

import pytest

from driftproof_action.signals_io import Interrupted, Signals


def _signalled(signals: Signals, *numbers: int, asked: bool) -> None:
    """Send the numbers to ourselves while `signals` listens; asked: somebody took the event before the first."""
    with signals:
        stop = signals.stop if asked else None
        for number in numbers:
            os.kill(os.getpid(), number)
            assert stop is None or stop.wait(5)
        time.sleep(5)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_nobody_waits_for_ends_the_work(number: int, code: int) -> None:
    signals = Signals()
    with pytest.raises(Interrupted) as caught:
        _signalled(signals, number, asked=False)
    assert (caught.value.exit_code, signals.received) == (code, number)


def test_the_first_signal_asks_and_the_second_ends() -> None:
    signals = Signals()
    with pytest.raises(Interrupted) as caught:
        _signalled(signals, signal.SIGTERM, signal.SIGINT, asked=True)
    assert caught.value.number == signal.SIGINT
    assert signals.received == signal.SIGTERM


def test_what_stood_before_is_put_back() -> None:
    before = [signal.getsignal(number) for number in Signals.HANDLED]
    with Signals():
        assert [signal.getsignal(number) for number in Signals.HANDLED] != before
        with Signals() as inner:
            stop = inner.stop
            os.kill(os.getpid(), signal.SIGINT)
            assert stop.wait(5)
    assert [signal.getsignal(number) for number in Signals.HANDLED] == before


def test_there_is_one_event() -> None:
    signals = Signals()
    assert signals.stop is signals.stop
    assert signals.received == 0


def test_an_interruption_is_no_ordinary_error() -> None:
    assert not issubclass(Interrupted, Exception)
