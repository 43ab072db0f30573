"""`driftproof run` and `measure` from the outside: a skill folder in, a receipt that validates out, every failure by name."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from driftproof_action.cli import main
from driftproof_action.receipts.read import load
from driftproof_action.receipts.view import ReceiptView
from tests.conftest import Repository

SUITE = {
    "evals": [
        {"id": 0, "prompt": "Greet moon.", "assertions": ["The answer greets moon", {"type": "contains", "value": "moon"}]},
        {"id": "rubric", "prompt": "Say {0} and %s.", "expected_output": "Both, letter for letter."},
        {"id": "files", "prompt": "Read it.", "expected_output": "x", "files": ["evals/files/absent.csv"]},
    ]
}


@pytest.fixture
def skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work" / "skills" / "greeter"
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: greeter\ndescription: Greets.\n---\nBe kind.\n")
    (folder / "evals" / "evals.json").write_text(json.dumps(SUITE))
    monkeypatch.chdir(tmp_path / "work")
    return folder


def receipts(skill: Path) -> list[Path]:
    return sorted((skill.parents[1] / "driftproof-out" / "receipts").glob("*.json"))


def only(skill: Path) -> ReceiptView:
    [path] = receipts(skill)
    return load(path.read_bytes(), source=path.name)


def script(skill: Path, *rows: Mapping[str, Any]) -> str:
    path = skill.parents[2] / "script.json"
    path.write_text(json.dumps(rows))
    return str(path)


def test_a_stub_run_writes_a_receipt_that_validates_and_says_so(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "skills/greeter", "--mode", "stub"]) == 0
    out, err = capsys.readouterr()
    view = only(skill)
    assert out.strip() == f"driftproof-out/receipts/{receipts(skill)[0].name}"
    assert (view.level, view.kind, view.method) == ("UNVERIFIED", "stub", "lift")
    assert view.decision
    assert view.decision.verdict == "NOT_MEASURED"
    assert (view.with_skill_score, view.baseline_score) == (0.85, 0.42)
    assert view.rows["0", "with_skill"].n_measured == 5
    assert view.rows["files", "with_skill"].mean is None
    assert view.rows["files", "with_skill"].loss_reasons
    assert "no model was asked" in err
    assert "10 answers lost: 10 without a file the case names" in err
    assert main(["validate", str(receipts(skill)[0])]) == 0
    assert (skill.parents[1] / "driftproof-out" / ".gitignore").read_text() == "*\n"


def test_a_scripted_run_grades_by_the_cases_own_grader(skill: Path) -> None:
    judgment = {"judgments": [{"id": "check-1", "decision": "met", "reason": "it does"}]}
    path = script(
        skill,
        {"role": "target", "case": "0", "arm": "with_skill", "draw": 1, "error": "timeout"},
        {"role": "target", "case": "0", "arm": "with_skill", "draw": 2, "error": "rate_limited", "times": 1},
        {"role": "target", "case": "0", "arm": "with_skill", "reply": "Hello moon"},
        {"role": "judge", "case": "0", "reply": judgment},
        {"role": "judge", "case": "rubric", "reply": 'Fine work! {"score": 0.5} or {"score": 1.0}'},
    )
    assert main(["run", "skills/greeter", "--mode", "stub", "--stub-script", path]) == 0
    view = only(skill)
    assert view.rows["0", "with_skill"].mean == 1.0
    assert view.rows["0", "baseline"].mean == 0.5
    assert view.rows["rubric", "with_skill"].mean is None
    assert set(view.rows["rubric", "with_skill"].loss_reasons) == {"judge_two_decisions"}
    assert view.rows["0", "with_skill"].n_lost >= 1
    assert view.status == "incomplete"


def test_json_holds_every_row_and_nothing_else_is_on_stdout(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "skills/greeter", "--mode", "stub", "--models", "haiku,claude-sonnet-5", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [row["model_id"] for row in result["rows"]] == ["claude-haiku-4-5", "claude-sonnet-5"]
    assert len(receipts(skill)) == 2


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--mode", "live"], 2, "api-key is empty"),
        ([], 2, "api-key is empty"),
        (["--max-calls", "3", "--mode", "stub"], 3, "max-calls"),
        (["--case", "nope", "--mode", "stub"], 2, "not a case"),
        (["--models", "gpt-9", "--mode", "stub"], 2, "not a model"),
        (["--mode", "stub", "--stub-script", "absent.json"], 2, "absent.json"),
        (["--mode", "stub", "--max-usd", "5 USD", "--samples", "٣"], 2, "5 USD"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_written(
    skill: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, says: str
) -> None:
    assert main(["run", "skills/greeter", *words]) == code
    assert says in capsys.readouterr().err
    assert not (skill.parents[1] / "driftproof-out").exists()


@pytest.mark.parametrize("cases", ["[]", '{"evals": []}', '{"evals": [{"id": 1, "prompt": "p"}]}'])
def test_a_suite_in_which_nothing_can_run_is_no_success(skill: Path, capsys: pytest.CaptureFixture[str], cases: str) -> None:
    (skill / "evals" / "evals.json").write_text(cases)
    for words in (["run", "skills/greeter"], ["run"], ["measure", "skills/greeter"]):
        assert main([*words, "--mode", "stub"]) == 2
        assert "skills/greeter/evals/evals.json" in capsys.readouterr().err
    assert not (skill.parents[1] / "driftproof-out").exists()


def test_it_runs_where_the_locale_knows_no_unicode(skill: Path) -> None:
    (skill / "SKILL.md").write_text("---\nname: grüße\ndescription: “Greets” → ✓\n---\nUse → between steps.\n", encoding="utf-8")
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PATH": os.environ["PATH"]}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    words = [sys.executable, "-X", "warn_default_encoding", "-m", "driftproof_action", "run", "skills/greeter", "--mode", "stub", "--json"]
    done = subprocess.run(words, cwd=skill.parents[1], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"EncodingWarning" not in done.stderr
    assert json.loads(done.stdout.decode("utf-8"))["rows"][0]["skill_name"] == "grüße"
    assert "grüße" in receipts(skill)[0].read_text(encoding="utf-8")


def test_a_narrowed_run_earns_no_verdict(skill: Path) -> None:
    assert main(["run", "skills/greeter", "--mode", "stub", "--case", "rubric"]) == 0
    view = only(skill)
    assert view.narrowed
    assert view.case_ids() == ("rubric",)


def test_an_example_case_is_refused_until_edited(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (skill / "evals" / "evals.json").write_text(
        json.dumps({"evals": [{"id": "a", "prompt": "p", "expected_output": "e", "example": True}]})
    )
    assert main(["run", "skills/greeter", "--mode", "stub"]) == 2
    err = capsys.readouterr().err
    assert "skills/greeter/evals/evals.json:1: case 'a' is still the example" in err


def test_a_suite_of_which_nothing_runs_and_an_unknown_case_name_the_skill(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "skills/greeter", "--mode", "stub", "--case", "nobody"]) == 2
    assert "'nobody' is not a case of skills/greeter/evals/evals.json" in capsys.readouterr().err
    (skill / "evals" / "evals.json").write_text(json.dumps({"evals": [SUITE["evals"][2]]}))
    assert main(["run", "skills/greeter", "--mode", "stub"]) == 2
    assert "skills/greeter/evals/evals.json: has no case that can run" in capsys.readouterr().err


def test_an_empty_suite_is_never_a_success(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (skill / "evals" / "evals.json").write_text('{"evals": []}')
    assert main(["run", "skills/greeter", "--mode", "stub"]) == 2
    assert "no case" in capsys.readouterr().err
    assert not (skill.parents[1] / "driftproof-out").exists()


def test_a_trigger_suite_is_named_and_not_red(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (skill / "evals" / "evals.json").write_text('[{"query": "hello", "should_trigger": true}]')
    assert main(["run", "skills/greeter", "--mode", "stub"]) == 0
    assert "trigger" in capsys.readouterr().err


def test_the_same_measurement_again_has_the_same_measurement_hash(skill: Path) -> None:
    for _ in range(2):
        assert main(["run", "skills/greeter", "--mode", "stub", "--out", "a"]) == 0
        time.sleep(0.01)
    views = [load(path.read_bytes(), source=path.name) for path in sorted((skill.parents[1] / "a" / "receipts").glob("*.json"))]
    assert len({view.measurement_hash for view in views}) == 1
    assert len({view.receipt_hash for view in views}) == 2


def test_it_compares_with_the_receipt_of_the_last_commit(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = skill.parents[1]
    assert main(["run", "skills/greeter", "--mode", "stub"]) == 0
    stored = root / ".driftproof" / "receipts"
    stored.mkdir(parents=True)
    (stored / "greeter__claude-haiku-4-5.json").write_bytes(receipts(skill)[0].read_bytes())
    repository = Repository(root)
    repository.git("init", "--quiet", "--initial-branch=main")
    repository.commit()
    capsys.readouterr()
    (skill / "SKILL.md").write_text("---\nname: greeter\ndescription: Greets.\n---\nBe kinder.\n")
    assert main(["run", "skills/greeter", "--mode", "stub", "--json"]) == 0
    [row] = json.loads(capsys.readouterr().out)["rows"]
    assert row["comparison"]["headline"] == "NOT_MEASURED"
    assert "skill" in row["comparison"]["changed"]


def test_measure_gives_rates_with_exact_intervals_and_asserts_nothing(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = script(skill, {"role": "target", "draw": 0, "reply": "nobody"}, {"role": "target", "reply": "moon!"})
    assert main(["measure", "skills/greeter", "--mode", "stub", "--stub-script", path, "--draws", "4"]) == 0
    err = capsys.readouterr().err
    assert "0: 3 of 4 pass (75%, 95 % interval 19% to 99%)" in err
    assert "rubric: not measured: no checks" in err
    view = only(skill)
    assert view.method == "measure"
    assert view.decision
    assert (view.decision.verdict, view.decision.label) == ("NOT_MEASURED", "measured")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_cleanly_and_keeps_what_was_measured(skill: Path, number: int) -> None:
    path = script(skill, {"role": "target", "delay_ms": 30})
    process = subprocess.Popen(
        [sys.executable, "-m", "driftproof_action", "run", "skills/greeter", "--mode", "stub", "--stub-script", path, "--concurrency", "1"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=skill.parents[1],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )
    assert process.stderr
    assert "cases" in process.stderr.readline()
    time.sleep(0.4)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "is kept in" in err
    view = only(skill)
    assert view.status == "incomplete"
    assert view.decision
    assert view.decision.verdict == "NOT_MEASURED"
    assert view.observations
    assert view.observations.stop
    assert view.observations.stop.reason == "signal"
