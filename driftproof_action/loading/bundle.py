"""The files of a skill's folder: listed within bounds, links refused by name. Not: hashing or reading them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator

from driftproof_action.errors import SkillError
from driftproof_action.loading.paths import joined, same_but_for_form, twin_key
from driftproof_action.loading.remarks import Remarks, quoted
from driftproof_action.ports import Entry, Files

SKILL_MAX_FILES = 2000
SKILL_MAX_BYTES = 33_554_432
SKILL_MAX_DEPTH = 16

PUBLISHED_SKIPS = frozenset({".git", "node_modules", "evals"})
"""Folders content_hash leaves out at any depth. Source: receipt format 0.1, skill.content_hash."""

Skip = Callable[[Entry, str], bool]


def published_skip(entry: Entry, inside: str) -> bool:
    """What content_hash does not see."""
    name = inside.rpartition("/")[2]
    return name in PUBLISHED_SKIPS if entry.kind != "file" else name == ".DS_Store"


def listed(files: Files, root: str, *, skip: Skip) -> list[tuple[str, Entry]]:
    """(path below the skill's folder, entry) of every regular file, in byte order of path.

    skip(entry, path below the skill's folder): leave it, and all below it, alone. Raises SkillError for links, for names
    that are not portable and past the bounds, naming bound, limit and value.
    """
    found: list[tuple[str, Entry]] = []
    total = 0
    for inside, entry in _walk(files, root, skip=skip):
        found.append((inside, entry))
        total += entry.bytes
        within_bounds(root, files=len(found), total=total)
    return sorted(found, key=lambda item: item[0].encode("utf-8", "surrogateescape"))


def _walk(files: Files, root: str, *, skip: Skip) -> Iterator[tuple[str, Entry]]:
    folders = [""]
    while folders:
        folder = folders.pop()
        for entry in files.entries(joined(root, folder)):
            inside = joined(folder, entry.path.rpartition("/")[2])
            if skip(entry, inside):
                continue
            refuse_name(root, inside)
            if entry.kind == "link":
                raise link_refused(joined(root, inside))
            if entry.kind == "file":
                yield inside, entry
            elif entry.kind == "folder":
                if inside.count("/") + 1 >= SKILL_MAX_DEPTH:
                    raise _past("folders inside folders", SKILL_MAX_DEPTH, inside.count("/") + 2, root=root)
                folders.append(inside)


def within_bounds(root: str, *, files: int, total: int) -> None:
    """Raises SkillError past the bounds on the number of files and their bytes together."""
    if files > SKILL_MAX_FILES:
        raise _past("files", SKILL_MAX_FILES, files, root=root)
    if total > SKILL_MAX_BYTES:
        raise _past("bytes", SKILL_MAX_BYTES, total, root=root)


def _past(what: str, limit: int, value: int, *, root: str) -> SkillError:
    return SkillError(
        f"holds too many {what}: {value} so far, the limit is {limit}",
        place=root,
        fix="move what is not part of the skill out of its folder",
        anchor="skill-bounds",
    )


def link_refused(path: str) -> SkillError:
    """A link inside a skill could lead to any file of the machine."""
    return SkillError(
        "is a symbolic link; links inside a skill are not followed",
        place=path,
        fix="put a copy of the file there instead of the link",
        anchor="skill-link",
    )


def refuse_name(root: str, inside: str) -> None:
    """Raises SkillError for names that mean another file elsewhere, or that are not text."""
    if "\\" in inside or any(unicodedata.category(char) in ("Cc", "Cs") for char in inside):
        raise SkillError(
            "has a name with a backslash, a control character or bytes that are not UTF-8",
            place=f"{root}: {quoted(inside)}",
            fix="rename the file",
            anchor="skill-file-name",
        )


def remark_twins(names: Iterable[str], remarks: Remarks) -> None:
    """Names that some file systems cannot hold side by side."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(twin_key(name), name)
        if other != name:
            what = "Unicode form (NFC, NFD)" if same_but_for_form(name, other) else "upper and lower case"
            remarks.warning("name-twins", 0, f"{quoted(other)} and {quoted(name)} differ only in {what}", fix="rename one of them")
