"""The lines that put a stored badge into a README. Not: the badge."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from driftproof_action.reports.badge import LABEL

PUBLIC_SERVER = "https://github.com"
SKILLS_SHOWN = 5


def badge_lines(skills: Sequence[str], *, server_url: str, repository: str, branch: str, folder: str) -> list[str]:
    """Markdown, one line a badge: of each skill the picture itself, which also private repositories show, and on github.com
    the one shields draws, which needs a public repository. folder: of the store, empty or ending in a slash."""
    lines = []
    where = f"{quote(branch)}/{quote(folder)}badges"
    for skill in skills[:SKILLS_SHOWN]:
        page = f"{server_url}/{repository}/tree/{where}"
        lines.append(f"[![{LABEL}: {skill}]({server_url}/{repository}/raw/{where}/{quote(skill)}.svg)]({page})")
        if server_url == PUBLIC_SERVER:
            raw = f"https://raw.githubusercontent.com/{repository}/{where}/{quote(skill)}.json"
            lines.append(f"[![{LABEL}: {skill}](https://img.shields.io/endpoint?url={quote(raw, safe='')})]({page})")
    return lines


def badge_block(lines: Sequence[str]) -> str:
    """For the job summary: the lines as they are to be copied; empty for none."""
    if not lines:
        return ""
    told = "The first of each pair is a picture from this repository, private ones too; the second is drawn by shields, from public ones."
    note = f"\n\n{told}" if len(lines) > 1 else ""
    return "\n\n#### Badge\n\nStored. To show it, paste into the README:\n\n```markdown\n" + "\n".join(lines) + f"\n```{note}\n"
