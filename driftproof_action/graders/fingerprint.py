"""A hash over everything that reads and reduces grades: another one may grade the same replies otherwise. Not: the suite."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from driftproof_action.canonical import content_digest


@cache
def grading_code_hash() -> str:
    """Over this room's modules and prompts, by the formula of content_hash."""
    room = files("driftproof_action.graders")
    modules = [(item.name, item.read_bytes()) for item in room.iterdir() if item.name.endswith(".py")]
    prompts = [(f"prompts/{item.name}", item.read_bytes()) for item in room.joinpath("prompts").iterdir() if item.name.endswith(".txt")]
    return content_digest([*modules, *prompts])
