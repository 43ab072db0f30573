"""The comment the README shows is the one the code writes today. Not: the rest of the page."""

from __future__ import annotations

import os
import re
from pathlib import Path

from driftproof_action.commands.demo import example_comment

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCK = re.compile(r"(<!-- comment:begin -->\n).*?(<!-- comment:end -->)", re.DOTALL)


def shown() -> str:
    """The comment of the example that got worse, quoted, without its hidden first line and its folded parts."""
    lines = example_comment("regressed").splitlines()
    text = re.sub(r"<details>.*?</details>\n*", "", "\n".join(lines[1:]), flags=re.DOTALL)
    return "".join(f"> {line}".rstrip() + "\n" for line in text.strip().splitlines())


def test_the_comment_in_the_readme_is_a_real_one() -> None:
    """UPDATE_GOLDEN=1 writes it anew."""
    page = README.read_text()
    fresh = BLOCK.sub(lambda found: found[1] + shown() + found[2], page)
    if os.environ.get("UPDATE_GOLDEN") == "1":
        README.write_text(fresh)
    assert README.read_text() == fresh
