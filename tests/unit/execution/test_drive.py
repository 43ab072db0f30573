"""The loop end to end: same table whatever the order, nothing paid twice, every failure a named hole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from driftproof_action.domain.ask import Ask
from driftproof_action.domain.reply import Reply
from driftproof_action.domain.usage import Usage
from driftproof_action.errors import FileError
from driftproof_action.execution.drive import Limits
from driftproof_action.journal_io import JournalIO
from tests.unit.execution.worlds import MODEL, Prices, Surface, lift_plan, run, table


@pytest.mark.parametrize("slots", [1, 4, 16])
def test_the_table_does_not_depend_on_slots_or_arrival(tmp_path: Path, slots: int) -> None:
    def make(jitter: float) -> Surface:
        return Surface(failures=0.05, garbage=0.1, limited=0.1, jitter=jitter)

    [expected], _ = run(make(0), tmp_path / "reference", slots=1)
    assert expected.stop
    assert expected.stop.reason == "complete"
    for attempt in range(3):
        [seen], _ = run(make(0.003), tmp_path / f"{attempt}", slots=slots)
        assert table(seen) == table(expected)


def test_every_wanted_unit_ends_graded_or_in_a_named_hole(tmp_path: Path) -> None:
    plan = lift_plan(6)
    [seen], _ = run(Surface(failures=0.3, garbage=0.4), tmp_path, plans=(plan,))
    count = dict(seen.coverage(plan.rule.wanted(seen)))
    expected = count.pop("expected")
    assert expected == sum(count.values())
    assert count["graded"] > 0
    assert {"timeout", "cut", "refused", "judge_no_decision"} <= count.keys()
    assert all((grade.hole is None) != (grade.outcome is None) for grade in seen.grades)
    assert all(grade.score is None for grade in seen.grades if grade.hole)


def test_a_reply_without_a_decision_is_asked_once_more_and_both_are_kept(tmp_path: Path) -> None:
    [seen], _ = run(Surface(garbage=1.0), tmp_path)
    judged = [grade for grade in seen.grades if grade.samples]
    assert judged
    for grade in judged:
        assert [(sample.index, sample.attempt) for sample in grade.samples] == [(0, 0), (0, 1), (1, 0), (1, 1)]
        assert grade.hole
        assert grade.hole.reason == "judge_no_decision"


def test_resume_repeats_nothing_that_was_finished(tmp_path: Path) -> None:
    [expected], _ = run(Surface(failures=0.1, garbage=0.1), tmp_path / "reference")
    first = Surface(failures=0.1, garbage=0.1)
    stop = threading.Event()
    first.on_call = lambda number: stop.set() if number == 25 else None
    [cut], _ = run(first, tmp_path / "journal", stop=stop)
    assert cut.stop
    assert cut.stop.reason == "signal"
    second = Surface(failures=0.1, garbage=0.1)
    [seen], _ = run(second, tmp_path / "journal")
    assert table(seen) == table(expected)
    assert not set(first.keys) & set(second.keys)


def test_an_edited_skill_inherits_nothing(tmp_path: Path) -> None:
    run(Surface(), tmp_path, plans=(lift_plan(skill="old"),))
    again = Surface()
    run(again, tmp_path, plans=(lift_plan(skill="new"),))
    old = Surface()
    run(old, tmp_path / "fresh", plans=(lift_plan(skill="new"),))
    baseline = len(old.keys) - len(again.keys)
    assert 0 < baseline < len(old.keys)  # the arm without the skill stands, the other is asked anew


_KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from tests.unit.execution.worlds import Surface, lift_plan, run
surface = Surface(jitter=0.004)
log = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
answer = surface.answer
def logged(ask, workspace, key, about):
    reply = answer(ask, workspace, key, about)
    os.write(log, (key + "\\n").encode())
    return reply
surface.answer = logged
surface.on_call = lambda number: os.kill(os.getpid(), signal.SIGKILL) if number == int(sys.argv[4]) else None
run(surface, Path(sys.argv[1]), slots=4)
"""


