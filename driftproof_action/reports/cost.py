"""What a job cost, in one line. Not: what it may cost (settings), nor prices (registry)."""

from __future__ import annotations

from driftproof_action.reports.figures import count, money
from driftproof_action.reports.job import JobResult


def cost_line(result: JobResult) -> str:
    """Money and calls; a stub run says that nobody was asked and nothing was paid."""
    if result.mode == "stub":
        return f"0.00 USD · no model was asked, the built-in stub gave {count(result.calls, 'reply', 'replies')}"
    return f"{money(result.micro_usd)} · {count(result.calls, 'call')}"
