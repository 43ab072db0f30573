"""What our own sentences never say, and that every word we use is explained. Not: whether the sentences are good."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from driftproof_action.domain.words import DRIFTS, VERDICTS, Word
from tests.contract.package_source import ROOT, modules

NEVER = re.compile(r"nothing (?:has )?changed|no effect proven|\bproofs?\b", re.IGNORECASE)
"""The first two claim what no measurement shows; a receipt is evidence and no proof."""
WORDS = (ROOT / "docs" / "words.md").read_text(encoding="utf-8")


def _texts() -> Iterator[tuple[str, str]]:
    for module in modules():
        said_to_programmers = {id(node.value) for node in ast.walk(module.tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said_to_programmers:
                yield f"{module.place}:{node.lineno}", node.value
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/golden/files/*"), *ROOT.glob("action.yml")]:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield f"{path.relative_to(ROOT)}:{number}", line


def test_our_sentences_claim_no_more_than_was_measured() -> None:
    said = [f"{place}: {found[0]}" for place, text in _texts() if (found := NEVER.search(text))]
    assert not said, "\n".join(said)


@pytest.mark.parametrize("breach", ["Nothing changed.", "this is proof", "no effect proven", "a tamper-proof seal", "proofs"])
def test_the_rule_sees_a_breach(breach: str) -> None:
    assert NEVER.search(breach)


@pytest.mark.parametrize("fine", ["driftproof", "Driftproof answers", "proofread", "nothing to fix", "what changed"])
def test_the_rule_leaves_our_name_alone(fine: str) -> None:
    assert not NEVER.search(fine)


@pytest.mark.parametrize("word", [*VERDICTS.values(), *DRIFTS.values()], ids=lambda word: word.anchor)
def test_every_word_is_explained_under_its_anchor(word: Word) -> None:
    title = word.anchor.replace("-", " ").capitalize()
    heading, _, rest = WORDS.partition(f"### {title}\n")
    assert heading != WORDS, f"docs/words.md has no heading {title}"
    section = rest.partition("\n##")[0]
    assert f"`{word.word}`" in section
    assert f"**{word.plain}**" in section
    assert word.sentence in section
    assert word.colour in section
    if word.word in VERDICTS and word is VERDICTS[word.word]:
        assert f"badge `{word.badge}`" in section
        assert f"`{word.state}`" in section


def test_anchors_are_used_once() -> None:
    anchors = [word.anchor for word in (*VERDICTS.values(), *DRIFTS.values())]
    assert len(set(anchors)) == len(anchors)


def test_people_read_the_agreed_words() -> None:
    plain = {word.word: word.plain for word in VERDICTS.values()}
    assert plain["PASSED"] == "helps"
    assert plain["REGRESSED"] == "hurts"
    assert plain["NO_EFFECT"] == "no clear difference"
    assert plain["UNDERPOWERED"] == "not enough answers yet"
    assert plain["NOT_MEASURED"] == "not measured"
