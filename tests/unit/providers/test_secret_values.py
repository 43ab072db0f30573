"""Known secrets are found in whatever would be kept of a reply."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from driftproof_action.domain.reply import File, Reply
from driftproof_action.providers.secret_values import Secrets

VALUE = "canary_of_lower_letters"
REPLY = Reply("completed", "words", "a detail", (File("a.txt", "x"),), "a-model", "end_turn", serving_id="msg_1")


@pytest.mark.parametrize(
    "change",
    [
        {"text": f"a {VALUE}"},
        {"detail": f"{VALUE} answered"},
        {"reported_model": VALUE},
        {"stop_reason": VALUE},
        {"serving_id": f"msg_{VALUE}"},
        {"files": (File(VALUE, ""),)},
        {"files": (File("a", f"is {VALUE}"),)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_kept_text_is_searched(change: dict[str, Any]) -> None:
    secrets = Secrets({"api-key": "another_value", "github-token": VALUE})
    assert secrets.find_in(REPLY) is None
    assert secrets.find_in(replace(REPLY, **change)) == "github-token"


def test_without_a_value_long_enough_there_is_nothing_to_look_for() -> None:
    assert Secrets({"api-key": VALUE})
    assert not Secrets({})
    assert not Secrets({"api-key": "short"})