@pytest.mark.parametrize("at", [3, 17, 40])
def test_sigkill_and_resume_repeat_only_what_was_in_flight(tmp_path: Path, at: int) -> None:
    root = Path(__file__).resolve().parents[3]
    log = tmp_path / "log"
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(tmp_path / "journal"), str(log), str(root), str(at)], check=False, timeout=60, cwd=root
    )
    assert done.returncode == -signal.SIGKILL
    before = log.read_text().split() if log.exists() else []
    assert len(before) < at
    resumed = Surface()
    [seen], _ = run(resumed, tmp_path / "journal")
    [expected], _ = run(Surface(), tmp_path / "reference")
    assert table(seen) == table(expected)
    assert len(set(before) & set(resumed.keys)) <= 4  # what had answered but was not yet synced was in one of four slots


def test_a_wrong_model_stops_the_run_and_is_not_stored(tmp_path: Path) -> None:
    surface = Surface()
    answer = surface.answer

    def sometimes(ask, workspace, key, about):  # type: ignore[no-untyped-def]
        reply = answer(ask, workspace, key, about)
        late = len(surface.keys) >= 9 and about.role == "target"
        return Reply("wrong_model", detail="other-model answered") if late else reply

    surface.answer = sometimes  # type: ignore[method-assign]
    [seen], _ = run(surface, tmp_path, slots=1)
    assert seen.stop
    assert (seen.stop.reason, seen.stop.detail) == ("wrong_model", "other-model answered")
    assert all(draw.ending != "wrong_model" for draw in seen.draws)
    [whole], _ = run(Surface(), tmp_path)
    [expected], _ = run(Surface(), tmp_path / "reference")
    assert table(whole) == table(expected)


def test_another_judge_is_a_hole_and_the_run_goes_on(tmp_path: Path) -> None:
    surface = Surface()
    answer = surface.answer

    def other(ask, workspace, key, about):  # type: ignore[no-untyped-def]
        reply = answer(ask, workspace, key, about)
        return Reply("wrong_model", reply.text, reported_model="other") if about.role == "judge" and about.case == "c0" else reply

    surface.answer = other  # type: ignore[method-assign]
    [seen], _ = run(surface, tmp_path)
    assert seen.stop
    assert seen.stop.reason == "complete"
    assert {grade.hole.reason for grade in seen.grades if grade.hole} == {"judge_wrong_model"}


def test_five_answers_that_end_alike_open_the_circuit(tmp_path: Path) -> None:
    surface = Surface()
    surface.answer = lambda ask, workspace, key, about: Reply("transport_error", detail="529", retryable=True)  # type: ignore[method-assign,assignment]
    [seen], [board] = run(surface, tmp_path, slots=1)
    assert seen.stop
    assert (seen.stop.reason, seen.stop.detail) == ("circuit", "5 answers in a row: transport error 529")
    assert 5 <= len(seen.draws) < 10  # while one waits for its next attempt, another may begin
    assert 4 * 5 <= board.calls < 4 * 10


def test_a_judge_that_is_down_opens_the_circuit_though_every_answer_comes(tmp_path: Path) -> None:
    surface = Surface()
    answer = surface.answer

    def judge_down(ask, workspace, key, about):  # type: ignore[no-untyped-def]
        down = about.role == "judge"
        return Reply("transport_error", detail="529", retryable=True) if down else answer(ask, workspace, key, about)

    surface.answer = judge_down  # type: ignore[method-assign]
    [seen], _ = run(surface, tmp_path, slots=1)
    assert seen.stop
    assert (seen.stop.reason, seen.stop.detail) == ("circuit", "5 gradings in a row: transport error 529")
    assert len(seen.draws) < 12  # of 24; while gradings wait, others go out


