"""What the image is made of. Not: what it does (test_step.py)."""

from __future__ import annotations

import hashlib
import json
import re
import stat
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.container.image import ROOT, Image
from tests.runner.backends import Bubblewrap
from tests.runner.emulator import Launch, Layout

HOME = "opt/driftproof"
UNCHECKED = 0b01
"""Flags of byte code that is never compared with its source again."""
OUR_LAYERS = 150_000_000
"""Bytes our layers may add: git is 50 million of them, the model provider's library most of the rest."""
PIN = re.compile(r"(?m)^([a-z0-9][a-z0-9._-]*)==([^ ]+) (?:; (.*?) )?\\")


@pytest.fixture
def root(image: Image) -> Path:
    return Path(image.root)


@pytest.fixture
def packages(root: Path) -> Path:
    (found,) = (root / HOME / "lib").glob("python3.*/site-packages")
    return found


def files_below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def test_the_image_says_how_it_runs_and_nothing_else(image: Image) -> None:
    entry = next(line for line in (ROOT / "Dockerfile").read_text().splitlines() if line.startswith("ENTRYPOINT "))
    assert list(image.entrypoint) == json.loads(entry.partition(" ")[2])
    assert set(image.env) == set(image.base_env)
    for setting in ("User", "WorkingDir", "Volumes", "ExposedPorts", "Cmd", "Healthcheck"):
        assert not image.config.get(setting), setting


def test_no_installer_and_no_trace_of_the_build(root: Path, packages: Path) -> None:
    names = {path.name.partition("-")[0].lower() for path in packages.iterdir()}
    assert not {"pip", "setuptools", "wheel", "hatchling", "pytest"} & names
    assert not list((root / HOME / "bin").glob("pip*"))
    for gone in ("source", "wheels", "locks", "opt/build"):
        assert not (root / gone).exists(), gone
    assert not any((root / "var/lib/apt/lists").iterdir())


def test_what_is_installed_is_what_is_locked(packages: Path) -> None:
    """By name and version; a pin with a marker may be left out."""
    pins = {name: (version, marker) for name, version, marker in PIN.findall((ROOT / "requirements.lock").read_text())}
    found = dict(path.name.removesuffix(".dist-info").lower().split("-", 1) for path in packages.glob("*.dist-info"))
    installed = {name.replace("_", "-").replace(".", "-"): version for name, version in found.items()}
    installed.pop("driftproof")
    assert {name for name, (_, marker) in pins.items() if not marker} <= set(installed) <= set(pins)
    assert installed == {name: pins[name][0] for name in installed}


def test_our_package_is_the_one_of_the_checkout(packages: Path) -> None:
    def digests(folder: Path) -> dict[str, str]:
        return {
            path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in files_below(folder)
            if path.suffix != ".pyc"
        }

    assert digests(packages / "driftproof_action") == digests(ROOT / "driftproof_action")
    below = {path.name for path in (packages.parents[2]).iterdir()} - {"pyvenv.cfg", "include", "share"}
    assert below == {"bin", "lib", "lib64", "entrypoint.py"}


def test_everything_is_compiled_once_and_for_all(packages: Path) -> None:
    sources = [path for path in files_below(packages) if path.suffix == ".py"]
    assert len(sources) > 100
    for source in sources:
        (compiled,) = (source.parent / "__pycache__").glob(f"{source.stem}.cpython-3*.pyc")
        (flags,) = struct.unpack("<I", compiled.read_bytes()[4:8])
        assert flags == UNCHECKED, source


def test_nothing_of_ours_can_be_written_by_others_or_raises_rights(root: Path) -> None:
    for path in files_below(root / HOME):
        status = path.stat()
        assert (status.st_uid, status.st_gid) == (0, 0), path
        assert not status.st_mode & (stat.S_IWOTH | stat.S_IWGRP | stat.S_ISUID | stat.S_ISGID), path


def test_the_image_is_no_larger_than_it_need_be(image: Image) -> None:
    assert image.size - image.base_size < OUR_LAYERS


def test_git_and_certificates_are_there(image: Image, root: Path, tmp_path: Path) -> None:
    layout = Layout(tmp_path, tmp_path / "r" / "r")
    layout.make()
    layout.workspace.mkdir(parents=True)
    code, log = Bubblewrap(image, entrypoint=("git", "--version")).run(Launch(layout, {}))
    assert (code, log[:12]) == (0, b"git version ")
    assert (root / "etc/ssl/certs/ca-certificates.crt").stat().st_size > 100_000
    helper = subprocess.run(["find", str(root / "usr/lib/git-core"), "-name", "git-remote-https"], capture_output=True, check=True)
    assert helper.stdout, "commits that are missing are fetched over https"
