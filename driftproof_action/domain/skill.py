"""A skill: a folder with SKILL.md. Not: how it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from driftproof_action.domain.finding import Finding


@dataclass(frozen=True, slots=True)
class SkillFile:
    """One file of a skill; path relative to the skill's folder, POSIX separators."""

    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Skill:
    """path: the folder as the user named it, relative to the checkout. text: SKILL.md as the model gets it (no BOM).
    unseen: bundled files an API surface does not send. tree_source: `git` (tracked files) or `folder` (every file)."""

    path: str
    name: str
    version: str
    description: str
    text: str
    content_hash: str
    tree_hash: str
    tree_source: Literal["git", "folder"]
    tokens: int
    unseen: tuple[SkillFile, ...] = ()
    findings: tuple[Finding, ...] = ()
