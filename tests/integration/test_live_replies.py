"""What single replies become in a live run, against a scripted model server: bad ones in one place, good ones everywhere else."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driftproof_action.cli import main
from driftproof_action.domain.draw import Draw
from driftproof_action.domain.grade import Sample
from driftproof_action.execution.drive import Patience
from driftproof_action.receipts.read import load
from driftproof_action.receipts.view import ReceiptView
from tests.model_server import Answer, Call, ModelServer, error

THINKING = {"type": "thinking", "thinking": "SECRET-THOUGHT", "signature": "c2ln"}
Script = Callable[[Call], Answer | None]


class Run:
    """One command in its own folder. cases: their ids; graded by a rubric. Judge once an answer, so that calls can be counted."""

    def __init__(self, root: Path, *cases: str) -> None:
        self.root, self.server = root, ModelServer()
        folder = root / "skills" / "labels"
        (folder / "evals").mkdir(parents=True)
        (folder / "SKILL.md").write_text("---\nname: labels\ndescription: Labels.\n---\nName the unit.\n")
        evals = [{"id": id, "prompt": f"case:{id} Label it.", "expected_output": "A label with a unit."} for id in cases]
        (folder / "evals" / "evals.json").write_text(json.dumps({"evals": evals}))

    def __call__(self, script: Script, *words: str) -> int:
        self.server.script = lambda call: script(call) or self.plain(call)
        with self.server.serve():
            words = ("--protocol", "published", "--min-draws", "5", "--samples", "1", *words)
            return main(["run", "skills/labels", "--anthropic-base-url", self.server.url, *words])

    def plain(self, call: Call) -> Answer:
        """A good answer, unlike every other one; a judge's score is the quality it names."""
        if call.role == "judge":
            quality = re.search(r"quality=([0-9.]+)\.", call.user)
            assert quality
            return self.said(call, json.dumps({"score": float(quality[1]), "reason": "as it reads"}))
        return self.said(call, f"An answer of quality={self.server.quality(call.arm, call.case):.3f}. {call.key[:8]}")

    def said(self, call: Call, text: str, **changes: Any) -> Answer:
        return Answer(body=self.server.message(call, text, **changes))

    def calls(self, role: str, case: str, arm: str = "") -> list[Call]:
        """The calls of a case; arm: of a judge's call, whose answer it grades."""
        return [call for call in self.server.calls if (call.role, call.case) == (role, case) and arm in ("", side(call))]

    @property
    def receipts(self) -> list[Path]:
        return sorted((self.root / "driftproof-out" / "receipts").glob("*.json"))

    @property
    def view(self) -> ReceiptView:
        [path] = self.receipts
        return load(path.read_bytes(), source=path.name)

    def draws(self, case: str, arm: str = "with_skill") -> list[Draw]:
        assert self.view.observations
        return [draw for draw in self.view.observations.draws if (draw.id.brief, draw.id.arm) == (case, arm)]

    def samples(self, case: str, arm: str = "with_skill") -> list[list[Sample]]:
        """By answer, in the order they were asked for."""
        assert self.view.observations
        grades = [grade for grade in self.view.observations.grades if grade.id.case == case and grade.id.draws[0].arm == arm]
        return [list(grade.samples) for grade in grades]

    def losses(self, case: str, arm: str = "with_skill") -> dict[str, int]:
        return dict(self.view.rows[case, arm].loss_reasons)


def side(call: Call) -> str:
    """The arm of a call; of a judge's call by the quality the server gives answers of that arm."""
    return call.arm if call.role == "target" else "with_skill" if "quality=0.8" in call.user else "baseline"


def asked_before(server: ModelServer, call: Call) -> int:
    """How often this judge call's answer was judged before it: 0 for the first ask, 1 for the second."""
    same = re.sub(r"\b[0-9a-f]{32}\b", "", call.user)
    return sum(other.number < call.number and re.sub(r"\b[0-9a-f]{32}\b", "", other.user) == same for other in server.calls)


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    def make(*cases: str) -> Run:
        (tmp_path / "work").mkdir()
        monkeypatch.chdir(tmp_path / "work")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-0123456789abcdef")
        monkeypatch.setattr("driftproof_action.commands.evaluate.PATIENCE", Patience(base_s=0.01, alike=50))
        return Run(tmp_path / "work", *cases)

    return make


# ---- calls that fail --------------------------------------------------------------------------------------------


def test_a_rate_limit_for_good_is_a_hole_on_its_side_and_no_delta(start: Callable[..., Run], capsys: pytest.CaptureFixture[str]) -> None:
    run = start("a", "b", "c")
    limited = {("b", "with_skill"), ("c", "baseline")}
    assert run(lambda call: error(429, "rate_limit_error") if (call.case, call.arm) in limited else None) == 0
    assert run.view.status == "incomplete"
    assert run.view.decision
    assert (run.view.decision.verdict, "incomplete" in run.view.decision.reasons) == ("INCONCLUSIVE", True)
    for case, arm in limited:
        row = run.view.rows[case, arm]
        assert (row.mean, row.n_measured, run.losses(case, arm)) == (None, 0, {"rate_limited": 5})
        assert {draw.usage.attempts for draw in run.draws(case, arm)} == {4}
        assert run.view.rows[case, "baseline" if arm == "with_skill" else "with_skill"].n_measured == 5
    assert run.view.delta == 0.3  # of case a alone
    assert "10 answers lost: 10 turned away by the provider's rate limit" in capsys.readouterr().err
    assert "| `b` | not measured: turned away by the provider's rate limit |" in run.receipts[0].with_suffix(".summary.md").read_text()
    assert main(["validate", str(run.receipts[0])]) == 0


