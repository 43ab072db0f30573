"""Which model answered, as its replies name it. Not: whether that is the model asked for on the wire (providers)."""

from __future__ import annotations

import re
from typing import Any

from driftproof_action.domain.observations import Observations
from driftproof_action.graders.reductions import chosen_samples


def without_date(model_id: str) -> str:
    """The canonical id: a trailing -YYYYMMDD is dropped."""
    return re.sub(r"-[0-9]{8}\Z", "", model_id)


def answered_by(seen: Observations, kind: str, *, model_id: str, isolation: str) -> dict[str, Any]:
    """What answered in this run, as its replies name it; rows taken over from a receipt are no part of it. attested: a model,
    and every reply named the one that was asked, those of an earlier model's arm aside. reported_models: all that were named."""
    older = {arm.name for arm in seen.frame.arms if without_date(arm.model) != without_date(model_id)}
    today = [draw for draw in seen.draws if draw.reply_hash is not None and draw.origin is None]
    named = [draw.reported_model for draw in today if draw.id.arm not in older]
    beside = [draw.reported_model for draw in today if draw.id.arm in older]
    judges = [sample.reported_model for grade in seen.grades if grade.origin is None for sample in chosen_samples(grade.samples)]
    want = without_date(model_id)
    attested = kind == "model" and bool(named) and all(name is not None and without_date(name) == want for name in named)
    every = sorted({without_date(name) for name in (*named, *beside, *judges) if name})
    return {
        "kind": kind,
        "attested": attested,
        "reported_model": model_id if attested else None,
        "reported_models": every or None,
        "isolation": isolation,
    }
