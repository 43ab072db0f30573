"""The files a case names: inlined within caps, or the reason why the case cannot run on text alone. Not: the prompt."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass

from driftproof_action.canonical import Json, sha256_hex
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.suite import CaseFile
from driftproof_action.errors import FileError
from driftproof_action.loading import suite_keys as keys
from driftproof_action.loading.notebook import Notebook, Place
from driftproof_action.loading.paths import below, clean, escapes, joined, same_but_for_form, twin_key
from driftproof_action.loading.remarks import quoted
from driftproof_action.ports import Files

FILES_MAX = 50
FILE_MAX_BYTES = 65_536
FILES_MAX_BYTES = 262_144
"""The capture caps: files of one case, bytes of one file, bytes together."""

_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Folders:
    """Where a suite's files are looked for, relative to the root of `files`: the skill's folder, then the suite's own."""

    files: Files
    skill: str
    suite: str


@dataclass(frozen=True, slots=True)
class CaseFiles:
    """files: what the prompt carries. inside: their paths below the skill's folder, but for SKILL.md, which stays part of
    the skill. hole: why the case cannot run without a workspace; what could be read is kept all the same."""

    files: tuple[CaseFile, ...] = ()
    inside: tuple[str, ...] = ()
    hole: Hole | None = None


@dataclass(slots=True)
class _Reading:
    folders: Folders
    book: Notebook
    files: list[CaseFile]
    inside: list[str]
    hole: Hole | None = None

    def lacks(self, reason: str, place: Place, detail: str, *, fix: str) -> None:
        """A warning, and the case's hole when it is the first."""
        code = reason.replace("_", "-")
        self.book.remarks.warning(code, place.line, f"case {quoted(self.book.case)}: {detail}; the case is not measured", fix=fix)
        self.hole = self.hole or Hole(reason, detail)


def read_case_files(case: Mapping[str, Json], *, place: Place, book: Notebook, folders: Folders) -> CaseFiles:
    """Every file of a case, in the author's order. Missing, binary, folders and too big make a hole; paths that lead out,
    and links, are errors, and nothing is read for them."""
    reading = _Reading(folders, book, [], [])
    for key in keys.FILE_KEYS:
        value = case.get(key)
        if value is None:
            continue
        if isinstance(value, str):
            _read_entry(value, place.at(key), reading)
        elif isinstance(value, list):
            for index, entry in enumerate(value):
                _read_entry(entry, place.at(key, index), reading)
        else:
            book.case_error("bad-entry", place.at(key), f"{key} is not a list of paths", fix=f'write "{key}": ["evals/files/…"]')
        if value:
            book.count("files", key, len(value) if isinstance(value, list) else 1)
    _refuse_too_much(place, reading)
    return CaseFiles(tuple(reading.files), tuple(dict.fromkeys(reading.inside)), reading.hole)


def _read_entry(entry: Json, place: Place, reading: _Reading) -> None:
    if isinstance(entry, str) and entry.strip():
        _read_path(entry, place, reading)
    elif isinstance(entry, Mapping) and isinstance(entry.get("content"), str):
        name = next((text for key in ("name", "path") if isinstance(text := entry.get(key), str) and text), "inline")
        content = str(entry["content"])
        data = content.encode()
        reading.files.append(CaseFile(name, sha256_hex(data), len(data), content))
    elif isinstance(entry, Mapping) and isinstance(entry.get("path"), str) and entry["path"]:
        _read_path(str(entry["path"]), place, reading)
    else:
        message = f"{place.spot} is neither a path nor {{name, content}}"
        reading.book.case_error("bad-entry", place, message, fix='write "evals/files/input.txt"')


