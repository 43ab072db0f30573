"""The engine: a plan in, observations out. Not: any method, rule or grader by name."""

from __future__ import annotations
