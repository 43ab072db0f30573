"""From judge samples and decided parts to one score: pure, by name, so that a reader of a receipt can do it again.
Not: reading replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from driftproof_action.domain.arithmetic import mean, round6, total
from driftproof_action.domain.grade import Sample
from driftproof_action.domain.hole import Hole


def chosen_samples(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """One sample an index, in order of index: the last attempt that has a value, else the last attempt."""
    chosen: dict[int, Sample] = {}
    for sample in sorted(samples, key=lambda item: (item.index, item.attempt)):
        if sample.value is not None or sample.choice is not None or sample.index not in chosen or chosen[sample.index].hole:
            chosen[sample.index] = sample
    return tuple(chosen.values())


def mean_of_samples(samples: Sequence[Sample]) -> float | Hole:
    """The mean of the chosen attempt at each sample. One sample without a value leaves the whole grading without one: a part
    of a set never stands for the set."""
    values: list[float] = []
    for sample in chosen_samples(samples):
        if sample.value is None:
            return sample.hole or Hole("judge_no_decision")
        values.append(sample.value)
    return mean(values) if values else Hole("judge_no_decision", "no sample")


def weighted_share(parts: Sequence[tuple[str, bool]], weights: Mapping[str, float]) -> float:
    """Sum of the weights met over the sum of all weights, in [0, 1]."""
    whole = total(weights[id] for id, _ in parts)
    return round6(total(weights[id] for id, met in parts if met) / whole)


REDUCTIONS: Mapping[str, Callable[[Sequence[Sample]], float | Hole]] = {"mean_of_samples": mean_of_samples}
"""Reductions of samples, by the name stored in Grade.reduction. Grades decided in code have no samples: `decided_in_code`."""
