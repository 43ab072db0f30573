"""A hash over everything that reads and reduces grades: another one may grade the same replies otherwise. Not: the suite."""

from __future__ import annotations

import pkgutil  # importlib.resources takes many times as long to load
from functools import cache

from driftproof_action import graders
from driftproof_action.canonical import content_digest
from driftproof_action.graders.prompt import PROMPTS, packaged, prompt_files


@cache
def grading_code_hash() -> str:
    """Over this room's modules and prompts, by the formula of content_hash."""
    modules = ("__init__", *(module.name for module in pkgutil.iter_modules(graders.__path__)))
    files = [*(f"{name}.py" for name in modules), *(file for name in PROMPTS for file in prompt_files(name))]
    return content_digest((file, packaged(file)) for file in files)
