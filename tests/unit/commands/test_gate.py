"""The exit code: decided from the rows and the gate's own settings. Not: how rows come about."""

from __future__ import annotations

import inspect
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftproof_action.commands.gate import CONDITIONS, Gate, brought_along, decide, graver, gravest, matrix, reddened
from driftproof_action.comparison.drift import CaseDrift, Comparison
from driftproof_action.domain.observations import Stop
from driftproof_action.domain.words import DRIFTS, VERDICTS
from driftproof_action.reports.job import JobRow
from driftproof_action.settings.fields import FAIL_ON

DEFAULT = frozenset({"regression", "drift", "refused"})


def row(
    verdict: str = "PASSED",
    drift: str = "",
    *,
    changed: tuple[str, ...] = (),
    reason_code: str = "",
    name: str = "naming",
    gates: bool = True,
) -> JobRow:
    fallen = (CaseDrift("c1", "regression", 0.9, 0.0, 0.4, 0.0, -0.5, gates=gates),) if drift in ("DRIFT", "MIXED") else ()
    comparison = Comparison(drift, "", None, fallen, changed, ()) if drift else None
    return JobRow(
        skill_path="skills/naming",
        skill_name=name,
        skill_slug="naming",
        model_id="claude-haiku-4-5",
        model_slug="claude-haiku-4-5",
        verdict=verdict,
        reason_code=reason_code,
        message="",
        comparison=comparison,
    )


def code(*rows: JobRow, fail_on: frozenset[str] = DEFAULT, on_unmeasured: str = "warn", **more: object) -> int:
    return decide(rows, fail_on=fail_on, on_unmeasured=on_unmeasured, **more).exit_code  # type: ignore[arg-type]


def test_the_words_of_the_input_are_the_gates() -> None:
    assert (*CONDITIONS, "none") == FAIL_ON


@pytest.mark.parametrize(
    ("condition", "verdict", "drift"),
    [
        ("regression", "REGRESSED", ""),
        ("drift", "PASSED", "DRIFT"),
        ("drift", "PASSED", "MIXED"),
        ("any-drift", "PASSED", "DRIFT"),
        ("any-drift", "PASSED", "MIXED"),
        ("underpowered", "UNDERPOWERED", ""),
        ("no-effect", "NO_EFFECT", ""),
        ("unmeasured", "NOT_MEASURED", ""),
        ("unmeasured", "PASSED", "RECEIPT_REMOVED"),
    ],
)
def test_each_condition_alone_is_a_one(condition: str, verdict: str, drift: str) -> None:
    found = decide((row(verdict, drift),), fail_on={condition}, on_unmeasured="warn")
    assert found.exit_code == 1
    assert found.because.startswith("naming on claude-haiku-4-5 ")
    assert found.because.endswith(f"(fail-on: {condition})")
    assert code(row(verdict, drift), fail_on=frozenset(CONDITIONS) - {"drift", "any-drift", condition}) == 0
    assert code(row(verdict, drift), fail_on=frozenset()) == 0


@pytest.mark.parametrize("drift", [word for word in DRIFTS if word not in ("DRIFT", "MIXED", "REFUSED", "RECEIPT_REMOVED")])
def test_no_other_comparison_is_red(drift: str) -> None:
    assert code(row("PASSED", drift), fail_on=frozenset(CONDITIONS)) == 0


def test_refused_is_a_four_while_it_is_named() -> None:
    for refused in (row("REFUSED"), row("PASSED", "REFUSED")):
        assert code(refused) == 4
        assert code(refused, fail_on=frozenset({"regression", "drift"})) == 0


def test_lost_answers_count_as_underpowered() -> None:
    """As the older input did: not enough answers is not enough answers."""
    assert code(row("INCONCLUSIVE", reason_code="lost_draws"), fail_on=frozenset({"underpowered"})) == 1
    assert code(row("INCONCLUSIVE", reason_code="budget"), fail_on=frozenset({"underpowered"})) == 0


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (("skill",), 1),
        (("suite",), 1),
        (("model", "skill"), 1),
        (("model",), 0),
        (("judge_model", "judge_template"), 0),
        ((), 0),
    ],
)
def test_a_pull_request_answers_for_its_own_changes(changed: tuple[str, ...], expected: int) -> None:
    worse = row("PASSED", "DRIFT", changed=changed)
    assert code(worse, pull_request=True) == expected
    assert code(worse) == 1
    assert code(worse, pull_request=True, fail_on=frozenset({"any-drift"})) == 1


@pytest.mark.parametrize("drift", ["DRIFT", "MIXED"])
def test_a_fall_that_may_not_redden_does_not(drift: str) -> None:
    """Single answers of old receipts are shown and never gate."""
    assert code(row("PASSED", drift, gates=False), fail_on=frozenset(CONDITIONS)) == 0


