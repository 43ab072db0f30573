from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from driftproof_action.canonical import canonical_bytes
from driftproof_action.reports.result import to_json
from tests.golden.situations import SITUATIONS, got_worse, job

PAGE = Path(__file__).parents[3] / "docs" / "result.md"


@pytest.mark.parametrize("name", SITUATIONS)
def test_it_is_json_of_one_shape(name: str) -> None:
    told = to_json(SITUATIONS[name]())
    assert json.loads(canonical_bytes(told)) == json.loads(json.dumps(told))
    assert set(told) == set(to_json(job()))


def test_every_key_is_documented() -> None:
    told = to_json(got_worse())
    row = told["rows"][0]  # type: ignore[index,call-overload]
    keys = {*told, *row, *row["comparison"], *row["comparison"]["cases"][0], *told["projected"]}  # type: ignore[index,call-overload,misc]
    documented = set(re.findall(r"`([a-z0-9_]+)`", PAGE.read_text(encoding="utf-8")))
    assert keys <= documented


def test_nothing_ran() -> None:
    told = to_json(job())
    assert (told["verdict"], told["drift"], told["rows"]) == ("NOT_MEASURED", None, [])
