"""Everything a job may touch, in one value: the doors build it, the walk receives it. Not: what is done with it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from driftproof_action.ports import Clock, Files, Git, Journal, Progress, Surface
from driftproof_action.registry.models import Registry


@dataclass(frozen=True, slots=True)
class World:
    """files: the checkout (or plain folder) the skills lie in. out: the folder that receives `driftproof-out`.

    say: one line for people. token: unguessable text of our own. open_journal: a journal outside the checkout, given the
    run's nonce; keep_journal: says where it is left when a run was cut short, drops it otherwise. surface: the name of the
    one models are asked through; endpoint: the origin it asks at, None for the stub. seconds: how long new calls may go out.
    hang_up: when nothing more will be asked.
    """

    files: Files
    out: Files
    git: Git | None
    clock: Clock
    token: Callable[[], str]
    registry: Registry
    surface: str
    endpoint: str | None
    surfaces: Mapping[str, Surface]
    open_journal: Callable[[str], Journal]
    keep_journal: Callable[[bool], str]
    stop: threading.Event
    seconds: float | None
    say: Callable[[str], None]
    hang_up: Callable[[], None]
    progress: Progress | None = None
    run_url: str = ""
    pull_request: bool = False
    scripted: bool = False
    example: bool = False
