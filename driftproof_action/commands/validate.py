"""`driftproof validate`: says of each receipt whether it is what it claims to be. Not: who made it, nor any verdict of it.

`--json` prints one object: `receipts`, a list in the order of the paths, and `exit_code`. Each entry holds `path`, `status`
(`valid`, `remarks`: an older version forgives what was found, `invalid`, `unreadable`: not JSON we accept, `missing`: no such
file), `schema_version`, `receipt_hash` and `hash_verified` (null where unknown), `findings` (each `class`, `path`, `says`,
`gives`, `source`, `fatal`, `sentence`) and `error` (null, or `message`, `place`, `detail`, `fix`, `anchor`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from driftproof_action.canonical import Json, read_json
from driftproof_action.domain.rule import Rule
from driftproof_action.errors import DocumentError, DriftproofError
from driftproof_action.receipts.read import FAULTS, unreadable
from driftproof_action.receipts.verify import Checked, check
from driftproof_action.receipts.versions import LARGEST, OWN

SHOWN = 5
"""Findings printed of one receipt; all of them with --json."""

_EXITS = {"valid": 0, "remarks": 0, "invalid": 4, "unreadable": 4, "missing": 2}


def run(paths: Sequence[str], as_json: bool, *, read: Callable[[str], bytes], rules: Mapping[str, Rule] | None = None) -> tuple[str, int]:
    """(what to print, exit code): 0 all valid, 4 one is not, 2 one is missing. read: raises FileError for a missing file.
    rules: by name; None = those of this release."""
    entries = [_entry(path, read, rules) for path in paths]
    codes = {_EXITS[entry["status"]] for entry in entries}
    code = 4 if 4 in codes else max(codes, default=2)
    if as_json:
        return json.dumps({"receipts": entries, "exit_code": code}, indent=2) + "\n", code
    return "".join(line + "\n" for entry in entries for line in _lines(entry)), code


def _entry(path: str, read: Callable[[str], bytes], rules: Mapping[str, Rule] | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"path": path, "status": "missing", "schema_version": None, "receipt_hash": None, "hash_verified": None}
    try:
        data = read(path)
    except DriftproofError as error:
        return entry | {"findings": [], "error": error.to_json()}
    try:
        document = read_json(data, source=path, limit=LARGEST)
        checked = check(document, rules=_rules_for(document) if rules is None else rules)
    except DocumentError as error:
        return entry | {"status": "unreadable", "findings": [], "error": unreadable(error).to_json()}
    return entry | _checked(checked)


def _rules_for(document: Json) -> Mapping[str, Rule] | None:
    if not isinstance(document, dict) or document.get("schema_version") != OWN:
        return None
    from driftproof_action.decisions.table import TABLE  # only receipts that name a rule pay for the rules

    return TABLE


def _checked(checked: Checked) -> dict[str, Any]:
    seal = checked.document.get("receipt_hash") if isinstance(checked.document, dict) else None
    return {
        "status": checked.status,
        "schema_version": checked.version,
        "receipt_hash": seal if isinstance(seal, str) and checked.hash_verified else None,
        "hash_verified": checked.hash_verified,
        "findings": [item.to_json() | {"sentence": item.sentence()} for item in checked.mismatches],
        "error": None,
    }


def _lines(entry: Mapping[str, Any]) -> list[str]:
    path, findings = _printable(entry["path"]), entry["findings"]
    error = entry["error"]
    if error:
        place = _printable(error["place"]) or path
        advice = [f"  → {line}" for line in error["fix"].splitlines()]
        return [f"{place}: {_printable(error['message'])}", *advice, f"  docs/errors.md#{error['anchor']}"]
    lines = [f"  {item['class']}: {item['sentence']}" for item in findings[:SHOWN]]
    lines += [f"  and {len(findings) - SHOWN} more: --json lists them"] if len(findings) > SHOWN else []
    if entry["status"] == "invalid":
        worst = next(item for item in findings if item["fatal"])
        message, fix, anchor = FAULTS[worst["class"]]
        return [f"{path}: {message}", *lines, f"  → {fix}", f"  docs/errors.md#{anchor}"]
    sealed = f"version {entry['schema_version']}, seal verified, {entry['receipt_hash'][:12]}"
    if not findings:
        return [f"{path}: valid ({sealed})"]
    return [f"{path}: valid, with {len(findings)} remarks ({sealed})", *lines]


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)
