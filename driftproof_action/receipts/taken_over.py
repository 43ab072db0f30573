"""What a receipt holds of an earlier one, and of who answered: the rows of one story, and none of it where an answer must be fresh.

Not: whether that earlier receipt exists and says so too (a reader has this one alone), nor what follows from the rows (verify_own).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from driftproof_action.receipts.answered import without_date
from driftproof_action.receipts.mismatch import Mismatch
from driftproof_action.receipts.run_ties import tie

Document = Mapping[str, Any]
Claim = tuple[str, Any, Any, str]
"""Path, what stands there, what should, and why."""

TODAY, EARLIER, EITHER = "today", "earlier", "either"
"""Whose a row is: made in this run, of the one earlier receipt, or whichever (an arm of today's may be reused)."""

FIRST: Mapping[str, str] = {"past": EARLIER, "past_baseline": EARLIER, "incumbent stored": EARLIER, "incumbent drawn": TODAY}
"""Draws and grades of a first look, by the role of their arm; of every other role either."""
LATER: Mapping[tuple[str, str], str] = {
    ("draws", "confirm"): TODAY,
    ("grades", "confirm"): TODAY,
    ("draws", "redraw"): TODAY,
    ("grades", "redraw"): TODAY,
    ("draws", "anchor"): EARLIER,
    ("grades", "anchor"): TODAY,
}
"""Rows of every other look, by table and look, whatever their arm."""
FRESH = ("confirm", "redraw")


def taken_over(document: Document) -> Iterator[Mismatch]:
    """Where rows contradict each other or themselves. The document fits the 1.0 schema, and its names refer to something."""
    for claims in (_origins, _past_arms, _answerers, _earlier_model):
        for path, says, gives, source in claims(document):
            yield from tie("observations", path, says, gives, source=source)


def _origins(document: Document) -> Iterator[Claim]:
    """What is of an earlier receipt names one and the same; where rows differ, the one most of them name is held to be it."""
    rows = list(_rows(document))
    named = Counter(origin for _, whose, origin in rows if whose == EARLIER and origin is not None)
    earlier = next((origin for origin, _ in named.most_common(1)), "the receipt it is from")
    for path, whose, origin in rows:
        if whose == EARLIER:
            yield path, origin, earlier, "what was taken over with it"
        elif whose == TODAY:
            yield path, origin, None, "a row of this run"


def _rows(document: Document) -> Iterator[tuple[str, str, str | None]]:
    """(path of its origin, whose it must be, its origin as one text) of every row."""
    observed = document["observations"]
    how = "stored" if observed["frame"]["terms"].get("incumbent") == "stored" else "drawn"
    roles = {arm["name"]: arm["role"] for arm in observed["frame"]["arms"]}
    first = {name: FIRST.get(f"{role} {how}" if role == "incumbent" else role, EITHER) for name, role in roles.items()}
    for table in ("draws", "grades"):
        for index, row in enumerate(observed[table]):
            origin = row.get("origin")
            for id in row["draws"] if table == "grades" else (row,):
                whose = LATER.get((table, id["look"]), first[id["arm"]])
                yield f"observations.{table}[{index}].origin", whose, origin and f"{origin['date']}, {origin['receipt_hash']}"


def _past_arms(document: Document) -> Iterator[Claim]:
    """What was answered without the skill in the earlier receipt was answered by the model that answered with it."""
    arms = {arm["role"]: (index, arm["model"]) for index, arm in enumerate(document["observations"]["frame"]["arms"])}
    with_skill = "past" if "past" in arms else "incumbent"
    if "past_baseline" in arms and with_skill in arms:
        (index, model), (_, other) = arms["past_baseline"], arms[with_skill]
        if without_date(model) != without_date(other):
            yield f"observations.frame.arms[{index}].model", model, other, f"the arm {with_skill}"


def _answerers(document: Document) -> Iterator[Claim]:
    """A model that says its name is the one its arm was asked on: in every fresh answer, and in every one of the incumbent."""
    observed = document["observations"]
    arms = {arm["name"]: arm for arm in observed["frame"]["arms"]}
    for index, draw in enumerate(observed["draws"]):
        arm, name = arms[draw["arm"]], draw.get("reported_model")
        held = draw["ending"] != "wrong_model" and (draw["look"] in FRESH or arm["role"] == "incumbent")
        if held and name is not None and without_date(name) != without_date(arm["model"]):
            yield f"observations.draws[{index}].reported_model", name, arm["model"], "its arm"


def _earlier_model(document: Document) -> Iterator[Claim]:
    """An earlier model is asked today's skill, which no commit has to hold."""
    held, model = document.get("incumbent"), document["run"]["model_id"]
    if held is not None and without_date(held["model_id"]) != without_date(model):
        yield "incumbent.tree_hash", held["tree_hash"], document["skill"]["tree_hash"], "an earlier model asked the same skill"
        yield "incumbent.commit", held["commit"], None, "an earlier model asked the same skill"
