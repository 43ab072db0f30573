"""Signals of the operating system as an event and an exception. Not: what a command does about them."""

from __future__ import annotations

import signal
from threading import Event
from types import FrameType


class Interrupted(BaseException):
    """A signal asked the process to end. Not an Exception: nothing below a door may swallow it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def exit_code(self) -> int:
        """128 + the signal's number: 130 for SIGINT, 143 for SIGTERM."""
        return 128 + self.number


class Signals:
    """SIGINT and SIGTERM while it is entered; what stood before is put back on leaving.

    A command that can stop cleanly takes `stop`: the first signal sets it, and the command returns in its own time. A
    second signal, or the first when nobody took `stop`, raises Interrupted in the main thread. `received` is the number of
    the first signal, 0 when there was none.
    """

    HANDLED = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.received = 0
        self._stop: Event | None = None
        self._before: dict[int, object] = {}

    @property
    def stop(self) -> Event:
        """Asking for it is the promise to look at it."""
        if self._stop is None:
            self._stop = Event()
        return self._stop

    def __enter__(self) -> Signals:
        for number in self.HANDLED:
            self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _receive(self, number: int, _: FrameType | None) -> None:
        first, self.received = not self.received, self.received or number
        if first and self._stop is not None:
            self._stop.set()
            return
        raise Interrupted(number)
