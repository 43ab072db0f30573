from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from driftproof_action.analysis.holm import CERTAIN, Count, holm

FAMILIES = st.dictionaries(
    st.sampled_from("abcde"), st.one_of(st.integers(1, 3000).map(lambda count: Count(count, 184_756)), st.just(CERTAIN)), max_size=5
)


@settings(max_examples=1000, deadline=None)
@given(FAMILIES, st.integers(1, 4))
def test_agrees_with_the_step_down_in_fractions(family: dict[str, Count], models: int) -> None:
    alpha = Fraction(5, 1000 * models)
    found = holm(family, numerator=5, denominator=1000 * models)
    left, expected = sorted(family, key=lambda name: (Fraction(family[name].count, family[name].total), name)), set[str]()
    while left and Fraction(family[left[0]].count, family[left[0]].total) <= alpha / len(left):
        expected.add(left.pop(0))
    assert {name for name, rank in found.items() if rank.rejected} == expected
    assert sorted(rank.rank for rank in found.values()) == list(range(len(family)))
    for rank in found.values():
        assert Fraction(rank.numerator, rank.denominator) == alpha / (len(family) - rank.rank)


def test_the_first_that_fails_ends_it() -> None:
    found = holm({"a": Count(307, 184_756), "b": Count(462, 184_756), "c": Count(924, 184_756)}, numerator=5, denominator=1000)
    assert [found[name].rejected for name in "abc"] == [True, False, False]
    assert holm({"c": Count(923, 184_756)}, numerator=5, denominator=1000)["c"].rejected
    assert not holm({"c": Count(924, 184_756)}, numerator=5, denominator=1000)["c"].rejected


def test_an_exact_tie_with_the_threshold_passes_and_nothing_is_rounded() -> None:
    assert holm({"a": Count(1, 200)}, numerator=5, denominator=1000)["a"].rejected
    assert not holm({"a": Count(1, 199)}, numerator=5, denominator=1000)["a"].rejected
    assert CERTAIN.p == 1
