"""Money and calls, reserved before they are spent. Not: prices (registry) or what is bought."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from driftproof_action.domain.draw import Look
from driftproof_action.domain.plan import Earmark


class Budget:
    """One for all boards of a job. Integers: micro-dollars and calls.

    The worst case is reserved under a tag, the true cost spent from it, what is left released. Nothing is ever spent that
    was not reserved, so a cap is kept to the last micro-dollar as long as the worst case was one.
    """

    def __init__(self, *, max_micro_usd: int, max_calls: int, earmarks: Mapping[Look, Earmark] | None = None) -> None:
        """earmarks: what only that look may use. A set that alone exceeds a cap is dropped: it could never be kept."""
        self.max_micro_usd = max_micro_usd
        self.max_calls = max_calls
        self.spent = 0
        self.calls = 0
        self._held: dict[str, tuple[int, int]] = {}
        self._earmarks = dict(earmarks or {})
        if _total(self._earmarks.values()).micro_usd > max_micro_usd or _total(self._earmarks.values()).calls > max_calls:
            self._earmarks.clear()

    @property
    def holding(self) -> bool:
        """Whether anything is reserved and may yet be released."""
        return bool(self._held)

    def reserve(self, tag: str, worst: int, *, calls: int, look: Look = "first") -> bool:
        """False when cap, earmarks of other looks or calls do not allow it; then nothing changed."""
        if self.short_of(worst, calls=calls, look=look):
            return False
        if mark := self._earmarks.get(look):
            self._earmarks[look] = Earmark(max(0, mark.micro_usd - worst), max(0, mark.calls - calls))
        usd, count = self._held.get(tag, (0, 0))
        self._held[tag] = (usd + worst, count + calls)
        return True

    def short_of(self, worst: int, *, calls: int, look: Look = "first") -> Literal["budget", "calls"] | None:
        """Which limit would not allow it, money before calls; None: both do."""
        money = sum(usd for usd, _ in self._held.values())
        promised = sum(count for _, count in self._held.values())
        aside = _total(mark for name, mark in self._earmarks.items() if name != look)
        if self.spent + money + aside.micro_usd + worst > self.max_micro_usd:
            return "budget"
        return "calls" if self.calls + promised + aside.calls + calls > self.max_calls else None

    def spend(self, tag: str, micro_usd: int, *, calls: int) -> None:
        """What a call cost, all its attempts included."""
        self.spent += micro_usd
        self.calls += calls
        usd, count = self._held.get(tag, (0, 0))
        if tag in self._held:
            self._held[tag] = (max(0, usd - micro_usd), max(0, count - calls))

    def waive(self) -> bool:
        """Give up what is set aside, for work that must come first; False when nothing is."""
        had = bool(_total(self._earmarks.values()).micro_usd or _total(self._earmarks.values()).calls)
        self._earmarks.clear()
        return had

    def release(self, tag: str) -> None:
        self._held.pop(tag, None)


def _total(marks: Iterable[Earmark]) -> Earmark:
    known = list(marks)
    return Earmark(sum(mark.micro_usd for mark in known), sum(mark.calls for mark in known))
