from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.domain.reading import Reading
from driftproof_action.domain.words import DRIFTS, VERDICTS
from driftproof_action.errors import InputError
from driftproof_action.reports.comment import comment, marker, same, wanted
from driftproof_action.reports.headline import HEADLINE_LIMIT, headline
from driftproof_action.reports.job import JobResult
from driftproof_action.reports.markdown import COMMENT_BYTES, SUMMARY_BYTES
from driftproof_action.reports.rows import worst_row
from driftproof_action.reports.summary import summary
from tests.golden.situations import HAIKU, HOSTILE, SITUATIONS, STEADY, absent, compared, drift, got_worse, hostile, job, row, view
from tests.unit.reports.visible import outside_quotes, visible

SAID = {
    "first_receipt": ("release-notes", "helps", "nothing"),
    "got_worse": ("commit-messages", "got worse", "look at breaking-change"),
    "fell_on_fresh_answers": ("commit-messages", "got worse", "look at breaking-change"),
    "hurts_on_fresh_answers": ("commit-messages", "hurts", "look at scope"),
    "not_confirmed": ("naming", "not enough answers yet", "raise max-usd"),
    "likely_fell": ("commit-messages", "helps", "look at breaking"),
    "hurts": ("commit-messages", "hurts", "look at scope"),
    "improved": ("commit-messages", "got better", "nothing"),
    "mixed": ("commit-messages", "better in some cases, worse in others", "look at revert"),
    "no_clear_difference": ("commit-messages", "no clear difference", "ask whether"),
    "not_enough_answers": ("naming", "not enough answers yet", "set max-draws: 12"),
    "not_measured": ("commit-messages", "not measured", "nothing to fix"),
    "not_comparable": ("commit-messages", "not comparable", "check what is differ"),
    "receipt_removed": ("commit-messages", "removed", "restore the receipt"),
    "base_unavailable": ("commit-messages", "base commit is not here", "set fetch-depth: 0"),
    "refused": ("commit-messages", "refused", "restore the receipt"),
    "cut_short": ("commit-messages", "cannot tell", "raise max-usd"),
    "ten_by_three": ("skill-1", "got worse", "look at breaking-change"),
    "hostile": (HOSTILE, "hurts", "look at"),
    "example": ("commit-messages", "got better", "nothing"),
}
"""What the first 120 visible characters must name: the skill, the verdict in words, what to do."""


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_first_120_visible_characters_say_it_all(name: str) -> None:
    first = visible(comment(SITUATIONS[name]()))[:120]
    skill, verdict, todo = SAID[name]
    assert skill in first
    assert verdict in first
    assert f"Do: {todo}" in first, first


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize("word", ["", *DRIFTS])
def test_what_to_do_begins_early_whatever_the_state(verdict: str, word: str) -> None:
    """With the longest names the headline shows."""
    names = {"name": "a-skill-with-a-name-longer-than-any-name", "model": "a-model-with-a-rather-long-name-x"}
    moves = [drift("scope", "regression", 0.8, 0.4)] if word in {"DRIFT", "MIXED"} else []
    one = row(view(STEADY, **names), verdict, compared(word, moves, reason="why") if word else None, message="a message " * 20)
    shown = visible(comment(job(one)))
    assert re.search(r"Do: \S+", shown[:120]), shown[:140]


@given(st.text(max_size=80), st.text(max_size=60), st.sampled_from([*VERDICTS]), st.sampled_from(["", *DRIFTS]))
@settings(max_examples=150)
def test_a_headline_is_never_long_and_never_active(skill: str, model: str, verdict: str, word: str) -> None:
    one = row(view(STEADY), verdict, absent(word) if word else None, skill_name=skill, model_id=model, reason_code="", message=skill)
    shown = headline(job(one))
    assert "\n" not in shown
    assert not set("|<>[]*_$@") & set(re.sub(r"&#[0-9]+;", "", outside_quotes(shown)))


def test_a_headline_without_rows_says_what_was_skipped() -> None:
    assert headline(job()) == "### Nothing was measured: no skill with a suite was found"
    skipped = job(skipped=(("skills/<b>", "trigger suite"),))
    assert headline(skipped) == "### Nothing was measured, 1 skill skipped: skills/&#60;b&#62;, trigger suite"
    assert "Do:** give a folder" in comment(job())


def test_a_headline_without_rows_says_why_the_job_is_red() -> None:
    red = job(exit_code=4, because="this pull request brings <a file> that is not believed", skipped=(("skills/a", "trigger suite"),))
    assert headline(red) == "### Nothing was measured: this pull request brings &#60;a file&#62; that is not believed"
    assert headline(job(exit_code=7, because="nothing was measured")) == "### Nothing was measured: no skill with a suite was found"
    long = replace(job(exit_code=2, because="x"), error=InputError("word " * 60, place="samples"))
    assert headline(long) == "### Nothing was measured"
    assert "Samples&#58; word word" in summary(long)


