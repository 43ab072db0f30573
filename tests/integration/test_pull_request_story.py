"""A pull request from its opening to the schedule after it: real git over HTTP, a GitHub that remembers, a model server.
Not: single refusals (unit/github, unit/test_push_io), or the story in the image (container/test_story.py)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from driftproof_action.github.api import Api
from tests.github.fake_server import BOT, Scripted
from tests.hostile.git_server import Served, git_server
from tests.runner.backends import InProcess, Process
from tests.runner.story import CASES, RECEIPT, SKILL, House, a_race_of_two_pushes, begin, from_opening_to_the_schedule, open_house


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path, backend=InProcess(), beside=Process()) as house:
        yield house


@pytest.fixture
def started(house: House) -> tuple[House, str]:
    """main with a skill, and its commit."""
    return house, begin(house)


def test_from_opening_to_the_schedule(started: tuple[House, str]) -> None:
    from_opening_to_the_schedule(*started)


def test_a_base_gets_the_receipt_of_its_own_time(started: tuple[House, str]) -> None:
    """A pull request that starts from an older main is not compared with what main became since."""
    house, first = started
    house.push("0" * 40, first)
    house.level |= dict.fromkeys(CASES, 0.5)
    later = house.edit("Worse.\n")
    house.publish()
    assert house.push(first, later).outputs["drift"] == "DRIFT"
    house.level |= dict.fromkeys(CASES, 0.8)
    house.work.git("checkout", "--quiet", "-b", "topic", first)
    old = house.pull(house.edit("Topic.\n"), first)
    assert old.outputs["drift"] == "NO_SEPARATION"
    house.work.git("merge", "--quiet", "-X", "ours", later)
    assert house.pull(house.work.git("rev-parse", "HEAD"), later).outputs["drift"] == "IMPROVED"


def test_a_race_of_two_pushes_loses_nothing(started: tuple[House, str]) -> None:
    a_race_of_two_pushes(*started)


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
