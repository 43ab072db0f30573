"""Checkouts that attack whoever asks git about them: the naive way runs their commands, ours does not. Not: what git answers."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from driftproof_action.errors import GitError
from driftproof_action.git_io import GitIO
from tests.conftest import GIT_ENVIRONMENT, Repository
from tests.hostile.git_server import git_server
from tests.hostile.repositories import bury_a_repository, poison_settings

SETTLED = {**GIT_ENVIRONMENT, "PATH": os.environ["PATH"]}


def use_everything(git: GitIO, path: str) -> None:
    """Every question the wrapper can ask."""
    head = git.resolve("HEAD")
    assert head is not None
    tracked = git.tracked(path)
    assert tracked
    git.tracked("")
    git.tree(head, path)
    git.blobs([blob.id for blob in tracked if blob.mode.startswith("100")])
    git.show(head, tracked[0].path.decode())
    git.parents(head)
    git.is_ancestor(head, head)
    git.is_shallow()
    git.removed_in(head, "never/there")
    git.fetch("1" * 40, token="canary-token")


def test_a_buried_repository_stays_buried(make_repository: Callable[..., Repository], tmp_path: Path) -> None:
    canary = tmp_path / "CANARY"
    origin = make_repository("origin")
    skill = bury_a_repository(origin, canary)
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(origin.path), str(clone)], env=SETTLED, check=True)

    subprocess.run(["git", "-C", str(clone / skill), "ls-files", "-z"], env=SETTLED, capture_output=True, check=False)
    assert canary.exists(), "the naive way must be hurt"
    canary.unlink()

    git = GitIO.at(str(clone / skill))
    assert git is not None
    assert git.root == str(clone)
    use_everything(git, skill)
    assert {blob.path.decode() for blob in git.tracked(skill)} >= {f"{skill}/SKILL.md", f"{skill}/HEAD"}
    assert not canary.exists()


def test_settings_left_in_the_checkout_do_nothing(make_repository: Callable[..., Repository], tmp_path: Path) -> None:
    canary = tmp_path / "CANARY"
    repository = make_repository(files={"skills/x/SKILL.md": "text\n", ".gitattributes": "* filter=evil diff=evil\n"})
    with git_server(tmp_path) as listener:
        poison_settings(repository, canary, listener=listener.url)
        for words in (("status",), ("log", "-1", "--show-signature"), ("hash-object", "-w", "skills/x/SKILL.md")):
            subprocess.run(["git", *words], cwd=repository.path, env=SETTLED, capture_output=True, check=False, timeout=30)
        assert canary.exists(), "the naive way must be hurt"
        canary.unlink()

        git = GitIO.at(str(repository.path), origin="http://127.0.0.1:9/owner/name")
        assert git is not None
        use_everything(git, "skills/x")
        with pytest.raises(GitError):
            git.blob("1" * 40)
        assert not canary.exists()
        assert listener.requests == []


def test_a_missing_object_asks_no_remote(make_repository: Callable[..., Repository], tmp_path: Path) -> None:
    """A partial clone fetches what it lacks from the remote its own settings name, with the program they name."""
    canary = tmp_path / "CANARY"
    repository = make_repository(files={"a": "text\n"})
    (tmp_path / "elsewhere.git").mkdir()
    poison_settings(repository, canary, listener="http://127.0.0.1:9")
    repository.git("config", "--unset", "core.fsmonitor")
    subprocess.run(["git", "cat-file", "-p", "1" * 40], cwd=repository.path, env=SETTLED, capture_output=True, check=False, timeout=30)
    assert canary.exists(), "the naive way must be hurt"
    canary.unlink()
    git = GitIO.at(str(repository.path))
    assert git is not None
    with pytest.raises(GitError):
        git.blob("1" * 40)
    assert git.resolve("1" * 40) is None
    assert not canary.exists()


def test_our_own_environment_does_not_reach_git(make_repository: Callable[..., Repository], tmp_path: Path) -> None:
    home = make_repository("home", files={"mine": "text\n"})
    decoy = make_repository("decoy", files={"theirs": "text\n"})
    canary = tmp_path / "CANARY"
    trace = tmp_path / "TRACE"
    environ = {
        "PATH": os.environ["PATH"],
        "GIT_DIR": str(decoy.path / ".git"),
        "GIT_INDEX_FILE": str(decoy.path / ".git" / "index"),
        "GIT_OBJECT_DIRECTORY": str(decoy.path / ".git" / "objects"),
        "GIT_TRACE": str(trace),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": f"touch {canary}; false",
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor'='touch {canary}; false'",
    }
    naive = subprocess.run(["git", "ls-files"], cwd=home.path, env=environ, capture_output=True, check=True)
    assert naive.stdout == b"theirs\n", "the naive way must be hurt"
    assert trace.exists()
    trace.unlink()
    canary.unlink(missing_ok=True)
    git = GitIO.at(str(home.path), environ=environ)
    assert git is not None
    assert [blob.path for blob in git.tracked("")] == [b"mine"]
    assert not trace.exists()
    assert not canary.exists()


def test_a_git_inside_the_checkout_is_passed_over(make_repository: Callable[..., Repository], tmp_path: Path) -> None:
    canary = tmp_path / "CANARY"
    repository = make_repository(files={"bin/git": f"#!/bin/sh\ntouch {canary}\n"})
    planted = repository.path / "bin" / "git"
    planted.chmod(0o755)
    search = f"{planted.parent}:{os.environ['PATH']}"
    subprocess.run(["git", "--version"], env={"PATH": search}, check=False)
    assert canary.exists(), "the naive way must be hurt"
    canary.unlink()
    git = GitIO.at(str(repository.path), environ={"PATH": search})
    assert git is not None
    assert git.resolve("HEAD")
    assert not canary.exists()
    with pytest.raises(GitError) as caught:
        GitIO.at(str(repository.path), environ={"PATH": str(planted.parent)})
    assert caught.value.anchor == "git-absent"


def test_replaced_and_grafted_history_is_not_believed(make_repository: Callable[..., Repository]) -> None:
    """A replacement ref makes git show another object under a commit's name."""
    repository = make_repository(files={"receipt": "true\n"})
    base = repository.git("rev-parse", "HEAD")
    forged = repository.commit({"receipt": "forged\n"})
    repository.git("replace", base, forged)
    assert repository.git("show", f"{base}:receipt") == "forged", "the naive way must be hurt"
    git = GitIO.at(str(repository.path))
    assert git is not None
    assert git.show(base, "receipt") == b"true\n"
    assert git.parents(forged) == (base,)
    assert git.parents(base) == ()


