from __future__ import annotations

from driftproof_action.domain.reply import Ending
from driftproof_action.reports.terminal import plain
from driftproof_action.reports.unmeasured import DRAW_REASONS, STOPS, cut_short, lost, why


def test_a_code_we_know_is_told_in_our_words_and_else_the_message() -> None:
    assert why("stub", "x") == "stub run, no model was asked"
    assert why("new_code", "a `message`") == "a `message&#96;".replace("`message&#96;", "&#96;`message`&#96;")
    assert why("new_code", "") == "new code"
    assert why("", "") == "no reason was recorded"
    assert why("", "a\nb", render=plain) == "a\\x0ab"


def test_lost_answers_are_counted_by_reason_most_first() -> None:
    assert lost({}) == ""
    assert lost({"timeout": 0}) == ""
    assert lost({"timeout": 1}) == "1 answer lost: 1 timed out"
    assert lost({"empty_reply": 1, "timeout": 2, "odd_one": 1}) == "4 answers lost: 2 timed out, 1 empty and 1 odd one"


def test_every_ending_that_loses_an_answer_has_words() -> None:
    endings = set(Ending.__args__) - {"completed", "wrong_model", "not_allowed"}  # type: ignore[attr-defined]
    assert endings <= set(DRAW_REASONS)


def test_a_run_cut_short_says_by_what() -> None:
    assert cut_short("") == ""
    assert cut_short("budget") == f"Cut short: {STOPS['budget']}."
    assert cut_short("<x>") == "Cut short: &#60;x&#62;."
    assert cut_short("calls", "c, baseline, answer 2") == f"Cut short: {STOPS['calls']}."
    assert cut_short("not_allowed", "the <request> is too large", render=str) == "Cut short: the <request> is too large."
    assert "access" not in cut_short("not_allowed")