def test_answers_that_speak_to_the_grader_are_told_of_every_row() -> None:
    loud = Reading("judge_guard", "with_skill", "addresses_judge", "", {"with_skill": 0.4, "baseline": 0.0})
    worse = row(view(STEADY, verdict="UNDERPOWERED"), "UNDERPOWERED", None)
    other = row(view(STEADY, verdict="PASSED", readings=(loud,)), "PASSED", None, slug="other", skill_name="other")
    told = "Answers with the skill speak to the grader, answers without it do not"
    assert f"`other` on {HAIKU}: {told}" in comment(job(worse, other))
    assert f"\n{told}" in comment(job(other))
    assert told not in comment(job(worse))


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_comment_is_one_screen(name: str) -> None:
    """Unfolded lines that are not empty."""
    body = re.sub(r"<details>.*?</details>", "<details/>", comment(SITUATIONS[name]()), flags=re.DOTALL)
    lines = [line for line in body.split("\n") if line]
    assert len(lines) <= (120 if name == "hostile" else 32)


def test_the_marker_comes_first_and_holds_only_a_key() -> None:
    assert comment(got_worse(), key="4f0c").startswith("<!-- driftproof v1 key=4f0c -->\n### ")
    assert marker("a--><script>@x\n--b") == "<!-- driftproof v1 key=a-scriptx-b -->"
    assert len(marker("k" * 500)) < 100


@given(st.text(alphabet="-> ab!\n"))
def test_no_key_closes_the_marker(key: str) -> None:
    assert marker(key).index("-->") == len(marker(key)) - 3


def test_nothing_foreign_acts_in_a_hostile_comment() -> None:
    for body in (comment(hostile()), summary(hostile())):
        bare = outside_quotes(body)
        assert bare.count("<!--") == body.startswith("<!--")
        tags = set(re.findall(r"<[^>]*>", bare)) - {"<!-- driftproof v1 key= -->"}
        assert tags <= {"<details>", "</details>", "<summary>", "</summary>", "<sub>", "</sub>"}
        assert bare.count("<details>") == bare.count("</details>")
        assert not re.search(r"[@$\x00-\x09\x0b-\x1f\u200b\u202e]|https?:|www\.|!\[|\]\(|~~|GH-|(?<!&)#[0-9]", bare)
        assert "javascript" not in body
        assert "driftproof run" not in body.partition("<details>")[0]


def test_a_judges_words_change_nothing_outside_their_fence() -> None:
    def said(reason: str) -> str:
        one = got_worse().rows[0]
        assert one.view is not None
        rows = {key: replace(seen, reason=reason) for key, seen in one.view.rows.items()}
        return comment(job(replace(one, view=replace(one.view, rows=rows))))

    harmless, attack = said("fine"), said("```\n````\n</details>\n\n@org fixes #1\n<!-- driftproof v1 key=x -->")
    assert harmless != attack
    assert outside_quotes(harmless) == outside_quotes(attack)


def test_quotes_can_be_left_out() -> None:
    one = got_worse().rows[0]
    assert "no break marker" in comment(job(one))
    assert "no break marker" not in comment(job(replace(one, quotes=False)))


