"""Links laid by others, for reading and for writing: the naive way follows them, the opener names them. Not: link-free paths."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from driftproof_action.errors import FileError
from driftproof_action.files_io import FilesIO

SECRET = b"secret of the machine"


def _file_link(root: Path, outside: Path) -> str:
    (root / "x").symlink_to(outside / "secret")
    return "x"


def _relative_link(root: Path, outside: Path) -> str:
    (root / "x").symlink_to("../outside/secret")
    return "x"


def _folder_link(root: Path, outside: Path) -> str:
    (root / "x").symlink_to(outside)
    return "x/secret"


def _deep_folder_link(root: Path, outside: Path) -> str:
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "x").symlink_to(outside)
    return "a/b/x/secret"


def _link_to_link(root: Path, outside: Path) -> str:
    (root / "y").symlink_to(outside)
    (root / "x").symlink_to("y/secret")
    return "x"


def _link_back_inside(root: Path, outside: Path) -> str:
    (root / "x").symlink_to(f"../{root.name}/../outside/secret")
    return "x"


def _link_to_the_root(root: Path, outside: Path) -> str:
    (root / "x").symlink_to("/")
    return "x" + str(outside / "secret")


def _link_through_proc(root: Path, outside: Path) -> str:
    (root / "x").symlink_to(f"/proc/self/root{outside}/secret")
    return "x"


LAYOUTS = (
    _file_link,
    _relative_link,
    _folder_link,
    _deep_folder_link,
    _link_to_link,
    _link_back_inside,
    _link_to_the_root,
    _link_through_proc,
)


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret").write_bytes(SECRET)
    return root, outside


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_link_is_read_through(places: tuple[Path, Path], layout: Callable[[Path, Path], str]) -> None:
    root, outside = places
    path = layout(root, outside)
    assert (root / path).read_bytes() == SECRET, "the naive way must be hurt"
    with pytest.raises(FileError) as caught:
        FilesIO(str(root)).read(path, limit=1000)
    assert caught.value.message == "is a symbolic link"
    assert (root / caught.value.place).is_symlink()
    assert SECRET.decode() not in str(caught.value)


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_link_is_written_through(places: tuple[Path, Path], layout: Callable[[Path, Path], str], replace: bool) -> None:
    root, outside = places
    path = layout(root, outside)
    files = FilesIO(str(root))
    with pytest.raises(FileError) as caught:
        (files.write if replace else files.write_new)(path, b"overwritten")
    assert (root / caught.value.place).is_symlink()
    assert (outside / "secret").read_bytes() == SECRET
    assert [entry.name for entry in os.scandir(outside)] == ["secret"]
    (root / path).write_bytes(b"overwritten")
    assert (outside / "secret").read_bytes() == b"overwritten", "the naive way must be hurt"


def test_a_folder_made_on_the_way_is_not_made_behind_a_link(places: tuple[Path, Path]) -> None:
    root, outside = places
    (root / "receipts").symlink_to(outside)
    with pytest.raises(FileError):
        FilesIO(str(root)).write_new("receipts/new/x.json", b"{}")
    assert [entry.name for entry in os.scandir(outside)] == ["secret"]


def test_a_loop_ends(places: tuple[Path, Path]) -> None:
    root, _ = places
    (root / "loop").symlink_to(".")
    with pytest.raises(FileError):
        list(FilesIO(str(root)).entries("loop"))
    assert [entry.kind for entry in FilesIO(str(root)).entries("")] == ["link"]
