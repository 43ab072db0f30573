"""Stored files a pull request brings along are believed only when they hold. Not: what is done about the others."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from driftproof_action.commands.promotion import Choice
from driftproof_action.commands.store_changes import refused_changes
from driftproof_action.git_io import GitIO
from driftproof_action.store_io import touched
from tests.conftest import Repository
from tests.unit.commands.test_promotion import A, Shelf, measured

Make = Callable[..., Repository]
STORED = {f".driftproof/{name}": data for name, data in Choice([measured()], A, True, lambda *_: False)(Shelf()).items()}  # type: ignore[arg-type]
RECEIPT = ".driftproof/receipts/naming__haiku.json"


def refused(repository: Repository, base: str) -> dict[str, str]:
    git = GitIO.at(str(repository.path))
    assert git
    head = repository.git("rev-parse", "HEAD")
    return dict(refused_changes(git, touched(git, base, head), head))


def test_what_a_run_of_ours_stored_holds(make_repository: Make) -> None:
    repository = make_repository(files={"a": ""})
    base = repository.git("rev-parse", "HEAD")
    repository.commit(STORED | {".driftproof/README.md": "anything"})
    assert refused(repository, base) == {}


@pytest.mark.parametrize("name", sorted(STORED))
def test_every_byte_counts(make_repository: Make, name: str) -> None:
    repository = make_repository(files=STORED)
    base = repository.git("rev-parse", "HEAD")
    data = STORED[name]
    at = data.rindex(b"8") if b"8" in data else len(data) // 2
    repository.commit({name: data[:at] + b"~" + data[at + 1 :]})
    assert name in refused(repository, base)


def test_a_badge_without_a_receipt_and_a_receipt_with_an_old_badge(make_repository: Make) -> None:
    repository = make_repository(files={"a": ""})
    base = repository.git("rev-parse", "HEAD")
    repository.commit({name: data for name, data in STORED.items() if "badges" in name})
    assert set(refused(repository, base)) == {name for name in STORED if "badges" in name}
    other = Choice([measured(cases={"one": (0.3, 0.8), "two": (0.8, 0.5)})], A, True, lambda *_: False)(Shelf())  # type: ignore[arg-type]
    repository.commit({f".driftproof/{name}": data for name, data in other.items() if "receipts" in name})
    assert set(refused(repository, base)) == {name for name in STORED if "badges" in name}


def test_a_forged_receipt_is_refused_whatever_its_seal(make_repository: Make) -> None:
    """A seal anybody can make again covers figures that do not follow from the draws."""
    import json

    from driftproof_action.receipts.sealing import seal

    document = json.loads(STORED[RECEIPT])
    document["comparison"]["with_skill_score"] = 0.99
    repository = make_repository(files=STORED)
    base = repository.git("rev-parse", "HEAD")
    repository.commit({RECEIPT: json.dumps(seal(document)).encode()})
    assert RECEIPT in refused(repository, base)


def test_a_link_is_refused_and_a_removal_is_told_elsewhere(make_repository: Make) -> None:
    repository = make_repository(files=STORED | {"elsewhere.json": STORED[RECEIPT]})
    base = repository.git("rev-parse", "HEAD")
    (repository.path / RECEIPT).unlink()
    repository.commit()
    assert RECEIPT not in refused(repository, base)
    os.symlink("../../elsewhere.json", repository.path / RECEIPT)
    repository.commit()
    assert "symbolic link" in refused(repository, base)[RECEIPT]
