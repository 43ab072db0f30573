"""Which receipts may become the current ones, and where. Not: how a store is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from driftproof_action.commands.promotion import Choice, Refusal, badge_files, barred, chosen_rows, place_of, skill_badge_files
from driftproof_action.github.event import EventContext
from driftproof_action.receipts.read import load
from driftproof_action.reports.job import JobRow
from driftproof_action.store_io import Place
from tests.golden.situations import job, row
from tests.integration.receipt_files import drawn

A, B, C = "a" * 40, "b" * 40, "c" * 40
GOOD = {"one": (0.9, 0.4), "two": (0.8, 0.5)}
PUSH = EventContext(
    name="push", repository="o/r", server_url="https://github.example", sha=A, ref="refs/heads/main", default_branch="main", before=B
)
PULL = replace(PUSH, name="pull_request", ref="refs/pull/7/merge", pr_number=7, head_sha=B, head_ref="topic")
BRANCH, TREE = Place("driftproof-data", "", make=True), Place("main", ".driftproof/")


def measured(slug: str = "naming", model: str = "haiku", *, cases: Mapping[str, tuple[float, float]] = GOOD, **changes: Any) -> JobRow:
    seen = load(drawn(cases, **changes), source="drawn")
    assert seen.decision
    return row(seen, seen.decision.verdict, None, slug=slug, model_slug=model)


class Shelf:
    """A store as some branch holds it."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.files = dict(files or {})

    def read(self, name: str) -> bytes | None:
        return self.files.get(name)

    def receipts(self) -> tuple[str, ...]:
        return tuple(sorted(name for name in self.files if name.startswith("receipts/") and name.endswith(".json")))


def choice(*rows: JobRow, commit: str = A, badges: bool = True, ancestor: bool | None = False) -> Choice:
    return Choice(rows, commit, badges, is_ancestor=lambda older, newer: ancestor)


# ---- where ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["push", "schedule", "workflow_dispatch"])
@pytest.mark.parametrize("commit", ["auto", "true"])
def test_the_default_branch(name: str, commit: str) -> None:
    context = replace(PUSH, name=name)
    assert place_of(context, commit=commit, kind="branch", head=A) == BRANCH
    assert place_of(context, commit=commit, kind="tree", head=A) == TREE


def test_a_schedule_whose_payload_names_no_branch() -> None:
    assert place_of(replace(PUSH, name="schedule", default_branch=""), commit="auto", kind="tree", head=A) == TREE
    assert isinstance(place_of(replace(PUSH, default_branch=""), commit="auto", kind="tree", head=A), Refusal)


@pytest.mark.parametrize(
    ("context", "kind", "head"),
    [
        (PUSH, "none", A),
        (PUSH, "tree", B),
        (PUSH, "tree", None),
        (replace(PUSH, ref="refs/tags/v1"), "tree", A),
        (replace(PUSH, ref="refs/heads/other"), "branch", A),
        (replace(PUSH, ref=""), "branch", A),
        (replace(PUSH, name="release"), "branch", A),
        (replace(PUSH, name="merge_group"), "branch", A),
        (replace(PUSH, name="workflow_run"), "branch", A),
        (replace(PUSH, server_url=""), "branch", A),
        (EventContext(), "branch", A),
        (replace(PULL, is_fork=True), "tree", A),
        (replace(PULL, is_dependabot=True), "tree", A),
        (PULL, "branch", A),
        (replace(PULL, head_ref=""), "tree", A),
        (replace(PULL, head_sha=None), "tree", A),
        (replace(PULL, name="workflow_dispatch", ref="refs/heads/main"), "tree", A),
    ],
)
def test_nowhere(context: EventContext, kind: Any, head: str | None) -> None:
    """A notice only where somebody asked for it."""
    quiet, loud = (place_of(context, commit=commit, kind=kind, head=head) for commit in ("auto", "true"))
    assert isinstance(quiet, Refusal)
    assert isinstance(loud, Refusal)
    assert (quiet.told, loud.told) == (False, True)
    assert isinstance(place_of(context, commit="false", kind=kind, head=head), Refusal)


def test_a_pull_request_into_its_own_branch_when_asked() -> None:
    assert place_of(PULL, commit="true", kind="tree", head=A) == Place("topic", ".driftproof/", expected=B)
    assert isinstance(place_of(PULL, commit="auto", kind="tree", head=A), Refusal)


# ---- which ------------------------------------------------------------------------------------------------------


def test_a_whole_measurement_may() -> None:
    assert barred(measured()) == ""


