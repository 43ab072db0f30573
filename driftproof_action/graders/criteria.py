"""The criteria judge: every sentence met or not met, the total computed here. Not: a score the model gives."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from driftproof_action.canonical import Json, canonical_bytes, digest
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.brief import Brief
from driftproof_action.domain.case import Case
from driftproof_action.domain.grade import Grade, GradeId, Sample
from driftproof_action.domain.hole import Hole
from driftproof_action.domain.reply import Reply
from driftproof_action.domain.suite import Criterion
from driftproof_action.domain.visible import visible
from driftproof_action.graders.answer import not_gradable, spoken_to
from driftproof_action.graders.checks import all_pass
from driftproof_action.graders.decision_object import decision_object
from driftproof_action.graders.judging import JudgeSetting, ask_again, failed_call, longest_answer, mean_grade
from driftproof_action.graders.prompt import prompt, template_hash
from driftproof_action.graders.quotes import QUOTE_NOT_FOUND, occurs
from driftproof_action.graders.reductions import weighted_share

_TOKENS_A_CRITERION = 80


@dataclass(frozen=True, slots=True)
class CriteriaCase:
    """context: what the author wrote beside the list; shown, never graded."""

    context: str
    criteria: tuple[Criterion, ...]

    def asked(self) -> tuple[Criterion, ...]:
        return tuple(item for item in self.criteria if item.check is None)

    def weights(self) -> Mapping[str, float]:
        return {item.id: item.weight for item in self.criteria}


class CriteriaGrader:
    """Decides what it can in code, asks the judge about the sentences, and computes the weighted share itself."""

    name = "criteria"

    def __init__(self, cases: Mapping[str, CriteriaCase], setting: JudgeSetting, *, strict: bool = False) -> None:
        """cases: by case id. Their texts and weights are part of every case's digest. strict: a quote that is not in the
        answer leaves the sample without a value, instead of with a note."""
        self._cases = cases
        self._setting = setting
        self._strict = strict
        rest: dict[str, Json] = {"version": 1, "template": template_hash("criteria"), "setting": setting.to_json(), "strict": strict}
        self.digest = digest({"grader": self.name, **rest})

    def refuse(self, case: Case, replies: tuple[Reply, ...]) -> Hole | None:
        if hole := not_gradable(replies):
            return hole
        decided = self._in_code(case, replies)
        return decided if isinstance(decided, Hole) else None

    def asks(self, case: Case, brief: Brief, replies: tuple[Reply, ...]) -> tuple[Ask, ...]:
        return self._asks(case, brief, visible(replies[0].text))

    def largest(self, case: Case, brief: Brief) -> tuple[Ask, ...]:
        return self._asks(case, brief, longest_answer(brief))

    def _asks(self, case: Case, brief: Brief, answer: str) -> tuple[Ask, ...]:
        mine = self._cases[case.id]
        if not mine.asked():
            return ()
        words = prompt("criteria")
        listed = canonical_bytes([{"id": item.id, "criterion": item.description} for item in mine.asked()]).decode()
        values = {"task": brief.prompt, "answer": answer, "context": mine.context.strip() or "(none)", "criteria": listed}
        cap = self._setting.max_tokens + _TOKENS_A_CRITERION * len(mine.asked())
        return (self._setting.ask(words.system, words.parts(values), cap),) * self._setting.samples

    def _in_code(self, case: Case, replies: tuple[Reply, ...]) -> tuple[tuple[str, bool], ...] | Hole:
        checked = [item for item in self._cases[case.id].criteria if item.check is not None]
        results = all_pass([item.check for item in checked if item.check], replies[0].text)
        if isinstance(results, Hole):
            return results
        return tuple((item.id, met) for item, (_, met) in zip(checked, results, strict=True))

    def _total(self, case: Case, parts: Mapping[str, bool]) -> tuple[float, tuple[tuple[str, bool], ...]]:
        ordered = tuple((item.id, parts[item.id]) for item in self._cases[case.id].criteria)
        return weighted_share(ordered, self._cases[case.id].weights()), ordered

    def read(self, case: Case, replies: tuple[Reply, ...], index: int, attempt: int, reply: Reply) -> Sample:
        if failed := failed_call(index, attempt, reply):
            return failed
        found = decision_object(reply.text, "judgments")
        judged = found if isinstance(found, Hole) else _decisions(found["judgments"], self._cases[case.id].asked())
        if isinstance(judged, Hole):
            return Sample(index, attempt, hole=judged)
        decided = self._in_code(case, replies)
        if isinstance(decided, Hole):
            return Sample(index, attempt, hole=decided)
        notes = spoken_to(replies)
        if missing := next((item.id for item in judged if not occurs(item.quote, replies[0].text)), None):
            if self._strict:
                return Sample(index, attempt, hole=Hole(QUOTE_NOT_FOUND, f"the quote for {missing!r} is not in the answer"), notes=notes)
            notes = (*notes, QUOTE_NOT_FOUND)
        value, parts = self._total(case, {**dict(decided), **{item.id: item.met for item in judged}})
        return Sample(index, attempt, value=value, parts=parts, notes=notes)

    def again(self, ask: Ask, sample: Sample, reply: Reply) -> Ask | None:
        """Also after a quote that is not in the answer: the one valid decision that is asked for again."""
        return ask if QUOTE_NOT_FOUND in sample.notes else ask_again(ask, sample, reply)

    def grade(self, id: GradeId, case: Case, replies: tuple[Reply, ...], samples: tuple[Sample, ...]) -> Grade:
        if samples:
            return mean_grade(id, samples)
        decided = self._in_code(case, replies)
        if isinstance(decided, Hole):
            return Grade(id, hole=decided)
        value, parts = self._total(case, dict(decided))
        return Grade(id, "scored", value, decided_by="code", reduction="decided_in_code", parts=parts)


@dataclass(frozen=True, slots=True)
class _Judgment:
    id: str
    met: bool
    quote: str


def _decisions(rows: Any, asked: Sequence[Criterion]) -> tuple[_Judgment, ...] | Hole:
    """Every id exactly once, decided in one of two words and with a reason; anything else decides nothing."""
    if not isinstance(rows, list):
        return Hole("judge_no_decision", "judgments is not a list")
    out: dict[str, _Judgment] = {}
    known = {item.id for item in asked}
    for row in rows:
        if not isinstance(row, Mapping) or not isinstance(row.get("id"), str):
            return Hole("judge_no_decision", "a judgment without an id")
        id, reason, quote = row["id"], row.get("reason"), row.get("quote")
        if id not in known or id in out:
            return Hole("judge_wrong_ids", f"{id[:64]!r} is {'decided twice' if id in out else 'not a criterion'}")
        if row.get("decision") not in ("met", "not_met"):
            return Hole("judge_no_decision", f"{id[:64]!r} is neither met nor not_met")
        if not isinstance(reason, str) or not any(char.isalnum() for char in reason):
            return Hole("judge_no_reason", f"{id[:64]!r} has no reason")
        out[id] = _Judgment(id, row["decision"] == "met", quote if isinstance(quote, str) else "")
    missing = known - out.keys()
    return Hole("judge_wrong_ids", f"{sorted(missing)[0][:64]!r} is not decided") if missing else tuple(out.values())


def asked_ids(ask: Ask) -> tuple[str, ...] | None:
    """The criterion ids a criteria ask lists; None for any other ask. For surfaces that answer without a model."""
    if ask.system != prompt("criteria").system:
        return None
    listed = next(part.text for part in reversed(ask.parts) if not part.trusted)
    return tuple(item["id"] for item in json.loads(listed))
