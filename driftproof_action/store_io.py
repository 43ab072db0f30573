"""Where stored receipts lie, and reading them as a commit holds them. Not: writing them, or whether they are to be believed."""

from __future__ import annotations

import re

from driftproof_action.errors import InputError
from driftproof_action.ports import Files, Git

STORE_FOLDER = ".driftproof"
RECEIPTS_FOLDER = f"{STORE_FOLDER}/receipts"
BADGES_FOLDER = f"{STORE_FOLDER}/badges"
RECEIPT_LIMIT = 8 * 1024 * 1024

_SLUG = re.compile(r"[a-z0-9][a-z0-9._-]{0,120}")


def receipt_path(skill_slug: str, model_slug: str) -> str:
    """Where the current receipt of a skill on a model is stored, from the checkout root."""
    for slug in (skill_slug, model_slug):
        if not _SLUG.fullmatch(slug):
            raise InputError("is not a slug", place=repr(slug)[:130], anchor="internal")
    return f"{RECEIPTS_FOLDER}/{skill_slug}__{model_slug}.json"


class TreeStore:
    """The store in the branch itself, as one commit holds it; the working copy is never read."""

    def __init__(self, git: Git, commit: str) -> None:
        self._git = git
        self.commit = commit

    def exists(self) -> bool:
        return bool(self._git.tree(self.commit, STORE_FOLDER))

    def receipt(self, skill_slug: str, model_slug: str) -> bytes | None:
        """Raises GitError where a link lies in the way."""
        return self._git.show(self.commit, receipt_path(skill_slug, model_slug))

    def removed(self, skill_slug: str, model_slug: str) -> str | None:
        """The commit that last removed the receipt, None when none is known to have."""
        return self._git.removed_in(self.commit, receipt_path(skill_slug, model_slug))


def exists_in_checkout(files: Files) -> bool:
    """Whether the working copy has a store, whatever is in it."""
    return files.kind(STORE_FOLDER) == "folder"


def touched(git: Git, base: str, head: str) -> tuple[str, ...]:
    """Stored files that differ between two commits: added, removed or changed; names as messages may show them."""
    sides = [{(blob.path, blob.mode, blob.id) for blob in git.tree(commit, STORE_FOLDER)} for commit in (base, head)]
    return tuple(sorted({path.decode("utf-8", "backslashreplace") for path, _, _ in sides[0] ^ sides[1]}))
