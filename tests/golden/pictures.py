"""Draws the stored comments the way GitHub shows them, for people to look at: python tests/golden/pictures.py FOLDER.

Needs cmarkgfm (extra `dev`), `npm ci --prefix tests/golden`, and a Chromium. Not: a test.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

HERE = Path(__file__).resolve().parent
STYLE = HERE / "node_modules" / "github-markdown-css" / "github-markdown-light.css"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PAGE = """<!doctype html><meta charset="utf-8"><style>{style}
body {{ margin: 0; padding: 16px; background: #fff; }}
.markdown-body {{ width: 720px; padding: 16px; border: 1px solid #d1d9e0; border-radius: 6px; font-size: 14px; }}
</style><article class="markdown-body">{html}</article>"""
WIDTH, HEIGHT = 790, 1400


def page(markdown: str, *, open_folds: bool) -> str:
    """GitHub's dialect with raw HTML and its tag filter, in GitHub's style. open_folds: show what is folded too."""
    html = cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE)
    if open_folds:
        html = html.replace("<details>", "<details open>")
    return PAGE.format(style=STYLE.read_text(encoding="utf-8"), html=html)


def main(folder: str) -> int:
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None or not STYLE.is_file():
        sys.stderr.write("needs a Chromium, and npm ci --prefix tests/golden\n")
        return 2
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temp:
        for source in sorted((HERE / "files").glob("*.md")):
            for suffix, open_folds in (("", False), ("-open", True)):
                html = Path(temp) / f"{source.stem}{suffix}.html"
                html.write_text(page(source.read_text(encoding="utf-8"), open_folds=open_folds), encoding="utf-8")
                picture = out / f"{source.stem}{suffix}.png"
                command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={temp}/browser"]
                size = [f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={picture}"]
                subprocess.run([*command, *size, html.as_uri()], check=True, capture_output=True)
                sys.stdout.write(f"{picture}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else 2)
