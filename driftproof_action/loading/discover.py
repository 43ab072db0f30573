"""Which skills of a workspace are meant: `auto`, folders, globs. Not: reading any of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from driftproof_action.errors import FileError, InputError, SuiteError
from driftproof_action.loading.paths import ROOT, below, clean, escapes, joined
from driftproof_action.loading.remarks import quoted
from driftproof_action.loading.suite import find_suite
from driftproof_action.ports import Entry, Files

AUTO = "auto"
SKILL_MD = "SKILL.md"
FOLDERS_MAX = 50_000
DEPTH_MAX = 24

IGNORED = frozenset({"node_modules", "venv", "__pycache__", "driftproof-out"})
HIDDEN_HOMES = frozenset({".claude", ".agents", ".github", ".codex", ".cursor", ".gemini", ".opencode"})
"""Hidden folders agents keep their skills in; every other hidden folder is left alone."""

_GLOB = frozenset("*?[")


def discover(files: Files, patterns: Sequence[str], *, require: bool = True) -> tuple[str, ...]:
    """Folders of skills, relative to the root of `files`, each once: in the order of the patterns, in byte order of path
    within one. `auto`, or no pattern: every folder with SKILL.md and a suite.

    Raises InputError for a pattern that leads out of the workspace, through a link, or matches nothing, and for a SKILL.md
    that is a link. Without `require` (a look around, not a wish) `auto` leaves out what it would refuse.
    """
    wanted = [pattern.strip() for pattern in patterns if pattern.strip()] or [AUTO]
    found: dict[str, None] = {}
    for pattern in wanted:
        matches = _auto(files, require) if pattern == AUTO else _matching(files, pattern)
        found.update(dict.fromkeys(sorted(matches, key=str.encode)))
    return tuple(found)


# ---- auto -------------------------------------------------------------------------------------------------------


def _auto(files: Files, require: bool) -> list[str]:
    skills = list(_skills_below(files, ROOT, refuse_links=require))
    with_suite = [skill for skill in skills if _has_suite(files, skill, require)]
    if require and not with_suite:
        without = f"without a suite: {', '.join(quoted(skill) for skill in skills[:5])}" if skills else ""
        raise InputError(
            "no skill with an eval suite was found" if skills else "no skill was found: no folder holds SKILL.md",
            place="skill-dir",
            detail=without,
            fix="driftproof init writes a starter suite" if skills else "name the skill's folder",
            anchor="no-skills",
        )
    return with_suite


def _has_suite(files: Files, skill: str, require: bool) -> bool:
    try:
        return find_suite(files, skill) is not None
    except (SuiteError, FileError):
        if require:
            raise
        return False


def _skills_below(files: Files, top: str, *, refuse_links: bool) -> Iterator[str]:
    for folder, entries in _folders(files, top):
        found = next((entry for entry in entries if entry.path.rpartition("/")[2] == SKILL_MD), None)
        if found is not None and found.kind == "link" and refuse_links:
            raise _through_link(found.path)
        if found is not None and found.kind == "file":
            yield folder


def _folders(files: Files, top: str) -> Iterator[tuple[str, list[Entry]]]:
    """A folder, and every folder below it that can hold skills, with their entries."""
    waiting = [top]
    seen = 0
    while waiting:
        folder = waiting.pop()
        seen += 1
        if seen > FOLDERS_MAX:
            raise InputError(
                f"more than {FOLDERS_MAX} folders to search",
                place="skill-dir",
                fix="name the skills' folders",
                anchor="no-skills",
            )
        entries = list(files.entries(folder))
        yield folder, entries
        deeper = [entry.path for entry in entries if entry.kind == "folder" and _may_hold(entry.path.rpartition("/")[2])]
        waiting += [path for path in reversed(deeper) if path.count("/") < DEPTH_MAX]


def _may_hold(name: str) -> bool:
    return name in HIDDEN_HOMES or (not name.startswith(".") and name not in IGNORED)


# ---- folders and globs ------------------------------------------------------------------------------------------


def _matching(files: Files, pattern: str) -> list[str]:
    path = _inside(files, pattern)
    if _GLOB & set(path):
        steps = tuple(path.split("/"))
        top = _plain_top(steps)
        _refuse_links(files, top)
        if files.kind(top) != "folder":
            raise _nothing(pattern)
        found = [folder for folder in _skills_below(files, top, refuse_links=True) if _matches(tuple(folder.split("/")), steps)]
        if not found:
            raise _nothing(pattern)
        return found
    if path.rpartition("/")[2] == SKILL_MD:
        path = path.rpartition("/")[0] or ROOT
    _refuse_links(files, path)
    if files.kind(path) != "folder":
        raise _nothing(pattern)
    kind = files.kind(joined(path, SKILL_MD))
    if kind == "link":
        raise _through_link(joined(path, SKILL_MD))
    if kind != "file":
        raise InputError(
            f"{quoted(pattern)} holds no SKILL.md", place="skill-dir", fix="name the folder SKILL.md lies in", anchor="skill-dir"
        )
    return [path]


def _inside(files: Files, pattern: str) -> str:
    """The pattern relative to the workspace."""
    if any(not char.isprintable() for char in pattern) or "\\" in pattern:
        message = f"{quoted(pattern)} holds a backslash or a character that does not print"
        raise InputError(message, place="skill-dir", fix="write folders with /, one a line", anchor="skill-dir")
    path = pattern
    if pattern.startswith("/"):
        root = files.root.rstrip("/")
        path = ROOT if clean(pattern) == root else below(clean(pattern), root) or ".."
    path = clean(path)
    if escapes(path) or pattern.startswith("~"):
        raise InputError(
            f"{quoted(pattern)} lies outside the workspace", place="skill-dir", fix="name a folder below the workspace", anchor="skill-dir"
        )
    return path


def _refuse_links(files: Files, path: str) -> None:
    steps = path.split("/")
    for length in range(1, len(steps) + 1):
        part = "/".join(steps[:length])
        if part != ROOT and files.kind(part) == "link":
            raise _through_link(part)


def _plain_top(steps: Sequence[str]) -> str:
    """The folder above the first step with a wildcard."""
    plain: list[str] = []
    for step in steps:
        if _GLOB & set(step):
            break
        plain.append(step)
    return "/".join(plain) or ROOT


def _matches(steps: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """`*` and `?` within one step, `**` for any number of them."""
    reached = {0}
    for step in steps:
        reached = _closed(reached, pattern)
        reached = {at if pattern[at] == "**" else at + 1 for at in reached if at < len(pattern) and _fits(step, pattern[at])}
    return len(pattern) in _closed(reached, pattern)


def _fits(step: str, pattern: str) -> bool:
    return pattern == "**" or fnmatchcase(step, pattern)


def _closed(reached: set[int], pattern: tuple[str, ...]) -> set[int]:
    """With what `**` may skip."""
    out = set(reached)
    for at in range(len(pattern)):
        if at in out and pattern[at] == "**":
            out.add(at + 1)
    return out


def _nothing(pattern: str) -> InputError:
    fix = "name a folder that holds SKILL.md, relative to the workspace"
    return InputError(f"{quoted(pattern)} matches no skill", place="skill-dir", fix=fix, anchor="skill-dir")


def _through_link(path: str) -> InputError:
    fix = "put the file or folder itself there, or name the place the link leads to"
    return InputError(
        f"{quoted(path)} is a symbolic link; skills are not read through links", place="skill-dir", fix=fix, anchor="skill-link"
    )
