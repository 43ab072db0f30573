"""What every test may ask for. Not: anything only one test needs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

GIT_ENVIRONMENT: Mapping[str, str] = {
    "GIT_AUTHOR_NAME": "Test Author",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_COMMITTER_NAME": "Test Author",
    "GIT_COMMITTER_EMAIL": "author@example.com",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
FOREIGN = ("INPUT_", "GITHUB_", "RUNNER_", "DRIFTPROOF_", "ANTHROPIC_", "OPENAI_", "GIT_")
CORPUS = os.environ.get("DRIFTPROOF_CORPUS")
FIRST_COMMIT = 1_700_000_000
"""Seconds since the epoch of a repository's first commit; each later one is a minute younger."""


@dataclass
class Repository:
    """A git repository of a test: the same commands give the same commit ids everywhere."""

    path: Path
    commits: int = 0

    def git(self, *words: str) -> str:
        """Run git here, with nobody's configuration; the text it printed. A failure fails the test."""
        stamp = f"{FIRST_COMMIT + 60 * self.commits} +0000"
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        environment |= {**GIT_ENVIRONMENT, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        done = subprocess.run(["git", *words], cwd=self.path, env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Lay files into the working tree; folders come by themselves."""
        for name, content in files.items():
            place = self.path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Mapping[str, str | bytes] | None = None, message: str = "change") -> str:
        """Lay files, add everything, commit; the commit's id."""
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        self.commits += 1
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def make_repository(tmp_path: Path) -> Callable[..., Repository]:
    """make_repository(name="repository", files=None): a new repository on branch `main`, with a first commit of the files."""

    def make(name: str = "repository", files: Mapping[str, str | bytes] | None = None) -> Repository:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        repository = Repository(folder)
        repository.git("init", "--quiet", "--initial-branch=main")
        if files is not None:
            repository.commit(files, "first")
        return repository

    return make


@pytest.fixture(scope="session")
def corpus() -> Path | None:
    """A folder of published sample files for those who have one (DRIFTPROOF_CORPUS); no test may need it."""
    return Path(CORPUS) if CORPUS else None


@pytest.fixture(scope="session", autouse=True)
def _clean_environment() -> Iterator[None]:
    """No test sees the runner, the keys or the switches of whoever starts it."""
    with pytest.MonkeyPatch.context() as environment:
        for name in list(os.environ):
            if name.startswith(FOREIGN):
                environment.delenv(name)
        yield
