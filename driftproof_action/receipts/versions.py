"""Which receipt versions can be read, and the frozen schema of each. Not: the generator of the schemas (shapes and others)."""

from __future__ import annotations

import json
import pkgutil  # importlib.resources takes a tenth of what a whole `diff` takes
from collections.abc import Mapping
from typing import Any

OWN = "1.0-draft"
"""The version we write."""
LARGEST = 32 * 1024 * 1024
"""Bytes a receipt may have; one of thirty cases has two or three million."""

SCHEMAS: Mapping[str, str] = {
    version: f"receipt.v{version}.schema.json"
    for version in ("0.1", "0.2", "0.3", "0.3.1", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "0.10", "0.11", OWN)
}
"""Version, as the receipt spells it → file. Oldest first. 0.3.1 is read by its later, interop revision."""

_ORDER = {version: rank for rank, version in enumerate(SCHEMAS)}


def at_least(version: str, other: str) -> bool:
    """Whether a known version is `other` or later. Versions are not decimal numbers: 0.10 comes after 0.9."""
    return _ORDER[version] >= _ORDER[other]


def schema(version: str) -> Mapping[str, Any]:
    """The frozen schema of a known version. Raises KeyError for another word."""
    content = pkgutil.get_data(__package__, f"schemas/{SCHEMAS[version]}")
    assert content is not None
    loaded: Mapping[str, Any] = json.loads(content)
    return loaded


def frozen(shape: Mapping[str, Any]) -> str:
    """A schema as its file holds it."""
    return json.dumps(shape, indent=1, ensure_ascii=False) + "\n"
