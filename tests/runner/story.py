"""A repository on a git server, a GitHub that remembers, a model server, and the jobs around them; the steps of the pull-request
story. Not: the runner of a job (emulator.py), or where the action runs (backends.py): the same steps are taken in every way.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driftproof_action.receipts.read import load
from tests.conftest import Repository
from tests.github.described import described
from tests.github.fake_server import BOT, FakeGitHub, fake_github
from tests.hostile.git_server import Served, git_server
from tests.model_server import Answer, Call, ModelServer
from tests.runner.emulator import Backend, Runner
from tests.runner.events import Event
from tests.runner_rules import Command

KEY, TOKEN = "sk-test-0123456789abcdef", "ghs_canary4711"
SKILL = "---\nname: naming\ndescription: Names things.\n---\nName things well.\n"
CASES = ("cat", "dog", "ship", "lake", "song")
WORSE = "Worse words.\n"
"""A skill that holds this is bad at ships."""
SUITE = {"evals": [{"id": id, "prompt": f"case:{id} Name it.", "expected_output": "A short name."} for id in CASES]}
FILES = {"skills/naming/SKILL.md": SKILL, "skills/naming/evals/evals.json": json.dumps(SUITE)}
DATA = "driftproof-data"
RECEIPT = "receipts/naming__claude-haiku-4-5.json"
STORED = [
    "badges/naming.json",
    "badges/naming.svg",
    "badges/naming__claude-haiku-4-5.json",
    "badges/naming__claude-haiku-4-5.svg",
    "receipts/naming__claude-haiku-4-5.commit",
    RECEIPT,
]


@dataclass(frozen=True)
class Job:
    """What a job came to. comments, store: what became of them, seen from outside. writes: verbs. asked: calls of the model.
    A job that runs while another one does counts in both."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str
    commands: list[Command]
    comments: str
    store: str
    reads: int
    writes: list[str]
    asked: int
    seconds: float

    @property
    def notices(self) -> list[Command]:
        return [command for command in self.commands if command.name in ("notice", "warning", "error")]

    def told(self) -> str:
        """One line for people."""
        said = f"exit {self.code}  {self.outputs['verdict']:12} {self.outputs['drift']:13}"
        parts = (f"comment {self.comments:9}", f"store {self.store:9}", f"API reads {self.reads} writes {len(self.writes)}")
        return "  ".join([said, *parts, f"model calls {self.asked:3}", f"{self.seconds:4.1f} s"])


@dataclass
class House:
    """One repository on a server with everything around it. level: how good answers with the skill are, by case. backend: runs
    the action. beside: runs it while another job does."""

    folder: Path
    bare: Repository
    work: Repository
    served: Served
    github: FakeGitHub
    model: ModelServer
    backend: Backend
    beside: Backend
    level: dict[str, float] = field(default_factory=lambda: dict.fromkeys(CASES, 0.8))
    jobs: int = 0
    run_id: str = ""

    def publish(self, ref: str = "refs/heads/main") -> str:
        self.work.git("push", "--quiet", "--force", str(self.bare.path), f"HEAD:{ref}")
        return self.work.git("rev-parse", "HEAD")

    def checkout(self, commit: str) -> Path:
        """As actions/checkout leaves it: one commit, no history, detached."""
        self.jobs += 1
        place = Repository(self.folder / f"job-{self.jobs}" / "work" / "skills" / "skills")
        place.path.mkdir(parents=True)
        place.git("init", "--quiet")
        place.git("fetch", "--quiet", "--depth=1", f"file://{self.bare.path}", commit)
        place.git("checkout", "--quiet", "--detach", "FETCH_HEAD")
        return place.path

    def job(self, name: str, event: Any, sha: str, *, ref: str = "refs/heads/main", elsewhere: bool = False, **inputs: str) -> Job:
        """One step on a fresh runner. elsewhere: while another job runs."""
        workspace = self.checkout(sha)
        runner = Runner(workspace.parents[1], workspace, self.beside if elsewhere else self.backend)
        payload = {"repository": {"full_name": "owner/skills", "default_branch": "main"}} | event
        given = {"api-key": KEY, "anthropic-base-url": self.model.url} | {key.replace("_", "-"): value for key, value in inputs.items()}
        comments, tips = self._comments(), self._tips()
        requests, calls, start = len(self.github.requests), len(self.model.calls), time.monotonic()
        step = runner.step(
            Event(name, payload, sha, ref),
            given=given,
            token=TOKEN,
            server_url=self.served.url,
            api_url=self.github.url,
            run_id=self.run_id or str(self.jobs),
        )
        seconds, asked = time.monotonic() - start, self.github.requests[requests:]
        assert "internal error" not in step.log
        for secret in (KEY, TOKEN):
            assert secret not in step.log.replace(f"::add-mask::{secret}\n", "")
        assert [path.name for path in runner.layout.temp.iterdir() if path.name.startswith("driftproof-")] == []
        return Job(
            code=step.code,
            log=step.log,
            outputs=step.outputs,
            summary=step.summary,
            commands=step.commands,
            comments=_fate(comments, self._comments()),
            store=_fate(tips, self._tips()),
            reads=sum(request.verb == "GET" for request in asked),
            writes=[request.verb for request in asked if request.verb != "GET"],
            asked=len(self.model.calls) - calls,
            seconds=seconds,
        )

    def _comments(self) -> dict[str, str]:
        return {str(row["id"]): row["body"] for row in self.github.comments}

    def _tips(self) -> dict[str, str]:
        """Every branch on the server; what GitHub makes of a pull request is none."""
        lines = self.bare.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads").splitlines()
        return dict(line.split(" ") for line in lines)

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

    def stored(self, name: str = RECEIPT, branch: str = DATA) -> str:
        return self.bare.git("show", f"{branch}:{name}")

    def tip(self, branch: str = DATA) -> str:
        return self.bare.git("rev-parse", "--verify", "--quiet", branch)

    def edit(self, text: str) -> str:
        return self.work.commit({"skills/naming/SKILL.md": SKILL + text})


