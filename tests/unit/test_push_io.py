"""Fetching and pushing branches over a real git server on loopback. Not: what is stored in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from driftproof_action.errors import GitError
from driftproof_action.push_io import AUTHOR, PushIO
from tests.conftest import Repository
from tests.hostile.git_server import Served, git_server
from tests.hostile.repositories import poison_settings

Make = Callable[..., Repository]
WHEN = "2026-11-30T09:00:00.000Z"
TOKEN = "token-canary-4711"


@dataclass
class Home:
    """A bare repository on a server, and the clone people work in."""

    served: Served
    bare: Repository
    work: Repository
    folder: Path

    @property
    def origin(self) -> str:
        return f"{self.served.url}/owner/skills"

    def remote(self, token: str | None = TOKEN) -> PushIO:
        return PushIO(self.origin, token=token, outside=str(self.work.path))

    def publish(self) -> str:
        self.work.git("push", "--quiet", str(self.bare.path), "HEAD:refs/heads/main")
        return self.work.git("rev-parse", "HEAD")


@pytest.fixture
def home(make_repository: Make, tmp_path: Path) -> Iterator[Home]:
    work = make_repository("work", files={"a": "one", "skills/x/SKILL.md": "x"})
    bare = tmp_path / "served" / "owner" / "skills"
    bare.mkdir(parents=True)
    repository = Repository(bare)
    repository.git("init", "--quiet", "--bare", "--initial-branch=main")
    repository.git("config", "http.receivepack", "true")
    with git_server(tmp_path / "served") as served:
        home = Home(served, repository, work, tmp_path)
        home.publish()
        yield home


def test_a_new_branch_starts_without_a_past(home: Home) -> None:
    remote = home.remote()
    assert remote.tip("driftproof-data", history=True) is None
    pushed = remote.push("driftproof-data", {"receipts/x.json": b"{}\n"}, parent=None, message="Store", when=WHEN)
    assert pushed.state == "pushed"
    assert home.bare.git("rev-list", "--count", "driftproof-data") == "1"
    assert home.bare.git("show", "driftproof-data:receipts/x.json") == "{}"
    assert home.bare.git("log", "-1", "--format=%an <%ae> %cn|%B", "driftproof-data") == f"{AUTHOR[0]} <{AUTHOR[1]}> {AUTHOR[0]}|Store"


def test_files_are_laid_beside_what_is_there(home: Home) -> None:
    remote = home.remote()
    tip = remote.tip("main", history=False)
    assert tip == home.work.git("rev-parse", "HEAD")
    pushed = remote.push("main", {".driftproof/receipts/x.json": b"1", "a": b"two"}, parent=tip, message="Store", when=WHEN)
    assert pushed.state == "pushed"
    assert home.bare.git("ls-tree", "-r", "--name-only", "main").split() == [".driftproof/receipts/x.json", "a", "skills/x/SKILL.md"]
    assert home.bare.git("show", "main:a") == "two"
    assert home.bare.git("fsck", "--strict", "--no-dangling") == ""
    again = home.remote()
    tip = again.tip("main", history=False)
    assert again.push("main", {"a": b"two"}, parent=tip, message="Store", when=WHEN) == type(pushed)("same", str(tip))


def test_reads_what_a_commit_holds(home: Home) -> None:
    home.work.commit({"r/one.json": "1", "r/two.json": "2", "r/deep/three.json": "3"})
    tip = home.publish()
    for history in (True, False):
        remote = home.remote()
        assert remote.tip("main", history=history) == tip
        assert remote.read(tip, "r/one.json") == b"1"
        assert remote.read(tip, "r/none.json") is None
        assert remote.read(tip, "r") is None
        assert remote.names(tip, "r") == ("one.json", "two.json")
        assert remote.names(tip, "none") == ()
        assert remote.names(tip, "") == ("a",)


def test_history_newest_first(home: Home) -> None:
    one = home.work.commit({"r": "1"})
    home.work.commit({"a": "other"})
    two = home.work.commit({"r": "2"})
    tip = home.publish()
    remote = home.remote()
    assert remote.tip("main", history=True) == tip
    assert remote.history(tip, "r") == (two, one)
    assert remote.history(tip, "none") == ()


def test_ancestry_is_known_without_a_checkout(home: Home) -> None:
    first = home.work.git("rev-parse", "HEAD")
    later = home.work.commit({"a": "later"})
    home.publish()
    home.work.git("checkout", "--quiet", "-b", "side", first)
    side = home.work.commit({"a": "side"})
    home.work.git("push", "--quiet", str(home.bare.path), "HEAD:refs/heads/side")
    remote = home.remote()
    remote.tip("main", history=False)
    assert remote.is_ancestor(first, later) is True
    assert remote.is_ancestor(first, first) is True
    assert remote.is_ancestor(later, first) is False
    assert remote.is_ancestor(side, later) is False
    assert remote.is_ancestor(later, "1" * 40) is None


def test_who_comes_second_is_told(home: Home) -> None:
    first, second = home.remote(), home.remote()
    tips = {remote.tip("main", history=False) for remote in (first, second)}
    (tip,) = tips
    assert first.push("main", {"one": b"1"}, parent=tip, message="Store", when=WHEN).state == "pushed"
    assert second.push("main", {"two": b"2"}, parent=tip, message="Store", when=WHEN).state == "moved"
    assert second.push("main", {"two": b"2"}, parent=second.tip("main", history=False), message="Store", when=WHEN).state == "pushed"
    assert home.bare.git("ls-tree", "--name-only", "main").split() == ["a", "one", "skills", "two"]


def test_two_who_make_the_branch_at_once(home: Home) -> None:
    first, second = home.remote(), home.remote()
    assert {remote.tip("data", history=True) for remote in (first, second)} == {None}
    assert first.push("data", {"one": b"1"}, parent=None, message="Store", when=WHEN).state == "pushed"
    assert second.push("data", {"two": b"2"}, parent=None, message="Store", when=WHEN).state == "moved"


def test_a_protected_branch_is_no_race(home: Home) -> None:
    hook = home.bare.path / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'error: GH006: Protected branch update failed for refs/heads/main.' >&2\nexit 1\n")
    hook.chmod(0o755)
    remote = home.remote()
    pushed = remote.push("main", {"one": b"1"}, parent=remote.tip("main", history=False), message="Store", when=WHEN)
    assert pushed.state == "protected"
    assert "GH006" in pushed.detail


@pytest.mark.parametrize("status", [401, 403])
def test_a_token_that_may_not_write(home: Home, status: int) -> None:
    with git_server(home.folder / "served", refuse=lambda path: status if "receive-pack" in path else 0) as served:
        remote = PushIO(f"{served.url}/owner/skills", token=TOKEN, outside="/nowhere")
        pushed = remote.push("main", {"one": b"1"}, parent=remote.tip("main", history=False), message="Store", when=WHEN)
    assert pushed.state == "forbidden"
    assert TOKEN not in pushed.detail


def test_a_server_that_is_broken_or_sends_elsewhere(home: Home) -> None:
    with git_server(home.folder / "served", refuse=lambda _: 500) as served, pytest.raises(GitError, match="could not be read"):
        PushIO(f"{served.url}/owner/skills", token=None, outside="/nowhere").tip("main", history=False)
    with git_server(home.folder, redirect_to=home.served.url) as served, pytest.raises(GitError):
        PushIO(f"{served.url}/owner/skills", token=TOKEN, outside="/nowhere").tip("main", history=False)
    assert all(TOKEN not in header for _, header in home.served.requests)


@pytest.mark.parametrize("address", ["http://github.example/o/r", "file:///tmp/x", "https://u:p@github.example/o/r", "ext::sh -c id"])
def test_a_token_goes_to_https_or_loopback_only(address: str) -> None:
    with pytest.raises(GitError):
        PushIO(address, token=TOKEN, outside="/nowhere")


def test_the_token_is_sent_and_kept_nowhere(home: Home, tmp_path: Path) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    remote = PushIO(home.origin, token=TOKEN, outside=str(home.work.path), environ={"PATH": os.environ["PATH"], "RUNNER_TEMP": str(temp)})
    remote.push("main", {"one": b"1"}, parent=remote.tip("main", history=False), message="Store", when=WHEN)
    assert any(header.startswith("Basic ") for _, header in home.served.requests)
    kept = [path for path in (*temp.rglob("*"), *home.work.path.rglob("*")) if path.is_file()]
    assert kept
    assert all(TOKEN.encode() not in path.read_bytes() for path in kept)
    remote.close()
    assert list(temp.iterdir()) == []


def test_settings_of_the_checkout_are_not_read(home: Home, tmp_path: Path) -> None:
    """insteadOf would send the token to whoever wrote the checkout's settings; git itself is hurt by it."""
    canary = tmp_path / "canary"
    with git_server(tmp_path / "elsewhere") as trap:
        (tmp_path / "elsewhere").mkdir()
        poison_settings(home.work, canary, listener=trap.url)
        shown = home.work.git("ls-remote", "--get-url", home.origin)
        assert shown.startswith(trap.url), "the naive way must be hurt"
        canary.unlink(missing_ok=True)
        remote = home.remote()
        assert remote.push("main", {"one": b"1"}, parent=remote.tip("main", history=False), message="Store", when=WHEN).state == "pushed"
        assert trap.requests == []
    assert not canary.exists()


