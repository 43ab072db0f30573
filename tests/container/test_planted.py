"""What an earlier step or the repository itself can plant: each test first shows that it fires, then that it does not with us."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Repository
from tests.container.image import Image
from tests.container.network import Namespace
from tests.container.owners import OWNER, hand_to
from tests.hostile.repositories import bury_a_repository
from tests.runner.backends import Bubblewrap, Podman
from tests.runner.emulator import Runner
from tests.runner.events import EVENTS
from tests.runner.jobs import FILES, STUB, SUITE, first_push, history_of, new_repository, prepared, runner_for, skill_files

CANARY = "/github/runner_temp/CANARY"
PLANT = f"open({CANARY!r}, 'a').write(__name__ + '\\n')\n"
NAMES_IN_THE_WORKSPACE = ("anthropic", "json", "click", "yaml", "driftproof_action", "sitecustomize", "usercustomize")


def canary(runner: Runner) -> Path:
    return runner.layout.temp / "CANARY"


def python_of(image: Image) -> str:
    """Name of the folder user packages of the image's interpreter lie in."""
    (found,) = (Path(image.root) / "opt/driftproof/lib").glob("python3.*")
    return found.name


@pytest.fixture
def planted(tmp_path: Path, image: Image) -> Runner:
    """Modules in HOME (which all container steps of a job share), in the workspace and in a folder PYTHONPATH names."""
    runner = prepared(tmp_path, Podman(image), FILES | {f"{name}.py": PLANT for name in NAMES_IN_THE_WORKSPACE})
    packages = runner.layout.home / ".local" / "lib" / python_of(image) / "site-packages"
    for place in (packages / "usercustomize.py", packages / "anthropic.py", runner.layout.temp / "path" / "sitecustomize.py"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(PLANT)
    return runner


POISONED = {
    "PYTHONPATH": "/github/runner_temp/path:/github/workspace",
    "PYTHONSTARTUP": "/github/workspace/json.py",
    "PYTHONINSPECT": "",
    "PYTHONUSERBASE": "/github/home/.local",
    "PYTHONHOME": "",
    "PYTHONWARNINGS": "error",
}
"""What a step before ours may have written to GITHUB_ENV."""


def test_planted_modules(planted: Runner, image: Image) -> None:
    event = first_push(planted)
    (system,) = (name for name in ("/usr/local/bin/python3", "/usr/bin/python3") if (Path(image.root) / name[1:]).exists())
    naive = Runner(planted.layout.work, planted.layout.workspace, Podman(image, entrypoint=(system, "-c", "import anthropic")))
    naive.step(event, given=STUB, environment=POISONED)
    fired = set(canary(planted).read_text().split())
    assert {"sitecustomize", "anthropic"} <= fired, "the naive way must be hurt"
    naive.step(event, given=STUB)
    assert "usercustomize" in canary(planted).read_text().split(), "by HOME alone, without any variable"
    canary(planted).unlink()
    for environment in ({}, POISONED):
        step = planted.step(event, given=STUB, environment=environment)
        assert step.outcome == "success", step.log
        assert not canary(planted).exists()


def test_planted_modules_and_the_provider(tmp_path: Path, image: Image, namespace: Namespace) -> None:
    """In a live run, where the provider's library is really imported."""
    server = namespace.serve("model", "0.9", "0.4")
    runner = prepared(tmp_path, Podman(image, network=namespace.path), FILES | {"anthropic.py": PLANT, "httpx.py": PLANT})
    given = {"mode": "live", "api-key": "sk-ant-canary", "anthropic-base-url": server.url, "max-draws": "5", "min-draws": "5"}
    step = runner.step(
        first_push(runner),
        given=given,
        environment=POISONED | {"PYTHONPATH": "/github/workspace"},
    )
    assert step.outputs["verdict"] == "PASSED", step.log
    assert len(server.stop()) > 0
    assert not canary(runner).exists()


def test_a_buried_repository(tmp_path: Path, image: Image) -> None:
    repository = new_repository(tmp_path / "origin")
    skill = bury_a_repository(repository, Path(CANARY))
    repository.commit({name: text for name, text in skill_files(skill, "posing").items() if name.endswith(".json")})
    event = EVENTS["schedule"](history_of(tmp_path / "other")[1])
    event = type(event)(event.name, event.payload, repository.git("rev-parse", "HEAD"))
    runner = runner_for(tmp_path, repository, event, Podman(image))
    hand_to(runner.layout.workspace, OWNER)
    folder = f"/github/workspace/{skill}"
    naive = ("git", "-c", f"safe.directory={folder}", "-C", folder, "status")
    Runner(runner.layout.work, runner.layout.workspace, Podman(image, entrypoint=naive)).step(event)
    assert canary(runner).exists(), "the naive way must be hurt"
    canary(runner).unlink()
    step = runner.step(event, given=STUB | {"skill-dir": "skills/*"})
    assert (step.code, step.outputs["receipt_count"]) == (0, "2"), step.log
    assert not canary(runner).exists()


def test_a_netrc_in_home_is_told_to_nobody(tmp_path: Path, image: Image, namespace: Namespace) -> None:
    """The base commit is missing, so it is fetched: with the job's token or nothing, never with what lies in HOME."""
    server = namespace.serve("strangers")
    repository, history = history_of(tmp_path / "origin")
    event = EVENTS["pull_request opened"](history)
    runner = runner_for(tmp_path, repository, event, Podman(image, network=namespace.path))
    shallow = tmp_path / "shallow"
    Repository(tmp_path).git("clone", "--quiet", "--depth=1", "--branch=topic", f"file://{repository.path}", str(shallow))
    runner.layout.workspace.rename(tmp_path / "away")
    shallow.rename(runner.layout.workspace)
    (runner.layout.home / ".netrc").write_text("machine 127.0.0.1 login planted password canary-netrc\n")
    naive = Podman(image, network=namespace.path, entrypoint=("git", "ls-remote", f"{server.url}/owner/skills"))
    Runner(runner.layout.work, runner.layout.workspace, naive).step(event)
    step = runner.step(event, given=STUB, server_url=server.url, token="")
    assert step.outputs["drift"] == "BASE_UNAVAILABLE", step.log
    seen = server.stop()
    asked = [request for request in seen if request["path"].startswith("/owner/skills")]
    with_password = [request for request in asked if "authorization" in request["headers"]]
    assert len(with_password) == 1, "only the naive way tells the password"
    assert len(asked) >= 3


def test_files_that_look_like_ours(tmp_path: Path, image: Image) -> None:
    """A repository cannot bring an entrypoint, an environment or settings of its own."""
    files = FILES | {
        "entrypoint.py": PLANT,
        "opt/driftproof/entrypoint.py": PLANT,
        "pyvenv.cfg": "home = /github/workspace\n",
        "pip.conf": "[global]\nindex-url = http://127.0.0.1/\n",
        ".env": "ANTHROPIC_API_KEY=planted\n",
        "evals/evals.json": SUITE_TEXT,
    }
    runner = prepared(tmp_path, Bubblewrap(image), files)
    assert runner.step(first_push(runner), given=STUB).outcome == "success"
    assert not canary(runner).exists()


SUITE_TEXT = str(SUITE).replace("'", '"')
