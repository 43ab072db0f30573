from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.reports.figures import band, count, date, lift, lift_with_band, listed, money, score, short, usd


@given(st.floats(-1, 1))
def test_a_lift_has_its_sign_and_never_a_negative_zero(value: float) -> None:
    shown = lift(value)
    assert "-" not in shown
    assert shown not in {"−0.00", "+0.00"}
    number = float(shown.replace("−", "-").replace("+", ""))
    assert math.isclose(number, value, abs_tol=0.005 + 1e-9)
    assert (shown[0] in "+−") == (number != 0)


@given(st.integers(-(10**12), 10**12))
def test_machine_money_is_exact(micro_usd: int) -> None:
    shown = usd(micro_usd)
    assert Fraction(shown) == Fraction(micro_usd, 1_000_000)
    assert 2 <= len(shown.partition(".")[2]) <= 6


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (lift(0.21), "+0.21"),
        (lift(-0.05), "−0.05"),
        (lift(-0.001), "0.00"),
        (lift(None), "–"),
        (lift(math.nan), "–"),
        (score(0.857), "0.86"),
        (score(-0.0), "0.00"),
        (band(0.18, 0.09), "0.09 to 0.27"),
        (band(0.02, 0.09), "−0.07 to 0.11"),
        (band(0.5, None), ""),
        (lift_with_band(0.21, 0.09), "+0.21 (0.12 to 0.30)"),
        (lift_with_band(0.21, None), "+0.21"),
        (money(620_000), "0.62 USD"),
        (money(0), "0.00 USD"),
        (money(1), "under 0.01 USD"),
        (usd(620_000), "0.62"),
        (usd(1), "0.000001"),
        (date("2026-11-21T09:30:00.000Z"), "21 Nov"),
        (date("2026-02-03"), "3 Feb"),
        (date("2026-13-03"), ""),
        (date("2026-11-2１"), ""),
        (date(None), ""),
        (count(1, "case"), "1 case"),
        (count(0, "case"), "0 cases"),
        (count(2, "reply", "replies"), "2 replies"),
        (listed([]), ""),
        (listed(["a"]), "a"),
        (listed(["a", "b", "c"]), "a, b and c"),
        (listed(["a", "b", "c", "d"], most=2), "a, b and 2 more"),
        (short(None), ""),
        (short("a" * 64), "a" * 12),
    ],
)
def test_examples(shown: str, expected: str) -> None:
    assert shown == expected
