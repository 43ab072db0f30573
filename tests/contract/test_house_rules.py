"""The shape of the code: names, lengths, docstrings, the fixed top level. Not: what ruff and mypy already say."""

from __future__ import annotations

import ast
import fnmatch
import re
import sys
import tokenize
from pathlib import Path

import pytest

from tests.contract.package_source import ROOT, Module, functions, modules

MODULE_LINES = 300
FUNCTION_LINES = 80
NO_NAMES = frozenset({"utils", "util", "helpers", "helper", "common", "manager", "misc"})

TOP_LEVEL = frozenset(
    {
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Dockerfile",
        "LICENSE",
        "README.md",
        "SECURITY.md",
        "action.yml",
        "benchmarks",
        "docs",
        "driftproof_action",
        "entrypoint.py",
        "examples",
        "pyproject.toml",
        "requirements-dev.lock",
        "requirements.lock",
        "spec",
        "tests",
    }
)
"""All that may lie at the top, beside dot files and what .gitignore names."""

NEEDED = TOP_LEVEL - {"requirements-dev.lock", "requirements.lock"}
"""What must: the locks come with the image."""


def test_modules_are_short() -> None:
    long = [f"{module.place}: {len(module.lines)} lines" for module in modules() if len(module.lines) > MODULE_LINES]
    assert not long, "\n".join(long)


def test_functions_are_short() -> None:
    long = [
        f"{module.place}:{node.lineno} {node.name}: {_length(node)} lines"
        for module in modules()
        for node in functions(module.tree)
        if _length(node) > FUNCTION_LINES
    ]
    assert not long, "\n".join(long)


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def test_names_say_something() -> None:
    bad = [module.place for module in modules() if NO_NAMES & set(module.name.split("."))]
    assert not bad


def test_no_module_is_named_like_the_standard_library() -> None:
    bad = [module.place for module in modules() if module.name and module.name.split(".")[-1] in sys.stdlib_module_names]
    assert bad == []


def test_every_module_says_what_it_is_and_what_it_is_not() -> None:
    """A folder's own __init__ that only holds names for others to import is excused from saying what it is not."""
    bad = []
    for module in modules():
        said = ast.get_docstring(module.tree) or ""
        if module.path.name == "__init__.py":
            if module.text.strip() and not said:
                bad.append(f"{module.place}: no docstring")
        elif "Not:" not in said:
            bad.append(f"{module.place}: the docstring does not say what the module is not")
    assert not bad, "\n".join(bad)


def test_errors_are_named_errors() -> None:
    """A BaseException is how a signal travels, not an error."""
    bad = [
        f"{module.place}:{node.lineno} {node.name}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and any(re.search(r"(Error|\bException)$", ast.unparse(base)) for base in node.bases)
        if not node.name.endswith("Error")
    ]
    assert not bad


def _late_imports(module: Module) -> list[str]:
    """Imports inside functions that give no reason: a comment on their line or on the line above."""
    comments = _comment_lines(module.path)
    late = {
        node.lineno
        for function in functions(module.tree)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom) and not {node.lineno, node.lineno - 1} & comments
    }
    return [f"{module.place}:{line}" for line in sorted(late)]


def _comment_lines(path: Path) -> set[int]:
    with path.open("rb") as handle:
        return {token.start[0] for token in tokenize.tokenize(handle.readline) if token.type == tokenize.COMMENT}


def test_imports_inside_functions_give_a_reason() -> None:
    bad = [place for module in modules() for place in _late_imports(module)]
    assert not bad, "\n".join(bad)


def test_the_door_imports_by_name_in_one_place_only() -> None:
    """The one lazy table is the only import by a text."""
    calls = [
        f"{module.place}:{node.lineno}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and node.attr == "import_module"
    ]
    assert len(calls) == 1
    assert calls[0].startswith("driftproof_action/cli.py:")


def test_nothing_is_unfinished() -> None:
    marks = ("TODO", "FIXME", "XXX", "NotImplementedError")
    bad = [f"{module.place}: {mark}" for module in modules() for mark in marks if mark in module.text]
    assert not bad


def test_the_top_level_is_fixed() -> None:
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").split()]
    there = {
        entry.name
        for entry in ROOT.iterdir()
        if not entry.name.startswith(".") and not any(fnmatch.fnmatch(entry.name, pattern) for pattern in ignored)
    }
    assert there <= TOP_LEVEL
    assert there >= NEEDED


@pytest.mark.parametrize("name", ["ci/run"])
def test_the_hidden_house_is_there(name: str) -> None:
    assert (ROOT / f".{name}").is_file()


def test_tests_mirror_the_package() -> None:
    """tests/unit/<room>/test_<module>.py tests <room>/<module>: a test file of a module that is gone has nothing to say."""
    names = {module.name for module in modules()} | {""}
    unit = ROOT / "tests" / "unit"
    strays = [path.relative_to(ROOT).as_posix() for path in sorted(unit.rglob("test_*.py")) if not _mirrored(path.relative_to(unit), names)]
    assert not strays, "\n".join(strays)


def _mirrored(path: Path, names: set[str]) -> bool:
    subject = ".".join([*path.parts[:-1], path.stem.removeprefix("test_")])
    return subject in names or ".".join(path.parts[:-1]) in names
