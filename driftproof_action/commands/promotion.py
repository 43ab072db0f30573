"""Which receipts of a finished job become the current ones of the store, and the badges with them. Not: how a store is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from driftproof_action.canonical import canonical_bytes, read_json
from driftproof_action.comparison.verdict import published_verdict
from driftproof_action.errors import DocumentError, DriftproofError
from driftproof_action.github.event import EventContext
from driftproof_action.receipts.read import load
from driftproof_action.receipts.sealing import to_file_bytes
from driftproof_action.receipts.versions import LARGEST
from driftproof_action.receipts.view import ReceiptView
from driftproof_action.reports.badge import Badge, as_json, as_svg, badge_of, skill_badge_of
from driftproof_action.reports.job import JobResult, JobRow
from driftproof_action.store_io import DATA_BRANCH, STORE_FOLDER, Place, StoreReader, commit_in, commit_name, receipt_name

WRITING_EVENTS = ("push", "schedule", "workflow_dispatch")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why this job stores nothing. told: worth a notice, because `commit: true` asked for it."""

    reason: str
    told: bool = False


def place_of(context: EventContext, *, commit: str, kind: Literal["tree", "branch", "none"], head: str | None) -> Place | Refusal:
    """Where this job may store receipts. commit: `auto`, `true` or `false`; kind: which store; head: the commit checked out.

    Default branch: on push, schedule and dispatch. Pull requests: with `commit: true`, from the same repository, into its own
    branch, receipts only. Never a tag, a fork, a merge group or a release.
    """
    asked = commit == "true"
    if commit == "false":
        return Refusal("commit is false")
    if kind == "none":
        return Refusal("store is none", asked)
    if not context.origin:
        return Refusal("this is no job of a repository", asked)
    if context.is_pull_request:
        return _on_a_pull_request(context, asked=asked, kind=kind)
    if context.name not in WRITING_EVENTS:
        return Refusal(f"an event {context.name or 'of no name'} stores nothing", asked)
    if not context.branch:
        return Refusal("this run is not on a branch", asked)
    if not context.on_default_branch:
        return Refusal("receipts are stored from the default branch only", asked)
    if head is None or head != context.sha:
        return Refusal("the commit checked out is not the one this run is for", asked)
    return Place(DATA_BRANCH, "", make=True) if kind == "branch" else Place(context.branch, f"{STORE_FOLDER}/")


def _on_a_pull_request(context: EventContext, *, asked: bool, kind: str) -> Place | Refusal:
    if not asked:
        return Refusal("nothing is stored from a pull request")
    if context.is_fork or context.is_dependabot:
        return Refusal("a pull request of a fork or of Dependabot may not write", told=True)
    if context.name != "pull_request":
        return Refusal("a pull request that was measured by hand is not written to", told=True)
    if kind != "tree":
        return Refusal("from a pull request only the store in the branch itself is written to (store: tree)", told=True)
    if not context.head_ref or context.head_sha is None:
        return Refusal("the event does not name the branch of the pull request", told=True)
    return Place(context.head_ref, f"{STORE_FOLDER}/", expected=context.head_sha)


def barred(row: JobRow) -> str:
    """Why a row may never become the current receipt; empty when it may."""
    view = row.view
    if view is None:
        return "no receipt was written"
    bars = (
        (view.method != "lift", "it is no measurement of the lift"),
        (view.kind != "model" or view.level != "TESTED", "no model was tested"),
        (view.example, "it is an example"),
        (view.preset is not None, "it is a quick run"),
        (view.narrowed, "only some cases ran"),
        (view.status != "complete", "the run is not complete"),
        (row.verdict in ("NOT_MEASURED", "REFUSED"), "it earned no verdict"),
    )
    return next((reason for holds, reason in bars if holds), "")


