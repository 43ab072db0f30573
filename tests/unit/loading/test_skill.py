"""loading/skill and loading/bundle: what a folder is read as, what is refused, what is remarked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from driftproof_action.domain.skill import Skill
from driftproof_action.errors import SkillError
from driftproof_action.files_io import FilesIO
from driftproof_action.git_io import GitIO
from driftproof_action.loading import bundle
from driftproof_action.loading.skill import load_skill
from tests.conftest import Repository
from tests.unit.loading.laying import HEAD, SKILL, codes, finding, lay


def _load(root: Path, text: str | bytes = SKILL, more: dict[str, str | bytes] | None = None, folder: str = "naming") -> Skill:
    files = lay(root, {f"{folder}/SKILL.md": text, **{f"{folder}/{name}": data for name, data in (more or {}).items()}})
    return load_skill(files, folder, git=None)


def test_a_plain_skill(tmp_path: Path) -> None:
    skill = _load(tmp_path)
    assert (skill.path, skill.name, skill.version, skill.description) == ("naming", "naming", "0.0.0", "Names things well.")
    assert skill.text == SKILL
    assert skill.tokens == -(-len(SKILL) // 4)
    assert codes(skill.findings) == ["not-in-git"]


def test_outside_of_a_checkout_nobody_is_told_to_commit(tmp_path: Path) -> None:
    told = finding(_load(tmp_path).findings, "not-in-git")
    assert told.message.startswith("it is not in a git checkout")
    assert "commit" not in told.fix


def test_published_content_hashes(tmp_path: Path) -> None:
    assert _load(tmp_path, "# hi\n").content_hash == "56cbda9f699b26f91dbd4fa8e51390ae4b2b9e5ad28b67a5aa1c19e5b010c576"
    more: dict[str, str | bytes] = {"refs/a.txt": "A", "Zed.txt": ""}
    assert _load(tmp_path, "# hi\n", more).content_hash == "c96cd45d469c03d98fb337c39d363b33e4a8d7225fc363882a14d9093fda3aff"


def test_content_hash_leaves_out_what_the_published_one_does(tmp_path: Path) -> None:
    before = _load(tmp_path).content_hash
    hidden: dict[str, str | bytes] = {"evals/evals.json": "[]", "a/evals/x": "1", "node_modules/x": "1", ".git/x": "1", ".DS_Store": "1"}
    after = _load(tmp_path, more=hidden)
    assert after.content_hash == before
    assert _load(tmp_path, more={".driftproofrc": "{}"}).content_hash != before


def test_tokens_count_utf16_units(tmp_path: Path) -> None:
    assert _load(tmp_path, HEAD + "😀😀😀").tokens == -(-(len(HEAD) + 6) // 4)


def test_a_byte_order_mark_is_not_sent_but_hashed(tmp_path: Path) -> None:
    skill = _load(tmp_path, b"\xef\xbb\xbf" + SKILL.encode())
    plain = _load(tmp_path / "plain")
    assert skill.text == plain.text
    assert skill.name == "naming"
    assert skill.content_hash != plain.content_hash
    assert "byte-order-mark" in codes(skill.findings)


def test_line_ends_do_not_reach_the_model(tmp_path: Path) -> None:
    skill = _load(tmp_path, SKILL.replace("\n", "\r\n"))
    assert skill.text == SKILL
    assert skill.description == "Names things well."
    assert finding(skill.findings, "line-ends").line == 1


def test_the_folded_description_is_one_text_and_no_extra_key(tmp_path: Path) -> None:
    skill = _load(tmp_path, "---\nname: naming\ndescription: >\n  Reads tables.\n  Triggers: csv, tsv\n  and more.\n---\n# x\n")
    assert skill.description == "Reads tables. Triggers: csv, tsv and more."
    assert codes(skill.findings) == ["not-in-git"]


def test_typed_looking_values_stay_as_written(tmp_path: Path) -> None:
    skill = _load(tmp_path, "---\nname: 2024-05-01\ndescription: yes\nversion: 1.10\n---\nx\n", folder="2024-05-01")
    assert (skill.name, skill.description, skill.version) == ("2024-05-01", "yes", "1.10")


@pytest.mark.parametrize(
    ("head", "version"),
    [("version: 2.0", "2.0"), ("metadata:\n  version: 1.10", "1.10"), ("metadata:\n  author: x", "0.0.0"), ("metadata: x", "0.0.0")],
)
def test_where_the_version_stands(tmp_path: Path, head: str, version: str) -> None:
    assert _load(tmp_path, f"---\nname: naming\ndescription: x\n{head}\n---\nx\n").version == version


@pytest.mark.parametrize(
    ("text", "name", "code"),
    [
        ("---\ndescription: x\n---\n# My skill ##\n", "My skill", "name-missing"),
        ("---\ndescription: x\n---\ntext\n", "naming", "name-missing"),
        ("---\nname: [a]\ndescription: x\n---\ntext\n", "naming", "front-matter-type"),
        ("---\nname: My Skill\ndescription: x\n---\ntext\n", "My Skill", "name-form"),
        ("---\nname: other\ndescription: x\n---\ntext\n", "other", "name-folder"),
        (f"---\nname: {'a' * 65}\ndescription: x\n---\ntext\n", "a" * 65, "name-form"),
        ("---\nname: naming\n---\ntext\n", "naming", "description-missing"),
        (f"---\nname: naming\ndescription: {'x' * 1025}\n---\ntext\n", "naming", "description-long"),
        ("---\nname: naming\ndescription: x\ntools: y\n---\ntext\n", "naming", "front-matter-keys"),
        ("# Heading\n", "Heading", "front-matter-missing"),
    ],
)
def test_names_and_remarks(tmp_path: Path, text: str, name: str, code: str) -> None:
    skill = _load(tmp_path, text)
    assert skill.name == name
    assert code in codes(skill.findings)
    assert "error" not in {each.severity for each in skill.findings}


def test_every_name_is_one_line(tmp_path: Path) -> None:
    assert _load(tmp_path, '---\nname: "a\\n::error::b"\ndescription: x\n---\nt\n').name == "a ::error::b"


def test_braces_percent_and_dollar_pass_verbatim(tmp_path: Path) -> None:
    body = "Use {name} and {{x}}, %s, $HOME, ${{ secrets.X }}.\n"
    assert _load(tmp_path, HEAD + body).text == HEAD + body


def test_bundled_files_are_named_as_unseen(tmp_path: Path) -> None:
    beside = {"naming/references/a.md": "abc", "naming/in.txt": "x", "naming/evals/evals.json": "[]"}
    files = lay(tmp_path, {"naming/SKILL.md": SKILL, **beside})
    skill = load_skill(files, "naming", git=None, suite_files=("evals/evals.json", "in.txt"))
    assert [(file.path, file.bytes) for file in skill.unseen] == [("references/a.md", 3)]
    note = finding(skill.findings, "unseen-files")
    assert note.severity == "info"
    assert "references/" in note.message


# ---- refusals ---------------------------------------------------------------------------------------------------


def test_no_skill_is_said(tmp_path: Path) -> None:
    files = lay(tmp_path, {"naming/README.md": "x", "file": "x"})
    for path, words in [("naming", "is missing"), ("file", "is not a folder"), ("absent", "does not exist")]:
        with pytest.raises(SkillError, match=words):
            load_skill(files, path, git=None)


def test_empty_and_unreadable_skills_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SkillError, match="is empty"):
        _load(tmp_path, b"\xef\xbb\xbf \n")
    with pytest.raises(SkillError, match="not UTF-8") as caught:
        _load(tmp_path, b"# hi\n\nx \xff\n")
    assert caught.value.place == "naming/SKILL.md:3"


def test_a_large_skill_warns_and_a_huge_one_is_refused(tmp_path: Path) -> None:
    assert "skill-large" in codes(_load(tmp_path, HEAD + "x" * 100_000).findings)
    with pytest.raises(SkillError, match=r"is \d+ bytes, the limit is 400000"):
        _load(tmp_path, HEAD + "x" * 400_000)


def test_bounds_are_named_with_limit_and_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SkillError, match="too many folders inside folders: 17 so far, the limit is 16"):
        _load(tmp_path, more={"/".join(["d"] * 16) + "/x.txt": "x"})
    _load(tmp_path / "ok", more={"/".join(["d"] * 15) + "/x.txt": "x"})
    monkeypatch.setattr(bundle, "SKILL_MAX_FILES", 3)
    with pytest.raises(SkillError, match="too many files: 4 so far, the limit is 3"):
        _load(tmp_path / "many", more={f"{number}.txt": "x" for number in range(5)})
    monkeypatch.setattr(bundle, "SKILL_MAX_FILES", 2000)
    monkeypatch.setattr(bundle, "SKILL_MAX_BYTES", 100)
    with pytest.raises(SkillError, match=r"too many bytes: \d+ so far, the limit is 100"):
        _load(tmp_path / "big", more={"a.txt": "x" * 99})


@pytest.mark.parametrize("target", ["/etc/passwd", "nowhere", "..", "link", "../naming", "references"])
def test_links_inside_a_skill_are_refused_by_name(tmp_path: Path, target: str) -> None:
    files = lay(tmp_path, {"naming/SKILL.md": SKILL, "naming/references/a.md": "x"})
    (tmp_path / "naming/link").symlink_to(target)
    with pytest.raises(SkillError, match="symbolic link") as caught:
        load_skill(files, "naming", git=None)
    assert caught.value.place == "naming/link"


def test_a_link_under_a_left_out_name_is_left_alone(tmp_path: Path) -> None:
    files = lay(tmp_path, {"naming/SKILL.md": SKILL, "naming/evals/evals.json": "[]"})
    (tmp_path / "naming/evals/link").symlink_to("/etc/passwd")
    assert load_skill(files, "naming", git=None).name == "naming"


@pytest.mark.parametrize("target", ["../shared/SKILL.md", "nowhere", "../shared"])
def test_skill_md_as_a_link_is_refused_aloud(tmp_path: Path, target: str) -> None:
    files = lay(tmp_path, {"shared/SKILL.md": SKILL, "naming/a.md": "x"})
    (tmp_path / "naming/SKILL.md").symlink_to(target)
    with pytest.raises(SkillError, match="symbolic link") as caught:
        load_skill(files, "naming", git=None)
    assert caught.value.place == "naming/SKILL.md"


def test_the_root_may_be_reached_by_a_link_when_it_is_opened_there(tmp_path: Path) -> None:
    lay(tmp_path, {"real/naming/SKILL.md": SKILL})
    (tmp_path / "naming").symlink_to("real/naming")
    assert load_skill(FilesIO(str(tmp_path / "naming")), ".", git=None).name == "naming"
    with pytest.raises(SkillError, match="symbolic link") as caught:
        load_skill(FilesIO(str(tmp_path)), "naming", git=None)
    assert "name the folder it leads to" in caught.value.fix


@pytest.mark.parametrize("name", ["a\\b.md", "a\tb.md", "a\x1b.md", "a\nb.md"])
def test_names_that_act_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SkillError, match="backslash, a control character") as caught:
        _load(tmp_path, more={name: "x"})
    assert name not in str(caught.value)


def test_names_with_emoji_are_fine(tmp_path: Path) -> None:
    assert _load(tmp_path, more={"👩\u200d💻 notes.md": "x"}).unseen


# ---- remarks that need git --------------------------------------------------------------------------------------


def test_files_git_does_not_know_are_remarked(make_repository: Callable[..., Repository]) -> None:
    repository = make_repository(files={"naming/SKILL.md": SKILL, "naming/evals.json": "[]"})
    files, git = FilesIO(str(repository.path)), GitIO.at(str(repository.path))
    clean = load_skill(files, "naming", git=git, suite_files=("evals.json",))
    assert (clean.tree_source, codes(clean.findings)) == ("git", [])
    repository.write({"naming/__pycache__/a.pyc": b"x", "naming/draft.md": "x"})
    messy = load_skill(files, "naming", git=git, suite_files=("evals.json",))
    assert messy.tree_hash == clean.tree_hash
    assert messy.content_hash != clean.content_hash
    assert codes(messy.findings) == ["cache-files", "untracked-files"]
    assert messy.unseen == ()


def test_twins_are_remarked(tmp_path: Path) -> None:
    skill = _load(tmp_path, more={"caf\u00e9.md": "x", "cafe\u0301.md": "x", "A.md": "x", "a.md": "x"})
    messages = [each.message for each in skill.findings if each.code == "name-twins"]
    assert any("Unicode form" in message for message in messages)
    assert any("upper and lower case" in message for message in messages)


def test_a_twin_of_a_file_the_suite_names_is_remarked_too(tmp_path: Path) -> None:
    files = lay(tmp_path, {"naming/SKILL.md": SKILL, "naming/in/caf\u00e9.md": "x", "naming/in/cafe\u0301.md": "y"})
    skill = load_skill(files, "naming", git=None, suite_files=("evals.json", "in/caf\u00e9.md"))
    assert "Unicode form" in finding(skill.findings, "name-twins").message
