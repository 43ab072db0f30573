"""The package's own source, parsed once for the tests that read it. Not: any rule about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "driftproof_action"


@dataclass(frozen=True)
class Module:
    """name: relative to the package, dotted (`receipts.view`); a folder's own `__init__` has the folder's name."""

    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @property
    def room(self) -> str:
        return self.name.split(".")[0]

    @property
    def place(self) -> str:
        return self.path.relative_to(ROOT).as_posix()


@cache
def modules() -> tuple[Module, ...]:
    """Every Python file of the package, in order of name."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        found.append(Module(".".join(parts), path))
    return tuple(found)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def imports(tree: ast.AST) -> Iterator[tuple[ast.Import | ast.ImportFrom, str, str]]:
    """(node, module, name) of every import statement; name is empty for a plain `import module`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name, ""
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node, node.module or "", alias.name
