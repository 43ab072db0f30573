"""Workflows, action.yml, Dockerfile and locks, checked by the tools made for them. Not: running them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from driftproof_action.settings.fields import FIELDS
from tests.container.image import TOOLS as TOOLS_OF_THE_IMAGE

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.executable).parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._/-]+@[0-9a-f]{40}")
LOCKED = re.compile(r"(?m)^([a-z0-9][a-z0-9._-]*)==([^ ]+) ")


def tool(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(TOOLS / name), *words], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)


def loaded(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)


def locked(path: str) -> dict[str, str]:
    return dict(LOCKED.findall((ROOT / path).read_text(encoding="utf-8")))


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^A-Za-z0-9-]", requirement)[0].lower() for requirement in requirements}


def test_there_is_a_workflow() -> None:
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "selftest.yml"]


def test_zizmor_has_no_finding() -> None:
    done = tool("zizmor", "--offline", "--format", "json", ".github/workflows", "action.yml")
    assert json.loads(done.stdout) == []
    assert done.returncode == 0


def test_zizmor_would_find_something(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yml"
    bad.write_text("on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v4\n")
    found = {finding["ident"] for finding in json.loads(tool("zizmor", "--offline", "--format", "json", str(bad)).stdout)}
    assert {"dangerous-triggers", "unpinned-uses", "artipacked"} <= found


@pytest.mark.parametrize(("schema", "paths"), [("github-workflows", WORKFLOWS), ("github-actions", [ROOT / "action.yml"])])
def test_schemas_hold(schema: str, paths: list[Path]) -> None:
    done = tool("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *map(str, paths))
    assert done.returncode == 0, done.stdout


def test_schemas_would_refuse(tmp_path: Path) -> None:
    bad = tmp_path / "action.yml"
    bad.write_text("name: x\nruns: {using: docker}\n")
    assert tool("check-jsonschema", "--builtin-schema", "vendor.github-actions", str(bad)).returncode == 1


def test_hadolint_has_no_finding(tmp_path: Path) -> None:
    done = tool("hadolint", "Dockerfile")
    assert (done.stdout, done.returncode) == ("", 0)
    bad = tmp_path / "Dockerfile"
    bad.write_text("FROM python:latest\nRUN cd /tmp\nENTRYPOINT python\n")
    assert {"DL3007", "DL3003", "DL3025"} <= set(re.findall(r"DL\d+", tool("hadolint", str(bad)).stdout))


def test_workflows_start_from_no_permission_and_hold_no_secret() -> None:
    for path in WORKFLOWS:
        workflow = loaded(path)
        assert workflow["permissions"] == {}
        assert "secrets" not in path.read_text(encoding="utf-8")
        for job in workflow["jobs"].values():
            assert int(job["timeout-minutes"]) <= 30
            assert set(job["permissions"].values() if job["permissions"] else ()) <= {"read"}
            for step in job["steps"]:
                assert step.get("uses", "./") == "./" or PINNED.fullmatch(step["uses"])


def test_one_job_stands_for_all() -> None:
    jobs = loaded(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]
    assert set(jobs["done"]["needs"]) == set(jobs) - {"done"}
    assert jobs["done"]["if"] == "always()"
    assert jobs["done"]["steps"][0]["run"].count("success") == len(jobs) - 1
    (checks,) = (step for step in jobs["checks"]["steps"] if step.get("run") == ".ci/run")
    (image,) = (step["run"] for step in jobs["image"]["steps"] if step.get("run", "").endswith(" .ci/run"))
    assert checks["env"]["PYTEST_ADDOPTS"] == '-m "not container"'
    assert 'PYTEST_ADDOPTS="-m container"' in image, "what one job leaves out the other runs"
    assert "CI=true" in image, "where a tool that is missing is a failure"


def test_the_action_tests_itself() -> None:
    """Every run that must end red is allowed to, is looked at afterwards, and costs nothing."""
    steps = loaded(ROOT / ".github" / "workflows" / "selftest.yml")["jobs"]["action"]["steps"]
    uses = [step for step in steps if step.get("uses") == "./"]
    declared = loaded(ROOT / "action.yml")
    seen = " ".join(" ".join(step["env"].values()) for step in steps if "run" in step)
    for step in uses:
        assert set(step["with"]) <= set(declared["inputs"]), step["name"]
        assert f"steps.{step['id']}." in seen, step["name"]
        if step.get("continue-on-error"):
            assert f"steps.{step['id']}.outcome" in seen, step["name"]
    assert [step["with"]["mode"] for step in uses].count("live") == 1, "and that one has no key"
    assert not any("key" in name for step in uses for name in step["with"])
    assert set(re.findall(r"outputs\.([a-z_]+)", seen)) <= set(declared["outputs"])
    assert all("${{" not in step.get("run", "") for step in steps)


def test_the_skills_it_tests_itself_with_are_there() -> None:
    steps = loaded(ROOT / ".github" / "workflows" / "selftest.yml")["jobs"]["action"]["steps"]
    named = {step["with"]["skill-dir"] for step in steps if "skill-dir" in step.get("with", {})}
    assert {path for path in named if not (ROOT / path / "SKILL.md").is_file()} == {"no/such/skill"}


def test_ci_installs_what_the_container_tests_need() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for command, package in TOOLS_OF_THE_IMAGE.items():
        assert f"{command}:{package}" in script


def test_the_image_runs_isolated_and_as_the_runner_wants_it() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    words = [line.split(" ")[0] for line in lines if line and line[0].isalpha()]
    assert lines[0] == "ARG PYTHON_IMAGE=python:3.12-slim"
    assert not {"USER", "WORKDIR", "CMD", "ADD", "ENV"} & set(words)
    entry = json.loads(next(line for line in lines if line.startswith("ENTRYPOINT ")).partition(" ")[2])
    assert entry[1:4] == ["-I", "-X", "utf8"]
    assert all(path.startswith("/opt/driftproof/") for path in (entry[0], entry[4]))
    assert not any(word in line for line in lines for word in ("<<", "--link", "--checksum", "--mount", "RUN --"))
    assert "compileall" in "".join(lines)


def test_the_image_takes_in_what_it_names() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in ignored
    named = {line[1:] for line in ignored if line.startswith("!")}
    copied = [line.split(" ")[1:-1] for line in (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines() if line.startswith("COPY ")]
    sources = {word for words in copied if not words[0].startswith("--") for word in words}
    assert named == sources
    assert all((ROOT / name).exists() for name in named)


@pytest.mark.parametrize("path", ["requirements.lock", "requirements-dev.lock", ".ci/build.lock"])
def test_locks_hold_hashes_and_no_address(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert "://" not in text
    assert locked(path)
    for entry in re.split(r"(?m)^(?=[a-z0-9])", text)[1:]:
        assert "--hash=sha256:" in entry


def test_locks_agree_with_the_project_and_each_other() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    run, dev, build = (locked(path) for path in ("requirements.lock", "requirements-dev.lock", ".ci/build.lock"))
    assert names(project["project"]["dependencies"]) <= set(run)
    assert names(project["project"]["optional-dependencies"]["dev"]) <= set(dev)
    assert names(project["build-system"]["requires"]) <= set(build)
    assert run.items() <= dev.items()
    assert build.items() <= dev.items()


EXAMPLES = [
    *sorted((ROOT / "examples" / "workflows").glob("*.yml")),
    ROOT / "driftproof_action" / "commands" / "starter" / "driftproof.yml",
]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_workflows_to_copy_are_valid_and_give_only_inputs_there_are(path: Path) -> None:
    done = tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(path))
    assert done.returncode == 0, done.stdout
    steps = [step for job in yaml.safe_load(path.read_text())["jobs"].values() for step in job["steps"]]
    [ours] = [step for step in steps if step["uses"].startswith("driftproofhq/driftproof@")]
    assert set(ours["with"]) <= {field.name for field in FIELDS}
