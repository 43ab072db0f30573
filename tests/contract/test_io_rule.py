"""Only edges, doors and *_io.py touch the world. Not: how they do it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.contract.package_source import imports, modules

WORLDLY_ROOMS = frozenset({"providers", "github"})
WORLDLY_MODULES = frozenset({"cli", "action", "__main__"})

PURE = frozenset(
    {
        "__future__",
        "abc",
        "base64",
        "bisect",
        "collections",
        "collections.abc",
        "contextlib",
        "dataclasses",
        "datetime",
        "decimal",
        "difflib",
        "enum",
        "fnmatch",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "html",
        "importlib.resources",
        "importlib.resources.abc",
        "io",
        "itertools",
        "json",
        "math",
        "operator",
        "pkgutil",
        "posixpath",
        "re",
        "shlex",
        "statistics",
        "string",
        "textwrap",
        "types",
        "typing",
        "unicodedata",
        "urllib.parse",
    }
)
"""Standard modules every room may import."""

ALSO = {
    "execution": frozenset({"concurrent.futures", "queue", "threading"}),
    "commands": frozenset({"threading"}),
    "ports": frozenset({"threading"}),
    "analysis": frozenset({"random"}),
    "decisions": frozenset({"random"}),
}
"""Room → what it may import besides, and why: the loop runs threads; a walk hands the stop event through; intervals and
rules may draw seeded random numbers (test_random_is_seeded)."""

THIRD_PARTIES = frozenset({"click", "jsonschema", "referencing", "regex", "rfc8785", "yaml"})

ONLY_NAMES = {
    "io": frozenset({"StringIO", "BytesIO"}),
    "random": frozenset({"Random"}),
    "shlex": frozenset({"quote"}),
    "posixpath": frozenset({"basename", "dirname", "join", "normpath", "split", "splitext", "isabs", "commonpath", "commonprefix"}),
}
"""Modules of which only these names may be used; posixpath.relpath is not among them: it asks for the current folder."""

FORBIDDEN_BUILTINS = frozenset({"open", "input", "print", "exec", "eval", "compile", "__import__", "breakpoint"})
CLOCKS = frozenset({"now", "utcnow", "today"})


def _breaches(tree: ast.AST, room: str) -> Iterator[tuple[int, str]]:
    allowed = PURE | ALSO.get(room, frozenset())
    for node, module, name in imports(tree):
        if module.split(".")[0] == "driftproof_action" or module.split(".")[0] in THIRD_PARTIES:
            continue
        whole = f"{module}.{name}"
        if module in ONLY_NAMES and name and name not in ONLY_NAMES[module]:
            yield node.lineno, f"imports {whole}"
        elif module not in allowed and whole not in allowed:
            yield node.lineno, f"imports {module}"
    own = _own_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in FORBIDDEN_BUILTINS - own:
            yield node.lineno, f"uses {node.id}"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner, name = node.value.id, node.attr
            if owner in {"datetime", "date"} and name in CLOCKS:
                yield node.lineno, f"asks the clock: {owner}.{name}"
            elif owner in ONLY_NAMES and name not in ONLY_NAMES[owner]:
                yield node.lineno, f"uses {owner}.{name}"
        elif isinstance(node, ast.Attribute) and node.attr in CLOCKS and _ends_in_datetime(node.value):
            yield node.lineno, f"asks the clock: {node.attr}"
        elif isinstance(node, ast.Call) and _called(node) in {"Random", "random.Random"} and not node.args:
            yield node.lineno, "makes a random generator without a seed"


def _own_names(tree: ast.AST) -> frozenset[str]:
    """Functions and parameters a module names itself: these are not the builtins of the same name."""
    named = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return frozenset(named + [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)])


def _ends_in_datetime(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in {"datetime", "date"}


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def test_pure_rooms_do_not_touch_the_world() -> None:
    found = [
        f"{module.place}:{line} {what}"
        for module in modules()
        if module.room not in WORLDLY_ROOMS and module.name not in WORLDLY_MODULES and not module.name.endswith("_io")
        for line, what in _breaches(module.tree, module.room)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "import sys",
        "import subprocess",
        "import socket",
        "import time",
        "import pathlib",
        "from pathlib import Path",
        "import random",
        "import secrets",
        "import tempfile",
        "import logging",
        "import urllib.request",
        "from os import environ",
        "from importlib import import_module",
        "from io import open",
        "open('x')",
        "print('x')",
        "read = open",
        "datetime.now()",
        "date.today()",
        "import datetime\ndatetime.datetime.now()",
        "posixpath.exists('x')",
        "Random()",
        "import requests",
    ],
)
def test_the_rule_sees(line: str) -> None:
    assert list(_breaches(ast.parse(line), "domain"))


@pytest.mark.parametrize(
    "line",
    [
        "import json",
        "from collections.abc import Mapping",
        "from importlib.resources import files",
        "from importlib import resources",
        "from datetime import date\ndate.fromisoformat('2026-01-01')",
        "import yaml",
        "posixpath.normpath('x')",
        "def read(open):\n    return open()",
    ],
)
def test_the_rule_lets_pass(line: str) -> None:
    assert not list(_breaches(ast.parse(line), "domain"))


def test_random_needs_a_seed_where_it_is_allowed() -> None:
    assert not list(_breaches(ast.parse("import random\nrandom.Random(seed)"), "analysis"))
    assert list(_breaches(ast.parse("import random\nrandom.random()"), "analysis"))
    assert list(_breaches(ast.parse("import random\nrandom.Random()"), "analysis"))


def test_files_are_named_by_what_they_touch() -> None:
    """A *_io.py lies at the top, so that a room cannot grow a door of its own."""
    hidden = [module.place for module in modules() if module.name.endswith("_io") and "." in module.name]
    assert not hidden