def test_what_could_not_be_measured() -> None:
    assert code(row("NOT_MEASURED")) == 0
    found = decide((row(), row("NOT_MEASURED", reason_code="circuit")), fail_on=DEFAULT, on_unmeasured="fail")
    assert found.exit_code == 7
    assert "circuit" in found.because
    assert code(on_unmeasured="fail") == 7
    assert code(on_unmeasured="fail", skipped=2) == 0
    assert code() == 0


@pytest.mark.parametrize(
    ("stopped", "signal", "expected"),
    [
        ("budget", 0, 3),
        ("calls", 0, 3),
        ("minutes", 0, 3),
        ("wrong_model", 0, 5),
        ("not_allowed", 0, 2),
        ("circuit", 0, 0),
        ("complete", 0, 0),
        ("signal", 0, 130),
        ("signal", 2, 130),
        ("signal", 15, 143),
    ],
)
def test_a_run_cut_short(stopped: str, signal: int, expected: int) -> None:
    assert code(row(), stopped=stopped, signal=signal) == expected
    assert code(row(), stopped=stopped, signal=signal, mode="stub") == expected


@pytest.mark.parametrize(("stopped", "limit"), [("budget", "max-usd"), ("calls", "max-calls"), ("minutes", "max-minutes")])
def test_the_limit_that_was_reached_is_named(stopped: str, limit: str) -> None:
    gate = decide((row(),), fail_on=DEFAULT, on_unmeasured="warn", stopped=stopped, detail="case-1, baseline, answer 2")
    assert f"({limit})" in gate.because
    assert gate.because.endswith(": case-1, baseline, answer 2")


def test_what_was_refused_is_told_in_its_own_words() -> None:
    detail = "case c: the request is too large for the provider (HTTP 413)"
    assert decide((row(),), fail_on=DEFAULT, on_unmeasured="warn", stopped="not_allowed", detail=detail) == Gate(2, detail)


def test_the_detail_of_a_stop_is_not_said_of_another_reason() -> None:
    refused = row("REFUSED")
    gate = decide((refused,), fail_on=frozenset({"refused"}), on_unmeasured="warn", stopped="budget", detail="case-1")
    assert gate.exit_code == 4
    assert "case-1" not in gate.because


def test_stub_quick_and_narrowed_runs_earn_nothing() -> None:
    everything = frozenset(CONDITIONS)
    for verdict, drift in product(VERDICTS, ["", *DRIFTS]):
        if "REFUSED" in (verdict, drift):
            continue
        for partial in ({"mode": "stub"}, {"quick": True}, {"narrowed": True}):
            assert code(row(verdict, drift), fail_on=everything, on_unmeasured="fail", **partial) == 0


def test_a_tampered_receipt_is_refused_even_then() -> None:
    assert code(row("NOT_MEASURED", "REFUSED"), mode="stub") == 4
    assert code(row("REFUSED"), narrowed=True) == 4


ORDER = (130, 5, 4, 2, 3, 1, 7, 0)
SOURCES: dict[int, tuple[list[JobRow], dict[str, object]]] = {
    130: ([], {"signal": 2}),
    5: ([row(reason_code="wrong_model")], {}),
    4: ([row("REFUSED")], {}),
    2: ([], {"stopped": "not_allowed"}),
    3: ([], {"stopped": "budget"}),
    1: ([row("REGRESSED")], {}),
    7: ([row("NOT_MEASURED")], {"on_unmeasured": "fail"}),
    0: ([row()], {}),
}


@given(st.sets(st.sampled_from(ORDER), min_size=1).filter(lambda codes: not codes >= {2, 3}))
def test_the_first_code_that_holds_wins(codes: set[int]) -> None:
    rows = [one for wanted in sorted(codes) for one in SOURCES[wanted][0]]
    more = {key: value for wanted in codes for key, value in SOURCES[wanted][1].items()}
    expected = next(wanted for wanted in ORDER if wanted in codes)
    if expected == 0:
        rows.append(row())
    assert code(*rows, **more) == expected  # type: ignore[arg-type]


@given(st.lists(st.sampled_from(list(product(VERDICTS, ["", *DRIFTS]))), max_size=4), st.sets(st.sampled_from(CONDITIONS)), st.randoms())
def test_neither_order_nor_a_passing_row_matters(words: list[tuple[str, str]], fail_on: set[str], shuffle: object) -> None:
    rows = [row(verdict, drift) for verdict, drift in words]
    expected = code(*rows, fail_on=frozenset(fail_on))
    mixed = [*rows, row()]
    shuffle.shuffle(mixed)  # type: ignore[attr-defined]
    assert code(*mixed, fail_on=frozenset(fail_on)) == expected


