"""Folders of our own outside the checkout, and whose they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from driftproof_action.errors import FileError
from driftproof_action.local_io import absolute, hand_over, private_folder, remove_folder, resume_folder

THEIRS = (1001, 1002)


@pytest.fixture
def given_away(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """What root would have given away: (path, user, group)."""
    asked: list[tuple[str, int, int]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", lambda path, user, group, **_: asked.append((str(path), user, group)))
    return asked


def theirs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder belongs to somebody else, whoever runs this test."""
    real = Path.stat

    def stat(self: Path, **more: bool) -> os.stat_result:
        found = real(self, **more)
        return os.stat_result((*found[:4], *THEIRS, *found[6:10])) if self == folder else found

    monkeypatch.setattr(Path, "stat", stat)


def test_a_private_folder_is_the_runners_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given_away: list[tuple[str, int, int]]
) -> None:
    theirs(tmp_path, monkeypatch)
    folder = private_folder({"RUNNER_TEMP": str(tmp_path)})
    assert folder.parent == tmp_path
    assert os.stat(folder).st_mode & 0o777 == 0o700
    assert given_away == [(str(folder), *THEIRS)]
    (folder / "journal.jsonl").write_text("{}")
    hand_over(folder)
    assert given_away[1:] == [(str(folder), *THEIRS), (str(folder / "journal.jsonl"), *THEIRS)]
    remove_folder(folder)
    assert not folder.exists()


def test_nothing_is_given_away_outside_a_job_or_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given_away: list[tuple[str, int, int]]
) -> None:
    remove_folder(private_folder({}))
    theirs(tmp_path, monkeypatch)
    monkeypatch.setattr(os, "geteuid", lambda: 1001)
    private_folder({"RUNNER_TEMP": str(tmp_path)})
    assert given_away == []


def test_an_absolute_path_keeps_its_last_component(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "file").symlink_to(tmp_path)
    assert absolute(f"{tmp_path}/link/file") == f"{tmp_path}/real/file"


def test_the_folder_to_resume_from_is_an_interrupted_runs_and_outside_the_checkout(tmp_path: Path) -> None:
    def refused(folder: Path) -> str:
        with pytest.raises(FileError) as caught:
            resume_folder(str(folder), holds="journal.jsonl", outside=str(tmp_path / "checkout"))
        return str(caught.value)

    for name in ("checkout/runs", "thesis", "kept", "empty"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work")
    (tmp_path / "kept" / "journal.jsonl").touch()
    (tmp_path / "link").symlink_to("kept")
    assert "is not a folder" in refused(tmp_path / "nowhere")
    assert "is not a folder" in refused(tmp_path / "link")
    assert "inside the checkout" in refused(tmp_path / "checkout")
    assert "inside the checkout" in refused(tmp_path / "checkout" / "runs")
    assert "holds other files" in refused(tmp_path / "thesis")
    for name in ("kept", "empty"):
        assert resume_folder(str(tmp_path / name), holds="journal.jsonl", outside=str(tmp_path / "checkout")).name == name
