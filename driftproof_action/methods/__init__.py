"""Ways of asking: each turns loaded things and settings into a plan. Not: running it."""

from __future__ import annotations
