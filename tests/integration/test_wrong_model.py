"""One model that is not who it was asked to be costs its own row and no other. Not: what a reply must look like."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driftproof_action.cli import main
from driftproof_action.receipts.read import load
from tests.model_server import Answer, ModelServer

SUITE = {"evals": [{"id": f"r{n}", "prompt": f"case:r{n} Do it well.", "expected_output": "It is done well."} for n in range(3)]}
SAYS = "claude-sonnet-5 was asked, claude-opus-5 answered"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """Answers as the model it was asked for, but as claude-opus-5 for claude-sonnet-5. The working folder holds one skill."""
    folder = tmp_path / "skills" / "worker"
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: worker\ndescription: Works.\n---\nDo things well.\n")
    (folder / "evals" / "evals.json").write_text(json.dumps(SUITE))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-0123456789abcdef")
    made = ModelServer()
    made.script = lambda call: (
        Answer(body=made.message(call, "x", model="claude-opus-5"))
        if call.role == "target" and call.body["model"] == "claude-sonnet-5"
        else None
    )
    return made


@pytest.mark.parametrize("models", ["claude-haiku-4-5,claude-sonnet-5", "claude-sonnet-5,claude-haiku-4-5"])
def test_the_other_rows_of_the_job_stand(server: ModelServer, capsys: pytest.CaptureFixture[str], models: str) -> None:
    with server.serve():
        code = main(["run", "skills/worker", "--anthropic-base-url", server.url, "--models", models, "--json"])
    out = capsys.readouterr()
    assert code == 5
    result = json.loads(out.out)
    rows = {row["model_id"]: row for row in result["rows"]}
    wrong, good = rows["claude-sonnet-5"], rows["claude-haiku-4-5"]
    assert (wrong["verdict"], wrong["reason_code"]) == ("NOT_MEASURED", "wrong_model")
    assert wrong["reason"] == f"another model answered: {SAYS}"
    assert (wrong["receipt_path"], wrong["badge_path"], wrong["delta"]) == (None, None, None)
    assert wrong["calls"] > 0
    assert good["verdict"] == "PASSED"
    kept = sorted(Path("driftproof-out/receipts").glob("*.json"))
    assert [load(path.read_bytes(), source=path.name).receipt_hash for path in kept] == [good["receipt_hash"]]
    assert SAYS in out.err
    assert f"this job is red because another model answered for worker on claude-sonnet-5: {SAYS}" in out.err


def test_a_pull_request_reads_of_both(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The Action's door: the summary holds both rows and the outputs speak of the worse one."""
    from driftproof_action import action
    from tests.runner_rules import read_file_command

    for name in ("output", "summary"):
        (tmp_path / name).write_bytes(b"")
    with server.serve():
        environ = {
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            "GITHUB_WORKSPACE": str(tmp_path),
            "GITHUB_EVENT_NAME": "push",
            "RUNNER_TEMP": str(tmp_path / "runner"),
            "INPUT_API-KEY": "sk-test-0123456789abcdef",
            "INPUT_ANTHROPIC-BASE-URL": server.url,
            "INPUT_MODELS": "claude-haiku-4-5,claude-sonnet-5",
        }
        (tmp_path / "runner").mkdir()
        assert action.main(environ) == 5
    outputs = read_file_command((tmp_path / "output").read_bytes())
    assert (outputs["exit_code"], outputs["verdict"], outputs["reason_code"]) == ("5", "NOT_MEASURED", "wrong_model")
    assert SAYS in outputs["message"]
    assert outputs["receipt_count"] == "1"
    assert len(json.loads(outputs["results"])) == 2
    summary = (tmp_path / "summary").read_text()
    assert "### `worker` was not measured on claude-sonnet-5" in summary
    assert SAYS in summary
    assert "helps" in summary
    assert "check the model id and the endpoint" in summary
    assert "this job is red because another model answered" in capsys.readouterr().out