def test_the_token_goes_to_the_origin_alone(make_repository: Callable[..., Repository], tmp_path: Path) -> None:
    """Neither a rewritten address nor a redirect gets it, and no argument and no file holds it."""
    origin = make_repository("served/owner/name", files={"a": "one\n"})
    wanted = origin.commit({"a": "two\n"})
    checkout = make_repository("checkout", files={"b": "three\n"})
    with git_server(tmp_path / "served") as evil, git_server(tmp_path / "served") as honest:
        checkout.git("config", f"url.{evil.url}/.insteadOf", f"{honest.url}/")
        assert checkout.git("ls-remote", "--get-url", f"{honest.url}/owner/name").startswith(evil.url), "the naive way must be hurt"
        git = GitIO.at(str(checkout.path), origin=f"{honest.url}/owner/name/.git")
        assert git is not None
        assert git.fetch(wanted, token="canary-token")
        assert git.show(wanted, "a") == b"two\n"
        assert evil.requests == []
        assert {given for _, given in honest.requests} == {"Basic eC1hY2Nlc3MtdG9rZW46Y2FuYXJ5LXRva2Vu"}
    texts = [path.read_bytes() for path in checkout.path.rglob("*") if path.is_file()]
    assert not any(b"canary-token" in text or b"eC1hY2Nlc3M" in text for text in texts)
    assert checkout.git("status", "--porcelain") == ""


def test_a_redirect_is_not_followed(make_repository: Callable[..., Repository], tmp_path: Path) -> None:
    origin = make_repository("served/owner/name", files={"a": "one\n"})
    wanted = origin.git("rev-parse", "HEAD")
    checkout = make_repository("checkout", files={"b": "three\n"})
    with git_server(tmp_path / "served") as evil, git_server(tmp_path / "served", redirect_to=evil.url) as honest:
        subprocess.run(["git", "ls-remote", f"{honest.url}/owner/name/.git"], env=SETTLED, capture_output=True, check=False)
        assert evil.requests, "the naive way must be hurt"
        evil.requests.clear()
        git = GitIO.at(str(checkout.path), origin=f"{honest.url}/owner/name/.git")
        assert git is not None
        assert not git.fetch(wanted, token="canary-token")
        assert honest.requests
        assert evil.requests == []


@pytest.mark.parametrize(
    "origin",
    [
        "ext::sh -c touch% /tmp/x",
        "file:///tmp/elsewhere",
        "/tmp/elsewhere",
        "ssh://git@127.0.0.1/x",
        "git://127.0.0.1/x",
        "http://github.example/x",
        "https://user:pass@github.example/x",
        "--upload-pack=touch",
    ],
)
def test_only_plain_web_addresses_are_fetched_from(make_repository: Callable[..., Repository], origin: str) -> None:
    repository = make_repository(files={"a": ""})
    git = GitIO.at(str(repository.path), origin=origin)
    assert git is not None
    assert not git.fetch("1" * 40, token=None)