def constant(house: dict[str, House]) -> Any:
    """Every answer of a case is alike, so that only what a test moves moves."""

    def answer(call: Call) -> Answer:
        level = house["it"].level[call.case] if call.arm == "with_skill" else 0.4
        level = 0.5 if call.case == "ship" and WORSE.strip() in call.system else level
        if call.role == "target":
            return Answer(body=house["it"].model.message(call, f"An answer of quality={level:.3f}."))
        quality = float(call.user.partition("quality=")[2][:5])
        return Answer(body=house["it"].model.message(call, json.dumps({"score": quality, "reason": "as it reads"})))

    return answer


@contextmanager
def open_house(folder: Path, *, backend: Backend, beside: Backend) -> Iterator[House]:
    """Servers on the loopback of the caller's network; at the end every exchange with GitHub must have been as it describes it."""
    work = Repository(folder / "work")
    work.path.mkdir()
    work.git("init", "--quiet", "--initial-branch=main")
    bare = Repository(folder / "served" / "owner" / "skills")
    bare.path.mkdir(parents=True)
    bare.git("init", "--quiet", "--bare", "--initial-branch=main")
    for name in ("http.receivepack", "uploadpack.allowAnySHA1InWant"):
        bare.git("config", name, "true")
    box: dict[str, House] = {}
    model = ModelServer(constant(box), spread=0)
    with git_server(folder / "served") as served, fake_github(described()) as github, model.serve() as server:
        box["it"] = House(folder, bare, work, served, github, server, backend, beside)
        yield box["it"]


def begin(house: House) -> str:
    """main with a skill; its commit."""
    house.work.commit(FILES)
    return house.publish()


