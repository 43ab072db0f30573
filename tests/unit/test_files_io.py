"""The opener: no link followed, nothing outside, nothing replaced by surprise. Not: what any file means."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action import files_io
from driftproof_action.errors import FileError
from driftproof_action.files_io import FilesIO, checked_parts, shown

TEXT = b"what is inside\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "file.txt").write_bytes(TEXT)
    return folder


@pytest.fixture
def files(root: Path) -> FilesIO:
    return FilesIO(str(root))


def refused(call: Callable[[], object], anchor: str) -> FileError:
    with pytest.raises(FileError) as caught:
        call()
    assert caught.value.anchor == anchor
    return caught.value


def test_reads_up_to_the_limit(files: FilesIO) -> None:
    assert files.read("a/file.txt", limit=len(TEXT)) == TEXT
    assert files.read("./a//file.txt", limit=1000) == TEXT


def test_refuses_a_byte_more(files: FilesIO) -> None:
    error = refused(lambda: files.read("a/file.txt", limit=len(TEXT) - 1), "file-size")
    assert error.place == "a/file.txt"
    assert str(len(TEXT) - 1) in error.message


def test_a_file_that_lies_about_its_size_is_cut_off() -> None:
    """Files of /proc say they are empty."""
    proc = FilesIO("/proc/self")
    assert proc.read("environ", limit=1 << 20) == Path("/proc/self/environ").read_bytes()
    refused(lambda: proc.read("maps", limit=10), "file-size")


@pytest.mark.parametrize("path", ["/etc/hostname", "..", "../x", "a/../../x", "a/../file.txt"])
def test_refuses_to_leave(files: FilesIO, path: str) -> None:
    for call in (lambda: files.read(path, limit=9), lambda: files.kind(path), lambda: files.write(path, b"")):
        refused(call, "file-outside")


@pytest.mark.parametrize("path", ["a\0b", "a/\udcff", "\ud800"])
def test_refuses_names_that_are_no_text(files: FilesIO, path: str) -> None:
    error = refused(lambda: files.read(path, limit=9), "file-name")
    assert error.place.isprintable()


def test_says_what_lies_there(root: Path, files: FilesIO) -> None:
    (root / "dangling").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    kinds = {name: files.kind(name) for name in ("", "a", "a/file.txt", "dangling", "pipe", "a/none", "none/none", "a/file.txt/x")}
    assert kinds == {
        "": "folder",
        "a": "folder",
        "a/file.txt": "file",
        "dangling": "link",
        "pipe": "other",
        "a/none": "absent",
        "none/none": "absent",
        "a/file.txt/x": "absent",
    }


def test_refuses_what_is_no_file(root: Path, files: FilesIO) -> None:
    os.mkfifo(root / "pipe")
    for path in ("a", "", "pipe"):
        refused(lambda path=path: files.read(path, limit=9), "file")
    assert refused(lambda: files.read("a/none", limit=9), "file-absent").place == "a/none"
    assert refused(lambda: files.read("none/deep/er", limit=9), "file-absent").place == "none/deep/er"


def test_a_socket_is_no_file(root: Path, files: FilesIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        assert files.kind("s") == "other"
        refused(lambda: files.read("s", limit=9), "file")


def test_lists_in_byte_order(root: Path, files: FilesIO) -> None:
    for name in ("z", "Z", "é", "a.sh"):
        (root / "a" / "b" / name).write_bytes(b"12")
    (root / "a" / "b" / "a.sh").chmod(0o755)
    (root / "a" / "b" / "link").symlink_to("z")
    found = list(files.entries("a/b"))
    assert [entry.path for entry in found] == ["a/b/Z", "a/b/a.sh", "a/b/link", "a/b/z", "a/b/é"]
    assert [(entry.kind, entry.bytes, entry.executable) for entry in found[:3]] == [
        ("file", 2, False),
        ("file", 2, True),
        ("link", 0, False),
    ]
    assert [entry.path for entry in files.entries("")] == ["a"]
    refused(lambda: files.entries("none"), "file-absent")
    refused(lambda: files.entries("a/file.txt"), "file")


def test_a_name_that_is_not_utf8_is_refused_by_name(root: Path, files: FilesIO) -> None:
    (root / os.fsdecode(b"caf\xe9")).write_bytes(b"")
    assert refused(lambda: files.entries(""), "file-name").place == "caf\\udce9"


def test_the_root_may_be_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    files = FilesIO(str(tmp_path / "link"))
    assert files.root == str(root)
    assert files.read("a/file.txt", limit=99) == TEXT


def test_the_root_must_be_a_folder(root: Path) -> None:
    for path in (root / "none", root / "a" / "file.txt"):
        refused(lambda path=path: FilesIO(str(path)), "file")


def test_the_root_may_have_gone(root: Path, files: FilesIO) -> None:
    root.rename(root.with_name("elsewhere"))
    refused(lambda: files.read("a/file.txt", limit=9), "file")


def test_writes_new_with_its_folders(root: Path, files: FilesIO) -> None:
    files.write_new("x/y/z.json", TEXT)
    made = root / "x" / "y" / "z.json"
    assert made.read_bytes() == TEXT
    assert stat.S_IMODE(made.stat().st_mode) == 0o644
    assert [path.name for path in made.parent.iterdir()] == ["z.json"]


def test_never_replaces_with_write_new(root: Path, files: FilesIO) -> None:
    for path in ("a/file.txt", "a"):
        refused(lambda path=path: files.write_new(path, b"other"), "file-exists")
    assert (root / "a" / "file.txt").read_bytes() == TEXT
    assert sorted(path.name for path in (root / "a").iterdir()) == ["b", "file.txt"]


def test_replaces_files_only(root: Path, files: FilesIO) -> None:
    files.write("a/file.txt", b"new")
    assert (root / "a" / "file.txt").read_bytes() == b"new"
    refused(lambda: files.write("a", b""), "file-exists")
    os.mkfifo(root / "pipe")
    refused(lambda: files.write("pipe", b""), "file-exists")


def test_a_reader_never_sees_half_a_file(root: Path, files: FilesIO, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int, data: bytes) -> None:
        os.write(handle, data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files_io, "_write_all", full)
    error = refused(lambda: files.write("a/file.txt", b"longer than that"), "file")
    assert error.detail == "No space left on device"
    assert (root / "a" / "file.txt").read_bytes() == TEXT
    assert sorted(path.name for path in (root / "a").iterdir()) == ["b", "file.txt"]


def test_a_name_taken_in_the_meantime_is_not_replaced(root: Path, files: FilesIO, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = files_io._link_new

    def race(neighbour: str, name: str, folder: int) -> None:
        (root / name).write_bytes(b"theirs")
        honest(neighbour, name, folder)

    monkeypatch.setattr(files_io, "_link_new", race)
    refused(lambda: files.write_new("contested", b"ours"), "file-exists")
    assert (root / "contested").read_bytes() == b"theirs"


def test_works_where_there_are_no_hard_links(root: Path, files: FilesIO, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    files.write_new("plain", TEXT)
    assert (root / "plain").read_bytes() == TEXT
    refused(lambda: files.write_new("plain", b"other"), "file-exists")


@pytest.mark.parametrize("path", ["", ".", ".git/config", "a/.GIT/hooks/post-checkout"])
def test_never_writes_the_root_or_into_git(files: FilesIO, path: str) -> None:
    refused(lambda: files.write(path, b""), "file")


def test_a_folder_in_the_way_of_a_folder_is_named(files: FilesIO) -> None:
    error = refused(lambda: files.write_new("a/file.txt/x", b""), "file")
    assert error.place == "a/file.txt"


def test_what_is_made_belongs_to_the_owner_of_the_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as root in a container, over somebody's workspace."""
    given_away: list[tuple[str, int, int, bool]] = []

    def chown(name: str | bytes, user: int, group: int, *, dir_fd: int, follow_symlinks: bool) -> None:
        given_away.append((os.fsdecode(name), user, group, follow_symlinks))
        assert dir_fd > 0

    owner = os.stat_result((0o40755, 1, 1, 1, 1001, 127, 0, 0, 0, 0))
    honest = os.stat
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "stat", lambda path, **more: owner if path == str(root) else honest(path, **more))
    monkeypatch.setattr(os, "chown", chown)
    files = FilesIO(str(root))
    files.write_new("a/new/deep.txt", b"")
    names, *rest = zip(*given_away, strict=True)
    assert names[0] == "new"
    assert names[1].startswith(".driftproof-")
    assert rest == [(1001, 1001), (127, 127), (False, False)]


