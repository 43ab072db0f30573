"""No known secret is measured or written, however it is spelled."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from driftproof_action.commands.guarding import guarded_files, refuse_secrets
from driftproof_action.errors import FileError
from driftproof_action.files_io import FilesIO
from driftproof_action.providers.secret_values import Secrets
from driftproof_action.reports.markdown import text as shown

VALUE = 'sk-canary_0123"456*789'
SECRETS = Secrets({"github-token": VALUE})

SPELLINGS: dict[str, Callable[[], str]] = {
    "plain": lambda: f"it is {VALUE}.",
    "json": lambda: json.dumps({"id": VALUE}),
    "markdown": lambda: shown(f"a {VALUE} b"),
    "base64": lambda: base64.b64encode(VALUE.encode()).decode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("way", ["write", "write_new"])
def test_bytes_that_hold_a_secret_are_not_written(tmp_path: Path, spelling: str, way: str) -> None:
    files = guarded_files(FilesIO(str(tmp_path)), SECRETS)
    with pytest.raises(FileError) as caught:
        getattr(files, way)("out/receipt.json", SPELLINGS[spelling]().encode())
    assert "github-token" in str(caught.value)
    assert VALUE not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_holds_a_secret_is_not_written_either(tmp_path: Path) -> None:
    value = "canary-0123456789"
    files = guarded_files(FilesIO(str(tmp_path)), Secrets({"api-key": value}))
    with pytest.raises(FileError) as caught:
        files.write_new(f"out/{value}.json", b"{}")
    assert value not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_holds_a_secret_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(f"Use {VALUE} to log in.")
    with pytest.raises(FileError) as caught:
        guarded_files(FilesIO(str(tmp_path)), SECRETS).read("SKILL.md", limit=1000)
    assert caught.value.lines()[0] == "SKILL.md: holds the value of github-token"


def test_everything_else_is_written_as_it_is(tmp_path: Path) -> None:
    files = guarded_files(FilesIO(str(tmp_path)), SECRETS)
    files.write_new("out/a", b"\xff nothing &amp; more")
    files.write("out/a", b"again")
    assert (files.kind("out/a"), files.read("out/a", limit=10)) == ("file", b"again")
    assert [entry.path for entry in files.entries("out")] == ["out/a"]
    assert refuse_secrets("fine", SECRETS, place="the comment") == "fine"