def test_links_and_files_in_the_way(home: Home) -> None:
    home.work.write({"elsewhere/x": "x", "flat": "a file"})
    os.symlink("elsewhere", home.work.path / "linked")
    os.symlink("elsewhere/x", home.work.path / "target")
    home.work.commit()
    tip = home.publish()
    remote = home.remote()
    remote.tip("main", history=False)
    for path in ("linked/x.json", "target", "flat/x.json", "elsewhere"):
        with pytest.raises(GitError):
            remote.push("main", {path: b"1"}, parent=tip, message="Store", when=WHEN)
    with pytest.raises(GitError, match="symbolic link"):
        remote.read(tip, "target")
    assert home.bare.git("rev-parse", "main") == tip


@pytest.mark.parametrize("branch", ["", "-x", "a..b", "a b", "a\n", "a.lock", "/a", "a/", "a//b", "@{u}", "a~1", "é\x7f", "x" * 300])
def test_what_is_no_branch(home: Home, branch: str) -> None:
    with pytest.raises(GitError):
        home.remote().tip(branch, history=False)


def test_a_branch_may_have_any_honest_name(home: Home) -> None:
    remote = home.remote()
    for branch in ("feature/ü", "dependabot/npm_and_yarn/x-1.2.3", "a$(id)", "a'b"):
        assert remote.push(branch, {"one": b"1"}, parent=None, message="Store", when=WHEN).state == "pushed"
