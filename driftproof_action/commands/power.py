"""`driftproof power RECEIPT`: what more draws of this suite would show, and what they would cost. Not: what the receipt shows.

`--json` prints one object: `receipt_hash`, `skill`, `model_id`, `verification_level`, `effect`, `reason` (`no_spread`, or empty),
`samples`, `samples_assumed`, `designs` (each `draws`, `smallest_lift`, `smallest_fall`, `calls`, `usd`), `confirmation` (`calls`,
`usd`: the most fresh draws add), `draws_for_lift`, and `cases` (each `id`, `reason`, `spread`, `draws`, `smallest_fall`,
`draws_for_fall`). Null: not known, or no number of draws would do.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from driftproof_action.analysis.bands import EFFECT_FLOOR
from driftproof_action.comparison.power import PowerReading, power_reading
from driftproof_action.decisions.table import TABLE
from driftproof_action.errors import InputError
from driftproof_action.receipts.read import load
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.power import power_page


def run(path: str, *, effect: float, as_json: bool, read: Callable[[str], bytes]) -> tuple[str, int]:
    """(what goes to stdout, exit code 0). effect: the lift, and the fall, to reckon draws for.

    Raises FileError or InputError (2) and ReceiptError (4) for a receipt that is not valid or holds no lift.
    """
    if not (math.isfinite(effect) and EFFECT_FLOOR <= effect <= 1):
        raise InputError(f"got {effect}, expected a number from 0.05 to 1", place="effect", fix="for example --effect 0.1", anchor="input")
    view = load(read(path), source=path, rules=TABLE)
    if view.method != "lift":
        raise InputError(
            f"is a receipt of the method {view.method}, which has one arm",
            place=path,
            fix="give a receipt of driftproof run",
            anchor="input",
        )
    found = power_reading(view, effect)
    if as_json:
        return json.dumps(_to_json(found, view), ensure_ascii=False, indent=2) + "\n", 0
    return power_page(found, view), 0


def _to_json(found: PowerReading, view: ReceiptView) -> dict[str, Any]:
    return {
        "receipt_hash": view.receipt_hash,
        "skill": view.skill_name,
        "model_id": view.model_id,
        "verification_level": view.level,
        "effect": found.effect,
        "reason": found.reason,
        "samples": found.samples,
        "samples_assumed": found.assumed,
        "designs": [
            {
                "draws": row.draws,
                "smallest_lift": _six(row.lift),
                "smallest_fall": _six(row.fall),
                "calls": row.calls,
                "usd": row.usd,
            }
            for row in found.designs
        ],
        "confirmation": {"calls": found.confirm_calls, "usd": found.confirm_usd},
        "draws_for_lift": found.suite,
        "cases": [
            {
                "id": case.id,
                "reason": case.reason,
                "spread": case.spread,
                "draws": case.draws,
                "smallest_fall": _six(case.fall),
                "draws_for_fall": case.needed,
            }
            for case in found.cases
        ],
    }


def _six(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
