"""The settings as Markdown tables for people. Not: the settings themselves (fields.py)."""

from __future__ import annotations

from driftproof_action.settings.fields import COMMAND_LINE_DEFAULTS, FIELDS, FLAGS
from driftproof_action.settings.grammar import Field

_HEAD = ("default", "meaning", "allowed", "example")


def inputs_table() -> str:
    """Every input of the Action, in order."""
    return _table(["input", *_HEAD], [_row(field, f"`{field.name}`", field.default) for field in FIELDS])


def flags_table() -> str:
    """Every flag of `driftproof run`, in order, with the command line's own defaults."""
    fields = (*(field for field in FIELDS if field.flag), *FLAGS)
    rows = [_row(field, f"`--{field.name}`", COMMAND_LINE_DEFAULTS.get(field.name, field.default)) for field in fields]
    return _table(["flag", *_HEAD], rows)


def _row(field: Field, name: str, default: str) -> list[str]:
    return [name, f"`{default}`" if default else "–", field.meaning, field.allowed, f"`{field.example}`" if field.example else "–"]


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
