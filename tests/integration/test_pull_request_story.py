"""A pull request from its opening to the schedule after it: real git over HTTP, a GitHub that remembers, a model server.
Not: single refusals (unit/github, unit/test_push_io)."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from driftproof_action import action
from driftproof_action.github.api import Api
from driftproof_action.receipts.read import load
from tests.conftest import ROOT, Repository
from tests.github.described import described
from tests.github.fake_server import BOT, FakeGitHub, Scripted, fake_github
from tests.hostile.git_server import Served, git_server
from tests.model_server import Answer, Call, ModelServer
from tests.runner_rules import Command, read_file_command, read_log

KEY, TOKEN = "sk-test-0123456789abcdef", "ghs_canary4711"
SKILL = "---\nname: naming\ndescription: Names things.\n---\nName things well.\n"
CASES = ("cat", "dog", "ship")
SUITE = {"evals": [{"id": id, "prompt": f"case:{id} Name it.", "expected_output": "A short name."} for id in CASES]}
FILES = {"skills/naming/SKILL.md": SKILL, "skills/naming/evals/evals.json": json.dumps(SUITE)}
RECEIPT = "receipts/naming__claude-haiku-4-5.json"


@dataclass
class Job:
    code: int
    log: str
    outputs: dict[str, str]
    summary: str

    @property
    def notices(self) -> list[Command]:
        return [command for command in read_log(self.log) if command.name in ("notice", "warning", "error")]


@dataclass
class House:
    """One repository on a server with everything around it. level: how good answers with the skill are, by case."""

    folder: Path
    bare: Repository
    work: Repository
    served: Served
    github: FakeGitHub
    model: ModelServer
    level: dict[str, float] = field(default_factory=lambda: dict.fromkeys(CASES, 0.8))
    jobs: int = 0
    run_id: str = ""

    def publish(self, ref: str = "refs/heads/main") -> str:
        self.work.git("push", "--quiet", "--force", str(self.bare.path), f"HEAD:{ref}")
        return self.work.git("rev-parse", "HEAD")

    def checkout(self, commit: str) -> Path:
        """As actions/checkout leaves it: one commit, no history, detached."""
        self.jobs += 1
        place = Repository(self.folder / f"job-{self.jobs}" / "workspace")
        place.path.mkdir(parents=True)
        place.git("init", "--quiet")
        place.git("fetch", "--quiet", "--depth=1", f"file://{self.bare.path}", commit)
        place.git("checkout", "--quiet", "--detach", "FETCH_HEAD")
        return place.path

    def job(self, name: str, event: Any, sha: str, *, ref: str = "refs/heads/main", elsewhere: bool = False, **inputs: str) -> Job:
        """elsewhere: in a process of its own."""
        workspace = self.checkout(sha)
        temp = workspace.parent / "temp"
        temp.mkdir()
        for file in ("output", "summary"):
            (temp / file).write_bytes(b"")
        payload = {"repository": {"full_name": "owner/skills", "default_branch": "main"}} | event
        (temp / "event.json").write_text(json.dumps(payload))
        environ = {
            "PATH": os.environ["PATH"],
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(temp / "event.json"),
            "GITHUB_OUTPUT": str(temp / "output"),
            "GITHUB_STEP_SUMMARY": str(temp / "summary"),
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_REPOSITORY": "owner/skills",
            "GITHUB_SERVER_URL": self.served.url,
            "GITHUB_API_URL": self.github.url,
            "GITHUB_WORKFLOW_REF": "owner/skills/.github/workflows/driftproof.yml@refs/heads/main",
            "GITHUB_JOB": "evaluate",
            "GITHUB_RUN_ID": self.run_id or str(self.jobs),
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_SHA": sha,
            "GITHUB_REF": ref,
            "RUNNER_TEMP": str(temp),
            "INPUT_API-KEY": KEY,
            "INPUT_GITHUB-TOKEN": TOKEN,
            "INPUT_ANTHROPIC-BASE-URL": self.model.url,
        }
        environ |= {f"INPUT_{key.replace('_', '-').upper()}": value for key, value in inputs.items()}
        if elsewhere:
            command = [sys.executable, "-I", "-X", "utf8", str(ROOT / "entrypoint.py")]
            done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
            code, text = done.returncode, done.stdout
        else:
            log = io.StringIO()
            code = action.main(environ, stdout=log)
            text = log.getvalue()
        assert "internal error" not in text
        for secret in (KEY, TOKEN):
            assert secret not in text.replace(f"::add-mask::{secret}\n", "")
        assert [path.name for path in temp.iterdir() if path.name.startswith("driftproof-")] == []
        return Job(code, text, read_file_command((temp / "output").read_bytes()), (temp / "summary").read_text())

    def pull(self, tip: str, base: str, *, away: str = "owner/skills", **inputs: str) -> Job:
        """The merge commit of a pull request, as GitHub makes it, and the job on it."""
        self.work.git("checkout", "--quiet", "--detach", base)
        self.work.git("merge", "--quiet", "--no-ff", "-m", "merge", tip)
        merged = self.publish("refs/pull/7/merge")
        self.work.git("checkout", "--quiet", "topic")
        home = {"full_name": "owner/skills"}
        head = {"sha": tip, "ref": "topic", "repo": {"full_name": away}}
        event = {"number": 7, "pull_request": {"number": 7, "base": {"sha": base, "ref": "main", "repo": home}, "head": head}}
        return self.job("pull_request", event, merged, ref="refs/pull/7/merge", **inputs)

    def push(self, before: str, after: str, *, elsewhere: bool = False, **inputs: str) -> Job:
        event = {"before": before, "after": after, "forced": False}
        return self.job("push", event, after, elsewhere=elsewhere, **inputs)

    def stored(self, name: str = RECEIPT, branch: str = "driftproof-data") -> str:
        return self.bare.git("show", f"{branch}:{name}")

    def tip(self, branch: str = "driftproof-data") -> str:
        return self.bare.git("rev-parse", "--verify", "--quiet", branch)

    def edit(self, text: str) -> str:
        return self.work.commit({"skills/naming/SKILL.md": SKILL + text})


def constant(house: dict[str, House]) -> Any:
    """Every answer of a case is alike, so that only what a test moves moves."""

    def answer(call: Call) -> Answer:
        level = house["it"].level[call.case] if call.arm == "with_skill" else 0.4
        if call.role == "target":
            return Answer(body=house["it"].model.message(call, f"An answer of quality={level:.3f}."))
        quality = float(call.user.partition("quality=")[2][:5])
        return Answer(body=house["it"].model.message(call, json.dumps({"score": quality, "reason": "as it reads"})))

    return answer


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    work = Repository(tmp_path / "work")
    work.path.mkdir()
    work.git("init", "--quiet", "--initial-branch=main")
    bare = Repository(tmp_path / "served" / "owner" / "skills")
    bare.path.mkdir(parents=True)
    bare.git("init", "--quiet", "--bare", "--initial-branch=main")
    for name in ("http.receivepack", "uploadpack.allowAnySHA1InWant"):
        bare.git("config", name, "true")
    box: dict[str, House] = {}
    model = ModelServer(constant(box), spread=0)
    with git_server(tmp_path / "served") as served, fake_github(described()) as github, model.serve() as server:
        box["it"] = House(tmp_path, bare, work, served, github, server)
        yield box["it"]


@pytest.fixture
def started(house: House) -> tuple[House, str]:
    """main with a skill, and its commit."""
    house.work.commit(FILES)
    return house, house.publish()


def test_from_opening_to_the_schedule(started: tuple[House, str]) -> None:
    house, base = started
    house.work.git("checkout", "--quiet", "-b", "topic")

    # Opened: nothing is stored yet, so there is a first comment.
    opened = house.pull(house.edit("More.\n"), base)
    assert (opened.code, opened.outputs["verdict"], opened.outputs["drift"]) == (0, "PASSED", "FIRST_RECEIPT")
    (comment,) = house.github.comments
    assert comment["user"]["login"] == BOT
    assert "helps" in comment["body"]
    assert "comment created" in opened.log
    assert "nothing stored: nothing is stored from a pull request" in opened.log

    # Second push: other figures, the same comment.
    house.level["cat"] = 0.9
    second = house.edit("More still.\n")
    assert house.pull(second, base).code == 0
    assert [row["id"] for row in house.github.comments] == [comment["id"]]
    told = comment["body"]

    # The same result again: neither comment nor store is touched.
    house.github.requests.clear()
    again = house.pull(second, base)
    assert "comment unchanged" in again.log
    assert house.github.writes() == []
    assert comment["body"] == told
    assert house.bare.git("for-each-ref", "refs/heads/driftproof-data") == ""

    # Merged: the push run stores receipt and badges.
    house.work.git("checkout", "--quiet", "main")
    house.work.git("merge", "--quiet", "--no-ff", "-m", "merge", "topic")
    merged = house.publish()
    pushed = house.push(base, merged)
    assert pushed.code == 0
    assert "stored 1 receipt on the branch driftproof-data" in pushed.log
    names = house.bare.git("ls-tree", "-r", "--name-only", "driftproof-data").split()
    assert names == [
        "badges/naming.json",
        "badges/naming.svg",
        "badges/naming__claude-haiku-4-5.json",
        "badges/naming__claude-haiku-4-5.svg",
        "receipts/naming__claude-haiku-4-5.commit",
        RECEIPT,
    ]
    assert house.stored("receipts/naming__claude-haiku-4-5.commit") == merged
    view = load(house.stored().encode(), source="stored")
    assert (view.level, view.skill_name) == ("TESTED", "naming")
    assert json.loads(house.stored("badges/naming.json"))["color"] == "brightgreen"
    assert f"{house.served.url}/owner/skills/raw/driftproof-data/badges/naming.svg" in pushed.summary
    assert pushed.notices == []

    # The same push measured again: equal measurement, nothing written.
    tip = house.tip()
    assert "holds these measurements already" in house.push(base, merged).log
    assert house.tip() == tip

    # The next pull request is compared with it, and quiet when nothing moved.
    house.work.git("checkout", "--quiet", "topic")
    house.work.git("merge", "--quiet", "main")
    house.github.comments.clear()
    quiet = house.pull(house.edit("Other words.\n"), merged)
    assert (quiet.code, quiet.outputs["drift"]) == (0, "NO_SEPARATION")
    assert house.github.comments == []
    house.level["ship"] = 0.5
    worse = house.pull(house.edit("Worse words.\n"), merged)
    assert (worse.code, worse.outputs["drift"]) == (1, "DRIFT")
    assert "got worse" in house.github.comments[0]["body"]
    assert worse.outputs["comment_url"] == house.github.comments[0]["html_url"]
    places = {(item.properties["file"], item.properties["line"]) for item in worse.notices if item.name == "error"}
    assert places == {("skills/naming/SKILL.md", "1"), ("skills/naming/evals/evals.json", "1")}

    # On schedule, the model has become worse: red, and stored, so that the badge says what is so.
    scheduled = house.job("schedule", {"schedule": "0 5 * * 1"}, merged)
    assert (scheduled.code, scheduled.outputs["drift"]) == (1, "DRIFT")
    assert house.tip() != tip
    assert house.bare.git("rev-parse", "driftproof-data~1") == tip
    assert load(house.stored().encode(), source="stored").delta < view.delta  # type: ignore[operator]


def test_a_base_gets_the_receipt_of_its_own_time(started: tuple[House, str]) -> None:
    """A pull request that starts from an older main is not compared with what main became since."""
    house, first = started
    house.push("0" * 40, first)
    house.level["cat"] = 0.5
    later = house.edit("Worse.\n")
    house.publish()
    assert house.push(first, later).outputs["drift"] == "DRIFT"
    house.level["cat"] = 0.8
    house.work.git("checkout", "--quiet", "-b", "topic", first)
    old = house.pull(house.edit("Topic.\n"), first)
    assert old.outputs["drift"] == "NO_SEPARATION"
    house.work.git("merge", "--quiet", "-X", "ours", later)
    assert house.pull(house.work.git("rev-parse", "HEAD"), later).outputs["drift"] == "IMPROVED"


def test_a_race_of_two_pushes_loses_nothing(started: tuple[House, str]) -> None:
    """Two models measured by two jobs at once: one finds the branch moved between its look and its push."""
    house, commit = started
    straight, others = house.served, []

    def between(path: str) -> int:
        if path.endswith("/git-receive-pack") and not others:
            others.append("on its way")
            house.served = straight
            others.append(house.push("0" * 40, commit, elsewhere=True, models="claude-sonnet-5").log)
        return 0

    with git_server(house.folder / "served", refuse=between) as raced:
        house.served = raced
        job = house.push("0" * 40, commit)
    assert "stored 1 receipt" in others[1]
    assert "stored 1 receipt" in job.log
    assert job.notices == []
    names = house.bare.git("ls-tree", "-r", "--name-only", "driftproof-data", "receipts").split()
    assert [name for name in names if name.endswith(".json")] == [RECEIPT, "receipts/naming__claude-sonnet-5.json"]
    assert house.bare.git("rev-list", "--count", "driftproof-data") == "2"
    assert json.loads(house.stored("badges/naming.json"))["message"].startswith("helps · 2 models")


def test_an_older_run_that_ends_later_does_not_replace_a_newer_one(started: tuple[House, str]) -> None:
    house, first = started
    second = house.edit("More.\n")
    house.publish()
    assert "stored 1 receipt" in house.push(first, second).log
    tip = house.tip()
    house.level["cat"] = 0.6
    late = house.push("0" * 40, first)
    assert "a later commit has been measured already" in late.log
    assert house.tip() == tip


def test_the_store_in_the_tree(started: tuple[House, str]) -> None:
    house, _ = started
    commit = house.work.commit({".driftproof/README.md": "Receipts.\n"})
    base = house.publish()
    job = house.push(base, commit)
    assert "stored 1 receipt on the branch main" in job.log
    tip = house.tip("main")
    assert house.bare.git("log", "-1", "--format=%an|%s|%P", "main") == f"{BOT}|Store driftproof receipts [skip ci]|{commit}"
    assert house.stored(f".driftproof/{RECEIPT}", "main").startswith("{")
    assert house.bare.git("show", "main:skills/naming/SKILL.md") + "\n" == SKILL

    # What that push itself starts, with a token that starts workflows, ends there.
    house.level["cat"] = 0.6
    assert "this push brought stored files and nothing else" in house.push(commit, tip).log
    assert house.tip("main") == tip


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"commit": "false"}, "nothing stored: commit is false"),
        ({"store": "none"}, "nothing stored: store is none"),
        ({"max_cases": "2"}, "nothing stored: no model was tested"),
        ({"mode": "stub"}, "nothing stored: no model was tested"),
    ],
)
def test_what_is_never_stored(started: tuple[House, str], inputs: dict[str, str], said: str) -> None:
    house, commit = started
    assert said in house.push("0" * 40, commit, **inputs).log
    assert house.bare.git("for-each-ref", "refs/heads/driftproof-data") == ""


@pytest.mark.parametrize(
    ("name", "ref"),
    [
        ("push", "refs/tags/v1"),
        ("push", "refs/heads/other"),
        ("release", "refs/tags/v1"),
        ("merge_group", "refs/heads/gh-readonly-queue/main/pr-7"),
        ("workflow_dispatch", "refs/heads/other"),
    ],
)
def test_where_nothing_is_ever_stored(started: tuple[House, str], name: str, ref: str) -> None:
    house, commit = started
    job = house.job(name, {"merge_group": {"base_sha": commit, "head_sha": commit}}, commit, ref=ref, commit="true")
    assert job.code == 0
    (notice,) = [item for item in job.notices if item.name == "notice"]
    assert "although commit is true" in notice.data
    assert house.bare.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_a_pull_request_that_may_keep_its_receipts(started: tuple[House, str]) -> None:
    house, _ = started
    base = house.work.commit({".driftproof/README.md": "Receipts.\n"})
    house.publish()
    house.work.git("checkout", "--quiet", "-b", "topic")
    commit = house.edit("More.\n")
    house.publish("refs/heads/topic")
    job = house.pull(commit, base, commit="true")
    assert "stored 1 receipt on the branch topic" in job.log
    names = house.bare.git("ls-tree", "-r", "--name-only", "topic", ".driftproof").split()
    assert names == [".driftproof/README.md", ".driftproof/receipts/naming__claude-haiku-4-5.commit", f".driftproof/{RECEIPT}"]
    assert house.tip("main") == base
    # The branch has moved since: an older receipt is not laid onto it.
    moved = house.pull(commit, base, commit="true")
    assert any("has moved on" in item.data for item in moved.notices)
    fork = house.pull(commit, base, away="stranger/skills", commit="true")
    assert any("may not write" in item.data for item in fork.notices)


def test_a_branch_that_is_protected_and_a_token_that_may_not_write(started: tuple[House, str]) -> None:
    house, commit = started
    hook = house.bare.path / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'error: GH006: Protected branch update failed.' >&2\nexit 1\n")
    hook.chmod(0o755)
    job = house.push("0" * 40, commit, store="tree")
    (notice,) = job.notices
    assert (job.code, notice.name) == (0, "notice")
    assert "with:\n  store: branch\npermissions:\n  contents: write" in notice.data
    hook.unlink()
    with git_server(house.folder / "served", refuse=lambda path: 403 if "receive-pack" in path else 0) as closed:
        house.served = closed
        (notice,) = house.push("0" * 40, commit).notices
    assert notice.data.endswith("give the job\npermissions:\n  contents: write")


def test_a_fork_reads_about_itself_in_the_summary(started: tuple[House, str]) -> None:
    house, base = started
    house.work.git("checkout", "--quiet", "-b", "topic")
    house.github.script = lambda request: Scripted(403, "Resource not accessible by integration") if request.verb == "POST" else None
    job = house.pull(house.edit("More.\n"), base, away="stranger/skills")
    assert job.code == 0
    (notice,) = job.notices
    assert "a fork may not write" in notice.data
    assert "as it reads" not in job.summary


@pytest.mark.parametrize(
    "answer",
    [Scripted(403, "no"), Scripted(404), Scripted(422), Scripted(500), Scripted(403, "secondary rate limit", {"Retry-After": "99"})],
)
@pytest.mark.parametrize("red", [True, False])
def test_no_refusal_changes_the_code(started: tuple[House, str], answer: Scripted, red: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Api.__init__.__kwdefaults__, "sleep", lambda _: None)  # type: ignore[misc]
    house, base = started
    house.work.git("checkout", "--quiet", "-b", "topic")
    if red:
        house.level = dict.fromkeys(CASES, 0.1)
    house.github.script = lambda request: answer
    job = house.pull(house.edit("More.\n"), base)
    assert job.code == (1 if red else 0)
    assert [item.name for item in job.notices if "comment" in item.properties["title"]] == ["notice"]
    assert job.outputs["comment_url"] == ""


def test_the_legs_of_a_matrix_do_not_overwrite_each_other(started: tuple[House, str]) -> None:
    house, base = started
    house.work.git("checkout", "--quiet", "-b", "topic")
    head, house.run_id = house.edit("More.\n"), "99"
    # Only https addresses are linked, and the link to the run is what the legs know each other by; nobody listens there.
    house.served = Served("https://127.0.0.1:9")
    house.pull(head, base)
    second = house.pull(head, base, models="claude-sonnet-5")
    assert [row["body"] for row in house.github.comments] == [house.github.comments[0]["body"]]
    assert "claude-haiku-4-5" in house.github.comments[0]["body"]
    (notice,) = [item for item in second.notices if "comment" in item.properties["title"]]
    assert "comment-key: ${{ matrix.model }}" in notice.data
    house.pull(head, base, models="claude-sonnet-5", comment_key="claude-sonnet-5")
    assert len(house.github.comments) == 2


def test_a_pull_request_measured_by_hand(started: tuple[House, str]) -> None:
    house, base = started
    house.work.git("checkout", "--quiet", "-b", "topic")
    head = house.edit("More.\n")
    house.publish("refs/pull/7/head")
    house.github.pull(7, head=head, base=base, away="stranger/skills")
    job = house.job("workflow_dispatch", {"inputs": {"pr": "7", "sha": head}}, head)
    assert (job.code, job.outputs["drift"]) == (0, "FIRST_RECEIPT")
    assert len(house.github.comments) == 1
    calls = len(house.model.calls)
    house.github.pull(7, head="c" * 40, base=base)
    refused = house.job("workflow_dispatch", {"inputs": {"pr": "7", "sha": head}}, head)
    assert refused.code == 2
    assert len(house.model.calls) == calls, "refused before anything is asked"
