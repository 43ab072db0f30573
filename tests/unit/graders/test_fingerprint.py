"""The hash over the grading code covers the room as it lies on disk."""

from __future__ import annotations

from pathlib import Path

from driftproof_action import graders
from driftproof_action.canonical import content_digest
from driftproof_action.graders.fingerprint import grading_code_hash


def test_every_module_and_every_prompt_is_in_it() -> None:
    (folder,) = map(Path, graders.__path__)
    files = [*folder.glob("*.py"), *folder.glob("prompts/*")]
    assert grading_code_hash() == content_digest((file.relative_to(folder).as_posix(), file.read_bytes()) for file in files)
