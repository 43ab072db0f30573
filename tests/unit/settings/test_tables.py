"""The settings as tables: one row each, nothing that breaks a table. Not: where they are shown."""

from __future__ import annotations

from driftproof_action.settings.fields import FIELDS, FLAGS
from driftproof_action.settings.tables import flags_table, inputs_table


def test_one_row_for_each() -> None:
    rows = inputs_table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == [field.name for field in FIELDS]
    assert {row.replace("\\|", "").count("|") for row in rows} == {6}


def test_flags_show_their_own_defaults() -> None:
    rows = {row.split("`")[1]: row for row in flags_table().splitlines()[2:]}
    assert set(rows) == {f"--{field.name}" for field in (*FIELDS, *FLAGS) if field.flag}
    assert rows["--on-unmeasured"].split("|")[2].strip() == "`fail`"
    assert rows["--samples"].split("|")[2].strip() == "–"