def test_a_wrong_answer_an_overload_and_a_cut_are_three_things(start: Callable[..., Run], capsys: pytest.CaptureFixture[str]) -> None:
    run = start("wrong", "busy", "long")

    def script(call: Call) -> Answer | None:
        if side(call) != "with_skill":
            return None
        if call.role == "judge":
            return run.said(call, '{"score": 0, "reason": "no unit"}') if call.case == "wrong" else None
        table = {"busy": error(529, "overloaded_error"), "long": run.said(call, "The label is", stop_reason="max_tokens")}
        return table.get(call.case)

    run(script)
    assert [run.view.rows[case, "with_skill"].mean for case in ("wrong", "busy", "long")] == [0, None, None]
    assert (run.losses("wrong"), run.losses("busy"), run.losses("long")) == ({}, {"transport_error": 5}, {"cut": 5})
    assert run.calls("judge", "long", "with_skill") == []
    assert "10 answers lost: 5 cut off at the token limit and 5 lost on the way" in capsys.readouterr().err


def test_an_error_inside_a_200_is_one_more_attempt_as_event_and_as_object(start: Callable[..., Run]) -> None:
    run = start("event", "object")
    inside = {"type": "error", "error": {"type": "overloaded_error", "message": "PARTIAL"}}
    event = Answer(200, f"event: error\ndata: {json.dumps(inside)}\n\n", {"content-type": "text/event-stream"})

    def script(call: Call) -> Answer | None:
        return None if call.arm != "with_skill" or call.repeat else event if call.case == "event" else Answer(body=inside)

    assert run(script) == 0
    for case in ("event", "object"):
        assert (run.losses(case), {draw.usage.attempts for draw in run.draws(case)}) == ({}, {2})
        assert {draw.usage.attempts for draw in run.draws(case, "baseline")} == {1}
    assert all("stream" not in call.body for call in run.server.calls)
    assert "PARTIAL" not in run.receipts[0].read_text()


def test_a_model_nobody_knows_is_one_error_no_second_try_and_no_receipt(
    start: Callable[..., Run], capsys: pytest.CaptureFixture[str]
) -> None:
    run = start("a")
    assert run(lambda call: error(404, "not_found_error", "model: gone"), "--concurrency", "1") == 2
    assert (len(run.server.calls), run.receipts) == (1, [])
    assert capsys.readouterr().err.count("models: the provider does not know claude-haiku-4-5") == 1


# ---- what is sent, and what is kept of it -----------------------------------------------------------------------


@pytest.mark.parametrize(("judge", "sent"), [("claude-haiku-4-5", {0.0}), ("claude-opus-5", {None})])
def test_only_a_judge_that_takes_a_temperature_gets_one_and_the_receipt_says_which(
    start: Callable[..., Run], judge: str, sent: set[float | None]
) -> None:
    run = start("a")
    assert run(lambda call: None, "--judge-model", judge) == 0
    assert all(not {"top_p", "top_k"} & set(call.body) for call in run.server.calls)
    assert {call.body.get("temperature") for call in run.server.calls if call.role == "target"} == {None}
    assert {call.body.get("temperature") for call in run.server.calls if call.role == "judge"} == sent == {run.view.judge.temperature}
    assert run.view.parameters["temperature"] is None
    assert run.view.parameters["max_tokens"] == 4096


def test_the_receipt_names_the_model_that_was_asked_and_the_one_that_says_it_answered(start: Callable[..., Run]) -> None:
    run = start("a")
    dated = "claude-haiku-4-5-20251001"
    assert run(lambda call: Answer(body=run.server.good(call) | {"model": dated})) == 0
    assert (run.view.model_id, run.view.judge.model_id) == ("claude-haiku-4-5", "claude-haiku-4-5")
    assert {draw.reported_model for arm in ("with_skill", "baseline") for draw in run.draws("a", arm)} == {dated}
    assert {sample.reported_model for samples in run.samples("a") for sample in samples} == {dated}


# ---- answers without text ---------------------------------------------------------------------------------------


