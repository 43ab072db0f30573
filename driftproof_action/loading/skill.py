"""A folder with SKILL.md becomes a Skill: text, name, hashes, and what its author should know. Not: its eval suite."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from driftproof_action.canonical import Json, content_digest
from driftproof_action.domain.skill import Skill, SkillFile
from driftproof_action.errors import SkillError
from driftproof_action.loading import bundle
from driftproof_action.loading.front_matter import FrontMatter, read_front_matter
from driftproof_action.loading.paths import ROOT, clean, joined
from driftproof_action.loading.remarks import Remarks, counted, quoted
from driftproof_action.loading.tree import LEFT_OUT_FOLDERS, Tree, read_tree
from driftproof_action.ports import Entry, Files, Git

SKILL_MD = "SKILL.md"
SKILL_MD_MAX_BYTES = 400_000
SKILL_MD_WARN_BYTES = 100_000
NO_VERSION = "0.0.0"

NAME_MAX = 64
DESCRIPTION_MAX = 1024

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_CACHES = frozenset({"__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"})
_KNOWN_KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools", "version"})


def load_skill(files: Files, path: str, *, git: Git | None, suite_files: Sequence[str] = ()) -> Skill:
    """Read the skill in a folder; path relative to the root of `files`. suite_files: paths below the skill's folder of the
    suite file and the files it names, which are not part of the skill.

    To read a skill whose folder is reached by a link, open `files` at that folder. Raises SkillError for what cannot be
    read as a skill and for what may not be (links, bounds, names), FileError for what the disk refuses.
    """
    root = clean(path)
    _refuse_no_skill(files, root)
    found = bundle.listed(files, root, skip=bundle.published_skip)
    contents = {inside: files.read(joined(root, inside), limit=bundle.SKILL_MAX_BYTES) for inside, _ in found}
    text = read_text(contents[SKILL_MD], joined(root, SKILL_MD))
    remarks = Remarks(joined(root, SKILL_MD))
    front = read_front_matter(text, remarks=remarks)
    folder = (files.root if root == ROOT else root).rstrip("/").rpartition("/")[2]
    name = _name(front, folder, remarks)
    tree = read_tree(files, git, root, left_out=suite_files)
    _remark_text(contents[SKILL_MD], remarks)
    bundle.remark_twins(sorted({*contents, *tree.names, *suite_files}), remarks)
    _remark_files([inside for inside, _ in found if inside not in suite_files], tree, remarks, in_checkout=git is not None)
    unseen = _unseen(found, tree, suite_files)
    _remark_unseen(unseen, remarks)
    return Skill(
        path=root,
        name=name,
        version=_version(front, remarks),
        description=_description(front, remarks),
        text=text,
        content_hash=content_digest(contents.items()),
        tree_hash=tree.hash,
        tree_source=tree.source,
        tokens=-(-len(text.encode("utf-16-le")) // 8),
        unseen=unseen,
        findings=remarks.findings,
    )


def _refuse_no_skill(files: Files, root: str) -> None:
    place = joined(root, SKILL_MD)
    kind = files.kind(root)
    if kind == "link":
        raise SkillError(
            "is a symbolic link", place=root, fix="name the folder it leads to, or run from inside that folder", anchor="skill-link"
        )
    if kind != "folder":
        raise SkillError("is not a folder" if kind != "absent" else "does not exist", place=root, fix="name a folder with SKILL.md")
    kind = files.kind(place)
    if kind == "link":
        raise bundle.link_refused(place)
    if kind != "file":
        raise SkillError("is missing" if kind == "absent" else "is not a file", place=place, fix="a skill is a folder with a SKILL.md")


def read_text(data: bytes, place: str) -> str:
    """A SKILL.md as the model gets it: no byte order mark, line ends as LF whatever the checkout made of them. Raises
    SkillError naming the place."""
    if len(data) > SKILL_MD_MAX_BYTES:
        raise SkillError(
            f"is {len(data)} bytes, the limit is {SKILL_MD_MAX_BYTES}",
            place=place,
            detail="it is sent with every answer that is asked for",
            fix="move reference material into files beside it",
            anchor="skill-bounds",
        )
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SkillError(f"is not UTF-8: byte {error.start}", place=f"{place}:{line}", fix="save it as UTF-8") from error
    if not text.strip():
        raise SkillError("is empty", place=place, fix="write what the skill tells a model")
    return text


# ---- name, version, description ---------------------------------------------------------------------------------


def _name(front: FrontMatter, folder: str, remarks: Remarks) -> str:
    line = front.lines.get("name", 1)
    name = _scalar(front, "name", remarks)
    if not name:
        heading = _HEADING.search(front.body)
        name = _one_line(heading[1]) if heading else folder
        if front.fields:
            source = "the first heading" if heading else "its folder"
            remarks.warning("name-missing", line, f"has no name; called {quoted(name)} after {source}", fix=f"add name: {folder}")
        return name
    if len(name) > NAME_MAX or not _SLUG.fullmatch(name):
        fix = "use lower-case letters, digits and single hyphens"
        remarks.warning("name-form", line, f"name {quoted(name)} is not of the form the skill format asks for", fix=fix)
    elif name != folder:
        remarks.warning("name-folder", line, f"name {quoted(name)} differs from its folder {quoted(folder)}", fix="rename one of them")
    return name


def _version(front: FrontMatter, remarks: Remarks) -> str:
    version = _scalar(front, "version", remarks)
    metadata = front.fields.get("metadata")
    if not version and isinstance(metadata, Mapping):
        nested = metadata.get("version")
        version = _one_line(nested) if isinstance(nested, str) else ""
    return version or NO_VERSION


def _description(front: FrontMatter, remarks: Remarks) -> str:
    line = front.lines.get("description", 1)
    description = _scalar(front, "description", remarks)
    if front.fields and not description:
        remarks.warning("description-missing", line, "has no description", fix="add description: what it does and when to use it")
    if len(description) > DESCRIPTION_MAX:
        message = f"description has {len(description)} characters, the skill format allows {DESCRIPTION_MAX}"
        remarks.warning("description-long", line, message, fix="shorten it: hosts cut or refuse it")
    _remark_keys(front, remarks)
    return description


def _scalar(front: FrontMatter, key: str, remarks: Remarks) -> str:
    value: Json = front.fields.get(key, "")
    if isinstance(value, str):
        return _one_line(value)
    what = "a list" if isinstance(value, Sequence) else "a map"
    remarks.warning("front-matter-type", front.lines.get(key, 1), f"{key} is {what}, not a text; left out", fix=f"write {key}: one text")
    return ""


def _remark_keys(front: FrontMatter, remarks: Remarks) -> None:
    extra = [key for key in front.fields if key not in _KNOWN_KEYS]
    if extra:
        names = ", ".join(quoted(key) for key in extra[:10])
        remarks.info("front-matter-keys", front.lines.get(extra[0], 1), f"keys the skill format does not name: {names}", fix="")


def _one_line(text: str) -> str:
    return " ".join(text.split())


# ---- what the author should know --------------------------------------------------------------------------------


def _remark_text(data: bytes, remarks: Remarks) -> None:
    if data.startswith(b"\xef\xbb\xbf"):
        remarks.warning(
            "byte-order-mark", 1, "starts with a byte order mark; it is not sent to the model", fix="save it as UTF-8 without BOM"
        )
    if b"\r\n" in data:
        line = data.count(b"\n", 0, data.index(b"\r\n")) + 1
        fix = "add `* text=auto eol=lf` to .gitattributes: content_hash is taken over bytes and differs between checkouts"
        remarks.warning("line-ends", line, "has CRLF line ends; the model gets LF", fix=fix)
    if len(data) > SKILL_MD_WARN_BYTES:
        message = f"is {len(data)} bytes, all of them sent with every answer"
        remarks.warning("skill-large", 0, message, fix="move reference material into files beside it")


def _remark_files(names: Sequence[str], tree: Tree, remarks: Remarks, *, in_checkout: bool) -> None:
    cached = [name for name in names if _CACHES & set(name.split("/"))]
    if cached:
        message = f"{counted(len(cached), 'file')} of tool caches lie in the skill ({quoted(cached[0])}); content_hash moves with them"
        remarks.warning("cache-files", 0, message, fix="delete them, and name __pycache__/ in .gitignore")
    if tree.source == "folder":
        why = "SKILL.md is not tracked by git" if in_checkout else "it is not in a git checkout"
        fix = "commit the skill" if in_checkout else "keep the skill in a repository"
        message = f"{why}: tree_hash is taken over every file of the folder"
        remarks.warning("not-in-git", 0, message, fix=f"{fix}, so that files git does not know cannot move its hash")
        return
    stray = [name for name in sorted(set(names) - set(tree.names)) if name not in cached and not _is_suite_side(name)]
    if stray:
        message = f"{counted(len(stray), 'file is', 'files are')} not tracked by git ({quoted(stray[0])}); tree_hash leaves them out"
        remarks.warning("untracked-files", 0, message, fix="commit them, or name them in .gitignore and keep them elsewhere")


def _is_suite_side(name: str) -> bool:
    return name.split("/", 1)[0] in LEFT_OUT_FOLDERS


def _unseen(found: Sequence[tuple[str, Entry]], tree: Tree, suite_files: Collection[str]) -> tuple[SkillFile, ...]:
    known = set(tree.names)
    seen = {SKILL_MD, *suite_files}
    return tuple(SkillFile(inside, entry.bytes) for inside, entry in found if inside in known and inside not in seen)


def _remark_unseen(unseen: Sequence[SkillFile], remarks: Remarks) -> None:
    if not unseen:
        return
    tops = sorted({file.path.split("/", 1)[0] + ("/" if "/" in file.path else "") for file in unseen})
    where = ", ".join(tops[:5]) + (", …" if len(tops) > 5 else "")
    message = f"{counted(len(unseen), 'file')} an API model will not see ({where}): only SKILL.md is sent"
    remarks.info("unseen-files", 0, message, fix="a case that needs them measures the model without them")
