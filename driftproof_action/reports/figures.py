"""Numbers, money, dates and lists as people read them. Not: how any of them was reckoned."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MINUS = "−"
NOTHING = "–"
"""Stands where there is no number."""


def score(value: float | None) -> str:
    """`0.86`; a dash for None. Negative numbers carry a true minus, and nothing reads `-0.00`."""
    if value is None or not math.isfinite(value):
        return NOTHING
    shown = f"{abs(value):.2f}"
    return f"{MINUS}{shown}" if value < 0 and float(shown) else shown


def lift(value: float | None) -> str:
    """A difference with its sign: `+0.21`, `−0.05`; what rounds to zero has none."""
    shown = score(value)
    return f"+{shown}" if value is not None and value > 0 and shown not in {NOTHING, "0.00"} else shown


def band(mean: float | None, spread: float | None) -> str:
    """mean ± spread as `0.09 to 0.27`; empty when either is missing."""
    if mean is None or spread is None:
        return ""
    return f"{score(mean - spread)} to {score(mean + spread)}"


def unbroken(words: str) -> str:
    """The same words on one line of a narrow table cell."""
    return words.replace(" ", "\u00a0")


def lift_with_band(value: float | None, spread: float | None) -> str:
    """`+0.21 (0.12 to 0.30)`, without the bracket where the spread is missing."""
    inside = band(value, spread)
    return f"{lift(value)} ({inside})" if inside else lift(value)


def money(micro_usd: int) -> str:
    """Millionths of a dollar as `0.62 USD`; less than a cent says so."""
    if 0 < micro_usd < 10_000:
        return "under 0.01 USD"
    return f"{micro_usd / 1_000_000:.2f} USD"


def usd(micro_usd: int) -> str:
    """Millionths of a dollar as a bare number for machines: at least two decimals, at most six, exact."""
    sign, whole = ("-" if micro_usd < 0 else ""), abs(micro_usd)
    decimals = f"{whole % 1_000_000:06d}".rstrip("0").ljust(2, "0")
    return f"{sign}{whole // 1_000_000}.{decimals}"


def date(iso: str | None) -> str:
    """`2026-11-21T09:30:00Z` as `21 Nov`; empty for what is no such date."""
    match = re.match(r"[0-9]{4}-([0-9]{2})-([0-9]{2})(?:T|$)", iso or "")
    if not match or not 1 <= int(match[1]) <= 12 or not 1 <= int(match[2]) <= 31:
        return ""
    return f"{int(match[2])} {MONTHS[int(match[1]) - 1]}"


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 case`, `3 cases`; a plural that is not made with an s is given."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def listed(items: Sequence[str], *, most: int = 0, noun: str = "more") -> str:
    """`a, b and c`; with `most` > 0 the rest is counted: `a, b and 7 more`."""
    shown = list(items[:most]) if most and len(items) > most else list(items)
    if len(shown) < len(items):
        shown.append(f"{len(items) - len(shown)} {noun}")
    return shown[0] if len(shown) == 1 else " and ".join([", ".join(shown[:-1]), shown[-1]]) if shown else ""


def short(digest: str | None) -> str:
    """The first twelve characters of a digest or commit id."""
    return (digest or "")[:12]
