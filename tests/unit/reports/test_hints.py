from __future__ import annotations

import re

from driftproof_action.comparison.hints import Hint
from driftproof_action.reports.hints import hint_to_json, hints_block


def test_one_line_a_word_names_where() -> None:
    found = [
        Hint("suite_saturated", (), {"saturated": 3, "cases": 4}),
        Hint("check_flips", ("a",), {"met": 3, "answers": 5}, "greets"),
        Hint("check_flips", ("b",), {"met": 2, "answers": 5}, "greets"),
    ]
    text = hints_block(found)
    assert text.startswith("<details><summary>2 hints about the suite, none of them part of the verdict</summary>")
    assert "(`greets` in `a` and `greets` in `b`)." in text
    assert next(line for line in text.splitlines() if line.startswith("- ")).startswith("- `suite_saturated`: ")
    assert hints_block([]) == ""


def test_many_cases_are_counted() -> None:
    text = hints_block([Hint("case_saturated", (f"c{n}",), {}) for n in range(9)])
    assert "`c5` and 3 more" in text
    assert "1 hint about" in text


def test_foreign_ids_cannot_break_out() -> None:
    text = hints_block([Hint("check_flips", ("</details>`|",), {}, "<b>@x")])
    assert not re.search(r"<(?!/?details>|/?summary>)", re.sub(r"`[^`]*`", "", text))
    assert "@" not in re.sub(r"`[^`]*`", "", text)


def test_json_has_the_anchor() -> None:
    assert hint_to_json(Hint("case_impossible", ("a",), {"with_skill": 0.0})) == {
        "code": "case_impossible",
        "anchor": "case-impossible",
        "cases": ["a"],
        "check": "",
        "numbers": {"with_skill": 0.0},
    }
