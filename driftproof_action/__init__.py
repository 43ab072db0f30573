"""Driftproof: does this agent skill still help, and did it change?"""

from __future__ import annotations

__version__ = "0.1.0"
