"""The built wheel holds what the code needs and runs on its own. Not: what the verbs do."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.installed import Installed, install
from driftproof_action import __version__
from tests.contract.package_source import PACKAGE, ROOT


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(tmp_path_factory.mktemp("wheel"))


def _run(
    installed: Installed, *words: str, folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    command = [str(installed.command), *words]
    return subprocess.run(command, cwd=folder, env=dict(environment or {}), capture_output=True, check=False)


def test_the_wheel_holds_every_file_of_the_package_and_no_other(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    there = {
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }
    assert packed == there


def test_the_wheel_carries_prompts_schemas_and_models(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = wheel.namelist()
    for folder, suffix in (
        ("graders/prompts/", ".txt"),
        ("receipts/schemas/", ".json"),
        ("registry/", ".json"),
        ("commands/starter/", ".yml"),
    ):
        assert any(name.startswith(f"driftproof_action/{folder}") and name.endswith(suffix) for name in names), folder


def test_the_wheel_names_its_licence(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        metadata = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        text = wheel.read(metadata).decode()
        assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())
    assert "License-Expression: Apache-2.0" in text


def test_the_installed_command_runs(installed: Installed, tmp_path: Path) -> None:
    done = _run(installed, "--version", folder=tmp_path)
    assert (done.returncode, done.stdout.decode().strip(), done.stderr) == (0, f"driftproof {__version__}", b"")
    assert b"Verbs:" in _run(installed, "--help", folder=tmp_path).stdout


def test_it_runs_the_installed_code_and_not_what_lies_around(installed: Installed, tmp_path: Path) -> None:
    planted = tmp_path / "driftproof_action"
    planted.mkdir()
    (planted / "__init__.py").write_text("raise SystemExit('planted')", encoding="utf-8")
    (tmp_path / "click.py").write_text("raise SystemExit('planted')", encoding="utf-8")
    assert _run(installed, "--version", folder=tmp_path).returncode == 0


def test_utf8_leaves_whatever_the_locale(installed: Installed, tmp_path: Path) -> None:
    """The C locale without Python's own rescue is the worst case a container gives."""
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = _run(installed, "lint", "--help", folder=tmp_path, environment=ascii_only)
    assert done.returncode == 0
    assert "PATH…" in done.stdout.decode("utf-8")
    wrong = _run(installed, "lint", folder=tmp_path, environment=ascii_only)
    assert wrong.returncode == 2
    assert "→" in wrong.stderr.decode("utf-8")
    assert b"Traceback" not in wrong.stderr
