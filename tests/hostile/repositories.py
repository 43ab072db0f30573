"""Repositories that attack whoever asks git about them. Not: the tests."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Repository


def bury_a_repository(repository: Repository, canary: Path) -> str:
    """Commit a skill folder that poses as a bare repository whose settings run a command; the folder's path."""
    skill = "skills/posing"
    settings = f'[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch {canary}; false"\n'
    repository.commit(
        {
            f"{skill}/SKILL.md": "---\nname: posing\ndescription: poses as a repository\n---\nText.\n",
            f"{skill}/HEAD": "ref: refs/heads/main\n",
            f"{skill}/config": settings,
            f"{skill}/objects/info/keep": "",
            f"{skill}/refs/heads/keep": "",
        },
        "a skill like any other",
    )
    return skill


def poison_settings(repository: Repository, canary: Path, *, listener: str) -> None:
    """What an earlier step of a job, or whoever packed an archive, can leave in `.git/config`."""
    script = repository.path.parent / "canary.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\nexit 1\n')
    script.chmod(0o755)
    hooks = repository.path.parent / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "pre-commit", "post-checkout", "reference-transaction"):
        (hooks / hook).write_text(f"#!/bin/sh\necho hook >> {canary}\n")
        (hooks / hook).chmod(0o755)
    for name, value in {
        "core.fsmonitor": str(script),
        "core.hooksPath": str(hooks),
        "core.pager": str(script),
        "core.sshCommand": str(script),
        "core.editor": str(script),
        "diff.external": str(script),
        "filter.evil.clean": str(script),
        "filter.evil.smudge": str(script),
        "diff.evil.textconv": str(script),
        "gpg.program": str(script),
        "log.showSignature": "true",
        "credential.helper": str(script),
        "remote.origin.url": f"{repository.path}/../elsewhere.git",
        "remote.origin.uploadpack": str(script),
        "remote.origin.promisor": "true",
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
        "core.alternateRefsCommand": str(script),
        f"url.{listener}/.insteadOf": "http://127.0.0.1",
        "alias.ls-files": f"!{script}",
    }.items():
        repository.git("config", name, value)
    attributes = repository.path / ".git" / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("* filter=evil diff=evil\n")
