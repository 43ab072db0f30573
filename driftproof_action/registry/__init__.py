"""Models as data. Not: code that calls them."""

from __future__ import annotations