def _read_path(path: str, place: Place, reading: _Reading) -> None:
    if path.startswith(("/", "~", "\\")) or _DRIVE.match(path):
        _refuse(path, place, reading, why="is an absolute path")
        return
    if "\\" in path or "\0" in path:
        _refuse(path, place, reading, why="holds a backslash or a NUL")
        return
    found: list[str] = []
    leads_out = False
    for folder in dict.fromkeys((reading.folders.skill, reading.folders.suite)):
        inside = below(joined(folder, path), reading.folders.skill)
        if inside is None or escapes(inside) or escapes(joined(folder, path)):
            leads_out = True
            continue
        if ".git" in inside.lower().split("/"):
            _refuse(path, place, reading, why="lies in a git folder")
            return
        found.append(clean(inside))
    if not _read_first(path, found, place=place, reading=reading):
        if leads_out:
            _refuse(path, place, reading, why="leads out of the skill's folder")
        else:
            _remark_missing(path, found, place=place, reading=reading)


def _refuse(path: str, place: Place, reading: _Reading, *, why: str) -> None:
    fix = "put the file into the skill's folder and name it from there, with /"
    reading.book.case_error("file-outside", place, f"{quoted(path)} {why}; nothing was read", fix=fix)


def _read_first(path: str, candidates: list[str], *, place: Place, reading: _Reading) -> bool:
    """Whether anything was there."""
    files = reading.folders.files
    for inside in candidates:
        full = joined(reading.folders.skill, inside)
        try:
            kind = files.kind(full)
            if kind == "absent":
                continue
            if kind == "link":
                raise FileError("is a symbolic link", place=full)
            if kind == "folder":
                reading.lacks("file_folder", place, f"{quoted(path)} is a folder", fix="name its files one by one")
            elif kind == "other":
                reading.lacks("file_binary", place, f"{quoted(path)} is not a regular file", fix="name a text file")
            else:
                if _read_text(path, full, place=place, reading=reading) and inside != "SKILL.md":
                    reading.inside.append(inside)
        except FileError as error:
            message = f"{quoted(path)} {error.message}; nothing was read"
            reading.book.case_error("file-link", place, message, fix="put a copy of the file into the skill's folder")
        return True
    return False


def _read_text(path: str, full: str, *, place: Place, reading: _Reading) -> bool:
    """Whether the file is carried by the prompt."""
    folder, _, name = full.rpartition("/")
    size = next((entry.bytes for entry in reading.folders.files.entries(folder) if entry.path.rpartition("/")[2] == name), 0)
    if size > FILE_MAX_BYTES:
        detail = f"{quoted(path)} has {size} bytes, the limit is {FILE_MAX_BYTES}"
        reading.lacks("files_too_big", place, detail, fix="use a shorter file")
        return False
    data = reading.folders.files.read(full, limit=FILE_MAX_BYTES)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        reading.lacks("file_binary", place, f"{quoted(path)} is not UTF-8 text", fix="a text prompt cannot carry it: use a text file")
        return False
    reading.files.append(CaseFile(path, sha256_hex(data), len(data), text))
    return True


def _remark_missing(path: str, candidates: list[str], *, place: Place, reading: _Reading) -> None:
    for inside in candidates:
        twin = _twin(reading.folders.files, joined(reading.folders.skill, inside))
        if twin:
            what = "Unicode form (NFC, NFD)" if same_but_for_form(twin, posixpath.basename(inside)) else "upper and lower case"
            detail = f"{quoted(path)} is not there; {quoted(twin)} is, and differs only in {what}"
            reading.lacks("files_missing", place, detail, fix="name the file as it is stored, or rename it")
            return
    reading.lacks("files_missing", place, f"{quoted(path)} is not there", fix="commit the file, or remove it from the case")


def _twin(files: Files, full: str) -> str:
    folder, _, name = full.rpartition("/")
    try:
        names = [entry.path.rpartition("/")[2] for entry in files.entries(folder or ".")]
    except FileError:
        return ""
    return next((each for each in names if twin_key(each) == twin_key(name)), "")


def _refuse_too_much(place: Place, reading: _Reading) -> None:
    count, total = len(reading.files), sum(file.bytes for file in reading.files)
    if count > FILES_MAX or total > FILES_MAX_BYTES:
        detail = f"has {count} files of {total} bytes together, the limits are {FILES_MAX} and {FILES_MAX_BYTES}"
        reading.lacks("files_too_big", place, detail, fix="use fewer or shorter files")
        reading.files.clear()
        reading.inside.clear()