@dataclass(slots=True)
class Choice:
    """What of a job is to be laid into a store, decided anew for every tip of its branch.

    commit: the commit that was measured. badges: whether badges are written too. is_ancestor: as ports.Remote has it. After
    the last call `stored`, `equal` and `older` name the rows that were chosen, that are stored already, and that come after
    a newer measurement.
    """

    rows: Sequence[JobRow]
    commit: str
    badges: bool
    is_ancestor: Callable[[str, str], bool | None]
    stored: list[JobRow] = field(default_factory=list)
    equal: list[JobRow] = field(default_factory=list)
    older: list[JobRow] = field(default_factory=list)

    def __call__(self, store: StoreReader) -> Mapping[str, bytes]:
        self.stored, self.equal, self.older = [], [], []
        files: dict[str, bytes] = {}
        for row in self.rows:
            if row.view is not None:
                self._sort(row, row.view, store)
        for row in self.stored:
            files |= self._files(row)
        if self.badges:
            for skill in dict.fromkeys(row.skill_slug for row in self.stored):
                files |= skill_badge_files(skill, self._of_skill(skill, store))
        return files

    def _sort(self, row: JobRow, mine: ReceiptView, store: StoreReader) -> None:
        name = receipt_name(row.skill_slug, row.model_slug)
        if mine.measurement_hash is not None and _measurement(store.read(name)) == mine.measurement_hash:
            self.equal.append(row)
            return
        measured = commit_in(store.read(commit_name(name)))
        if measured and measured != self.commit and self.is_ancestor(self.commit, measured):
            self.older.append(row)
            return
        self.stored.append(row)

    def _files(self, row: JobRow) -> dict[str, bytes]:
        assert row.view is not None
        name = receipt_name(row.skill_slug, row.model_slug)
        files = {name: to_file_bytes(row.view.document), commit_name(name): f"{self.commit}\n".encode()}
        if self.badges:
            files |= _badge(f"badges/{row.skill_slug}__{row.model_slug}", badge_of(row.view, row.verdict))
        return files

    def _of_skill(self, skill: str, store: StoreReader) -> list[tuple[ReceiptView, str]]:
        """Every current receipt of a skill, those of this job among them; one that cannot be read says nothing here."""
        mine = {receipt_name(row.skill_slug, row.model_slug): (row.view, row.verdict) for row in self.stored if row.skill_slug == skill}
        read = {name: (view, verdict) for name, (view, verdict) in mine.items() if view is not None}
        for name in store.receipts():
            if name.startswith(f"receipts/{skill}__") and name not in read:
                try:
                    view = load(store.read(name) or b"", source=name)
                except DriftproofError:
                    continue
                read[name] = (view, verdict_of(view))
        return [read[name] for name in sorted(read)]


def verdict_of(view: ReceiptView) -> str:
    """The verdict a stored receipt carries; of one before 1.0, the published rule's."""
    return view.decision.verdict if view.decision else published_verdict(view).verdict


def badge_files(name: str, view: ReceiptView) -> Mapping[str, bytes]:
    """What the badges of a stored receipt must be. name: as `receipt_name` makes it."""
    return _badge(name.replace("receipts/", "badges/", 1).removesuffix(".json"), badge_of(view, verdict_of(view)))


def skill_badge_files(skill: str, read: Sequence[tuple[ReceiptView, str]]) -> Mapping[str, bytes]:
    """What the badges of a skill must be. read: its stored receipts in order of their names, with their verdicts."""
    return _badge(f"badges/{skill}", skill_badge_of(read))


def _badge(name: str, badge: Badge) -> dict[str, bytes]:
    return {f"{name}.json": canonical_bytes(as_json(badge)), f"{name}.svg": as_svg(badge).encode()}


def _measurement(data: bytes | None) -> str | None:
    try:
        document = read_json(data, source="stored receipt", limit=LARGEST) if data else None
    except DocumentError:
        return None
    found = document.get("measurement_hash") if isinstance(document, Mapping) else None
    return found if isinstance(found, str) else None


def chosen_rows(result: JobResult) -> list[JobRow]:
    """The rows that may become current receipts at all; none of a job that was cut short."""
    return [] if result.stopped else [row for row in result.rows if not barred(row)]
