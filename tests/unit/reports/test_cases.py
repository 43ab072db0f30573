from __future__ import annotations

import re
from dataclasses import replace

from driftproof_action.comparison.drift import CaseDrift
from driftproof_action.domain.reading import Reading
from driftproof_action.reports.cases import CASE_WORDS, hurt, met, moved_cases, other_cases, with_and_without
from tests.golden.situations import STEADY, compared, criteria_seen, drift, row, row_view, view


def test_what_hurts_is_what_the_decision_says() -> None:
    low = {"a": ((0.4, 0.1), (0.8, 0.1)), "b": ((0.5, 0.1), (0.8, 0.1)), "c": ((0.8, 0.1), (0.4, 0.1)), "d": ((None, 0.0), (0.4, 0.1))}
    assert [case for case, _ in hurt(view(low))] == ["a", "b"]
    read = view(low, readings=(Reading("r", "b", "separated_down"),))
    assert [case for case, _ in hurt(read)] == ["b"]


def test_a_criterion_is_counted_over_the_answers_that_decided_it() -> None:
    assert met(criteria_seen(2), "breaking-change") == {"break-marker": (2, 10)}
    assert met(criteria_seen(2), "other") == {}
    assert met(None, "breaking-change") == {}


def test_a_criterion_is_named_only_when_it_fell_clearly() -> None:
    def told(before: int, now: int, **more: object) -> str:
        moves = compared("DRIFT", [drift("breaking-change", "regression", 0.9, 0.4)])
        old, new = (view(STEADY, observations=criteria_seen(count)) for count in (before, now))
        return moved_cases(row(new, "PASSED", moves, base_view=old, **more))

    assert re.search(r'✗ "Signals the break with .* or a footer.": met in 10 of 10 before, 2 of 10 now', told(10, 2))
    assert "✗ `break-marker`: met in 10 of 10 before, 2 of 10 now" in told(10, 2, criteria={})
    assert "✗ `break-marker`: met in 10 of 10 before" in told(10, 2, quotes=False)
    assert '✗ "`<b>@org</b>` `#` now": met' in told(10, 2, criteria={"breaking-change": {"break-marker": "<b>@org</b>\n# now"}})
    assert "✗" not in told(10, 9)
    assert "✗" not in told(2, 10)


def test_the_deepest_falls_are_shown_and_the_rest_named() -> None:
    moves = [drift(f"c{at}", "regression", 0.9, 0.5 - at / 100) for at in range(5)]
    shown = moved_cases(row(view(STEADY), "PASSED", compared("DRIFT", moves)))
    assert shown.index("`c4`") < shown.index("`c3`") < shown.index("Also fell: `c1`")


def test_other_cases_fold_and_say_when_answers_were_too_few() -> None:
    moves = [drift("a", "within noise", 0.8, 0.8, power="underpowered"), CaseDrift("b", "n/a", None, None, None, None, None)]
    shown = other_cases(row(view(STEADY), "PASSED", compared("NO_SEPARATION", moves)))
    assert "no clear difference; not enough answers yet" in shown
    assert "| `b` | – | – | – | not compared |" in shown
    assert other_cases(row(view(STEADY), "PASSED", None)) == ""


def test_a_case_that_was_not_measured_says_why() -> None:
    seen = view({"a": ((None, 0.0), (0.5, 0.1))})
    assert "| `a` | not measured: timed out | 0.50\xa0±\xa00.10 | – | 0 of 5, 5 |" in with_and_without(seen)
    lost = replace(row_view("a", "with_skill", (None, 0.0)), loss_reasons={"timeout": 1, "judge_cut": 4})
    told = with_and_without(replace(seen, rows={("a", "with_skill"): lost}))
    assert "| `a` | not measured: not graded, the judge's reply was cut off | 0 of 5 |" in told


def test_the_words_cover_every_published_reading() -> None:
    published = {"regression", "improvement", "within noise", "within noise (below effect floor)"}
    assert set(CASE_WORDS) == published | {"inconclusive", "refused", "not measured", "n/a"}
