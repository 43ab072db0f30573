"""Reading a rule's constants out of a frame, which may come from a file anyone wrote. Not: the constants."""

from __future__ import annotations

from collections.abc import Mapping

from driftproof_action.domain.observations import Frame
from driftproof_action.domain.reading import Scalar
from driftproof_action.errors import ReceiptError


def whole_term(frame: Frame, name: str, least: int, most: int) -> int:
    """The whole number under `name`. Raises ReceiptError when it is absent, no whole number, or outside least … most."""
    value = frame.terms.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise ReceiptError(
        f"the rule {frame.rule} needs a whole number from {least} to {most}",
        place=f"observations.frame.terms.{name}",
        detail=f"it holds {str(value)[:40]!r}",
        fix="measure again: a decision cannot be read without the constants it was made by",
        anchor="rule-terms",
    )


def check_constants(frame: Frame, constants: Mapping[str, Scalar]) -> None:
    """A frame may leave a constant out, but not state another one: raises ReceiptError, for the name means one rule."""
    for name, value in constants.items():
        if frame.terms.get(name, value) != value:
            raise ReceiptError(
                f"the rule {frame.rule} has {name} {value}",
                place=f"observations.frame.terms.{name}",
                detail=f"it holds {str(frame.terms[name])[:40]!r}",
                fix="measure again: this decision was not made by the rule it names",
                anchor="rule-terms",
            )
