"""A live run against a model server that misbehaves in every way we know: each fault is a named hole, none becomes a score."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from driftproof_action.cli import main
from driftproof_action.receipts.read import load
from driftproof_action.receipts.view import ReceiptView
from tests.model_server import Answer, Call, ModelServer, error

KEY = "sk-test-0123456789abcdef"
ROOT = Path(__file__).resolve().parents[2]


def suite(rubric: int = 5, criteria: int = 5) -> dict[str, Any]:
    cases: list[dict[str, Any]] = [
        {"id": f"r{n}", "prompt": f"case:r{n} Do it well.", "expected_output": "It is done well."} for n in range(rubric)
    ]
    cases += [
        {"id": f"k{n}", "prompt": f"case:k{n} Do it well.", "assertions": ["It is done.", "It is done well.", "It is short."]}
        for n in range(criteria)
    ]
    return {"evals": cases}


@pytest.fixture
def skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work" / "skills" / "worker"
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: worker\ndescription: Works.\n---\nDo things well.\n")
    (folder / "evals" / "evals.json").write_text(json.dumps(suite()))
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    return folder


def run(server: ModelServer, *words: str) -> int:
    return main(["run", "skills/worker", "--anthropic-base-url", server.url, *words])


def only(skill: Path) -> ReceiptView:
    [path] = sorted((skill.parents[1] / "driftproof-out" / "receipts").glob("*.json"))
    return load(path.read_bytes(), source=path.name)


def losses(view: ReceiptView, case: str, arm: str = "with_skill") -> Mapping[str, int]:
    return view.rows[case, arm].loss_reasons


def test_a_good_run_is_tested_and_says_who_answered(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer().serve() as server:
        assert run(server) == 0
    view = only(skill)
    assert (view.level, view.kind, view.surface, view.status) == ("TESTED", "model", "api", "complete")
    assert view.decision
    assert view.decision.verdict == "PASSED"
    run_facts = view.document["run"]
    assert run_facts["answered_by"]["attested"] is True  # type: ignore[index,call-overload]
    assert view.endpoint == view.judge.endpoint == server.url
    assert view.economics is not None
    assert "helps" in capsys.readouterr().err
    assert view.observations
    samples = [sample for grade in view.observations.grades for sample in grade.samples]
    assert all(sample.serving_id and sample.reported_model == "claude-haiku-4-5" and sample.usage.micro_usd for sample in samples)
    assert {call.body.get("temperature") for call in server.calls if call.role == "target"} == {None}
    assert {call.body.get("temperature") for call in server.calls if call.role == "judge"} == {0.0}
    assert {call.headers["authorization"] for call in server.calls if "authorization" in call.headers} | {
        call.headers.get("x-api-key", "") for call in server.calls
    } <= {f"Bearer {KEY}", KEY, ""}


def faults(server_message: Callable[..., dict[str, Any]]) -> Callable[[Call], Answer | None]:
    """One fault a case; baseline answers of the same case are always good."""

    def script(call: Call) -> Answer | None:
        first = call.repeat == 0
        target, judge = call.role == "target" and call.arm == "with_skill", call.role == "judge"
        table: dict[str, Callable[[], Answer | None]] = {
            "r0": lambda: error(429, "rate_limit_error", retry_after="0.01") if target and first else None,
            "r1": lambda: Answer(529, "<html>overloaded</html>", {"content-type": "text/html"}) if target and first else None,
            "r2": lambda: Answer(body=server_message(call, "half an ans", stop_reason="max_tokens")) if target else None,
            "r3": lambda: Answer(body=server_message(call, "", content=[])) if target else None,
            "r4": lambda: (
                Answer(body=server_message(call, "", content=[{"type": "thinking", "thinking": "hm", "signature": "s"}]))
                if target
                else None
            ),
            "k0": lambda: Answer(body=server_message(call, "I will not.", stop_reason="refusal")) if target else None,
            "k1": lambda: Answer(body=server_message(call, '{"judgments": []} {"judgments": []}')) if judge else None,
            "k2": lambda: Answer(body=server_message(call, "x", stop_reason="tool_use")) if target else None,
            "k3": lambda: Answer(body=server_message(call, "x", stop_reason="model_context_window_exceeded")) if target else None,
            "k4": lambda: error(429, "rate_limit_error") if target and first else None,
        }
        return table[call.case]()

    return script


@pytest.fixture
def quick_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same retries with shorter waits."""
    from driftproof_action.execution.drive import Patience

    monkeypatch.setattr("driftproof_action.commands.evaluate.PATIENCE", Patience(base_s=0.01))


