"""The machine's clock and entropy in the shape the rooms inside expect. Not: what they are used for."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from driftproof_action.clock_io import SystemClock, SystemEntropy


def test_the_time_is_utc_with_milliseconds() -> None:
    now = SystemClock().now()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", now)
    assert abs(datetime.fromisoformat(now) - datetime.now(UTC)) < timedelta(minutes=1)


def test_seconds_only_go_forward() -> None:
    clock = SystemClock()
    earlier = clock.monotonic()
    assert clock.monotonic() >= earlier


def test_tokens_differ() -> None:
    entropy = SystemEntropy()
    assert re.fullmatch(r"[0-9a-f]{32}", entropy.token())
    assert len(entropy.token(4)) == 8
    assert entropy.token() != entropy.token()
