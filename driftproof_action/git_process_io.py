"""The one place that starts git: within limits of time and output, alone in a process group. Not: what it is asked."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from os import killpg
from typing import IO

from driftproof_action.errors import GitError

MAX_OUTPUT = 64 * 1024 * 1024
TIME_LIMIT = 60.0


def answer_of(command: Sequence[str], *, cwd: str, environment: Mapping[str, str], stdin: IO[bytes] | None) -> tuple[int, bytes, str]:
    """Run to the end within the limits of time and output; past them the whole process group is killed."""
    with tempfile.TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=dict(environment),
                stdin=stdin or subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
                start_new_session=True,
            )
        except OSError as error:
            raise GitError("git cannot be started", detail=error.strerror or "", fix="install git", anchor="git-absent") from error
        late = threading.Event()

        def give_up() -> None:
            late.set()
            _kill(process.pid)

        timer = threading.Timer(TIME_LIMIT, give_up)
        timer.start()
        try:
            assert process.stdout is not None
            out = process.stdout.read(MAX_OUTPUT + 1)
            if len(out) > MAX_OUTPUT:
                _kill(process.pid)
            process.stdout.close()
            code = process.wait()
        finally:
            timer.cancel()
        if late.is_set() or len(out) > MAX_OUTPUT:
            what = f"took longer than {TIME_LIMIT:g} s" if late.is_set() else f"answered more than {MAX_OUTPUT} bytes"
            raise GitError(f"git {what}", place=cwd, fix="run it in a smaller checkout", anchor="git-limit")
        complaints.seek(0)
        return code, out, complaints.read(2000).decode("utf-8", "replace")


def _kill(group: int) -> None:
    with suppress(ProcessLookupError):
        killpg(group, signal.SIGKILL)