@pytest.mark.usefixtures("quick_waits")
def test_every_fault_is_a_named_hole_and_none_a_score(skill: Path) -> None:
    server = ModelServer()
    server.script = faults(server.message)
    with server.serve():
        code = run(server, "--on-unmeasured", "warn")
    view = only(skill)
    assert code == 0
    assert view.status == "incomplete"
    assert losses(view, "r2") == {"cut": 5}
    assert losses(view, "r3") == {"empty_reply": 5}
    assert losses(view, "r4") == {"thinking_only": 5}
    assert losses(view, "k0") == {"refused": 5}
    assert losses(view, "k1") == {"judge_two_decisions": 5}
    assert losses(view, "k2") == {"tool_use": 5}
    assert losses(view, "k3") == {"context_window": 5}
    for case in ("r0", "r1", "k4"):
        row = view.rows[case, "with_skill"]
        assert not row.n_lost
        assert row.mean is not None
        assert row.mean > 0.6
    assert view.observations
    attempts = {
        draw.usage.attempts for draw in view.observations.draws if draw.id.brief in ("r0", "r1", "k4") and draw.id.arm == "with_skill"
    }
    assert attempts == {2}
    assert all(grade.score is None for grade in view.observations.grades if grade.hole)
    assert view.decision
    assert view.decision.verdict not in ("PASSED", "REGRESSED")


@pytest.mark.parametrize(
    ("reply", "reason", "asked"),
    [
        ('{"score": 85, "reason": "x"}', "judge_score_out_of_range", 2),
        ('{"score": true, "reason": "x"}', "judge_score_not_a_number", 2),
        ("No idea.", "judge_no_decision", 2),
        ('```json\n{"score": 0.5, "reason": "x"}\n```', "", 1),
    ],
)
def test_a_judge_that_decides_nothing_is_asked_once_more(skill: Path, reply: str, reason: str, asked: int) -> None:
    (skill / "evals" / "evals.json").write_text(json.dumps(suite(1, 0)))
    server = ModelServer()
    server.script = lambda call: Answer(body=server.message(call, reply)) if call.role == "judge" else None
    with server.serve():
        run(server, "--on-unmeasured", "warn", "--max-draws", "5")
    judged = sum(call.role == "judge" for call in server.calls)
    assert judged == 10 * 2 * asked
    receipts = list((skill.parents[1] / "driftproof-out").glob("receipts/*.json"))
    if reason:
        assert receipts == []  # nothing could be graded
    else:
        assert only(skill).rows["r0", "with_skill"].mean == 0.5


@pytest.mark.parametrize(
    ("answer", "code", "says"),
    [
        (error(401, "authentication_error"), 2, "api-key: the provider does not accept the key"),
        (error(400, "invalid_request_error", "You have reached your specified API usage limits."), 2, "usage limit or credit is used up"),
        (error(404, "not_found_error"), 2, "models: the provider does not know claude-haiku-4-5"),
        (Answer(307, "", {"location": "http://127.0.0.1:1/"}), 2, "redirects"),
    ],
)
def test_what_the_provider_refuses_names_the_input_to_change(
    skill: Path, capsys: pytest.CaptureFixture[str], answer: Answer, code: int, says: str
) -> None:
    with ModelServer(lambda call: answer).serve() as server:
        assert run(server, "--concurrency", "1") == code
    assert says in capsys.readouterr().err
    assert len(server.calls) == 1


