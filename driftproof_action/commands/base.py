"""The receipt a measurement is compared with: where it is looked for, and what was found. Not: the comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from driftproof_action.github.event import BaseCommit
from driftproof_action.ports import Files, Git
from driftproof_action.store_io import DATA_BRANCH, RECEIPT_LIMIT, BranchStore, TreeStore, exists_in_checkout, receipt_name, receipt_path


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """state: found (`data` set) · first: never stored, as far as the history here shows · removed: `commit` took it away ·
    unavailable: the base commit could not be had · none: no comparison was asked for · off: no store.

    commit: the base commit, or the one that removed it. path: where it lies or would lie. reason: one sentence for people.
    """

    state: Literal["found", "first", "removed", "unavailable", "none", "off"]
    path: str = ""
    data: bytes | None = None
    commit: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where stored receipts are looked for. compare_with: `auto`, `base`, `none` or a path below `files`. store: `auto`, `tree`,
    `branch` or `none`. data: the data branch, None where nobody may be asked for it (the command line, a stub run). proposed:
    what is measured is a change to the base (a pull request, a working folder), so the base's own skill may be asked again."""

    git: Git | None
    files: Files
    base: BaseCommit
    compare_with: str = "auto"
    store: str = "auto"
    data: BranchStore | None = None
    proposed: bool = False

    @property
    def asks_base(self) -> bool:
        """Whether a changed skill is set against its own text at the base."""
        return self.proposed and self.compare_with in ("auto", "base")

    @property
    def kind(self) -> Literal["tree", "branch", "none"]:
        """Which store this is: `auto` means the tree where there is one, at the base or in the checkout, else the branch."""
        if self.store == "auto":
            at_base = self.git is not None and self.base.state == "found" and self.base.commit is not None
            if at_base and self.git and self.base.commit and TreeStore(self.git, self.base.commit).exists():
                return "tree"
            return "tree" if exists_in_checkout(self.files) else "branch"
        return "tree" if self.store == "tree" else "branch" if self.store == "branch" else "none"

    def find(self, skill_slug: str, model_slug: str) -> StoredReceipt:
        """Raises FileError for a named file that cannot be read, GitError where git fails or a link lies in the way."""
        if self.compare_with == "none":
            return StoredReceipt("none", reason="compare-with is none")
        if self.compare_with not in ("auto", "base"):
            data = self.files.read(self.compare_with, limit=RECEIPT_LIMIT)
            return StoredReceipt("found", self.compare_with, data, reason="named by compare-with")
        kind = self.kind
        if kind == "none":
            return StoredReceipt("off", reason="store is none")
        if kind == "branch" and (self.data is not None or self.store == "branch"):
            return self._on_branch(skill_slug, model_slug)
        return self._in_tree(skill_slug, model_slug)

    def _on_branch(self, skill_slug: str, model_slug: str) -> StoredReceipt:
        path = f"{DATA_BRANCH}:{receipt_name(skill_slug, model_slug)}"
        if self.base.state == "unavailable":
            return StoredReceipt("unavailable", path, commit=self.base.commit, reason=self.base.reason)
        if self.base.commit is None:
            return StoredReceipt("first", path, reason=self.base.reason)
        if self.data is None:
            return StoredReceipt("unavailable", path, commit=self.base.commit, reason="the data branch is only read in a live job")
        kept = self.data.receipt(skill_slug, model_slug, base=self.base.commit)
        commit = kept.commit if kept.state == "removed" else self.base.commit
        return StoredReceipt(kept.state, path, kept.data, commit, kept.reason)

    def _in_tree(self, skill_slug: str, model_slug: str) -> StoredReceipt:
        path = receipt_path(skill_slug, model_slug)
        if self.base.state == "unavailable":
            return StoredReceipt("unavailable", path, commit=self.base.commit, reason=self.base.reason)
        if self.git is None or self.base.commit is None:
            return StoredReceipt("first", path, reason=self.base.reason)
        tree = TreeStore(self.git, self.base.commit)
        data = tree.receipt(skill_slug, model_slug)
        if data is not None:
            return StoredReceipt("found", path, data, self.base.commit, f"as {self.base.commit[:12]} holds it")
        removed = tree.removed(skill_slug, model_slug)
        if removed is not None:
            return StoredReceipt("removed", path, commit=removed, reason=f"{removed[:12]} removed it")
        return StoredReceipt("first", path, commit=self.base.commit, reason=self._why_first(tree))

    def _why_first(self, tree: TreeStore) -> str:
        assert self.git is not None
        if not tree.exists() and not exists_in_checkout(self.files):
            return "nothing has been stored in this repository yet"
        if self.git.is_shallow():
            return "not stored at the base; whether it ever was, this shallow checkout cannot tell"
        return "never stored before"
