"""File names of receipts and the slugs in them. Not: where files go."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from driftproof_action.canonical import text_digest

SUFFIX = 6
LONGEST = 80


def slug(text: str) -> str:
    """Lower case, runs of anything but a-z and 0-9 to one hyphen, none at the ends, at most 80 characters; `unnamed` when
    nothing is left."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[: LONGEST + 1].strip("-")[:LONGEST].rstrip("-") or "unnamed"


def model_slug(model_id: str) -> str:
    """The slug of a model: its id without a trailing -YYYYMMDD."""
    return slug(re.sub(r"-[0-9]{8}\Z", "", model_id))


def unique_skill_slugs(skills: Sequence[tuple[str, str]]) -> dict[str, str]:
    """(path from the checkout root, name) of every skill of the checkout → slug by path. Skills whose slugs collide all get
    the first 6 hex digits of sha256(path) behind, so that a new skill never takes another's name."""
    return _unique({path: slug(name) for path, name in skills})


def unique_model_slugs(model_ids: Sequence[str]) -> dict[str, str]:
    """Slug by model id; colliding ones get the first 6 hex digits of sha256(model id) behind."""
    return _unique({id: model_slug(id) for id in model_ids})


def _unique(slugs: Mapping[str, str]) -> dict[str, str]:
    shared = {word for word, times in Counter(slugs.values()).items() if times > 1}
    return {key: f"{word}-{text_digest(key)[:SUFFIX]}" if word in shared else word for key, word in slugs.items()}


def receipt_name(document: Mapping[str, Any], *, skill_slug: str = "", model_part: str = "") -> str:
    """`<skill>-<model>[-tag]-<YYYY-MM-DD>-<first 12 of receipt_hash>.json` of a sealed receipt.

    skill_slug, model_part: as settled over the checkout; empty = from the receipt's own names. Tags: stub, quick, example.
    """
    run = document["run"]
    kind = (run.get("answered_by") or {}).get("kind")
    tags = [("example", bool(run.get("example"))), ("stub", kind == "stub"), ("quick", run.get("preset") == "quick")]
    tag = next((f"-{word}" for word, holds in tags if holds), "")
    head = f"{skill_slug or slug(document['skill']['name'])}-{model_part or model_slug(run['model_id'])}"
    day = (run.get("date_utc") or "undated")[:10]
    return f"{head}{tag}-{day}-{document['receipt_hash'][:12]}.json"