def test_nothing_is_given_away_among_equals(root: Path, files: FilesIO, monkeypatch: pytest.MonkeyPatch) -> None:
    def chown(*_: object, **__: object) -> None:
        raise AssertionError("chown was called")

    monkeypatch.setattr(os, "geteuid", lambda: 1001)
    monkeypatch.setattr(os, "chown", chown)
    files.write_new("b.txt", b"")


def test_what_cannot_be_given_away_is_written_all_the_same(root: Path, files: FilesIO, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root of a user namespace or on a file server may not change owners."""
    asked: list[object] = []

    def chown(name: object, *_: object, **__: object) -> None:
        asked.append(name)
        raise PermissionError(1, "Operation not permitted")

    real = os.stat(root)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", chown)
    theirs = os.stat_result((real.st_mode, *real[1:4], 1001, 1002, *real[6:10]))
    stat_of = os.stat
    monkeypatch.setattr(os, "stat", lambda path, **more: theirs if path == files.root and not more else stat_of(path, **more))
    files.write_new("new/b.txt", b"x")
    assert (root / "new" / "b.txt").read_bytes() == b"x"
    assert len(asked) == 2


@given(st.text(max_size=40))
def test_any_path_is_either_inside_or_refused(path: str) -> None:
    try:
        parts = checked_parts(path)
    except FileError as refusal:
        error: FileError | None = refusal
    else:
        error = None
        inside = os.path.normpath(os.path.join("/root", *parts))
        assert inside == "/root" or inside.startswith("/root/")
        assert os.path.normpath("/root/" + path) == inside
    assert error is None or error.place.isprintable()


@given(st.text())
def test_shown_is_printable(path: str) -> None:
    assert shown(path).isprintable()


def test_names_are_utf8_whatever_the_locale(tmp_path: Path) -> None:
    code = (
        "from driftproof_action.files_io import FilesIO\n"
        "import sys\n"
        "files = FilesIO(sys.argv[1])\n"
        "files.write_new('gr\\u00f6\\u00dfe/\\u00e9.txt', b'x')\n"
        "assert [entry.path for entry in files.entries('gr\\u00f6\\u00dfe')] == ['gr\\u00f6\\u00dfe/\\u00e9.txt']\n"
        "assert files.read('gr\\u00f6\\u00dfe/\\u00e9.txt', limit=1) == b'x'\n"
    )
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
