"""Where stored receipts lie and what a commit holds of them. Not: which commit counts."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from driftproof_action.errors import GitError, InputError
from driftproof_action.files_io import FilesIO
from driftproof_action.git_io import GitIO
from driftproof_action.store_io import TreeStore, exists_in_checkout, receipt_path, touched
from tests.conftest import Repository

Make = Callable[..., Repository]
PATH = ".driftproof/receipts/naming__haiku.json"


def opened(repository: Repository) -> GitIO:
    git = GitIO.at(str(repository.path))
    assert git is not None
    return git


def test_paths() -> None:
    assert receipt_path("naming", "haiku") == PATH
    for slug in ("", "..", "a/b", "A", "a\n", "é", "-x", "a" * 200):
        with pytest.raises(InputError):
            receipt_path(slug, "haiku")
        with pytest.raises(InputError):
            receipt_path("naming", slug)


def test_reads_what_the_commit_holds_and_never_the_working_copy(make_repository: Make) -> None:
    repository = make_repository(files={PATH: "committed"})
    head = repository.git("rev-parse", "HEAD")
    repository.write({PATH: "edited"})
    store = TreeStore(opened(repository), head)
    assert store.exists()
    assert store.receipt("naming", "haiku") == b"committed"
    assert store.receipt("naming", "sonnet") is None
    assert store.removed("naming", "haiku") is None


def test_knows_who_removed_a_receipt(make_repository: Make) -> None:
    repository = make_repository(files={PATH: "one", "a": ""})
    (repository.path / PATH).unlink()
    removal = repository.commit()
    store = TreeStore(opened(repository), removal)
    assert not store.exists()
    assert store.receipt("naming", "haiku") is None
    assert store.removed("naming", "haiku") == removal


def test_a_link_in_the_way_is_refused(make_repository: Make) -> None:
    repository = make_repository(files={"elsewhere/naming__haiku.json": "planted"})
    (repository.path / ".driftproof").mkdir()
    os.symlink("../elsewhere", repository.path / ".driftproof" / "receipts")
    head = repository.commit()
    assert (repository.path / PATH).read_text() == "planted"
    with pytest.raises(GitError):
        TreeStore(opened(repository), head).receipt("naming", "haiku")


def test_a_store_in_the_checkout_is_a_folder(make_repository: Make) -> None:
    repository = make_repository(files={"a": ""})
    files = FilesIO(str(repository.path))
    assert not exists_in_checkout(files)
    (repository.path / ".driftproof").symlink_to("a")
    assert not exists_in_checkout(files)
    (repository.path / ".driftproof").unlink()
    (repository.path / ".driftproof").mkdir()
    assert exists_in_checkout(files)


def test_names_stored_files_that_differ(make_repository: Make) -> None:
    repository = make_repository(files={PATH: "one", ".driftproof/badges/x.svg": "b", ".driftproof/same": "s", "code": "1"})
    base = repository.git("rev-parse", "HEAD")
    (repository.path / ".driftproof/badges/x.svg").unlink()
    head = repository.commit({PATH: "two", ".driftproof/receipts/new.json": "n", "code": "2"})
    assert touched(opened(repository), base, head) == (".driftproof/badges/x.svg", PATH, ".driftproof/receipts/new.json")
    assert touched(opened(repository), head, head) == ()
