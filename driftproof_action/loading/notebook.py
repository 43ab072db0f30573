"""What a suite's reading keeps book of: where things stand, what was read from what, what was not. Not: the reading."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from driftproof_action.canonical import Json
from driftproof_action.domain.suite import Mapped
from driftproof_action.loading import suite_keys as keys
from driftproof_action.loading.located import Located, Path
from driftproof_action.loading.remarks import Remarks, counted, quoted

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a suite file. spot: how its author would call it, below its case."""

    document: Located
    path: Path
    spot: str = ""

    @property
    def line(self) -> int:
        return self.document.line(*self.path)

    def at(self, *steps: str | int) -> Place:
        spot = self.spot
        for step in steps:
            spot += f"[{step}]" if isinstance(step, int) else (f".{step}" if spot else step)
        return Place(self.document, (*self.path, *steps), spot)


@dataclass(slots=True)
class Notebook:
    """One for a suite. text_numbers: numbers may come as text (YAML keeps `0.70` as written).

    failed: the code of the first error about the case being read, empty while there is none.
    """

    remarks: Remarks
    text_numbers: bool = False
    case: str = ""
    failed: str = ""
    equal_texts: int = 0
    _mapped: Counter[tuple[str, str]] = field(default_factory=Counter)
    _unknown: dict[str, tuple[int, int]] = field(default_factory=dict)
    _commands: dict[str, int] = field(default_factory=dict)
    _not_used: dict[str, tuple[int, int, list[str]]] = field(default_factory=dict)

    def begin(self, case: str) -> None:
        """The next case, by the name messages use for it."""
        self.case = case
        self.failed = ""

    def case_error(self, code: str, place: Place, message: str, *, fix: str = "") -> None:
        """An error about the case being read."""
        self.failed = self.failed or code
        self.remarks.error(code, place.line, f"case {quoted(self.case)}: {message}", fix=fix)

    def count(self, target: str, source: str, times: int = 1) -> None:
        """`target` was read from the key `source`."""
        self._mapped[target, source] += times

    def mapping(self) -> tuple[Mapped, ...]:
        """In order of first use."""
        return tuple(Mapped(target, source, count) for (target, source), count in self._mapped.items())

    def unknown(self, key: str, line: int) -> None:
        """A key nothing was read from."""
        times, first = self._unknown.get(key, (0, line))
        self._unknown[key] = (times + 1, first)

    def command(self, place: Place, key: str) -> None:
        """Something to execute."""
        self._commands.setdefault(key, place.line)

    def lists_not_used(self, place: Place, by: str, *, unused: Sequence[str]) -> None:
        """A rubric grades, and these keys beside it do not."""
        times, first, names = self._not_used.get(by, (0, place.line, []))
        self._not_used[by] = (times + 1, first, sorted({*names, *unused}))

    def number(self, value: Json) -> float | None:
        """A number as an author writes one, None for anything else."""
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            return value
        if self.text_numbers and isinstance(value, str) and _NUMBER.fullmatch(value):
            return float(value)
        return None

    def close(self) -> None:
        """Say once for the file what was not read."""
        for by, (times, line, names) in self._not_used.items():
            message = f"in {counted(times, 'case')} `{by}` grades; what stands beside it under {', '.join(names)} is not used"
            self.remarks.warning("lists-not-used", line, message, fix=f"remove `{by}` to be graded by the list, or the list")
        if self._commands:
            names = sorted(self._commands)
            message = f"{', '.join(names)}: commands found in suites are never run"
            fix = "say what they check as sentences under assertions"
            self.remarks.warning("commands-ignored", min(self._commands.values()), message, fix=fix)
        if self.equal_texts:
            message = f"{counted(self.equal_texts, 'sentence')} stood twice in one case; each counts once"
            self.remarks.info("equal-texts", 0, message)
        self._close_unknown()

    def _close_unknown(self) -> None:
        for key, (times, line) in self._unknown.items():
            meant = keys.near_miss(key)
            if meant:
                message = f"the key {quoted(key)} is not read (in {counted(times, 'case')}); did you mean {quoted(meant)}?"
                self.remarks.warning("near-miss", line, message, fix=f"rename it to {quoted(meant)}")
        rest = [key for key in self._unknown if not keys.near_miss(key)]
        if rest:
            shown = ", ".join(quoted(key) for key in rest[:12]) + (f" and {len(rest) - 12} more" if len(rest) > 12 else "")
            self.remarks.info("unknown-keys", self._unknown[rest[0]][1], f"keys nothing is read from: {shown}")
