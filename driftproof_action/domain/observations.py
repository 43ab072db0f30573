"""The table every rule reads and every receipt stores. Not: what follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from driftproof_action.domain.arm import Arm
from driftproof_action.domain.case import Case
from driftproof_action.domain.draw import Draw, DrawId
from driftproof_action.domain.grade import Grade, GradeId, Pair
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.reading import Scalar


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a run ended: complete, budget (money), calls, signal, minutes, circuit, wrong_model, not_allowed."""

    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Withheld:
    """A brief that is not run in an arm; known before the first call."""

    brief: str
    arm: str
    hole: Hole


@dataclass(frozen=True, slots=True)
class Frame:
    """What was to be observed. rule: name and version of the rule; terms: every constant it uses."""

    rule: str
    arms: tuple[Arm, ...]
    cases: tuple[Case, ...]
    terms: Mapping[str, Scalar] = field(default_factory=dict)
    withheld: tuple[Withheld, ...] = ()

    def number(self, name: str) -> int:
        """A whole-number term. Raises KeyError when the rule has no such term, TypeError when it is no whole number."""
        value = self.terms[name]
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"term {name} is {value!r}, not a whole number")
        return value

    def set_aside(self) -> frozenset[str]:
        """Ids of the cases that no arm was to be asked: known before the first call, and named with their reason."""
        closed = {(item.brief, item.arm) for item in self.withheld}
        return frozenset(case.id for case in self.cases if all((case.brief, arm.name) in closed for arm in self.arms))

    def arm_of(self, role: str) -> Arm | None:
        return next((arm for arm in self.arms if arm.role == role), None)


@dataclass(frozen=True, slots=True)
class Wanted:
    """draws, pairs: everything certain to be needed, done or not, in the order it should go out; repeating is free. extra: draws
    that are asked for once nothing else is needed, and left out where there is no room; a run is whole without them, and they are
    no part of its coverage."""

    draws: tuple[DrawId, ...]
    pairs: tuple[Pair, ...] = ()
    extra: tuple[DrawId, ...] = ()


class Observations:
    """Read-only to everyone but the board that grows it; rows are seen in id order, never in order of arrival."""

    def __init__(self, frame: Frame, draws: Iterable[Draw] = (), grades: Iterable[Grade] = (), stop: Stop | None = None) -> None:
        self.frame = frame
        self.stop = stop
        self._draws: dict[DrawId, Draw] = {}
        self._grades: dict[GradeId, Grade] = {}
        self._series: dict[tuple[str, str, str], dict[int, DrawId]] = {}
        self._cases = {case.id: case for case in frame.cases}
        for draw in draws:
            self.add_draw(draw)
        for grade in grades:
            self.add_grade(grade)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Observations):
            return NotImplemented
        return (self.frame, self.stop, self._draws, self._grades) == (other.frame, other.stop, other._draws, other._grades)

    __hash__ = None  # type: ignore[assignment]

    def add_draw(self, draw: Draw) -> None:
        """For the board only."""
        self._draws[draw.id] = draw
        series = self._series.setdefault((draw.id.brief, draw.id.arm, draw.id.look), {})
        if draw.id.index not in series or series[draw.id.index].attempt < draw.id.attempt:
            series[draw.id.index] = draw.id

    def add_grade(self, grade: Grade) -> None:
        """For the board only."""
        self._grades[grade.id] = grade

    @property
    def draws(self) -> tuple[Draw, ...]:
        return tuple(self._draws[key] for key in sorted(self._draws))

    @property
    def grades(self) -> tuple[Grade, ...]:
        return tuple(self._grades[key] for key in sorted(self._grades))

    def draw(self, id: DrawId) -> Draw | None:
        return self._draws.get(id)

    def grading(self, id: GradeId) -> Grade | None:
        return self._grades.get(id)

    def grade(self, case: str, draw: DrawId) -> Grade | None:
        """The grade of a draw by the case's deciding grader; None: not known yet."""
        return self._grades.get(GradeId(self._cases[case].grader, case, (draw,)))

    def case(self, id: str) -> Case:
        return self._cases[id]

    def series(self, brief: str, arm: str, look: str = "first") -> Mapping[int, DrawId]:
        """index → the last attempt at it."""
        return self._series.get((brief, arm, look), {})

    def coverage(self, wanted: Wanted) -> Mapping[str, int]:
        """`expected` = `graded` + holes by reason, counted here and nowhere else. What was wanted and never went out is a
        hole named by the stop (`pending` while nothing has stopped)."""
        ids = [GradeId(case.grader, case.id, (draw,)) for draw in wanted.draws for case in self.frame.cases if case.brief == draw.brief]
        ids += [GradeId(pair.grader, pair.case, (pair.left, pair.right)) for pair in wanted.pairs]
        count: Counter[str] = Counter()
        for id in ids:
            grade = self._grades.get(id)
            if grade is None:
                count[self.stop.reason if self.stop else "pending"] += 1
            else:
                count[grade.hole.reason if grade.hole else "graded"] += 1
        return {"expected": len(ids), **dict(sorted(count.items()))}
