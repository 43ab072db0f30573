"""Whose files are whose, as a hosted runner has it. Not: the tests."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

OWNER = (1001, 1002)
"""User and group of a hosted runner's workspace: neither is root, and they differ."""


def hand_to(folder: Path, owner: tuple[int, int]) -> None:
    """Everything at and below a folder becomes somebody's, links themselves included."""
    for place in (folder, *folder.rglob("*")):
        os.chown(place, *owner, follow_symlinks=False)


def owners(folder: Path) -> Mapping[str, tuple[int, int]]:
    """Path below a folder → user and group, links themselves."""
    found = {place.relative_to(folder).as_posix(): place.lstat() for place in folder.rglob("*")}
    return {name: (status.st_uid, status.st_gid) for name, status in found.items()}
