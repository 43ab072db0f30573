"""`driftproof badge RECEIPT`: one receipt to badge JSON or a picture. Not: where badges are kept."""

from __future__ import annotations

import json
from collections.abc import Callable

from driftproof_action.comparison.verdict import published_verdict
from driftproof_action.receipts.read import load
from driftproof_action.reports.badge import badge_json, badge_svg


def run(path: str, *, svg: bool, read: Callable[[str], bytes]) -> tuple[str, int]:
    """(what goes to stdout, exit code 0). read: path → bytes.

    The verdict is the one the receipt stores; a receipt of a version that stored none is read by the published rule.
    Raises FileError (exit 2) for a path that cannot be read and ReceiptError (exit 4) for a receipt that is not valid.
    """
    view = load(read(path), source=path)
    verdict = (view.decision or published_verdict(view)).verdict
    if svg:
        return badge_svg(view, verdict), 0
    return json.dumps(badge_json(view, verdict), ensure_ascii=False, indent=2) + "\n", 0
