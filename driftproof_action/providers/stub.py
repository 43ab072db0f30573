"""A surface that asks nobody: fixed answers and scores, or a script of them. Not: a measurement; a stub run has no verdict."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from driftproof_action.canonical import canonical_bytes, read_json
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.reply import Ending, Reply
from driftproof_action.domain.usage import Usage
from driftproof_action.errors import InputError
from driftproof_action.graders.criteria import asked_ids
from driftproof_action.ports import About, Workspace

SURFACE = "stub"
WITHOUT_SKILL = "baseline"
SCORES = {WITHOUT_SKILL: 0.42}
WITH_SKILL_SCORE = 0.85
ANSWER = "This is the stub: no model was asked, so there is no answer to read."

_RETRYABLE: frozenset[Ending] = frozenset({"rate_limited", "transport_error", "timeout"})
_KEYS = frozenset({"arm", "case", "draw", "role", "reply", "error", "delay_ms", "times"})


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a script; None matches everything. times: how many calls it serves, None: all.

    reply: the text answered; error: the ending instead of one; delay_ms: how long the call takes first.
    """

    role: Literal["target", "judge"]
    arm: str | None = None
    case: str | None = None
    draw: int | None = None
    reply: str | None = None
    error: Ending | None = None
    delay_ms: int = 0
    times: int | None = None

    def matches(self, about: About) -> bool:
        draw = about.draws[0]
        return (
            self.role == about.role and self.arm in (None, draw.arm) and self.case in (None, about.case) and self.draw in (None, draw.index)
        )


class StubSurface:
    """Deterministic and free. Without a script an answer scores 0.85, in the arm without the skill 0.42."""

    def __init__(self, script: Sequence[Line] = ()) -> None:
        self._script = script
        self.instant = not script
        self._served = [0] * len(script)
        self._lock = threading.Lock()

    def answer(self, ask: Ask, workspace: Workspace | None, key: str, about: About) -> Reply:
        line = self._line(about)
        if line and line.delay_ms:
            time.sleep(line.delay_ms / 1000)
        if line and line.error:
            text = line.reply or ""
            return Reply(line.error, text, detail="scripted", retryable=line.error in _RETRYABLE, retry_after_ms=0)
        text = line.reply if line and line.reply is not None else self._unscripted(ask, about)
        return Reply("completed", text, stop_reason="end_turn", usage=Usage(micro_usd=0))

    def close(self) -> None:
        """There is nobody to hang up on."""

    def _line(self, about: About) -> Line | None:
        with self._lock:
            for number, line in enumerate(self._script):
                if line.matches(about) and (line.times is None or self._served[number] < line.times):
                    self._served[number] += 1
                    return line
        return None

    def _unscripted(self, ask: Ask, about: About) -> str:
        if about.role == "target":
            return ANSWER
        arm, ids = about.draws[0].arm, asked_ids(ask)
        if ids is None:
            return canonical_bytes({"score": SCORES.get(arm, WITH_SKILL_SCORE), "reason": "stub: no model was asked"}).decode()
        decision = "not_met" if arm == WITHOUT_SKILL else "met"
        return canonical_bytes({"judgments": [{"id": id, "decision": decision, "reason": "stub"} for id in ids]}).decode()


def read_script(data: bytes, *, source: str) -> tuple[Line, ...]:
    """A script: a JSON list of {role, arm?, case?, draw?, times?, reply | error | delay_ms}; the first match serves a call.

    A reply may be a text or any JSON value, which is then answered as JSON. Raises InputError naming entry and key.
    """
    rows = read_json(data, source=source)
    if not isinstance(rows, list):
        raise InputError("is not a list", place=source, fix='write [{"role": "judge", "reply": …}, …]', anchor="stub-script")
    return tuple(_line(row, f"{source}: entry {number}") for number, row in enumerate(rows))


def _line(row: Any, place: str) -> Line:
    def refuse(message: str, fix: str) -> InputError:
        return InputError(message, place=place, fix=fix, anchor="stub-script")

    if not isinstance(row, Mapping):
        raise refuse("is not an object", 'write {"role": "target" or "judge", …}')
    if unknown := sorted(set(row) - _KEYS):
        raise refuse(f"has the unknown key {unknown[0]!r}", f"use {', '.join(sorted(_KEYS))}")
    if row.get("role") not in ("target", "judge"):
        raise refuse(f"role is {row.get('role')!r}", 'write "target" (the model) or "judge"')
    if row.get("error") is not None and row["error"] not in get_args(Ending):
        raise refuse(f"error is {row['error']!r}", f"use one of {', '.join(sorted(set(get_args(Ending)) - {'completed'}))}")
    for key, top in (("draw", 10_000), ("delay_ms", 600_000), ("times", 1_000_000)):
        value = row.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= top):
            raise refuse(f"{key} is {value!r}", f"a whole number from 0 to {top}")
    for key in ("arm", "case"):
        if row.get(key) is not None and not isinstance(row[key], str):
            raise refuse(f"{key} is {row[key]!r}", "a text")
    if not any(key in row for key in ("reply", "error", "delay_ms")):
        raise refuse("says nothing", "give reply, error or delay_ms")
    reply = row.get("reply")
    return Line(
        row["role"],
        row.get("arm"),
        row.get("case"),
        row.get("draw"),
        reply if reply is None or isinstance(reply, str) else json.dumps(reply, ensure_ascii=False),
        row.get("error"),
        row.get("delay_ms") or 0,
        row.get("times"),
    )
