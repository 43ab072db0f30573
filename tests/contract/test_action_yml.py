"""action.yml, the code and the pages say the same. Not: whether what they say is wise."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from driftproof_action.commands.gate import matrix
from driftproof_action.domain.words import DRIFTS, VERDICTS
from driftproof_action.reports.outputs import OUTPUTS, outputs_table
from driftproof_action.settings.fields import FIELDS
from driftproof_action.settings.tables import flags_table, inputs_table

ROOT = Path(__file__).resolve().parents[2]
FEATHER_COLOURS = {"white", "black", "yellow", "blue", "green", "orange", "red", "purple", "gray-dark"}


@pytest.fixture(scope="module")
def action() -> Any:
    return yaml.load((ROOT / "action.yml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)


def page(name: str, block: str) -> str:
    """What stands between a page's markers."""
    text = (ROOT / name).read_text(encoding="utf-8")
    found = re.findall(rf"(?s)<!-- {block}:begin -->\n(.*?)<!-- {block}:end -->", text)
    assert len(found) == 1
    return str(found[0])


def test_inputs_are_the_settings(action: Any) -> None:
    declared = {name: (entry["description"], entry["default"]) for name, entry in action["inputs"].items()}
    assert declared == {field.name: (field.meaning, field.default) for field in FIELDS}
    assert list(declared) == [field.name for field in FIELDS]
    assert {entry["required"] for entry in action["inputs"].values()} == {"false"}


def test_outputs_are_the_reports(action: Any) -> None:
    assert {name: entry["description"] for name, entry in action["outputs"].items()} == {output.name: output.meaning for output in OUTPUTS}
    assert list(action["outputs"]) == [output.name for output in OUTPUTS]


def test_it_is_a_container_action_built_from_our_dockerfile(action: Any) -> None:
    assert action["runs"] == {"using": "docker", "image": "Dockerfile"}
    assert (ROOT / action["runs"]["image"]).is_file()
    assert action["name"] == "driftproof"
    assert action["branding"]["color"] in FEATHER_COLOURS
    assert set(action) == {"name", "description", "author", "branding", "inputs", "outputs", "runs"}


def test_names_are_spelled_the_way_of_their_kind() -> None:
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", field.name) for field in FIELDS)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", output.name) for output in OUTPUTS)


@pytest.mark.parametrize(
    ("name", "block", "table"),
    [
        ("README.md", "inputs", inputs_table()),
        ("README.md", "outputs", outputs_table()),
        ("docs/inputs.md", "inputs", inputs_table()),
        ("docs/inputs.md", "flags", flags_table()),
        ("docs/outputs.md", "outputs", outputs_table()),
        ("docs/exit-codes.md", "matrix", matrix()),
    ],
)
def test_pages_hold_the_tables_of_the_code(name: str, block: str, table: str) -> None:
    assert page(name, block) == table


def test_every_word_an_output_may_hold_is_told() -> None:
    text = page("docs/outputs.md", "outputs")
    rows = {row.split("`")[1]: row for row in text.splitlines()[2:]}
    assert all(word in rows["verdict"] for word in VERDICTS)
    assert all(word in rows["drift"] for word in DRIFTS)
    assert all(word.state in rows["worst_state"] for word in VERDICTS.values())
    assert all(output.vocabulary in rows[output.name] for output in OUTPUTS)


def test_the_page_of_exit_codes_names_every_fail_on_word() -> None:
    text = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    words = next(field.choices for field in FIELDS if field.name == "fail-on")
    assert all(f"| `{word}` |" in text for word in words)
