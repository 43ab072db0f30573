"""loading/paths: staying inside."""

from __future__ import annotations

import pytest

from driftproof_action.loading.paths import below, clean, escapes, joined, same_but_for_form, twin_key


@pytest.mark.parametrize(("path", "short"), [("", "."), ("./a//b/", "a/b"), ("a/../..", ".."), (".", ".")])
def test_clean(path: str, short: str) -> None:
    assert clean(path) == short


@pytest.mark.parametrize(("folder", "name", "path"), [(".", "a", "a"), ("", "a/./b", "a/b"), ("s", "a", "s/a"), ("s", ".", "s")])
def test_joined(folder: str, name: str, path: str) -> None:
    assert joined(folder, name) == path


def test_below() -> None:
    assert below("s/a/b", "s") == "a/b"
    assert below("sx/a", "s") is None
    assert below("a", ".") == "a"


@pytest.mark.parametrize(("path", "out"), [("..", True), ("../a", True), ("..a", False), ("a", False)])
def test_escapes(path: str, out: bool) -> None:
    assert escapes(path) is out


def test_twins() -> None:
    assert twin_key("CAFÉ") == twin_key("cafe\u0301")
    assert twin_key("a") != twin_key("b")
    assert same_but_for_form("caf\u00e9", "cafe\u0301")
    assert not same_but_for_form("A", "a")
