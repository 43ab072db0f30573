"""Where the command line stands: working folder, folders of its own outside the checkout. Not: files of the checkout (files_io)."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from driftproof_action.errors import FileError


def working_folder() -> str:
    """The real absolute path of the working folder."""
    return os.path.realpath(".")


def absolute(path: str) -> str:
    """A path as the user gave it, absolute, its last component's folder resolved but not the component itself."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def private_folder(environ: Mapping[str, str]) -> Path:
    """A new folder only we can read, outside every checkout: below RUNNER_TEMP in a job, else below the temporary folder.

    In a job it belongs to the owner of RUNNER_TEMP from the start: however we end, the runner can clear it away.
    """
    home = environ.get("RUNNER_TEMP") or None
    folder = Path(tempfile.mkdtemp(prefix="driftproof-", dir=home))
    if home:
        hand_over(folder)
    return folder


def hand_over(folder: Path) -> None:
    """Give a folder of ours and the files in it to the owner of the folder above: a container is root in somebody's folders.
    Where root may not, they stay its own."""
    owner = folder.parent.stat()
    if os.geteuid() != 0 or (owner.st_uid, owner.st_gid) == (0, 0):
        return
    for place in (folder, *folder.iterdir()):
        with suppress(OSError):
            os.chown(place, owner.st_uid, owner.st_gid, follow_symlinks=False)


def resume_folder(path: str, *, holds: str, outside: str) -> Path:
    """The folder of an interrupted run: there, no link, outside the checkout, empty or with the file it `holds`. Raises FileError."""
    folder = Path(absolute(path))
    if folder.is_symlink() or not folder.is_dir():
        raise FileError("is not a folder", place=path, fix="name the folder the interrupted run said it kept", anchor="resume-dir")
    if str(folder) == outside or str(folder).startswith(f"{outside}/"):
        raise FileError("lies inside the checkout", place=path, fix="move the journal out of the checkout", anchor="resume-dir")
    if not (folder / holds).exists() and any(folder.iterdir()):
        raise FileError(
            f"holds other files and no {holds}", place=path, fix="name the folder the interrupted run said it kept", anchor="resume-dir"
        )
    return folder


def remove_folder(folder: Path) -> None:
    """With everything in it; a folder that is gone already is fine."""
    shutil.rmtree(folder, ignore_errors=True)
