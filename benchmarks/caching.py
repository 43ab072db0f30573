"""What prompt caching saves: billed input of a run with it against one without it, on a model server of our own.

Usage: python benchmarks/caching.py
Billed input = plain tokens + 1.25 × tokens written to the cache + 0.1 × tokens read from it, as the provider prices them.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from driftproof_action.cli import main  # noqa: E402
from driftproof_action.registry.models import CACHE_READ, CACHE_WRITE, Model  # noqa: E402
from tests.model_server import Call, ModelServer  # noqa: E402

CASES = 10


def measured(tokens: int, *, cached: bool) -> tuple[float, float]:
    """(billed input of the calls that carry the skill, of the whole run), in tokens, for a skill of about that many tokens."""
    kept = Model.caches
    if not cached:
        Model.caches = lambda self, system: False  # type: ignore[method-assign]
    here = os.getcwd()
    try:
        with tempfile.TemporaryDirectory() as folder, ModelServer(spread=0.0).serve() as server:
            skill = Path(folder) / "skills" / "long"
            (skill / "evals").mkdir(parents=True)
            head = "---\nname: long\ndescription: Long.\n---\n"
            (skill / "SKILL.md").write_text(head + "Do it well. " * (tokens * 4 // 12))
            cases = [{"id": f"c{n}", "prompt": f"case:c{n} " + "Do it. " * 60, "expected_output": "Done."} for n in range(CASES)]
            (skill / "evals" / "evals.json").write_text(json.dumps(cases))
            os.chdir(folder)
            os.environ["ANTHROPIC_API_KEY"] = "sk-test-0123456789"
            with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
                main(["run", "skills/long", "--anthropic-base-url", server.url])
            whole = sum(billed(server, call) for call in server.calls)
            return sum(billed(server, call) for call in server.calls if call.arm == "with_skill"), whole
    finally:
        os.chdir(here)
        Model.caches = kept  # type: ignore[method-assign]


def billed(server: ModelServer, call: Call) -> float:
    """The server's count of a call's input, priced. What it answered was recorded when it answered."""
    usage = server.answered[call.number]["usage"]
    return float(usage["input_tokens"] + CACHE_WRITE * usage["cache_creation_input_tokens"] + CACHE_READ * usage["cache_read_input_tokens"])


def report() -> str:
    rows = ["| skill | calls that carry it | whole run |", "|---|---|---|"]
    for tokens in (600, 6000):
        on, off = measured(tokens, cached=True), measured(tokens, cached=False)
        rows.append(f"| {tokens} tokens | {on[0] / off[0]:.2f} × | {on[1] / off[1]:.2f} × |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(report())