def _huge(cases: int, name: int) -> JobResult:
    ids = [f"{at}-" + "漢" * name for at in range(cases)]
    seen = view(dict.fromkeys(ids, ((0.4, 0.1), (0.8, 0.1))), verdict="REGRESSED", reason="語" * 3000)
    moves = [drift(id, "regression", 0.9, 0.4) for id in ids[: cases // 2]] + [
        drift(id, "within noise", 0.4, 0.4) for id in ids[cases // 2 :]
    ]
    return job(row(seen, "REGRESSED", compared("DRIFT", moves)), run_url="https://github.com/o/r/actions/runs/1")


def test_a_comment_keeps_its_budget_and_its_first_and_last_lines() -> None:
    result = _huge(1000, 40)
    body = comment(result)
    assert len(body.encode()) <= COMMENT_BYTES
    assert "hurts on" in body.split("\n")[1]
    assert "left out here" in body
    assert body.endswith("<sub>0.62 USD · 214 calls · [job](https://github.com/o/r/actions/runs/1)</sub>\n")


def test_a_summary_keeps_its_budget_and_its_totals() -> None:
    result = _huge(6000, 60)
    body = summary(result)
    assert len(body.encode()) <= SUMMARY_BYTES
    assert "0.62 USD" in body
    assert "left out here" in body


@pytest.mark.parametrize("url", ["", "http://github.com/o/r", "https://x/)](javascript:1)", "https://x/ y", "javascript:1"])
def test_only_a_plain_https_address_is_linked(url: str) -> None:
    assert "[job](" not in comment(replace(got_worse(), run_url=url))


def test_a_command_is_offered_only_when_it_is_harmless_to_paste() -> None:
    one = got_worse().rows[0]
    assert "driftproof run skills/commit-messages --case breaking-change`" in comment(job(one))
    for path in ("skills/$(touch x)", "skills/a b", "-x", "skills/é", "a;b"):
        assert "driftproof run" not in comment(job(replace(one, skill_path=path)))


def test_a_first_receipt_says_when_the_next_is_compared_and_only_if_it_can_be_stored() -> None:
    when = "once it is stored on the default branch"
    seen = view(STEADY)
    assert when in comment(job(row(seen, "PASSED", absent("FIRST_RECEIPT"))))
    for kept_out in (
        replace(seen, level="UNVERIFIED"),
        replace(seen, status="incomplete"),
        replace(seen, narrowed=True),
        replace(seen, preset="quick"),
    ):
        assert when not in comment(job(row(kept_out, "PASSED", absent("FIRST_RECEIPT"))))


def test_left_out_cases_and_lost_answers_stand_before_the_table() -> None:
    moves = replace(compared("NO_SEPARATION", [drift("scope", "within noise", 0.8, 0.8)]), left_out=(("revert", "its text was changed"),))
    body = comment(job(row(view(STEADY), "PASSED", moves, unmeasured={"timeout": 2, "judge_cut": 1})))
    before = body.partition("\n| ")[0]
    assert "1 case not compared: `revert` (its text was changed)." in before
    assert "3 answers lost: 2 timed out and 1 not graded, the judge's reply was cut off." in before


def test_a_drift_behind_a_worse_verdict_is_still_told() -> None:
    moves = compared("DRIFT", [drift("scope", "regression", 0.8, 0.4)])
    body = comment(job(row(view(STEADY, verdict="REGRESSED"), "REGRESSED", moves)))
    assert "Got worse than in the last receipt: 1 case fell." in body


def test_two_models_of_one_skill_share_a_headline_and_three_are_counted() -> None:
    rows = [row(view(STEADY, model=model), "PASSED", None) for model in (HAIKU, "claude-sonnet-5", "claude-opus-5")]
    assert headline(job(*rows[:2])) == "### `commit-messages` helps on claude-haiku-4-5 and claude-sonnet-5"
    assert headline(job(*rows)) == "### `commit-messages` helps on 3 models"
    assert len(visible(headline(job(*rows)))) <= HEADLINE_LIMIT
    assert worst_row(rows) is rows[0]


@pytest.mark.parametrize(
    ("name", "always", "changes", "failures"),
    [
        ("first_receipt", True, True, False),
        ("got_worse", True, True, True),
        ("hurts", True, True, True),
        ("improved", True, True, False),
        ("no_clear_difference", True, False, False),
        ("not_comparable", True, True, False),
        ("receipt_removed", True, True, False),
        ("base_unavailable", True, True, False),
        ("cut_short", True, True, True),
    ],
)
def test_when_a_comment_is_made(name: str, always: bool, changes: bool, failures: bool) -> None:
    result = SITUATIONS[name]()
    assert (wanted(result, "always"), wanted(result, "changes"), wanted(result, "failures")) == (always, changes, failures)
    assert not wanted(result, "off")


def test_a_comparison_that_was_not_asked_for_is_no_change() -> None:
    assert not wanted(job(row(view(STEADY), "PASSED", None)), "changes")


def test_comments_that_tell_the_same() -> None:
    one = comment(replace(got_worse(), run_url="https://github.example/o/r/actions/runs/1/attempts/1"), key="k")
    other = one.replace("runs/1/", "runs/23/").replace("a41e90c2f7b1", "0123456789ab")
    assert one != other
    assert same(one, other)
    for found, swapped in (("2 of 10", "3 of 10"), ("0.62 USD", "0.63 USD"), ("no break marker", "a break marker"), ("0.41", "0.42")):
        assert found in one
        assert not same(one, other.replace(found, swapped))


def test_stored_files_that_are_not_believed_come_first() -> None:
    changed = replace(got_worse(), refused_changes=((".driftproof/badges/`x`.svg", "it is not the badge its receipts give"),))
    for text in (comment(changed), summary(changed)):
        assert "stored files that are not believed" in text.split("| skill")[0]
