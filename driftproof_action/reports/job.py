"""What a job found out, as the reports see it. Not: how it was found out, or how it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from driftproof_action.comparison.drift import Comparison
from driftproof_action.domain.finding import Finding
from driftproof_action.errors import DriftproofError
from driftproof_action.receipts.view import ReceiptView


@dataclass(frozen=True, slots=True)
class JobRow:
    """One skill on one model.

    verdict: a word of VERDICTS; reason_code: why, one machine-readable word. view None: no receipt was written, and
    `message` says why. Paths are relative to the workspace. unmeasured: hole reason → draws. micro_usd: spent here.
    base_view: the receipt it was compared with. quotes: whether the judge's own words may be shown. suite_file: from the
    workspace, empty where there is none; case_lines: case id → its line there, for the cases whose line is known. criteria:
    case id → criterion id → its sentence.
    """

    skill_path: str
    skill_name: str
    skill_slug: str
    model_id: str
    model_slug: str
    verdict: str
    reason_code: str
    message: str
    view: ReceiptView | None = None
    comparison: Comparison | None = None
    base_commit: str | None = None
    receipt_path: str | None = None
    badge_path: str | None = None
    calls: int = 0
    micro_usd: int = 0
    unmeasured: Mapping[str, int] = field(default_factory=dict)
    mapping: str = ""
    findings: tuple[Finding, ...] = ()
    base_view: ReceiptView | None = None
    quotes: bool = True
    suite_file: str = ""
    case_lines: Mapping[str, int] = field(default_factory=dict)
    criteria: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def drift(self) -> str:
        """A word of DRIFTS, empty when nothing was compared."""
        return self.comparison.headline if self.comparison else ""


@dataclass(frozen=True, slots=True)
class JobResult:
    """Every row of a job in order of work. mode: live or stub. exit_code and because are decided last, from the rows
    alone. skipped: (skill path, why) of what was not run at all, e.g. trigger suites. stopped, stop_detail: why a run was
    cut short, empty when it was not.
    refused_changes: (stored file a pull request brings, why it is not believed). commit: the one that was measured;
    of a pull request its own last one, not the merge GitHub makes of it. fewest and most: projected calls;
    projected_micro_usd: the dearest they can cost. error: what ended the job before it had found anything out; there are no
    rows then, and what was spent is not known."""

    rows: tuple[JobRow, ...]
    mode: str
    exit_code: int
    because: str
    skipped: tuple[tuple[str, str], ...] = ()
    stopped: str = ""
    stop_detail: str = ""
    fewest: int = 0
    most: int = 0
    projected_micro_usd: int = 0
    run_url: str = ""
    example: bool = False
    refused_changes: tuple[tuple[str, str], ...] = ()
    commit: str = ""
    error: DriftproofError | None = None

    @property
    def calls(self) -> int:
        return sum(row.calls for row in self.rows)

    @property
    def micro_usd(self) -> int:
        return sum(row.micro_usd for row in self.rows)
