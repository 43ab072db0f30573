"""Which stored receipt a measurement is compared with. Not: the comparison."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from driftproof_action.commands.base import Shelf, StoredReceipt
from driftproof_action.errors import FileError
from driftproof_action.files_io import FilesIO
from driftproof_action.git_io import GitIO
from driftproof_action.github.event import BaseCommit
from tests.conftest import GIT_ENVIRONMENT, Repository

Make = Callable[..., Repository]
PATH = ".driftproof/receipts/naming__haiku.json"


def shelf(place: Path, commit: str | None, **more: str) -> Shelf:
    git = GitIO.at(str(place))
    base = BaseCommit("found", commit, "as told") if commit else BaseCommit("none", None, "nothing before")
    return Shelf(git, FilesIO(str(place)), base, **more)


def test_found_as_the_base_holds_it(make_repository: Make) -> None:
    repository = make_repository(files={PATH: "base"})
    base = repository.git("rev-parse", "HEAD")
    repository.commit({PATH: "the pull request's own copy"})
    for store in ("auto", "tree"):
        found = shelf(repository.path, base, store=store).find("naming", "haiku")
        assert found == StoredReceipt("found", PATH, b"base", base, f"as {base[:12]} holds it")


def test_first_where_it_was_never_stored(make_repository: Make) -> None:
    repository = make_repository(files={"a": ""})
    base = repository.git("rev-parse", "HEAD")
    found = shelf(repository.path, base).find("naming", "haiku")
    assert (found.state, found.path, found.commit) == ("first", PATH, base)
    assert found.reason == "nothing has been stored in this repository yet"
    later = repository.commit({".driftproof/receipts/other__haiku.json": "{}"})
    assert shelf(repository.path, later).find("naming", "haiku").reason == "never stored before"
    assert shelf(repository.path, None).find("naming", "haiku") == StoredReceipt("first", PATH, reason="nothing before")


def test_removed_is_not_first(make_repository: Make) -> None:
    """Deleting a receipt must not make the next pull request a first one."""
    repository = make_repository(files={PATH: "base", "a": ""})
    (repository.path / PATH).unlink()
    removal = repository.commit()
    later = repository.commit({"a": "regressed"})
    found = shelf(repository.path, later).find("naming", "haiku")
    assert found == StoredReceipt("removed", PATH, commit=removal, reason=f"{removal[:12]} removed it")


def test_a_pull_request_cannot_bring_its_own_base(make_repository: Make) -> None:
    repository = make_repository(files={"a": ""})
    base = repository.git("rev-parse", "HEAD")
    repository.commit({PATH: "brought along"})
    assert shelf(repository.path, base).find("naming", "haiku").state == "first"


def test_an_unavailable_base_is_not_first(make_repository: Make) -> None:
    repository = make_repository(files={PATH: "x"})
    git = GitIO.at(str(repository.path))
    found = Shelf(git, FilesIO(str(repository.path)), BaseCommit("unavailable", "1" * 40, "not here")).find("naming", "haiku")
    assert found == StoredReceipt("unavailable", PATH, commit="1" * 40, reason="not here")


def test_a_shallow_history_says_what_it_cannot_tell(make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository("full", files={PATH: "x", "a": ""})
    (repository.path / PATH).unlink()
    head = repository.commit({".driftproof/receipts/other__haiku.json": "{}"})
    clone = ["git", "clone", "-q", "--depth=1", f"file://{repository.path}", str(tmp_path / "shallow")]
    subprocess.run(clone, env={**GIT_ENVIRONMENT, "PATH": os.environ["PATH"]}, check=True)
    found = shelf(tmp_path / "shallow", head).find("naming", "haiku")
    assert found.state == "first"
    assert "shallow" in found.reason


def test_switched_off(make_repository: Make) -> None:
    repository = make_repository(files={PATH: "x"})
    base = repository.git("rev-parse", "HEAD")
    assert shelf(repository.path, base, compare_with="none").find("naming", "haiku").state == "none"
    assert shelf(repository.path, base, store="none").find("naming", "haiku").state == "off"


def test_a_named_file_is_read(make_repository: Make) -> None:
    repository = make_repository(files={"old/receipt.json": "named", PATH: "stored"})
    base = repository.git("rev-parse", "HEAD")
    found = shelf(repository.path, base, compare_with="old/receipt.json", store="none").find("naming", "haiku")
    assert (found.state, found.data, found.commit, found.path) == ("found", b"named", None, "old/receipt.json")
    for path in ("none.json", "../outside.json", "/etc/hostname"):
        with pytest.raises(FileError):
            shelf(repository.path, base, compare_with=path).find("naming", "haiku")
