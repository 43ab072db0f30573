"""Writes the frozen receipt schemas from their generator. Not: run by anything but a person who changed a version.

Usage: python spec/freeze_schemas.py
"""

from __future__ import annotations

from pathlib import Path

from driftproof_action.receipts import versions
from driftproof_action.receipts.own_schema import own_schema
from driftproof_action.receipts.published_sampled import published_schema

FOLDER = Path(versions.__file__).parent / "schemas"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for version, name in versions.SCHEMAS.items():
        shape = own_schema() if version == versions.OWN else published_schema(version)
        (FOLDER / name).write_text(versions.frozen(shape), encoding="utf-8")


if __name__ == "__main__":
    main()
