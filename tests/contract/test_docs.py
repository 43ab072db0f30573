"""The pages say what the code does: anchors, rooms, links, commands. Not: whether the prose is good."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.package_source import PACKAGE, ROOT, functions, modules

TEST_COMMAND = "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/pytest"
PAGES = sorted(
    path
    for folder in (ROOT, ROOT / "docs", ROOT / "spec", ROOT / "tests", ROOT / "examples", ROOT / "benchmarks")
    for path in (folder.glob("*.md") if folder == ROOT else folder.rglob("*.md"))
    if not {"fixtures", "golden", "node_modules"} & set(path.parts)
)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def slug(heading: str) -> str:
    """The fragment GitHub gives a heading: lower case, punctuation dropped, spaces to hyphens."""
    plain = re.sub(r"[`*]", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def headings(path: Path) -> list[str]:
    text = re.sub(r"(?ms)^```.*?^```", "", _text(path))
    return [slug(found) for found in re.findall(r"(?m)^#{1,6}\s+(.+?)\s*#*$", text)]


# ---- errors -----------------------------------------------------------------------------------------------------


def _anchors_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every anchor a module names: `anchor=` of a call, a default of a parameter `anchor`, `default_anchor` of a class, what is
    assigned to a name `anchor`, the last item of each row of a table FAULTS, and what is passed in the place of a parameter
    `anchor` to a function of the same module. Raises for one that is computed."""
    places = {node.name: [arg.arg for arg in node.args.args].index("anchor") for node in functions(tree) if _takes_anchor(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg == "anchor":
                    yield from _literals(keyword.value)
            place = places.get(ast.unparse(node.func).split(".")[-1])
            if place is not None and len(node.args) > place:
                yield from _literals(node.args[place])
        elif isinstance(node, ast.FunctionDef):
            for arg, default in _defaults(node):
                if arg == "anchor":
                    yield from _literals(default)
        elif isinstance(node, ast.AnnAssign | ast.Assign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            if names & {"default_anchor", "anchor"}:
                yield from _literals(node.value)
            elif "FAULTS" in names and isinstance(node.value, ast.Dict):
                for row in node.value.values:
                    assert isinstance(row, ast.Tuple)
                    yield from _literals(row.elts[-1])


def _takes_anchor(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(arg.arg == "anchor" for arg in node.args.args)


def _defaults(node: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    positional = node.args.args
    yield from zip([arg.arg for arg in positional[len(positional) - len(node.args.defaults) :]], node.args.defaults, strict=True)
    for arg, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            yield arg.arg, default


def _literals(node: ast.expr) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if node.value:
            yield node.lineno, node.value
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)
    elif not isinstance(node, ast.Name | ast.Attribute | ast.BoolOp | ast.Subscript):
        raise AssertionError(f"line {node.lineno}: an anchor must be written out: {ast.unparse(node)}")


def _used_anchors() -> dict[str, str]:
    """anchor → where it is named first. domain/words.py names headings of docs/words.md instead."""
    found: dict[str, str] = {}
    for module in modules():
        if module.name != "domain.words":
            for line, anchor in _anchors_of(module.tree):
                found.setdefault(anchor, f"{module.place}:{line}")
    return found


def test_every_error_leads_to_its_heading() -> None:
    there = set(headings(ROOT / "docs" / "errors.md"))
    missing = [f"{place} → docs/errors.md#{anchor}" for anchor, place in _used_anchors().items() if anchor not in there]
    assert not missing, "\n".join(missing)


def test_every_heading_of_errors_is_led_to() -> None:
    page = re.sub(r"(?m)^# .*$", "", _text(ROOT / "docs" / "errors.md"))
    described = {slug(found) for found in re.findall(r"(?m)^### (.+)$", page)}
    assert described == set(_used_anchors())


def test_no_heading_of_errors_is_there_twice() -> None:
    found = headings(ROOT / "docs" / "errors.md")
    assert len(found) == len(set(found))


def test_the_scan_sees_every_way_an_anchor_is_given() -> None:
    source = """
class SomeError(Exception):
    default_anchor: ClassVar[str] = "a"
def refuse(message, anchor="b"): ...
def other(*, anchor: str = "c"): ...
refuse("x", "d")
raise InputError("x", anchor="e" if y else "f")
anchor = "g" if z else "h"
FAULTS: Mapping[str, tuple[str, str]] = {"one": ("message", "i")}
"""
    assert {anchor for _, anchor in _anchors_of(ast.parse(source))} == set("abcdefghi")
    with pytest.raises(AssertionError, match="written out"):
        list(_anchors_of(ast.parse('InputError("x", anchor=f"{name}")')))


# ---- architecture -----------------------------------------------------------------------------------------------


def test_the_architecture_names_every_room_and_no_other() -> None:
    page = _text(ROOT / "docs" / "architecture.md")
    house = re.search(r"(?ms)^```text\n(driftproof_action/\n.*?)^```", page)
    assert house is not None
    named = {name.strip("/") for line in house.group(1).splitlines() for name in re.findall(r"^  ([\w.]+/?)", line)}
    there = {
        path.name
        for path in PACKAGE.iterdir()
        if (path.suffix == ".py" and path.name != "__init__.py") or (path.is_dir() and (path / "__init__.py").exists())
    }
    assert named == there


def test_the_architecture_prints_the_layers_of_the_contract() -> None:
    contracts = tomllib.loads(_text(ROOT / "pyproject.toml"))["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    page = _text(ROOT / "docs" / "architecture.md")
    block = re.search(r"(?ms)^```text\n(cli\n.*?)^```", page)
    assert block is not None
    assert block.group(1).split("\n")[:-1] == [layer.replace("(", "").replace(")", "") for layer in layers]


# ---- pages as a whole -------------------------------------------------------------------------------------------


def _targets(page: Path) -> Iterator[str]:
    text = re.sub(r"(?ms)^```.*?^```", "", _text(page))
    text = re.sub(r"`[^`\n]*`", "", text)
    yield from re.findall(r"\]\(([^)\s]+)\)", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_within_the_house_lead_somewhere(page: Path) -> None:
    broken = []
    for target in _targets(page):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, fragment = target.partition("#")
        place = (page.parent / file).resolve() if file else page
        if not place.exists() or (fragment and place.suffix == ".md" and fragment not in headings(place)):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_name_no_place_of_one_machine(page: Path) -> None:
    assert not re.findall(r"(?:^|[\s`'\"(])/(?:home|root|Users|work|mnt)/", _text(page))


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", ".ci/run"])
def test_the_test_command_is_the_same_everywhere(page: str) -> None:
    assert TEST_COMMAND in _text(ROOT / page)


def test_the_changelog_opens_with_what_is_not_released() -> None:
    titles = re.findall(r"(?m)^## (.+)$", _text(ROOT / "CHANGELOG.md"))
    assert titles[0] == "Unreleased"


def test_the_licence_is_the_one_the_package_names() -> None:
    project = tomllib.loads(_text(ROOT / "pyproject.toml"))["project"]
    assert project["license"] == "Apache-2.0"
    licence = _text(ROOT / "LICENSE")
    assert "Apache License" in licence
    assert "Version 2.0, January 2004" in licence
    assert "END OF TERMS AND CONDITIONS" in licence
