"""loading/case_files: what a prompt carries, what it cannot, and what is never read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from driftproof_action.canonical import sha256_hex
from driftproof_action.domain.suite import CaseFile
from driftproof_action.files_io import FilesIO
from driftproof_action.loading.skill import load_skill
from tests.unit.loading.laying import case_of, codes, finding, suite_of

Laid = dict[str, "str | bytes"]


def _case(root: Path, files: Any, more: Laid | None = None) -> Any:
    return case_of(root, {"expected_output": "R", "files": files}, more=more)


def test_the_skill_comes_before_the_suites_folder(tmp_path: Path) -> None:
    more: Laid = {"evals/files/a.txt": "suite", "files/a.txt": "skill", "evals/only.txt": "here"}
    case, suite = _case(tmp_path, ["files/a.txt", "evals/files/a.txt", "only.txt"], more)
    assert [(file.path, file.text) for file in case.files] == [
        ("files/a.txt", "skill"),
        ("evals/files/a.txt", "suite"),
        ("only.txt", "here"),
    ]
    assert case.files[0] == CaseFile("files/a.txt", sha256_hex(b"skill"), 5, "skill")
    assert suite.own_files == ("evals/evals.json", "files/a.txt", "evals/files/a.txt", "evals/only.txt")
    assert (case.unmeasured, suite.status) == (None, "runnable")


def test_objects(tmp_path: Path) -> None:
    entries = [{"path": "in.txt", "purpose": "x"}, {"name": "inline.md", "content": "# ü {x}\n"}]
    case, _ = _case(tmp_path, entries, {"in.txt": "\ufeffabc"})
    assert [(file.path, file.bytes, file.text) for file in case.files] == [("in.txt", 6, "abc"), ("inline.md", 9, "# ü {x}\n")]


def test_input_files_is_the_same_key(tmp_path: Path) -> None:
    case, _ = case_of(tmp_path, {"expected_output": "R", "input_files": ["in.txt"]}, more={"in.txt": "x"})
    assert [file.path for file in case.files] == ["in.txt"]


@pytest.mark.parametrize(
    ("files", "more", "reason"),
    [
        (["gone.txt"], {}, "files_missing"),
        (["in.bin"], {"in.bin": b"\x00\x01"}, "file_binary"),
        (["in.bin"], {"in.bin": b"\xff\xfe"}, "file_binary"),
        (["data"], {"data/a.txt": "x"}, "file_folder"),
        (["data/"], {"data/a.txt": "x"}, "file_folder"),
        (["."], {}, "file_folder"),
        (["big.txt"], {"big.txt": "x" * 65_537}, "files_too_big"),
        ([f"{n}.txt" for n in range(51)], {f"{n}.txt": "x" for n in range(51)}, "files_too_big"),
        ([f"{n}.txt" for n in range(5)], {f"{n}.txt": "x" * 60_000 for n in range(5)}, "files_too_big"),
    ],
)
def test_what_makes_a_case_unmeasured(tmp_path: Path, files: list[str], more: Laid, reason: str) -> None:
    case, suite = _case(tmp_path, files, more)
    assert case.unmeasured is not None
    assert case.unmeasured.reason == reason
    assert case.prompt == "P"
    only = finding(suite.findings, reason.replace("_", "-"))
    assert (only.severity, 'case "c1"' in only.message, bool(only.fix)) == ("warning", True, True)
    assert codes(suite.findings, "error") == []


def test_caps_are_reached_not_passed(tmp_path: Path) -> None:
    more: Laid = {f"{n}.txt": "x" * 65_536 for n in range(4)}
    case, _ = _case(tmp_path, list(more), more)
    assert (case.unmeasured, sum(file.bytes for file in case.files)) == (None, 262_144)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../secret.txt",
        "evals/../../secret.txt",
        "~/.ssh/id_rsa",
        "C:\\x",
        "..\\secret.txt",
        "a\\b",
        "C:/x",
        ".git/config",
        ".GIT/config",
    ],
)
def test_paths_that_lead_out_are_errors_and_read_nothing(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.txt").write_text("SECRET-TEXT")
    case, suite = _case(tmp_path, [path], {".git/config": "SECRET-TEXT"})
    assert case.files == ()
    assert codes(suite.findings, "error") == ["file-outside"]
    assert case.unmeasured is not None
    assert "SECRET-TEXT" not in repr(suite)


def test_a_path_that_leads_out_of_the_suites_folder_may_stay_in_the_skill(tmp_path: Path) -> None:
    case, _ = _case(tmp_path, ["../in.txt"], {"in.txt": "x"})
    assert [file.text for file in case.files] == ["x"]


@pytest.mark.parametrize("link", ["in.txt", "folder"])
def test_links_are_errors_and_read_nothing(tmp_path: Path, link: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.txt").write_text("SECRET-TEXT")
    (tmp_path / "naming").mkdir()
    (tmp_path / "naming" / link).symlink_to(tmp_path / "outside" / ("a.txt" if link == "in.txt" else ""))
    case, suite = _case(tmp_path, ["in.txt" if link == "in.txt" else "folder/a.txt"])
    assert codes(suite.findings, "error") == ["file-link"]
    assert case.files == ()
    assert "SECRET-TEXT" not in repr(suite)


@pytest.mark.parametrize("entry", [7, "", None, {}, {"path": 3}, ["x"]])
def test_bad_entries(tmp_path: Path, entry: Any) -> None:
    _, suite = _case(tmp_path, ["in.txt", entry], {"in.txt": "x"})
    assert "files[1]" in finding(suite.findings, "bad-entry").message


def test_files_of_another_type(tmp_path: Path) -> None:
    _, suite = _case(tmp_path, 7)
    assert codes(suite.findings, "error") == ["bad-entry"]


def test_twins_are_named(tmp_path: Path) -> None:
    case, suite = _case(tmp_path, ["caf\u00e9.md"], {"cafe\u0301.md": "x"})
    assert "Unicode form" in finding(suite.findings, "files-missing").message
    assert case.unmeasured is not None
    _, suite = _case(tmp_path / "case", ["Data/Readme.md"], {"Data/README.md": "x"})
    assert "upper and lower case" in finding(suite.findings, "files-missing").message


def test_a_case_cannot_take_skill_md_out_of_the_skill(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, [{"prompt": "P", "expected_output": "R", "files": ["SKILL.md", "big.bin"]}], more={"big.bin": b"\x00"})
    assert suite.own_files == ("evals/evals.json",)
    files = FilesIO(str(tmp_path))
    before = load_skill(files, "naming", git=None, suite_files=suite.own_files).tree_hash
    (tmp_path / "naming/SKILL.md").write_text("# other\n")
    changed = load_skill(files, "naming", git=None, suite_files=suite.own_files).tree_hash
    assert before != changed
    (tmp_path / "naming/big.bin").write_bytes(b"\x00\x01")
    assert load_skill(files, "naming", git=None, suite_files=suite.own_files).tree_hash != changed


def test_file_digests_are_in_the_case_hash(tmp_path: Path) -> None:
    one, _ = _case(tmp_path / "1", ["in.txt"], {"in.txt": "x"})
    other, _ = _case(tmp_path / "2", ["in.txt"], {"in.txt": "y"})
    assert one.case_hash != other.case_hash
