"""The README lines of stored badges. Not: the badges."""

from __future__ import annotations

from driftproof_action.reports.badge_lines import SKILLS_SHOWN, badge_block, badge_lines

RAW = "https%3A%2F%2Fraw.githubusercontent.com%2Fo%2Fr%2Fdriftproof-data%2Fbadges%2Fnaming.json"


def test_on_github_a_picture_and_what_shields_draws() -> None:
    lines = badge_lines(["naming"], server_url="https://github.com", repository="o/r", branch="driftproof-data", folder="")
    assert lines == [
        "[![driftproof: naming](https://github.com/o/r/raw/driftproof-data/badges/naming.svg)](https://github.com/o/r/tree/driftproof-data/badges)",
        f"[![driftproof: naming](https://img.shields.io/endpoint?url={RAW})](https://github.com/o/r/tree/driftproof-data/badges)",
    ]
    assert "```markdown\n" + "\n".join(lines) + "\n```" in badge_block(lines)


def test_elsewhere_only_the_picture() -> None:
    (line,) = badge_lines(["naming"], server_url="https://ghe.example", repository="o/r", branch="main", folder=".driftproof/")
    assert "https://ghe.example/o/r/raw/main/.driftproof/badges/naming.svg" in line
    assert "shields" not in line
    assert "github.com" not in line


def test_a_branch_of_any_name_stays_inside_its_address() -> None:
    (line,) = badge_lines(["x"], server_url="https://ghe.example", repository="o/r", branch="a)](evil) b`#?", folder="")
    assert line.count("](") == 2
    assert "`" not in line


def test_none_and_many() -> None:
    assert badge_block([]) == ""
    many = badge_lines([f"s{number}" for number in range(50)], server_url="https://ghe.example", repository="o/r", branch="b", folder="")
    assert len(many) == SKILLS_SHOWN
