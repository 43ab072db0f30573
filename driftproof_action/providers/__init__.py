"""Who answers, through which door: one surface a file. Not: when to ask, or again."""

from __future__ import annotations
