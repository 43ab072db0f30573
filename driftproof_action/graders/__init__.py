"""Graders: which questions to ask about an answer, and how to read what comes back. Not: asking them."""

from __future__ import annotations
