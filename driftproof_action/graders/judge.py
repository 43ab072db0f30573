"""The rubric judge: one score from 0 to 1 a sample. Not: criteria (graders/criteria)."""

from __future__ import annotations

from collections.abc import Mapping

from driftproof_action.canonical import digest
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.brief import Brief
from driftproof_action.domain.case import Case
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.reply import Reply
from driftproof_action.domain.visible import visible
from driftproof_action.graders.answer import not_gradable, spoken_to
from driftproof_action.graders.decision_object import decision_object, short
from driftproof_action.graders.judging import JudgeSetting, ask_again, failed_call, longest_answer, mean_grade
from driftproof_action.graders.prompt import prompt, template_hash


class JudgeGrader:
    """Grades an answer against the case's rubric."""

    name = "judge"

    def __init__(self, rubrics: Mapping[str, str], setting: JudgeSetting) -> None:
        """rubrics: by case id. They are part of every case's digest."""
        self._rubrics = rubrics
        self._setting = setting
        self.digest = digest({"grader": self.name, "version": 1, "template": template_hash("judge"), "setting": setting.to_json()})

    def refuse(self, case: Case, replies: tuple[Reply, ...]) -> Hole | None:
        return not_gradable(replies)

    def asks(self, case: Case, brief: Brief, replies: tuple[Reply, ...]) -> tuple[Ask, ...]:
        return (self._ask(case, brief, visible(replies[0].text)),) * self._setting.samples

    def largest(self, case: Case, brief: Brief) -> tuple[Ask, ...]:
        return (self._ask(case, brief, longest_answer(brief)),) * self._setting.samples

    def _ask(self, case: Case, brief: Brief, answer: str) -> Ask:
        words = prompt("judge")
        values = {"task": brief.prompt, "answer": answer, "rubric": self._rubrics[case.id].strip()}
        return self._setting.ask(words.system, words.parts(values), self._setting.max_tokens)

    def read(self, case: Case, replies: tuple[Reply, ...], index: int, attempt: int, reply: Reply) -> Sample:
        if failed := failed_call(index, attempt, reply):
            return failed
        found = decision_object(reply.text, "score")
        if isinstance(found, Hole):
            return Sample(index, attempt, hole=found)
        score = found["score"]
        if isinstance(score, bool) or not isinstance(score, int | float):
            return Sample(index, attempt, hole=Hole("judge_score_not_a_number", f"score is {score!r}"[:200]))
        if not 0 <= score <= 1:
            return Sample(index, attempt, hole=Hole("judge_score_out_of_range", f"score is {score!r}"[:200]))
        return Sample(index, attempt, value=float(score), reason=short(found.get("reason")), notes=spoken_to(replies))

    def again(self, ask: Ask, sample: Sample, reply: Reply) -> Ask | None:
        return ask_again(ask, sample, reply)

    def grade(self, id: GradeId, case: Case, replies: tuple[Reply, ...], samples: tuple[Sample, ...]) -> Grade:
        return mean_grade(id, samples)