def test_what_may_pass_is_asked_again_on_resume(tmp_path: Path) -> None:
    """An outage of target and judge leaves no trace in the journal: a run resumed after it is the run it would have been."""
    surface, calls = Surface(), [0]
    answer = surface.answer

    def outage(ask, workspace, key, about):  # type: ignore[no-untyped-def]
        calls[0] += 1
        down = calls[0] > 20
        return Reply("rate_limited", detail="429", retryable=True) if down else answer(ask, workspace, key, about)

    surface.answer = outage  # type: ignore[method-assign]
    [cut], _ = run(surface, tmp_path)
    assert cut.stop
    assert cut.stop.reason == "circuit"
    assert any(draw.ending == "rate_limited" for draw in cut.draws)
    again = Surface()
    [seen], _ = run(again, tmp_path)
    [expected], _ = run(Surface(), tmp_path / "reference")
    assert table(seen) == table(expected)
    assert not set(again.keys) & set(surface.keys)


def test_the_time_limit_ends_the_run_with_its_holes_named(tmp_path: Path) -> None:
    plan = lift_plan()
    [seen], _ = run(Surface(jitter=0.02), tmp_path, plans=(plan,), slots=1, limits=Limits(seconds=0.2))
    assert seen.stop
    assert seen.stop.reason == "minutes"
    assert plan.rule.decide(seen).verdict != "PASSED"
    assert seen.coverage(plan.rule.wanted(seen))["minutes"] > 0


def test_the_first_calls_go_alone_so_that_the_cache_is_written_once(tmp_path: Path) -> None:
    surface, flying, most = Surface(), [0], [0, 0]
    answer, lock = surface.answer, threading.Lock()

    def counted(ask, workspace, key, about):  # type: ignore[no-untyped-def]
        with lock:
            flying[0] += 1
            first = len(surface.keys) < 2
            most[not first] = max(most[not first], flying[0])
        time.sleep(0.01)
        reply = answer(ask, workspace, key, about)
        with lock:
            flying[0] -= 1
        return reply

    surface.answer = counted  # type: ignore[method-assign]
    run(surface, tmp_path, slots=6, limits=Limits(alone=2))
    assert most == [2, 6]


def test_a_failed_attempt_is_paid_for_before_the_next(tmp_path: Path) -> None:
    class Dear(Prices):
        def cost(self, ask: Ask, usage: Usage) -> int:
            return 150

    surface = Surface(limited=1.0)
    [seen], [board] = run(surface, tmp_path, prices=Dear(200), max_micro_usd=10**6)
    assert {draw.usage.micro_usd for draw in seen.draws} == {300}
    assert board.micro_usd == 150 * board.calls


def test_a_surface_that_breaks_is_a_hole_and_not_a_lost_run(tmp_path: Path) -> None:
    surface = Surface()
    surface.on_call = lambda number: 1 / 0 if number % 7 == 0 else None  # type: ignore[assignment,return-value]
    [seen], _ = run(surface, tmp_path, slots=1)
    assert seen.stop
    assert seen.stop.reason == "complete"
    assert {draw.detail for draw in seen.draws if draw.ending == "agent_error"} == {"ZeroDivisionError"}


def test_the_budget_is_never_passed_and_resume_goes_on(tmp_path: Path) -> None:
    [seen], [board] = run(Surface(), tmp_path, max_micro_usd=4000)
    assert seen.stop
    assert seen.stop.reason == "budget"
    assert 0 < board.micro_usd <= 4000
    assert plan_verdict(seen) != "PASSED"
    [whole], _ = run(Surface(), tmp_path)
    [expected], _ = run(Surface(), tmp_path / "reference")
    assert table(whole) == table(expected)


def test_a_stop_says_which_limit_it_was(tmp_path: Path) -> None:
    [seen], [board] = run(Surface(), tmp_path, max_calls=40)
    assert seen.stop
    assert (seen.stop.reason, seen.stop.detail != "") == ("calls", True)
    assert 0 < board.calls <= 40


def plan_verdict(seen: object) -> str:
    return lift_plan().rule.decide(seen).verdict  # type: ignore[arg-type]


def test_a_refused_reservation_waits_while_others_hold_money(tmp_path: Path) -> None:
    """The worst case of two draws does not fit, their real cost does."""
    [seen], [board] = run(Surface(), tmp_path, worst=2000, max_micro_usd=25_000, slots=16)
    assert seen.stop
    assert seen.stop.reason == "complete"
    assert board.micro_usd < 25_000