@given(st.lists(st.sampled_from(list(product(VERDICTS, ["", *DRIFTS]))), min_size=1, max_size=3), st.sets(st.sampled_from(CONDITIONS)))
def test_more_words_in_fail_on_never_turn_red_into_green(words: list[tuple[str, str]], fail_on: set[str]) -> None:
    rows = [row(verdict, drift) for verdict, drift in words]
    if code(*rows, fail_on=frozenset(fail_on)):
        assert code(*rows, fail_on=frozenset(CONDITIONS))


def test_nothing_of_reporting_can_reach_the_gate() -> None:
    rest = ("quick", "pull_request", "skipped")
    taken = set(inspect.signature(decide).parameters)
    assert taken == {"rows", "fail_on", "on_unmeasured", "mode", "stopped", "detail", "signal", "narrowed", *rest}


def test_green_says_why() -> None:
    reasons = {
        decide((), fail_on=DEFAULT, on_unmeasured="warn").because,
        decide((row(),), fail_on=DEFAULT, on_unmeasured="warn").because,
        decide((row(),), fail_on=DEFAULT, on_unmeasured="warn", mode="stub").because,
        decide((row(),), fail_on=DEFAULT, on_unmeasured="warn", quick=True).because,
    }
    assert len(reasons) == 4
    assert Gate(0, "nothing that fail-on names was found") == decide((row(),), fail_on=DEFAULT, on_unmeasured="warn")


def test_the_matrix_has_every_pair_once() -> None:
    lines = [line.strip("| ").split(" | ") for line in matrix().splitlines()]
    assert lines[0] == ["verdict", "drift", *(f"`{condition}`" for condition in CONDITIONS)]
    body = {(verdict, drift): codes for verdict, drift, *codes in lines[2:]}
    assert set(body) == set(product(VERDICTS, ["–", *DRIFTS]))
    assert len(lines[2:]) == len(body)
    assert body["REGRESSED", "–"] == ["1", "0", "0", "0", "0", "0", "0"]
    assert body["PASSED", "DRIFT"] == ["0", "1", "1", "0", "0", "0", "0"]
    assert body["REFUSED", "REFUSED"] == ["0", "0", "0", "0", "0", "0", "4"]


def test_stored_files_that_are_not_believed_are_a_four_while_refused_is_named() -> None:
    (gate,) = brought_along(("a.json", "b.json"), fail_on=DEFAULT)
    assert (gate.exit_code, "a.json" in gate.because) == (4, True)
    assert list(brought_along((), fail_on=DEFAULT)) == []
    assert list(brought_along(("a.json",), fail_on={"drift"})) == []


@pytest.mark.parametrize(
    ("first", "second", "kept"), [(0, 4, 4), (1, 4, 4), (5, 4, 5), (2, 4, 4), (3, 4, 4), (7, 4, 4), (130, 4, 130), (70, 4, 70)]
)
def test_the_graver_of_two(first: int, second: int, kept: int) -> None:
    assert graver(Gate(first, "x"), Gate(second, "y")).exit_code == kept
    assert graver(Gate(first, "x")) == Gate(first, "x")


GRAVITY = ("signal", "wrong_model", "not_allowed", "budget", "circuit", "complete")


@given(st.lists(st.sampled_from(GRAVITY), min_size=1))
def test_the_gravest_of_several_stops(reasons: list[str]) -> None:
    stops = [Stop(reason, str(at)) for at, reason in enumerate(reasons)]
    found = gravest(stops)
    assert found.reason == min(reasons, key=GRAVITY.index)
    assert found == next(stop for stop in stops if stop.reason == found.reason)


def test_of_limits_the_first_and_of_nothing_complete() -> None:
    assert gravest([Stop("minutes", "a"), Stop("budget", "b")]) == Stop("minutes", "a")
    assert gravest(()) == Stop("complete")


def test_another_model_is_told_by_the_row_it_cost() -> None:
    told = replace(row("NOT_MEASURED", reason_code="wrong_model"), message="a was asked, b answered")
    found = decide((row(), told), fail_on=DEFAULT, on_unmeasured="fail", stopped="wrong_model", detail="a was asked, b answered")
    assert found == Gate(5, "another model answered for naming on claude-haiku-4-5: a was asked, b answered")


def test_which_rows_make_it_red() -> None:
    mine, theirs = row(drift="DRIFT", changed=("skill",)), row(drift="DRIFT", changed=("model",), name="other")
    hurt, fine, refused = row("REGRESSED"), row(drift="IMPROVED"), row("REFUSED")
    rows = (mine, theirs, hurt, fine, refused)
    assert reddened(rows, fail_on=DEFAULT, pull_request=True) == [mine, hurt, refused]
    assert reddened(rows, fail_on=DEFAULT, pull_request=False) == [mine, theirs, hurt, refused]
    assert reddened(rows, fail_on=frozenset(), pull_request=False) == []