def _fate(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    if before == after:
        return "untouched"
    if before.keys() == after.keys():
        return "updated"
    return "created" if before.keys() < after.keys() else "removed"


# ---- the story --------------------------------------------------------------------------------------------------


def from_opening_to_the_schedule(house: House, base: str) -> Mapping[str, Job]:
    """Opened, pushed to, the same again, merged, compared with what was stored, and the schedule after that."""
    opening = _opened_and_pushed_to(house, base)
    merged, merging = _merged(house, base)
    return opening | merging | _compared_with_what_is_stored(house, merged)


def _opened_and_pushed_to(house: House, base: str) -> dict[str, Job]:
    house.work.git("checkout", "--quiet", "-b", "topic")

    # Nothing is stored yet, so there is a first comment.
    opened = house.pull(house.edit("More.\n"), base)
    assert (opened.code, opened.outputs["verdict"], opened.outputs["drift"]) == (0, "PASSED", "FIRST_RECEIPT")
    assert (opened.comments, opened.writes, opened.store) == ("created", ["POST"], "untouched")
    (comment,) = house.github.comments
    assert comment["user"]["login"] == BOT
    assert "helps" in comment["body"]
    assert "comment created" in opened.log
    assert "nothing stored: nothing is stored from a pull request" in opened.log

    # Second push: other figures, the same comment.
    house.level["cat"] = 0.9
    tip = house.edit("More still.\n")
    second = house.pull(tip, base)
    assert (second.code, second.comments, second.writes, second.store) == (0, "updated", ["PATCH"], "untouched")
    assert [row["id"] for row in house.github.comments] == [comment["id"]]

    # The same result again: neither comment nor store is touched.
    again = house.pull(tip, base)
    assert "comment unchanged" in again.log
    assert (again.code, again.comments, again.writes, again.store) == (0, "untouched", [], "untouched")
    assert house.bare.git("for-each-ref", f"refs/heads/{DATA}") == ""
    return {"opened": opened, "second push": second, "the same again": again}


def _merged(house: House, base: str) -> tuple[str, dict[str, Job]]:
    """The push run stores receipt and badges; a second one with the same result, and one that asks no model, store nothing."""
    house.work.git("checkout", "--quiet", "main")
    house.work.git("merge", "--quiet", "--no-ff", "-m", "merge", "topic")
    merged = house.publish()
    pushed = house.push(base, merged)
    assert (pushed.code, pushed.comments, pushed.store) == (0, "untouched", "created")
    assert "stored 1 receipt on the branch driftproof-data" in pushed.log
    assert house.bare.git("ls-tree", "-r", "--name-only", DATA).split() == STORED
    assert house.stored("receipts/naming__claude-haiku-4-5.commit") == merged
    view = load(house.stored().encode(), source="stored")
    assert (view.level, view.skill_name) == ("TESTED", "naming")
    assert json.loads(house.stored("badges/naming.json"))["color"] == "brightgreen"
    assert f"{house.served.url}/owner/skills/raw/driftproof-data/badges/naming.svg" in pushed.summary
    assert pushed.notices == []

    again = house.push(base, merged)
    assert "holds these measurements already" in again.log
    assert again.store == "untouched"

    stub = house.push(base, merged, mode="stub")
    assert "nothing stored: no model was tested" in stub.log
    assert (stub.code, stub.asked, stub.store) == (0, 0, "untouched")
    return merged, {"merged": pushed, "the same push again": again, "a stub run": stub}


def _compared_with_what_is_stored(house: House, merged: str) -> dict[str, Job]:
    # The next pull request is quiet when nothing moved.
    tip, stored = house.tip(), load(house.stored().encode(), source="stored")
    house.work.git("checkout", "--quiet", "topic")
    house.work.git("merge", "--quiet", "main")
    house.github.comments.clear()
    quiet = house.pull(house.edit("Other words.\n"), merged)
    assert (quiet.code, quiet.outputs["drift"]) == (0, "NO_SEPARATION")
    assert house.github.comments == []
    worse = house.pull(house.edit(WORSE), merged)
    assert (worse.code, worse.outputs["drift"]) == (1, "DRIFT")
    assert "got worse" in house.github.comments[0]["body"]
    assert worse.outputs["comment_url"] == house.github.comments[0]["html_url"]
    places = {(item.properties["file"], item.properties["line"]) for item in worse.notices if item.name == "error"}
    assert places == {("skills/naming/SKILL.md", "1"), ("skills/naming/evals/evals.json", "1")}

    # On schedule, the model has become worse at all of it: red, and stored, so that the badge says what is so.
    house.level |= dict.fromkeys(CASES, 0.5)
    scheduled = house.job("schedule", {"schedule": "0 5 * * 1"}, merged)
    assert (scheduled.code, scheduled.outputs["drift"], scheduled.store) == (1, "DRIFT", "updated")
    assert house.bare.git("rev-parse", f"{DATA}~1") == tip
    assert load(house.stored().encode(), source="stored").delta < stored.delta  # type: ignore[operator]
    return {"next pull request": quiet, "a change for the worse": worse, "schedule, worse model": scheduled}


def a_race_of_two_pushes(house: House, commit: str) -> Mapping[str, Job]:
    """Two models measured by two jobs at once: one finds the branch moved between its look and its push. Nothing is lost."""
    others: list[Job] = []
    straight, began = house.served, False

    def between(path: str) -> int:
        nonlocal began
        if path.endswith("/git-receive-pack") and not began:
            began = True
            house.served = straight
            others.append(house.push("0" * 40, commit, elsewhere=True, models="claude-sonnet-5"))
        return 0

    with git_server(house.folder / "served", refuse=between) as raced:
        house.served = raced
        job = house.push("0" * 40, commit)
    (other,) = others
    assert [path for path, _ in raced.requests].count("/owner/skills/git-receive-pack") == 2, "refused once, and once more"
    assert (job.code, other.code) == (0, 0)
    assert "stored 1 receipt" in other.log
    assert "stored 1 receipt" in job.log
    assert job.notices == []
    names = house.bare.git("ls-tree", "-r", "--name-only", DATA, "receipts").split()
    assert [name for name in names if name.endswith(".json")] == [RECEIPT, "receipts/naming__claude-sonnet-5.json"]
    assert house.bare.git("rev-list", "--count", DATA) == "2"
    assert json.loads(house.stored("badges/naming.json"))["message"].startswith("helps · 2 models")
    return {"the first of two": job, "the one in between": other}
