"""How far a run is, on standard error: one moving line on a terminal, a line now and then elsewhere. Not: what it found."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

EVERY_S = 30.0
"""Seconds between two lines where nothing can move."""


class LineProgress:
    """For logs: a line every half minute, and nothing at all for a run that is over sooner."""

    def __init__(self, say: Callable[[str], None], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._say, self._clock = say, clock
        self._fewest = self._most = 0
        self._began = self._said = clock()

    def begin(self, *, fewest: int, most: int) -> None:
        self._fewest, self._most = fewest, most
        self._began = self._said = self._clock()

    def update(self, *, calls: int, micro_usd: int, flying: int, waiting: int) -> None:
        now = self._clock()
        if now - self._said >= EVERY_S:
            self._said = now
            self._say(progress_text(calls, self._fewest, self._most, micro_usd=micro_usd, seconds=now - self._began, waiting=waiting))

    def end(self) -> None:
        """Nothing: what was found is said by others."""


class TerminalProgress:
    """A moving line; gone when the run is over, so that what stays is what was found."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._status: Any = None
        self._fewest = self._most = 0
        self._began = clock()

    def begin(self, *, fewest: int, most: int) -> None:
        from rich.console import Console  # slow to load, and only a terminal needs it

        self._fewest, self._most, self._began = fewest, most, self._clock()
        self._status = Console(file=sys.stderr, markup=False, highlight=False).status("asking")
        self._status.start()

    def update(self, *, calls: int, micro_usd: int, flying: int, waiting: int) -> None:
        seconds = self._clock() - self._began
        text = progress_text(calls, self._fewest, self._most, micro_usd=micro_usd, seconds=seconds, waiting=waiting)
        self._status.update(text)

    def end(self) -> None:
        if self._status is not None:
            self._status.stop()


def progress_text(calls: int, fewest: int, most: int, *, micro_usd: int, seconds: float, waiting: int) -> str:
    """Calls of fewest to most, money so far, time so far and the time left if the fewest suffice."""
    parts = [f"{calls} of {fewest}–{most} calls" if fewest != most else f"{calls} of {most} calls", f"{micro_usd / 1e6:.2f} USD"]
    parts.append(_clock_text(seconds))
    if 0 < calls < fewest:
        parts.append(f"about {_clock_text(seconds / calls * (fewest - calls))} left")
    if waiting:
        parts.append(f"{waiting} waiting to be asked again")
    return "  ".join(parts)


def _clock_text(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60}m{whole % 60:02}s" if whole >= 60 else f"{whole}s"


def standard_error_moves() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()
