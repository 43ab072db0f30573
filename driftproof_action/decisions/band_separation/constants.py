"""Every constant of confirmed readings, and which of them a frame may choose. Not: the published rule's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from driftproof_action.analysis.welch import GRID
from driftproof_action.decisions.band_separation import published
from driftproof_action.decisions.terms import check_constants, whole_term
from driftproof_action.domain.observations import Frame
from driftproof_action.domain.reading import Scalar
from driftproof_action.errors import ReceiptError

ALPHA_CASE = (5, 1000)
"""Error rate a direction of the confirmed cases, as a fraction of whole numbers."""
ALPHA_SUITE = 0.005
"""Error rate a direction of the suite reading."""
FRESH = 10
"""Fresh draws an arm behind a confirmed case."""
FUTILITY_AFTER = 3
"""Fresh draws an arm after which a suspect that shows no difference is let go."""
MAX_LOST = 3
"""Fresh draws an arm may lose before the case counts as not confirmed."""
MAX_DOWN = 3
MAX_UP = 1
"""Most suspects of a family that are drawn again."""
SUSPECT_P = 0.05
"""Welch's p from which a case is suspect."""
MIN_CASES_SUITE = 5
"""Fewest cases a suite reading gates on."""
MOST_MODELS = 1000

CONSTANTS: Mapping[str, Scalar] = {
    **published.CONSTANTS,
    "alpha_case": ALPHA_CASE[0] / ALPHA_CASE[1],
    "alpha_suite": ALPHA_SUITE,
    "fresh": FRESH,
    "futility_after": FUTILITY_AFTER,
    "max_lost": MAX_LOST,
    "max_down": MAX_DOWN,
    "max_up": MAX_UP,
    "suspect_p": SUSPECT_P,
    "q": GRID,
    "min_cases_suite": MIN_CASES_SUITE,
}

INCUMBENTS = ("stored", "drawn")
"""How the first look of the incumbent came about: taken over from a receipt, or drawn in this run."""


def terms(
    min_draws: int,
    max_draws: int,
    samples: int,
    *,
    models_in_job: int = 1,
    confirm: bool = True,
    redraw: bool = False,
    incumbent: str = "",
) -> Mapping[str, Scalar]:
    """Every constant of the rule, for Frame.terms; a frame may add `kind`, `preset` and `narrowed` as for the published rule.

    models_in_job: models planned for this skill, known before the first call; both error rates are divided by it. confirm:
    whether the budget holds the confirming draws. redraw: an arm is reused and the budget holds a second look at it.
    incumbent: `stored` or `drawn` when the frame has an arm of that role, else empty.
    """
    return {
        **published.terms(min_draws, max_draws, samples),
        **CONSTANTS,
        "models_in_job": models_in_job,
        "alpha_case_spent": ALPHA_CASE[0] / (ALPHA_CASE[1] * models_in_job),
        "alpha_suite_spent": ALPHA_SUITE / models_in_job,
        "confirm": confirm,
        "redraw": redraw,
        "incumbent": incumbent,
    }


@dataclass(frozen=True, slots=True)
class Settings:
    """What a frame chooses. low, top: bounds of a look."""

    low: int
    top: int
    models: int
    confirm: bool
    redraw: bool
    incumbent: str

    @property
    def alpha_suite(self) -> float:
        return ALPHA_SUITE / self.models

    @property
    def alpha_case(self) -> tuple[int, int]:
        """Numerator and denominator."""
        return ALPHA_CASE[0], ALPHA_CASE[1] * self.models


def read_settings(frame: Frame) -> Settings:
    """Raises ReceiptError for terms that are absent, malformed or another rule's."""
    low, top = published.bounds(frame)
    models = whole_term(frame, "models_in_job", 1, MOST_MODELS)
    given = terms(low, top, 0, models_in_job=models)
    check_constants(frame, {**CONSTANTS, "alpha_case_spent": given["alpha_case_spent"], "alpha_suite_spent": given["alpha_suite_spent"]})
    incumbent = frame.terms.get("incumbent", "")
    if incumbent not in ("", *INCUMBENTS):
        raise _strange(frame, "incumbent", "empty, stored or drawn")
    return Settings(low, top, models, _yes(frame, "confirm"), _yes(frame, "redraw"), str(incumbent))


def _yes(frame: Frame, name: str) -> bool:
    value = frame.terms.get(name)
    if not isinstance(value, bool):
        raise _strange(frame, name, "true or false")
    return value


def _strange(frame: Frame, name: str, allowed: str) -> ReceiptError:
    return ReceiptError(
        f"the rule {frame.rule} needs {allowed} for {name}",
        place=f"observations.frame.terms.{name}",
        detail=f"it holds {str(frame.terms.get(name))[:40]!r}",
        fix="measure again: a decision cannot be read without the constants it was made by",
        anchor="rule-terms",
    )
