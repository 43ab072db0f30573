"""Stored files a pull request brings along: each must be what it claims to be. Not: the comparison, which never uses them."""

from __future__ import annotations

from collections.abc import Mapping

from driftproof_action.commands.promotion import badge_files, skill_badge_files, verdict_of
from driftproof_action.decisions.table import TABLE
from driftproof_action.errors import DriftproofError
from driftproof_action.ports import Git
from driftproof_action.receipts.read import load
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.store_io import STORE_FOLDER, commit_in

_OURS = ("receipts/", "badges/")


def refused_changes(git: Git, changed: tuple[str, ...], head: str) -> tuple[tuple[str, str], ...]:
    """(path, why) of every changed stored file that does not hold at the head: a receipt that is not what was sealed, a badge
    that is not the one its receipts give, a link. What was taken away is not here: the next comparison names the removal."""
    stored = _Stored(git, head)
    found = [(path, stored.fault(path.removeprefix(f"{STORE_FOLDER}/"))) for path in changed]
    return tuple((path, why) for path, why in found if why)


class _Stored:
    """The store in the tree of one commit."""

    def __init__(self, git: Git, head: str) -> None:
        self._git = git
        self._head = head
        self._badges: Mapping[str, bytes] | None = None

    def fault(self, name: str) -> str:
        """Why a stored file is not believed; empty when it is, or is none of ours."""
        if not name.startswith(_OURS):
            return ""
        try:
            data = self._git.show(self._head, f"{STORE_FOLDER}/{name}")
            if data is None:
                return ""
            if name.startswith("badges/"):
                return "" if self._made().get(name) == data else "it is not the badge its receipts give"
            if name.endswith(".commit"):
                return "" if commit_in(data) else "it names no commit"
            load(data, source=name, rules=TABLE)
        except DriftproofError as error:
            return error.message
        return ""

    def _made(self) -> Mapping[str, bytes]:
        """Every badge the receipts at the head give; one that cannot be read gives none."""
        if self._badges is None:
            badges: dict[str, bytes] = {}
            skills: dict[str, list[tuple[ReceiptView, str]]] = {}
            for name in self._receipts():
                try:
                    view = load(self._git.show(self._head, f"{STORE_FOLDER}/{name}") or b"", source=name, rules=TABLE)
                except DriftproofError:
                    continue
                badges |= badge_files(name, view)
                skills.setdefault(name.removeprefix("receipts/").partition("__")[0], []).append((view, verdict_of(view)))
            for skill, read in skills.items():
                badges |= skill_badge_files(skill, read)
            self._badges = badges
        return self._badges

    def _receipts(self) -> list[str]:
        blobs = self._git.tree(self._head, f"{STORE_FOLDER}/receipts")
        names = [blob.path.decode("utf-8", "replace").removeprefix(f"{STORE_FOLDER}/") for blob in blobs if blob.mode.startswith("100")]
        return sorted(name for name in names if name.endswith(".json"))
