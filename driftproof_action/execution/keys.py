"""Under which key a finished call is remembered: over what determines it, never over rendered text. Not: hashes of files."""

from __future__ import annotations

from driftproof_action.canonical import Json, digest, text_digest
from driftproof_action.domain.draw import DrawId
from driftproof_action.domain.grade import GradeId
from driftproof_action.domain.plan import Plan
from driftproof_action.domain.records import draw_id_to_json


class Keys:
    """Keys of one plan. A grade's key holds the keys of the draws it reads: otherwise an edited skill would inherit the
    grades of the old answers. A kept answer has no call that made it: its key holds its text's digest."""

    def __init__(self, plan: Plan) -> None:
        self._arms = {arm.name: arm.digest for arm in plan.frame.arms}
        self._briefs = {
            id: digest({"prompt": brief.prompt, "max_tokens": brief.max_tokens, "fixture": brief.fixture})
            for id, brief in plan.briefs.items()
        }
        self._cases = {case.id: case.digest for case in plan.frame.cases}
        self._graders = {name: grader.digest for name, grader in plan.graders.items()}
        self._kept = {id: text_digest(reply.text) for id, reply in plan.kept.items()}
        self._known: dict[DrawId, str] = {}

    def draw(self, id: DrawId) -> str:
        if id not in self._known:
            of_text: list[Json] = [self._kept[id]] if id in self._kept else []
            self._known[id] = digest(["draw", self._arms[id.arm], self._briefs[id.brief], draw_id_to_json(id), *of_text])
        return self._known[id]

    def grade(self, id: GradeId) -> str:
        draws: list[Json] = [self.draw(draw) for draw in id.draws]
        return digest(["grade", id.grader, self._graders[id.grader], id.case, self._cases[id.case], draws])

    def sample(self, id: GradeId, index: int, attempt: int) -> str:
        return digest(["sample", self.grade(id), index, attempt])


def idempotency_key(key: str, nonce: str) -> str:
    """The Idempotency-Key of a unit in one run: the first 32 hex digits over its key and the run's own random text."""
    return text_digest(f"{key}\n{nonce}")[:32]
