"""An example skill with its suite, and example receipts, as packaged data for the demo. Not: measurements."""

from __future__ import annotations
