"""How long each verb takes from start to exit, as a ratio to `node -e 0` in the same run. Not: a test; it prints a table.

    python benchmarks/startup.py [--rounds N]

Builds the wheel, installs it byte-compiled in an environment of its own, and runs every command in turn, round by round, so
that whatever else the machine does falls on all of them alike.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.installed import Installed, install

CASES = 10
WARM_UP = 3
YARDSTICK = "node -e 0"


@dataclass(frozen=True)
class Timed:
    """budget: the most its median may be, in medians of the yardstick; None = only shown. fresh: a folder the command
    writes to, removed before each round."""

    name: str
    words: tuple[str, ...]
    budget: float | None = None
    fresh: str = ""


VERBS = (
    Timed("--help", ("--help",), 1.0),
    Timed("validate", ("validate", "old.json"), 2.7),
    Timed("diff", ("diff", "old.json", "new.json"), 2.7),
    Timed("run (stub, ten cases)", ("run", "skill", "--mode", "stub", "--out", "out"), 4.0, "out"),
    Timed("lint", ("lint", "skill")),
    Timed("badge", ("badge", "old.json")),
)


def main() -> int:
    """Print the table; 1 when a budget is passed, 2 when the yardstick or a command cannot be run."""
    parser = argparse.ArgumentParser(description="start-up times against `node -e 0`")
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    node = shutil.which("node")
    if node is None:
        sys.stderr.write("node is not on this machine: there is nothing to measure against\n")
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        installed = install(folder)
        _prepare(folder, installed)
        commands = {YARDSTICK: [node, "-e", "0"], "python -c pass": [str(installed.python), "-c", "pass"]}
        commands |= {verb.name: [str(installed.command), *verb.words] for verb in VERBS}
        taken = _measure(commands, folder, rounds)
        dominating = {verb.name: _dominating(installed, folder, verb) for verb in VERBS}
    return _tell(taken, dominating, rounds)


def _prepare(folder: Path, installed: Installed) -> None:
    """A skill of ten one-line rubric cases, and the receipts of two stub runs of it: a small edit lies between them."""
    skill = folder / "skill"
    (skill / "evals").mkdir(parents=True)
    cases = [{"id": f"case-{n}", "prompt": f"Answer question {n}.", "rubric": "Answers in one line."} for n in range(CASES)]
    (skill / "evals" / "evals.json").write_text(json.dumps({"skill_name": "ten", "evals": cases}), encoding="utf-8")
    for receipt, text in (("old.json", "Be brief."), ("new.json", "Be very brief.")):
        (skill / "SKILL.md").write_text(f"---\nname: ten\ndescription: Answers.\n---\n{text}\n", encoding="utf-8")
        out = folder / receipt.removesuffix(".json")
        words = [str(installed.command), "run", "skill", "--mode", "stub", "--out", out.name]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"the stub run failed: {done.stderr}")
        (made,) = (out / "receipts").glob("*.json")
        shutil.copy(made, folder / receipt)


def _measure(commands: dict[str, list[str]], folder: Path, rounds: int) -> dict[str, list[float]]:
    """Seconds of every counted round, by command."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "GITHUB_", "INPUT_"))}
    fresh = {verb.name: verb.fresh for verb in VERBS if verb.fresh}
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(WARM_UP + rounds):
        for name, words in commands.items():
            if name in fresh:
                shutil.rmtree(folder / fresh[name], ignore_errors=True)
            start = time.perf_counter()
            done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            seconds = time.perf_counter() - start
            if done.returncode:
                sys.exit(f"{name} exited with {done.returncode}")
            if number >= WARM_UP:
                taken[name].append(seconds)
    return taken


_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|( +)(\S+)")


def _dominating(installed: Installed, folder: Path, verb: Timed) -> str:
    """The third party whose import, with all it brings along, takes longest; and how long, in milliseconds."""
    shutil.rmtree(folder / (verb.fresh or "nothing"), ignore_errors=True)
    words = [str(installed.python), "-X", "importtime", "-m", "driftproof_action", *verb.words]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    found = [(int(total), name) for _, total, _, name in _IMPORT.findall(done.stderr)]
    ours = [(total, name) for total, name in found if "." not in name and name not in sys.stdlib_module_names and name[0] != "_"]
    total, name = max(((total, name) for total, name in ours if name != "driftproof_action"), default=(0, "none"))
    return f"{name} {total / 1000:.0f} ms"


def _tell(taken: dict[str, list[float]], dominating: dict[str, str], rounds: int) -> int:
    yardstick = statistics.median(taken[YARDSTICK])
    budgets = {verb.name: verb.budget for verb in VERBS}
    lines = [
        f"Medians of {rounds} rounds after {WARM_UP} to warm up; Python {sys.version.split()[0]}, {os.cpu_count()} processors.",
        "",
        f"| command | median ms | fastest ms | ratio to `{YARDSTICK}` | budget | dominating import |",
        "|---|---:|---:|---:|---:|---|",
    ]
    over = 0
    for name, seconds in taken.items():
        median, budget = statistics.median(seconds), budgets.get(name)
        passed = budget is not None and median / yardstick > budget
        over += passed
        allowed = "–" if budget is None else f"{budget}{' (over)' if passed else ''}"
        cells = (f"`{name}`", f"{median * 1000:.1f}", f"{min(seconds) * 1000:.1f}", f"{median / yardstick:.2f}", allowed)
        lines.append(f"| {' | '.join(cells)} | {dominating.get(name, '–')} |")
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
