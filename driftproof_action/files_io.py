"""The one opener: files below one root, no link followed, nothing replaced by surprise. Not: what any file means."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal

from driftproof_action.errors import FileError
from driftproof_action.ports import Entry

Kind = Literal["file", "folder", "link", "other", "absent"]

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)


def shown(path: str) -> str:
    """A path as messages show it: what does not print, and bytes that are not UTF-8, as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape", "backslashreplace").decode() for char in path)


def checked_parts(path: str) -> tuple[str, ...]:
    """The components of a relative POSIX path; empty for the root itself.

    Raises FileError for absolute paths, `..`, NUL and bytes that are not UTF-8.
    """
    if path.startswith("/"):
        raise FileError("is an absolute path", place=shown(path), fix="name it relative to the folder it belongs to", anchor="file-outside")
    if "\0" in path:
        raise FileError("holds a NUL character", place=shown(path), fix="rename it", anchor="file-name")
    if any("\ud800" <= char <= "\udfff" for char in path):
        raise FileError("is not UTF-8", place=shown(path), fix="rename it", anchor="file-name")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if ".." in parts:
        raise FileError("leads out of its folder (`..`)", place=shown(path), fix="keep it inside", anchor="file-outside")
    return parts


def on_disk(name: str) -> bytes:
    """A name as the file system holds it: UTF-8 whatever the locale."""
    return name.encode("utf-8")


