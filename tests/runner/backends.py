"""Ways to run the action: in this process, as a process of its own, in the image by bubblewrap or podman. Not: the contract."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from driftproof_action import action
from tests.container.image import Image, podman_environment, store
from tests.runner.emulator import ROOT, Launch

TIME_LIMIT = 90
OWN = ("PATH", "HOME", "CONTAINERS_CONF")
"""Variables podman itself goes by: they are handed to the container by value, all others by name as the runner does it."""

CAPABILITIES = (
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
)
"""What root in a container may do by default."""


@dataclass(frozen=True)
class InProcess:
    """The Action's door called directly: fast, and blind to the interpreter's start-up."""

    translated: bool = False

    def run(self, launch: Launch) -> tuple[int, bytes]:
        log = io.StringIO()
        environment = {"PATH": os.environ["PATH"], **launch.environment}
        return action.main(environment, stdout=log), log.getvalue().encode("utf-8", "replace")


@dataclass(frozen=True)
class Process:
    """The entrypoint as the image starts it, with this environment's interpreter and the host's paths."""

    translated: bool = False

    def run(self, launch: Launch) -> tuple[int, bytes]:
        command = [sys.executable, "-I", "-X", "utf8", str(ROOT / "entrypoint.py"), *launch.arguments]
        environment = {"PATH": os.environ["PATH"], **launch.environment}
        return run(command, environment=environment, folder=launch.layout.workspace)


@dataclass(frozen=True)
class Bubblewrap:
    """The image's files under bubblewrap: root, no network but a loopback of its own, some ten milliseconds to start.

    read_only: the workspace cannot be written to. entrypoint: another one than the image's.
    """

    image: Image
    read_only: bool = False
    entrypoint: Sequence[str] = ()
    translated: bool = True

    def run(self, launch: Launch) -> tuple[int, bytes]:
        bubblewrap = shutil.which("bwrap")
        assert bubblewrap
        words = [bubblewrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--cap-drop", "ALL"]
        words += [word for name in CAPABILITIES for word in ("--cap-add", f"CAP_{name}")]
        for place in sorted(Path(self.image.root).iterdir()):
            if place.is_symlink():
                words += ["--symlink", os.readlink(place), f"/{place.name}"]
            elif place.name not in ("proc", "dev", "sys", "tmp", "run", "github"):
                words += ["--ro-bind", str(place), f"/{place.name}"]
        words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run"]
        for host, inside in launch.layout.mounts.items():
            closed = self.read_only and host == launch.layout.workspace
            words += ["--ro-bind" if closed else "--bind", str(host), inside]
        words += ["--chdir", "/github/workspace", "--clearenv"]
        variables = dict(entry.split("=", 1) for entry in self.image.env) | dict(launch.environment)
        words += [word for name, value in variables.items() for word in ("--setenv", name, value)]
        command = launch.entrypoint.split() or self.entrypoint or self.image.entrypoint
        return run([*words, *command, *launch.arguments], environment={"PATH": os.environ["PATH"]})


@dataclass(frozen=True)
class Podman:
    """`podman run`, which takes what the runner's `docker run` takes. network: none, or `ns:PATH` of a namespace."""

    image: Image
    network: str = "none"
    read_only: bool = False
    entrypoint: Sequence[str] = ()
    options: Sequence[str] = field(default=())
    translated: bool = True

    def run(self, launch: Launch) -> tuple[int, bytes]:
        words, environment = self.command(launch)
        try:
            return run(words, environment=environment)
        except subprocess.TimeoutExpired:
            # The client is gone, the container is not.
            name = words[words.index("--name") + 1]
            subprocess.run(["podman", *store(), "rm", "--force", name], env=environment, capture_output=True, check=False)
            raise

    def command(self, launch: Launch) -> tuple[list[str], dict[str, str]]:
        """The words, and the variables they are started with."""
        podman = shutil.which("podman")
        assert podman
        words = [
            podman,
            *store(),
            "run",
            "--name",
            f"driftproof-{uuid.uuid4().hex}",
            "--label",
            "driftproof=test",
            "--rm",
            "--pull",
            "never",
        ]
        words += ["--network", self.network, "--workdir", "/github/workspace", *self.options]
        environment = podman_environment()
        for name, value in launch.environment.items():
            words += ["--env", f"{name}={value}" if name in OWN else name]
            environment.setdefault(name, value)
        entrypoint = launch.entrypoint.split() or list(self.entrypoint)
        words += ["--entrypoint", entrypoint[0]] if entrypoint else []
        for host, inside in launch.layout.mounts.items():
            closed = self.read_only and host == launch.layout.workspace
            words += ["--volume", f"{host}:{inside}{':ro' if closed else ''}"]
        return [*words, self.image.name, *entrypoint[1:], *launch.arguments], environment


def run(words: Sequence[str], *, environment: Mapping[str, str], folder: Path | None = None) -> tuple[int, bytes]:
    """Both streams as one, as they come. An action that does not end fails the test."""
    done = subprocess.run(
        words,
        env=dict(environment),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=TIME_LIMIT,
    )
    return done.returncode, done.stdout
