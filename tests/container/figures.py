"""How large the image is and how long it takes: `python -m tests.container.figures [RUNS]`. Not: a test; figures depend on a machine.

The base is the one the tests use, and the image is built again from no cached layer, as a job runner has to.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.container.image import missing_tools, ready
from tests.runner.backends import Bubblewrap, Podman, Process
from tests.runner.emulator import Backend
from tests.runner.jobs import STUB, first_push, prepared

MEGABYTE = 1_000_000


def main(runs: int) -> None:
    image = ready(fresh=True)
    ways: dict[str, Backend] = {"podman": Podman(image), "bubblewrap": Bubblewrap(image), "no container": Process()}
    lines = [
        f"base         {image.base_size / MEGABYTE:6.0f} MB   made in {image.base_seconds:.1f} s",
        f"image        {image.size / MEGABYTE:6.0f} MB   built on it in {image.build_seconds:.1f} s",
    ]
    for name, backend in ways.items():
        seconds = sorted(_seconds(backend) for _ in range(runs))
        middle, low, high = statistics.median(seconds), seconds[0], seconds[-1]
        lines.append(f"{name:12} {middle:6.2f} s    a stub run, start to finish; {low:.2f} to {high:.2f} s")
    sys.stdout.write("\n".join(lines) + "\n")


def _seconds(backend: Backend) -> float:
    with tempfile.TemporaryDirectory(prefix="driftproof-figures-") as folder:
        runner = prepared(Path(folder), backend)
        event = first_push(runner)
        start = time.monotonic()
        step = runner.step(event, given=STUB)
        assert step.outcome == "success", step.log
        return time.monotonic() - start


if __name__ == "__main__":
    if lacking := missing_tools():
        sys.exit("missing: " + ", ".join(lacking))
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