def test_max_calls_counts_every_attempt(tmp_path: Path) -> None:
    surface = Surface(limited=0.5)
    [_], [board] = run(surface, tmp_path, max_calls=40)
    assert board.calls <= 40
    assert len(surface.keys) <= 40


def test_a_retried_call_holds_no_slot_and_counts_its_attempts(tmp_path: Path) -> None:
    [seen], _ = run(Surface(limited=1.0), tmp_path)
    assert {draw.usage.attempts for draw in seen.draws} == {2}


def test_several_boards_share_one_loop_and_stay_apart(tmp_path: Path) -> None:
    plans = (lift_plan(3, skill="one"), lift_plan(5, skill="two"))
    together, _ = run(Surface(), tmp_path / "together", plans=plans, slots=8)
    for number, plan in enumerate(plans):
        [alone], _ = run(Surface(), tmp_path / f"alone{number}", plans=(plan,))
        assert table(together[number]) == table(alone)


@pytest.mark.parametrize("content", ['{"format": "other"}\n', "notes of somebody", '["a"]\n', '{"format": "driftproof-journal/1"', "\n\n"])
def test_a_journal_of_something_else_is_refused_and_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text(content)
    with pytest.raises(FileError, match="not a journal"):
        JournalIO(tmp_path, nonce="n")
    assert path.read_text() == content


@pytest.mark.parametrize("damage", [b"what is this\n", b'{"key": "k", "grade": {}}\n', b'{"key": "k", "reply": 3}\n', b"[]\n"])
def test_a_damaged_line_is_named_and_nothing_is_cut(tmp_path: Path, damage: bytes) -> None:
    run(Surface(), tmp_path)
    path = tmp_path / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    damaged = b"".join([*lines[:3], damage, *lines[3:]])
    path.write_bytes(damaged)
    with pytest.raises(FileError, match="line 4 is damaged"):
        JournalIO(tmp_path, nonce="n")
    assert path.read_bytes() == damaged


def test_two_runs_cannot_share_a_journal(tmp_path: Path) -> None:
    first = JournalIO(tmp_path, nonce="n")
    with pytest.raises(FileError, match="another run"):
        JournalIO(tmp_path, nonce="n")
    first.close()
    JournalIO(tmp_path, nonce="other").close()


def test_a_journal_takes_its_folder_along_only_when_it_was_alone_there(tmp_path: Path) -> None:
    JournalIO(tmp_path / "own", nonce="n").drop()
    assert not (tmp_path / "own").exists()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "thesis.txt").write_text("years of work")
    JournalIO(tmp_path / "shared", nonce="n").drop()
    assert [path.name for path in (tmp_path / "shared").iterdir()] == ["thesis.txt"]


def test_a_torn_last_line_is_cut_off(tmp_path: Path) -> None:
    run(Surface(), tmp_path)
    path = tmp_path / "journal.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    again = Surface()
    [seen], _ = run(again, tmp_path)
    assert len(again.keys) <= 1
    [expected], _ = run(Surface(), tmp_path / "reference")
    assert table(seen) == table(expected)


def test_a_full_disk_loses_nothing_that_was_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    surface, write = Surface(), os.pwrite
    room = [20_000]

    def full(file: int, data: bytes, at: int) -> int:
        if at + len(data) > room[0]:
            write(file, data[: max(0, room[0] - at)], at)
            raise OSError(28, "No space left on device")
        return write(file, data, at)

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="No space"):
        run(surface, tmp_path)
    monkeypatch.undo()
    [seen], _ = run(Surface(), tmp_path)
    [expected], _ = run(Surface(), tmp_path / "reference")
    assert table(seen) == table(expected)


def test_the_model_is_named_in_every_ask(tmp_path: Path) -> None:
    surface, asked = Surface(), set()
    answer = surface.answer

    def spy(ask, workspace, key, about):  # type: ignore[no-untyped-def]
        asked.add((about.role, ask.model))
        return answer(ask, workspace, key, about)

    surface.answer = spy  # type: ignore[method-assign]
    run(surface, tmp_path)
    assert asked == {("target", MODEL), ("judge", MODEL)}