@pytest.mark.parametrize(
    "changes",
    [{"kind": "stub"}, {"level": "UNVERIFIED"}, {"preset": "quick"}, {"narrowed": True}, {"example": True}, {"status": "incomplete"}],
    ids=lambda changes: str(next(iter(changes))),
)
def test_what_earned_no_verdict_may_not(changes: Any) -> None:
    good = measured()
    assert good.view
    assert barred(replace(good, view=replace(good.view, **changes)))


def test_what_is_not_complete_may_not() -> None:
    good = measured()
    assert good.view
    assert barred(replace(good, view=replace(good.view, method="measure")))
    assert barred(replace(good, view=None))
    assert barred(replace(good, verdict="NOT_MEASURED"))
    assert barred(replace(good, verdict="REFUSED"))


def test_a_job_that_was_cut_short_stores_nothing() -> None:
    assert chosen_rows(job(measured())) == [measured()]
    assert chosen_rows(job(measured(), stopped="budget")) == []


# ---- what is laid -----------------------------------------------------------------------------------------------


def test_receipt_commit_and_badges() -> None:
    one = measured()
    chosen = choice(one)
    files = chosen(Shelf())  # type: ignore[arg-type]
    assert sorted(files) == [
        "badges/naming.json",
        "badges/naming.svg",
        "badges/naming__haiku.json",
        "badges/naming__haiku.svg",
        "receipts/naming__haiku.commit",
        "receipts/naming__haiku.json",
    ]
    assert files["receipts/naming__haiku.commit"] == f"{A}\n".encode()
    assert one.view
    assert load(files["receipts/naming__haiku.json"], source="x").receipt_hash == one.view.receipt_hash
    assert {**badge_files("receipts/naming__haiku.json", one.view), **skill_badge_files("naming", [(one.view, one.verdict)])} == {
        name: data for name, data in files.items() if name.startswith("badges/")
    }
    assert sorted(choice(one, badges=False)(Shelf())) == ["receipts/naming__haiku.commit", "receipts/naming__haiku.json"]  # type: ignore[arg-type]


def test_an_equal_measurement_writes_nothing() -> None:
    """Taken at another time it has another seal, and measured the same."""
    old, new = measured(), measured(finished_at="2026-11-30T11:00:00.000Z", run_id="run-2")
    assert old.view
    assert new.view
    assert old.view.receipt_hash != new.view.receipt_hash
    store = Shelf(choice(old)(Shelf()))  # type: ignore[arg-type]
    chosen = choice(new, commit=B)
    assert chosen(store) == {}  # type: ignore[arg-type]
    assert (chosen.equal, chosen.stored) == ([new], [])


def test_a_new_measurement_replaces_the_old() -> None:
    store = Shelf(choice(measured())(Shelf()))  # type: ignore[arg-type]
    new = measured(cases={"one": (0.7, 0.4), "two": (0.8, 0.5)})
    assert "receipts/naming__haiku.json" in choice(new, commit=B)(store)  # type: ignore[arg-type]
    assert "receipts/naming__haiku.json" in choice(new, commit=B, ancestor=None)(store)  # type: ignore[arg-type]
    assert "receipts/naming__haiku.json" in choice(new, commit=A, ancestor=True)(store)  # type: ignore[arg-type]


def test_an_older_commit_never_replaces_a_newer_one() -> None:
    store = Shelf(choice(measured())(Shelf()))  # type: ignore[arg-type]
    late = measured(cases={"one": (0.7, 0.4), "two": (0.8, 0.5)})
    chosen = choice(late, commit=B, ancestor=True)
    assert chosen(store) == {}  # type: ignore[arg-type]
    assert chosen.older == [late]


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"measurement_hash": 5}', b"\xff"])
def test_a_store_that_cannot_be_read_is_mended(broken: bytes) -> None:
    store = Shelf({"receipts/naming__haiku.json": broken, "receipts/naming__haiku.commit": b"no commit"})
    assert len(choice(measured())(store)) == 6  # type: ignore[arg-type]


def test_the_badge_of_a_skill_is_over_all_its_models() -> None:
    hurts = measured(model="sonnet", cases={"one": (0.3, 0.8), "two": (0.8, 0.5)})
    store = Shelf(choice(hurts)(Shelf()))  # type: ignore[arg-type]
    store.files["receipts/naming__broken.json"] = b"{"
    store.files["receipts/naming-more__haiku.json"] = store.files["receipts/naming__sonnet.json"]
    files = choice(measured())(store)  # type: ignore[arg-type]
    assert b"hurts" in files["badges/naming.json"]
    assert "1 of 2 models" in files["badges/naming.json"].decode()
    assert b"helps" in files["badges/naming__haiku.json"]
    assert "badges/naming__sonnet.json" not in files
