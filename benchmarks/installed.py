"""The package as users get it: a built wheel, byte-compiled, in an environment of its own. Not: an editable checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Installed:
    """wheel: the file that was installed. python, command: of the new environment."""

    wheel: Path
    python: Path
    command: Path


def install(folder: Path) -> Installed:
    """Build the wheel of this checkout below `folder` and install it there, with no network.

    The environment borrows the dependencies of the one that runs this, through a path file: they are not copied, and the
    path files of the lender (an editable install among them) are not followed. Raises CalledProcessError.
    """
    wheel = _build(folder / "wheel")
    home = folder / "environment"
    _run(sys.executable, "-m", "venv", "--without-pip", str(home))
    python = home / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", str(python), "--no-input", "--disable-pip-version-check")
    _run(*pip, "install", "--quiet", "--no-deps", "--no-index", "--compile", str(wheel))
    paths = {key: sysconfig.get_path(key) for key in ("purelib", "platlib")}
    _site_packages(home).joinpath("borrowed.pth").write_text("\n".join(dict.fromkeys(paths.values())) + "\n", encoding="utf-8")
    return Installed(wheel, python, home / "bin" / "driftproof")


def _build(folder: Path) -> Path:
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")
    return wheel


def _site_packages(home: Path) -> Path:
    (found,) = home.glob("lib/python*/site-packages")
    return found


def _run(*words: str) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(words, check=True, capture_output=True, env=environment)
