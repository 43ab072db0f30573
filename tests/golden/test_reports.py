"""What people read, whole, against stored files. `UPDATE_GOLDEN=1 pytest tests/golden` writes them anew: read the diff."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from driftproof_action.errors import InputError, ReceiptError, SuiteError
from driftproof_action.reports.badge import badge_json, badge_svg
from driftproof_action.reports.comment import comment
from driftproof_action.reports.console import people_lines
from driftproof_action.reports.outputs import outputs
from driftproof_action.reports.receipt_summary import receipt_summary
from driftproof_action.reports.result import to_json
from driftproof_action.reports.summary import summary
from driftproof_action.reports.terminal import error_lines
from tests.golden.situations import HAIKU, HOSTILE, SITUATIONS, STEADY, view

FILES = Path(__file__).parent / "files"


def _log() -> str:
    return (
        "\n\n".join(f"# {name}\n" + "\n".join(people_lines(make())) for name, make in SITUATIONS.items() if name != "ten_by_three") + "\n"
    )


def _outputs() -> str:
    told = {name: outputs(make(), result_file="driftproof-out/result.json") for name, make in SITUATIONS.items() if name != "ten_by_three"}
    return json.dumps({name: {key: value for key, value in values.items() if value} for name, values in told.items()}, indent=2) + "\n"


def _errors() -> str:
    errors = [
        InputError('max-usd: got "5 USD", expected a number like 5 or 2.50'),
        SuiteError(
            'case "3" has nothing to grade by',
            place="skills/naming/evals/evals.json:41",
            detail="none of rubric, criteria, expected_output holds text",
            fix='add "expected_output": "what a good answer does"',
        ),
        ReceiptError(
            "is not\nwhat was \x1b[31msealed", place="::error::x\r\n.json", detail="##[error]a\n::stop-commands::b", fix="measure\nagain"
        ),
    ]
    return "\n\n".join(error_lines(error) for error in errors) + "\n"


BADGES = {
    "helps": (view(STEADY), "PASSED"),
    "hurts": (view(STEADY), "REGRESSED"),
    "not-enough": (view(STEADY), "UNDERPOWERED"),
    "stub": (view(STEADY, kind="stub"), "PASSED"),
    "example": (replace(view(STEADY), example=True), "PASSED"),
    "hostile": (view(STEADY, model="<script>&\"'\x1b\u202e", date="not a date"), "NO_EFFECT"),
}
RECEIPTS = {
    "helps": (view(STEADY), "PASSED"),
    "stub": (view(STEADY, kind="stub"), "NOT_MEASURED"),
    "hostile": (view({HOSTILE: ((0.4, 0.1), (None, 0.0))}, name=HOSTILE, model=f"{HAIKU}\n"), "UNDERPOWERED"),
}


def _texts() -> Mapping[str, Callable[[], str]]:
    out: dict[str, Callable[[], str]] = {"console.log": _log, "outputs.json": _outputs, "errors.txt": _errors}
    for name, make in SITUATIONS.items():
        out[f"{name}.comment.md"] = lambda make=make: comment(make(), key="4f0c")  # type: ignore[misc]
    for name in ("first_receipt", "got_worse", "not_measured", "cut_short", "hostile"):
        out[f"{name}.summary.md"] = lambda name=name: summary(SITUATIONS[name]())  # type: ignore[misc]
    out["got_worse.result.json"] = lambda: json.dumps(to_json(SITUATIONS["got_worse"]()), indent=2, ensure_ascii=False) + "\n"
    for name, (seen, verdict) in BADGES.items():
        out[f"badge-{name}.svg"] = lambda seen=seen, verdict=verdict: badge_svg(seen, verdict)  # type: ignore[misc]
        out[f"badge-{name}.json"] = lambda seen=seen, verdict=verdict: json.dumps(badge_json(seen, verdict)) + "\n"  # type: ignore[misc]
    for name, (seen, verdict) in RECEIPTS.items():
        out[f"receipt-{name}.summary.md"] = lambda seen=seen, verdict=verdict: receipt_summary(  # type: ignore[misc]
            seen, verdict=verdict, mapping="evals/evals.json: prompt ← prompt"
        )
    return out


TEXTS = _texts()


@pytest.mark.parametrize("name", TEXTS)
def test_text_is_as_stored(name: str) -> None:
    text = TEXTS[name]()
    path = FILES / name
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.read_bytes().decode() == text, "run UPDATE_GOLDEN=1 pytest tests/golden and read the diff"


def test_no_file_is_left_over() -> None:
    assert {path.name for path in FILES.iterdir()} == set(TEXTS)