class FilesIO:
    """ports.Files over a folder. The root may be reached by links; nothing below it may."""

    def __init__(self, root: str) -> None:
        """Raises FileError when the root is not a folder."""
        self._root = os.path.realpath(root)
        if not os.path.isdir(self._root):
            raise FileError("is not a folder", place=shown(root), fix="name a folder that exists", anchor="file")

    @property
    def root(self) -> str:
        return self._root

    def kind(self, path: str) -> Kind:
        """What lies at a path. Raises FileError when a folder on the way is a link."""
        parts = checked_parts(path)
        if not parts:
            return "folder"
        try:
            with self._folder(parts[:-1], path) as folder:
                return _kind_at(folder, parts[-1], path)
        except _AbsentError:
            return "absent"

    def read(self, path: str, *, limit: int) -> bytes:
        """The bytes of a regular file of at most `limit` bytes."""
        *above, name = checked_parts(path) or ("",)
        with self._folder(tuple(above), path) as folder:
            if not name:
                raise FileError("is a folder", place=shown(path), fix="name a file", anchor="file")
            try:
                # O_NONBLOCK: opening a named pipe must not wait for its other end.
                handle = os.open(on_disk(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            except OSError as error:
                raise _refusal(error, _kind_at(folder, name, path), path) from error
            try:
                return _read_regular(handle, path, limit)
            except OSError as error:
                raise _failure(error, "cannot be read", path) from error
            finally:
                os.close(handle)

    def entries(self, path: str) -> Iterator[Entry]:
        """What lies directly in a folder, in byte order of name; a name that is not UTF-8 is refused by name."""
        parts = checked_parts(path)
        prefix = "".join(f"{part}/" for part in parts)
        found: list[Entry] = []
        with self._folder(parts, path) as folder:
            try:
                for raw in sorted(map(os.fsencode, os.listdir(folder))):
                    name = raw.decode("utf-8", "surrogateescape")
                    checked_parts(prefix + name)
                    found.append(_entry(prefix + name, os.stat(raw, dir_fd=folder, follow_symlinks=False)))
            except OSError as error:
                raise _failure(error, "cannot be listed", path) from error
        return iter(found)

    def write_new(self, path: str, data: bytes) -> None:
        self._write(path, data, replace=False)

    def write(self, path: str, data: bytes) -> None:
        self._write(path, data, replace=True)

    def _write(self, path: str, data: bytes, *, replace: bool) -> None:
        *above, name = checked_parts(path) or ("",)
        if not name or ".git" in (part.lower() for part in (*above, name)):
            raise FileError("cannot be written", place=shown(path), detail="it is the root, or belongs to git", anchor="file")
        try:
            with self._folder(tuple(above), path, create=True) as folder:
                kind = _kind_at(folder, name, path)
                if kind not in (("absent", "file") if replace else ("absent",)):
                    raise _in_the_way(kind, path)
                self._place(folder, name, path, data=data, replace=replace)
        except OSError as error:
            raise _failure(error, "cannot be written", path) from error

    def _place(self, folder: int, name: str, path: str, *, data: bytes, replace: bool) -> None:
        """Write a neighbour, then give it its name in one step."""
        neighbour = f".driftproof-{secrets.token_hex(8)}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(neighbour, flags, 0o644, dir_fd=folder)
        try:
            try:
                _write_all(handle, data)
                self._hand_over(neighbour, folder)
                os.fsync(handle)
            finally:
                os.close(handle)
            if replace:
                os.rename(neighbour, on_disk(name), src_dir_fd=folder, dst_dir_fd=folder)
            else:
                _link_new(neighbour, name, folder)
        except FileExistsError as error:
            raise _in_the_way(_kind_at(folder, name, path), path) from error
        finally:
            with suppress(FileNotFoundError):
                os.unlink(neighbour, dir_fd=folder)
        os.fsync(folder)

    @contextmanager
    def _folder(self, parts: tuple[str, ...], path: str, *, create: bool = False) -> Iterator[int]:
        """An open handle on a folder below the root, reached one component at a time."""
        try:
            handle = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise _failure(error, "cannot be opened", self._root) from error
        try:
            for depth, part in enumerate(parts, start=1):
                here = "/".join(parts[:depth])
                if create:
                    self._make_folder(part, handle)
                try:
                    below = os.open(on_disk(part), _FOLDER_FLAGS, dir_fd=handle)
                except OSError as error:
                    raise _refusal(error, _kind_at(handle, part, here), here, wanted=path) from error
                os.close(handle)
                handle = below
            yield handle
        finally:
            os.close(handle)

    def _make_folder(self, name: str, parent: int) -> None:
        with suppress(FileExistsError):
            os.mkdir(on_disk(name), 0o755, dir_fd=parent)
            self._hand_over(name, parent)

    def _hand_over(self, name: str, folder: int) -> None:
        """Give what we made to the owner of the root: a container writes as root into somebody's workspace."""
        owner = os.stat(self._root)
        if os.geteuid() == 0 and (owner.st_uid, owner.st_gid) != (0, 0):
            # Where this root may not give files away (user namespaces, file servers) they stay its own.
            with suppress(OSError):
                os.chown(on_disk(name), owner.st_uid, owner.st_gid, dir_fd=folder, follow_symlinks=False)


class _AbsentError(FileError):
    """Nothing lies at a path; kept apart so that `kind` can answer with a word."""


def _kind_at(folder: int, name: str, path: str) -> Kind:
    try:
        return _kind_of(os.stat(on_disk(name), dir_fd=folder, follow_symlinks=False).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    except OSError as error:
        raise _failure(error, "cannot be looked at", path) from error


def _kind_of(mode: int) -> Literal["file", "folder", "link", "other"]:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


def _entry(path: str, found: os.stat_result) -> Entry:
    kind = _kind_of(found.st_mode)
    is_file = kind == "file"
    return Entry(path=path, kind=kind, bytes=found.st_size if is_file else 0, executable=is_file and bool(found.st_mode & 0o111))


def _read_regular(handle: int, path: str, limit: int) -> bytes:
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        raise FileError("is not a regular file", place=shown(path), fix="name a file", anchor="file")
    # The size is asked first so that a huge file is never read; it is counted again because some files lie about it.
    size = found.st_size
    pieces: list[bytes] = []
    if size <= limit:
        size = 0
        while size <= limit and (piece := os.read(handle, min(1 << 20, limit + 1 - size))):
            pieces.append(piece)
            size += len(piece)
    if size > limit:
        raise FileError(f"is larger than the limit of {limit} bytes", place=shown(path), fix="make it smaller", anchor="file-size")
    return b"".join(pieces)


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _link_new(neighbour: str, name: str, folder: int) -> None:
    """Name a finished file; FileExistsError when the name is taken."""
    try:
        os.link(neighbour, on_disk(name), src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        # No hard links here: reserve the name, then move onto our own empty file.
        os.close(os.open(on_disk(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644, dir_fd=folder))
        os.rename(neighbour, on_disk(name), src_dir_fd=folder, dst_dir_fd=folder)


def _refusal(error: OSError, kind: Kind, path: str, *, wanted: str = "") -> FileError:
    """Why a component could not be opened, told by what it is."""
    detail = f"on the way to {shown(wanted)}" if wanted and wanted != path else ""
    if kind == "link":
        fix = "put the file itself there: links are never followed"
        return FileError("is a symbolic link", place=shown(path), detail=detail, fix=fix, anchor="file-link")
    if kind == "absent" or error.errno == errno.ENOENT:
        return _AbsentError("does not exist", place=shown(wanted or path), fix="check the spelling of the path", anchor="file-absent")
    if error.errno == errno.ENOTDIR:
        return _AbsentError("is not a folder", place=shown(path), detail=detail, fix="check the path", anchor="file")
    return _failure(error, "cannot be opened", path)


def _in_the_way(kind: Kind, path: str) -> FileError:
    if kind == "link":
        return FileError("is a symbolic link and will not be written through", place=shown(path), fix="remove the link", anchor="file-link")
    return FileError("is there already", place=shown(path), detail=f"it is a {kind}", fix="move it away first", anchor="file-exists")


def _failure(error: OSError, what: str, path: str) -> FileError:
    return FileError(
        what, place=shown(path), detail=error.strerror or type(error).__name__, fix="check rights and free space", anchor="file"
    )