def test_an_unknown_judge_names_the_judge(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer(lambda call: error(404, "not_found_error") if call.role == "judge" else None).serve() as server:
        assert run(server, "--judge-model", "claude-opus-5") == 2
    assert "judge-model: the provider does not know claude-opus-5" in capsys.readouterr().err


def test_a_usage_cap_in_mid_run_keeps_what_was_measured(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def script(call: Call) -> Answer | None:
        return error(400, "invalid_request_error", "reached your usage limits") if call.number > 100 else None

    with ModelServer(script).serve() as server:
        assert run(server) == 2
    view = only(skill)
    assert view.status == "incomplete"
    assert view.decision
    assert view.decision.verdict == "INCONCLUSIVE"
    err = capsys.readouterr().err
    assert "--resume-dir" in err
    folder = err.split("--resume-dir ")[1].split()[0]
    with ModelServer().serve() as again:
        assert run(again, "--resume-dir", folder, "--out", "again") == 0
    assert not {call.key for call in server.calls[:101]} & {call.key for call in again.calls}


def test_a_run_resumed_at_another_address_asks_everything_anew(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same model name elsewhere is another model, and so is the judge: nothing one address said is the other's."""
    (skill / "evals" / "evals.json").write_text(json.dumps(suite(1, 0)))
    words = ("--protocol", "published", "--max-draws", "5", "--min-draws", "5")
    whole = 2 * 5 * (1 + 5)

    def script(call: Call) -> Answer | None:
        return error(400, "invalid_request_error", "reached your usage limits") if call.number > whole // 2 else None

    with ModelServer(script).serve() as server, ModelServer().serve() as elsewhere:
        assert run(server, *words) == 2
        folder = capsys.readouterr().err.split("--resume-dir ")[1].split()[0]
        assert run(elsewhere, *words, "--resume-dir", folder, "--out", "again") == 0
    assert len(elsewhere.calls) == whole


def test_a_receipt_that_cannot_be_written_keeps_what_was_paid_for(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = skill.parents[1] / "driftproof-out"
    out.mkdir()
    (out / "receipts").write_text("in the way")
    with ModelServer().serve() as server:
        assert run(server, "--max-cases", "1") == 2
        folder = capsys.readouterr().err.split("--resume-dir ")[1].split()[0]
        made = len(server.calls)
        (out / "receipts").unlink()
        assert run(server, "--max-cases", "1", "--resume-dir", folder) == 0
        assert len(server.calls) == made
    assert not Path(folder).exists()


def test_an_outage_leaves_nothing_behind_that_a_resumed_run_would_believe(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def down(call: Call) -> Answer | None:
        return error(429, "rate_limit_error", "later", retry_after="0") if call.number > 60 else None

    with ModelServer(down).serve() as server:
        run(server)
    assert only(skill).status == "incomplete"
    folder = capsys.readouterr().err.split("--resume-dir ")[1].split()[0]
    with ModelServer().serve() as again:
        assert run(again, "--resume-dir", folder, "--out", "again") == 0
    [path] = (skill.parents[1] / "again" / "receipts").glob("*.json")
    view = load(path.read_bytes(), source=path.name)
    assert view.status == "complete"
    assert all(row.n_lost == 0 for row in view.rows.values())


def test_a_folder_that_is_no_journals_is_refused_and_left_alone(skill: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    thesis = tmp_path_factory.mktemp("thesis")
    (thesis / "chapter.txt").write_text("years of work")
    with ModelServer().serve() as server:
        assert run(server, "--resume-dir", str(thesis)) == 2
        assert not server.calls
    assert (thesis / "chapter.txt").read_text() == "years of work"


def test_another_model_answering_is_exit_5_and_no_receipt(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = ModelServer()
    server.script = lambda call: (
        Answer(body=server.message(call, "x", model="claude-opus-5")) if call.role == "target" and call.number > 30 else None
    )
    with server.serve():
        assert run(server) == 5
    assert not (skill.parents[1] / "driftproof-out" / "receipts").exists()
    assert "claude-opus-5 answered" in capsys.readouterr().err


def test_another_model_judging_is_a_hole(skill: Path) -> None:
    server = ModelServer()
    server.script = lambda call: (
        Answer(body={**server.good(call), "model": "claude-sonnet-5"}) if call.role == "judge" and call.case == "r0" else None
    )
    with server.serve():
        assert run(server) == 0
    assert losses(only(skill), "r0") == {"judge_wrong_model": 5}


def test_dollars_never_pass_the_cap_when_every_answer_is_as_long_as_it_may_be(skill: Path) -> None:
    server = ModelServer()

    def longest(call: Call) -> Answer:
        body = server.good(call)
        body["usage"]["output_tokens"] = call.body["max_tokens"]
        body["usage"]["input_tokens"] = len(json.dumps(call.body))
        return Answer(body=body)

    server.script = longest
    with server.serve():
        assert run(server, "--max-usd", "0.50", "--max-tokens", "1000") == 3
    view = only(skill)
    assert view.observations
    spent = sum(draw.usage.micro_usd or 0 for draw in view.observations.draws)
    spent += sum(sample.usage.micro_usd or 0 for grade in view.observations.grades for sample in grade.samples)
    assert 200_000 < spent <= 500_000
    billed = sum(len(json.dumps(call.body)) + 5 * call.body["max_tokens"] for call in server.calls)
    assert billed <= 500_000
    assert view.decision
    assert view.decision.verdict in ("INCONCLUSIVE", "NOT_MEASURED")


def test_a_cap_that_cannot_hold_the_fewest_calls_makes_none(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer().serve() as server:
        assert run(server, "--max-usd", "0.001") == 3
    assert server.calls == []
    assert "max-usd" in capsys.readouterr().err


def test_nothing_measured_is_exit_7_unless_told_otherwise(skill: Path) -> None:
    server = ModelServer()
    server.script = lambda call: Answer(body=server.message(call, "no", stop_reason="refusal"))
    with server.serve():
        assert run(server) == 7
        assert run(server, "--on-unmeasured", "warn") == 0


@pytest.mark.usefixtures("quick_waits")
def test_a_provider_that_is_down_opens_the_circuit(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer(lambda call: error(529, "overloaded_error")).serve() as server:
        assert run(server) == 7
    assert len(server.calls) < 60
    assert "in a row" in capsys.readouterr().err


def test_an_overload_inside_a_200_is_asked_again(skill: Path) -> None:
    (skill / "evals" / "evals.json").write_text(json.dumps(suite(1, 0)))

    def script(call: Call) -> Answer | None:
        inside = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
        return Answer(body=inside, headers={"retry-after": "0"}) if call.repeat == 0 and call.number < 3 else None

    with ModelServer(script).serve() as server:
        from driftproof_action.execution.drive import Patience

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("driftproof_action.commands.evaluate.PATIENCE", Patience(base_s=0.01))
            assert run(server) == 0
    assert only(skill).rows["r0", "with_skill"].n_lost == 0


def test_the_key_goes_nowhere_but_to_its_origin(skill: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer().serve() as evil, ModelServer().serve() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", evil.url)
        monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-leak: yes")
        monkeypatch.setenv("HTTPS_PROXY", evil.url)
        (skill.parents[1] / ".netrc").write_text("machine 127.0.0.1 login x password stolen\n")
        monkeypatch.setenv("HOME", str(skill.parents[1]))
        monkeypatch.setenv("NETRC", str(skill.parents[1] / ".netrc"))
        assert run(server) == 0
    assert evil.calls == []
    assert all("x-leak" not in call.headers for call in server.calls)
    assert all("stolen" not in str(call.headers) for call in server.calls)
    out = capsys.readouterr()
    everything = out.out + out.err + "".join(path.read_text() for path in (skill.parents[1] / "driftproof-out").rglob("*.*"))
    assert KEY not in everything


@pytest.mark.parametrize("url", ["http://example.com", "https://user@example.com", "https://exa%6dple.com/?x=1", "ftp://example.com"])
def test_an_address_a_key_may_not_be_sent_to(skill: Path, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "skills/worker", "--anthropic-base-url", url]) == 2
    assert "anthropic-base-url" in capsys.readouterr().err


def test_an_answer_that_holds_the_key_stops_the_run_and_is_not_kept(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = ModelServer()
    server.script = lambda call: Answer(body=server.message(call, f"the key is {KEY}")) if call.role == "target" else None
    with server.serve():
        assert run(server, "--keep-answers", "true") == 2
    err = capsys.readouterr().err
    assert "holds the value of api-key" in err
    assert KEY not in err
    folder = Path(err.split("--resume-dir ")[1].split()[0])
    assert KEY not in (folder / "journal.jsonl").read_text()


@pytest.mark.parametrize("place", ["id", "model", "stop_reason", "error"])
@pytest.mark.parametrize("role", ["target", "judge"])
def test_the_key_is_not_kept_wherever_a_reply_holds_it(
    skill: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, place: str, role: str
) -> None:
    key = "canary_of_lower_letters"
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    server = ModelServer()

    def script(call: Call) -> Answer | None:
        if call.role != role:
            return None
        return error(400, key) if place == "error" else Answer(body=server.good(call) | {place: key})

    server.script = script
    with server.serve():
        assert run(server, "--keep-answers", "true") == 2
    said = capsys.readouterr()
    assert "holds the value of api-key" in said.err
    folder = Path(said.err.split("--resume-dir ")[1].split()[0])
    kept = [path.read_text() for path in (*folder.rglob("*.*"), *(skill.parents[1] / "driftproof-out").rglob("*.*"))]
    assert key not in said.out + said.err + "".join(kept)


def test_a_suite_that_holds_the_key_is_refused_before_it_is_sent(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its case is named after it: journal, receipt, summary and kept answers would all hold the name."""
    (skill / "evals" / "evals.json").write_text(
        json.dumps({"evals": [{"id": KEY, "prompt": "case:r0 Do it.", "expected_output": "It is done."}]})
    )
    with ModelServer().serve() as server:
        assert run(server, "--keep-answers", "true") == 2
    err = capsys.readouterr().err
    assert "skills/worker/evals/evals.json: holds the value of api-key" in err
    assert "docs/errors.md#secret-found" in err
    assert KEY not in err
    assert server.calls == []
    assert not (skill.parents[1] / "driftproof-out").exists()


def test_answers_are_kept_when_asked_for(skill: Path) -> None:
    with ModelServer().serve() as server:
        assert run(server, "--keep-answers", "true", "--max-cases", "2") == 0
    [kept] = (skill.parents[1] / "driftproof-out" / "answers").glob("*.json")
    data = json.loads(kept.read_text())
    assert data["receipt_hash"] == only(skill).receipt_hash
    assert all(draw["answer"] in data["texts"] and len(draw["judge"]) == 2 for draw in data["draws"])
    assert "With the skill" in kept.with_suffix(".md").read_text()


def test_quotes_must_occur(skill: Path) -> None:
    (skill / "evals" / "evals.json").write_text(json.dumps(suite(0, 1)))
    server = ModelServer()

    def script(call: Call) -> Answer | None:
        if call.role != "judge":
            return None
        rows = [{"id": f"check-{n}", "decision": "met", "reason": "so", "quote": "words nobody wrote"} for n in (1, 2, 3)]
        return Answer(body=server.message(call, json.dumps({"judgments": rows})))

    server.script = script
    with server.serve():
        run(server, "--max-draws", "5")
        judged = sum(call.role == "judge" for call in server.calls)
        assert judged == 2 * 5 * 2 * 2  # every sample is asked once more
        view = only(skill)
        assert view.observations
        assert all("quote_not_found" in grade.samples[-1].notes for grade in view.observations.grades)
        assert view.rows["k0", "with_skill"].mean == 1.0
        assert run(server, "--judge-guard", "strict", "--out", "strict") == 7


def test_caching_marks_long_skills_and_says_so_of_short_ones(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer().serve() as server:
        assert run(server) == 0
    assert "caches from 4096" in capsys.readouterr().err
    assert all("cache_control" not in block for call in server.calls for block in call.body.get("system", []))
    (skill / "SKILL.md").write_text("---\nname: worker\ndescription: Works.\n---\n" + "Do things well. " * 1600)
    with ModelServer().serve() as server:
        assert run(server, "--out", "long") == 0
    marked = [call for call in server.calls if call.arm == "with_skill"]
    assert all("cache_control" in call.body["system"][0] for call in marked)
    [path] = (skill.parents[1] / "long" / "receipts").glob("*.json")
    view = load(path.read_bytes(), source=path.name)
    assert view.observations
    wrote = [draw for draw in view.observations.draws if draw.usage.written_tokens]
    assert len(wrote) == 1


_CHILD = [sys.executable, "-m", "driftproof_action", "run", "skills/worker"]


def _stopping(server: ModelServer, process: list[subprocess.Popen[bytes]], *, at: int, number: int) -> Callable[[Call], Answer | None]:
    """Sends the signal while the call with that number is being answered."""

    def script(call: Call) -> Answer | None:
        if call.number == at:
            process[0].send_signal(number)
            time.sleep(0.05)
        return Answer(body=server.good(call), delay_s=0.002)

    return script


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_stopping_at_any_moment_loses_nothing_that_was_journaled(skill: Path, number: int, tmp_path: Path) -> None:
    """Ten seeded moments: all calls of both runs together are one run's, plus at most those in flight."""
    (skill / "evals" / "evals.json").write_text(json.dumps(suite(2, 2)))
    dice, fewest = random.Random(7), 4 * 2 * 5 * 3
    for moment in range(5):
        at, journal = dice.randint(5, fewest - 5), tmp_path / f"journal{number}{moment}"
        journal.mkdir()
        process: list[subprocess.Popen[bytes]] = []

        server_now = ModelServer()
        server_now.script = _stopping(server_now, process, at=at, number=number)
        with server_now.serve():
            words = [*_CHILD, "--anthropic-base-url", server_now.url, "--resume-dir", str(journal), "--out", f"out{moment}"]
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            process.append(
                subprocess.Popen(words, cwd=skill.parents[1], env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            )
            assert process[0].wait(60) in (128 + number, -number)
            server_now.script = lambda call: None
            done = subprocess.run(words, cwd=skill.parents[1], env=environment, capture_output=True, check=False, timeout=60)
            assert done.returncode == 0, done.stderr
        repeated = len(server_now.calls) - len({call.key for call in server_now.calls})
        assert repeated <= 8  # those in flight
        receipts = sorted((skill.parents[1] / f"out{moment}" / "receipts").glob("*.json"), key=lambda item: item.stat().st_mtime)
        view = load(receipts[-1].read_bytes(), source="resumed")
        assert view.status == "complete"
        assert all(row.n_lost == 0 for row in view.rows.values())
