"""The time of day, the running seconds, and unguessable text. Not: what any of them is used for."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime


class SystemClock:
    """ports.Clock over the machine's clock."""

    def now(self) -> str:
        """ISO 8601 UTC with milliseconds and Z."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"

    def monotonic(self) -> float:
        """Seconds that only go forward."""
        return time.monotonic()


class SystemEntropy:
    """Randomness of the machine; not for anything that must be repeated."""

    def token(self, size: int = 16) -> str:
        """`size` random bytes as lower hex."""
        return secrets.token_hex(size)
