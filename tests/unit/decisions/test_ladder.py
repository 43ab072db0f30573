from __future__ import annotations

from driftproof_action.analysis.bands import Power
from driftproof_action.analysis.lost_draws import CaseReading
from driftproof_action.analysis.suite_band import SuiteBand
from driftproof_action.decisions.band_separation.ladder import climb, missing_draws

UP = CaseReading("up", 1, True, False, 0.4, Power("separated"))
DOWN = CaseReading("down", -1, True, True, -0.4, Power("separated"))
LOST_DOWN = CaseReading("lost_down", -1, False, True, -0.4, Power("separated"))
LOST_UP = CaseReading("lost_up", 1, False, False, 0.4, Power("separated"))
FLAT = CaseReading("flat", 0, False, False, 0.0, Power("not_separated"))


def short(reason: str, needed: int | None = None, *, may_fall: bool = False) -> CaseReading:
    return CaseReading(reason, 0, False, may_fall, 0.0, Power("underpowered", reason, 0.1, needed))  # type: ignore[arg-type]


def test_rungs_worst_first() -> None:
    assert climb([UP, DOWN, LOST_DOWN], ("incomplete",))[0] == "REGRESSED"
    assert climb([UP, LOST_DOWN]) == ("INCONCLUSIVE", ("lost_draws",))
    assert climb([UP, FLAT], ("incomplete", "budget")) == ("INCONCLUSIVE", ("incomplete", "budget"))
    assert climb([UP, FLAT, short("spread"), LOST_UP]) == ("PASSED", ("separated_up",))
    assert climb([UP, short("lost_draws", may_fall=True)]) == ("INCONCLUSIVE", ("lost_draws",))
    assert climb([LOST_UP, FLAT]) == ("INCONCLUSIVE", ("lost_draws",))
    assert climb([FLAT, short("draws", 8)]) == ("UNDERPOWERED", ("draws",))
    assert climb([FLAT]) == ("NO_EFFECT", ("not_separated",))
    assert climb([], ("incomplete",)) == ("NOT_MEASURED", ("no_readable_case", "incomplete"))


def test_cases_that_scatter_are_no_evidence_of_no_effect() -> None:
    assert climb([FLAT, FLAT], band=SuiteBand(0.2, 0.19, "cases")) == ("UNDERPOWERED", ("suite_band", "cases"))
    assert climb([FLAT, FLAT], band=SuiteBand(0.2, None, "unknown")) == ("UNDERPOWERED", ("suite_band", "unknown"))
    assert climb([FLAT, FLAT], band=SuiteBand(0.04, None, "")) == ("NO_EFFECT", ("not_separated",))
    assert climb([UP, FLAT], band=SuiteBand(0.2, 0.19, "cases"))[0] == "PASSED"


def test_missing_draws_take_the_worst_reason() -> None:
    assert missing_draws([FLAT, UP]) == ("", None)
    assert missing_draws([short("single_draw", 2)]) == ("single_draw", 2)
    assert missing_draws([short("draws", 8), short("draws", 21), short("single_draw", 2)]) == ("draws", 21)
    assert missing_draws([short("draws", 8), short("spread")]) == ("spread", None)
    assert missing_draws([short("draws", 8), short("spread"), short("lost_draws")]) == ("lost_draws", None)