def test_answers_without_text_are_named_and_never_judged(start: Callable[..., Run]) -> None:
    run = start("empty", "declined", "thought", "spoken")

    def script(call: Call) -> Answer | None:
        if call.arm != "with_skill":
            return None
        table: dict[str, dict[str, Any]] = {
            "empty": {"content": []},
            "declined": {"content": [], "stop_reason": "refusal"},
            "thought": {"content": [THINKING]},
            "spoken": {"content": [THINKING, {"type": "text", "text": "Flour, "}, {"type": "text", "text": "quality=0.800."}]},
        }
        return run.said(call, "", **table[call.case])

    assert run(script, "--keep-answers", "true") == 0
    named = {"empty": {"empty_reply": 5}, "declined": {"refused": 5}, "thought": {"thinking_only": 5}, "spoken": {}}
    for case, losses in named.items():
        assert run.losses(case) == losses
        assert len(run.calls("target", case, "with_skill")) == 5, "an answer is never asked for again because it is not liked"
        assert len(run.calls("judge", case, "with_skill")) == (0 if losses else 5)
        assert run.view.rows[case, "baseline"].n_measured == 5
    assert all("Flour, quality=0.800." in call.user for call in run.calls("judge", "spoken", "with_skill"))
    assert all("SECRET-THOUGHT" not in json.dumps(call.body) for call in run.server.calls)
    assert all("SECRET-THOUGHT" not in path.read_text() for path in (run.root / "driftproof-out").rglob("*") if path.is_file())


# ---- what a judge replies ---------------------------------------------------------------------------------------


def test_fences_and_prose_around_a_decision_change_nothing(start: Callable[..., Run]) -> None:
    run = start("bare", "fenced", "prose", "nothing")
    decision = '{"score": 0.75, "reason": "as it reads"}'
    replies = {"bare": decision, "fenced": f"```json\n{decision}\n```", "prose": f"Sure, here it is:\n\n{decision}", "nothing": "Fine."}
    assert run(lambda call: run.said(call, replies[call.case]) if call.role == "judge" else None) == 0
    assert [run.view.rows[case, "with_skill"].mean for case in replies] == [0.75, 0.75, 0.75, None]
    assert run.losses("nothing") == {"judge_no_decision": 5}


def test_one_bad_judge_reply_is_asked_again_and_a_hopeless_case_leaves_the_others_alone(start: Callable[..., Run]) -> None:
    run = start("a", "b", "once", "never")

    def script(call: Call) -> Answer | None:
        bad = call.case == "never" or (call.case == "once" and not asked_before(run.server, call))
        return run.said(call, "Hard to say!") if call.role == "judge" and side(call) == "with_skill" and bad else None

    run(script)
    assert run.losses("never") == {"judge_no_decision": 5}
    assert len(run.calls("judge", "never", "with_skill")) == 10, "once more, not for ever"
    for samples in run.samples("once"):
        assert [(sample.attempt, sample.value is None) for sample in samples] == [(0, True), (1, False)]
    for case in ("a", "b", "once"):
        assert run.view.rows[case, "with_skill"].n_measured == 5
    assert (run.view.status, run.view.delta is not None) == ("incomplete", True)


def test_a_cut_judge_is_asked_again_with_twice_the_room_and_both_calls_are_paid(start: Callable[..., Run]) -> None:
    run = start("once", "always")

    def script(call: Call) -> Answer | None:
        if call.role != "judge" or (call.case == "once" and asked_before(run.server, call)):
            return None
        content = [THINKING, {"type": "text", "text": '{"score": 1.0, "reason": "x"}'}]
        return run.said(call, "", content=content, stop_reason="max_tokens")

    run(script)
    assert run.losses("always") == {"judge_cut": 5}, "even a cut reply that reads like a decision is none"
    assert len(run.calls("judge", "always", "with_skill")) == 10
    assert run.losses("once") == {}
    for samples in run.samples("once"):
        assert [(sample.attempt, sample.value is None, bool(sample.usage.micro_usd)) for sample in samples] == [
            (0, True, True),
            (1, False, True),
        ]
    rooms = Counter((asked_before(run.server, call), call.body["max_tokens"]) for call in run.calls("judge", "once"))
    [(_, first), (_, second)] = sorted(rooms)
    assert (second, rooms) == (2 * first, {(0, first): 10, (1, second): 10})


def test_no_number_that_is_none_reaches_a_mean_or_a_receipt(start: Callable[..., Run]) -> None:
    scores = {"big": "85", "below": "-1", "above": "1.0000001", "text": '"0.8"', "true": "true", "nan": "NaN", "inf": "Infinity"}
    scores |= {"null": "null", "list": "[1]"}
    run = start("good", "none", *scores)

    def script(call: Call) -> Answer | None:
        if call.role != "judge" or call.case == "good":
            return None
        return run.said(call, '{"pass": true}' if call.case == "none" else f'{{"score": {scores[call.case]}, "reason": "r"}}')

    run(script)
    assert {case: run.view.rows[case, "with_skill"].mean for case in scores} == dict.fromkeys(scores)
    reasons = dict.fromkeys(("big", "below", "above"), "judge_score_out_of_range")
    reasons |= dict.fromkeys(("text", "true", "null", "list"), "judge_score_not_a_number")
    reasons |= dict.fromkeys(("nan", "inf", "none"), "judge_no_decision")
    assert {case: run.losses(case) for case in reasons} == {case: {reason: 5} for case, reason in reasons.items()}
    assert run.view.with_skill_score == run.view.rows["good", "with_skill"].mean
    assert not re.search("nan|infinity", run.receipts[0].read_text().replace('"nan"', ""), re.IGNORECASE)
