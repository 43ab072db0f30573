"""The step outputs of the Action: one table of what they are, and their values for a job. Not: writing them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from posixpath import dirname

from driftproof_action.domain.words import DRIFTS, VERDICTS, worst
from driftproof_action.reports.badge import SHIELDS
from driftproof_action.reports.figures import usd
from driftproof_action.reports.headline import sentence
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.reports.readings import asides
from driftproof_action.reports.rows import lead_word, leading, ordered, reason_code, worst_row

PLAIN = re.compile(r"[A-Za-z0-9 ._/:+,=@%()~±#?-]*")
"""What an output that is not JSON may hold: nothing here acts inside double quotes in a shell."""
_ACTS = re.compile(r"""\\(["\\])|([^A-Za-z0-9 ._/:+,=@%{}\[\]"\\-])""")
RESULTS_BYTES = 64_000
MESSAGE_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Output:
    """filled: whether this version gives it a value; the others are declared and empty."""

    name: str
    meaning: str
    vocabulary: str
    filled: bool = True


_VERDICTS = ", ".join(VERDICTS)
_DRIFTS = ", ".join(DRIFTS)
_STATES = ", ".join([*(word.state for word in VERDICTS.values()), "none"])

OUTPUTS: tuple[Output, ...] = (
    Output("verdict", "the worst verdict of all skills and models", f"{_VERDICTS}; NOT_MEASURED when nothing ran"),
    Output("delta", "lift of the worst row: score with the skill minus score without", "a number from -1 to 1; empty when not measured"),
    Output("worst_state", "the worst verdict as a lower-case word", f"{_STATES} (nothing ran)"),
    Output("drift", "the worst comparison with a stored receipt", f"{_DRIFTS}; empty when nothing was compared"),
    Output(
        "reason_code",
        "why the worst row has its verdict",
        "one word of lower-case letters, digits and _; after an error its heading in docs/errors.md; nothing_ran without a skill to run",
    ),
    Output("exit_code", "the code the job ends with", "a number; see the table of exit codes"),
    Output("regressed_models", "models on which a skill hurts or got worse", "model ids, comma-separated", filled=False),
    Output("missing_models", "models that were asked for and gave no receipt", "model ids, comma-separated", filled=False),
    Output("draws_needed", "answers a case that would show a lift of 0.05", "a number, none, or empty", filled=False),
    Output("lost_draws", "answers that could not be used, over all rows", "a number", filled=False),
    Output(
        "message",
        "the headline in plain characters, and a case that likely got worse or a judge that moved",
        "text of letters, digits, space and ._/:+,=@%()~±#?-; after an error all of it",
    ),
    Output("color", "the badge colour of the worst row", ", ".join(SHIELDS.values())),
    Output("receipt", "the receipt of the worst row", "a path relative to the workspace; empty when none was written"),
    Output("receipt_count", "how many receipts were written", "a number"),
    Output("receipts_dir", "the folder the receipts were written to", "a path relative to the workspace; empty when none was written"),
    Output("badge", "the badge JSON of the worst row", "a path relative to the workspace; empty when none was written"),
    Output("report_dir", "the folder of the HTML report", "a path relative to the workspace", filled=False),
    Output("result_file", "the whole result as JSON", "a path relative to the workspace"),
    Output("results", "one object per skill and model, worst first", "JSON of at most 64,000 bytes; see docs/result.md"),
    Output("comment_url", "the comment of this job on the pull request", "a URL; empty when there is none"),
    Output("plan", "what would be asked, and what it may cost", "JSON", filled=False),
    Output("cost_usd", "what the job spent, in US dollars", "a number with 2 to 6 decimals; empty after an error"),
    Output("calls", "how many calls were made, those to the stub included", "a number; empty after an error"),
    Output("calls_saved", "how many calls earlier receipts made needless", "a number", filled=False),
    Output("skills_measured", "skills that got a verdict from a model", "a number", filled=False),
    Output("skills_unmeasured", "skills that did not", "a number", filled=False),
    Output("artifact_name", "a name for your upload step", "text", filled=False),
)
"""Every declared output, in the order of documentation."""


def outputs(result: JobResult, *, result_file: str = "", comment_url: str = "") -> dict[str, str]:
    """Name → value for every output of OUTPUTS. result_file: where result.json was written, relative to the workspace.
    comment_url: of the comment there is, if there is one.

    `verdict` and `drift` are each the worst over all rows; the other scalars describe the worst row. Values match PLAIN or
    are the JSON of `shell_json`.
    """
    row = worst_row(result.rows)
    verdict = worst((row.verdict for row in result.rows), VERDICTS)
    receipts = [row.receipt_path for row in result.rows if row.receipt_path]
    values = {
        "verdict": verdict or "NOT_MEASURED",
        "delta": _number(row.view.delta) if row and row.view and row.verdict != "NOT_MEASURED" else "",
        "worst_state": VERDICTS[verdict].state if verdict else "none",
        "drift": worst((row.drift for row in result.rows if row.drift), DRIFTS) or "",
        "reason_code": re.sub(r"[^a-z0-9_]", "", reason_code(row) if row else _why_no_rows(result)),
        "exit_code": str(result.exit_code),
        "message": message(result),
        "color": SHIELDS[lead_word(row).colour] if row else SHIELDS["grey"],
        "receipt": _path(row.receipt_path if row else None),
        "receipt_count": str(len(receipts)),
        "receipts_dir": _path(dirname(receipts[0]) if receipts else None),
        "badge": _path(row.badge_path if row else None),
        "result_file": _path(result_file),
        "comment_url": _path(comment_url),
        "results": results_json(ordered(result.rows)),
        "cost_usd": usd(result.micro_usd) if result.error is None else "",
        "calls": str(result.calls) if result.error is None else "",
    }
    return {output.name: values.get(output.name, "") for output in OUTPUTS}


def message(result: JobResult) -> str:
    """The headline with skills by their slug, and what stands beside it as far as it finds room; every character outside PLAIN
    is left out. Of an error all of its lines."""
    if result.error is not None:
        more = [line.strip(" →") for line in result.error.lines()[1:]]
        return _plain(", ".join([sentence(result, skill=_plain, model=_plain), *more]))[:MESSAGE_LIMIT]
    by_slug = replace(result, rows=tuple(replace(row, skill_name=row.skill_slug) for row in result.rows))
    told = _plain(sentence(by_slug, skill=_plain, model=_plain))[:MESSAGE_LIMIT]
    for clause in asides(leading(by_slug.rows), render=_plain):
        longer = f"{told}, {_plain(clause)}"
        told = longer if len(longer) <= MESSAGE_LIMIT else told
    return told


def _why_no_rows(result: JobResult) -> str:
    """One word for a job that has no row to speak of."""
    if result.error is not None:
        return result.error.anchor.replace("-", "_")
    return "refused" if result.refused_changes and result.exit_code else result.stopped or "nothing_ran"


def _plain(value: object) -> str:
    swapped = str(value).translate({ord("−"): "-", ord("→"): "to", ord("·"): ",", ord("–"): "-", ord(";"): ","})
    return "".join(char for char in swapped if PLAIN.fullmatch(char))


def _number(value: float | None) -> str:
    if value is None:
        return ""
    shown = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if shown in {"-0", ""} else shown


def _path(path: str | None) -> str:
    """A path that cannot be said in plain characters is not said: half a path would name another file."""
    return path if path and PLAIN.fullmatch(path) else ""


def results_json(rows: Sequence[JobRow]) -> str:
    """At most RESULTS_BYTES: rows that find no room are counted in a last object `{"left_out": n}`."""
    out: list[str] = []
    room = RESULTS_BYTES - len('[{"left_out":999999}]')
    for row in rows:
        item = shell_json(_result(row))
        if len(item) + 1 > room:
            out.append(shell_json({"left_out": len(rows) - len(out)}))
            break
        room -= len(item) + 1
        out.append(item)
    return f"[{','.join(out)}]"


def _result(row: JobRow) -> dict[str, str | int | float | None]:
    measured = row.view is not None and row.verdict != "NOT_MEASURED"
    return {
        "skill": row.skill_slug,
        "path": row.skill_path,
        "model": row.model_id,
        "verdict": row.verdict,
        "drift": row.drift,
        "delta": row.view.delta if row.view and measured else None,
        "reason_code": reason_code(row),
        "receipt": row.receipt_path or "",
        "receipt_hash": row.view.receipt_hash if row.view else "",
        "calls": row.calls,
        "cost_usd": row.micro_usd / 1_000_000,
    }


def shell_json(value: object) -> str:
    """Compact JSON in ASCII whose texts hold nothing but letters, digits, space, `._/:+,=@%{}[]-` and escapes: pasted between a
    shell's double quotes its own quotes end them, and what stands between must do nothing bare."""
    shown = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return _ACTS.sub(lambda match: f"\\u{ord(match[1] or match[2]):04x}", shown)


def outputs_table() -> str:
    """OUTPUTS as a Markdown table."""
    lines = ["| output | meaning | value |", "| --- | --- | --- |"]
    for output in OUTPUTS:
        later = "" if output.filled else " (declared, empty in this version)"
        lines.append(f"| `{output.name}` | {output.meaning}{later} | {output.vocabulary} |")
    return "\n".join(lines) + "\n"
