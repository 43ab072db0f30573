"""One place where a receipt is not what it should be. Not: the checks that find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal[
    "version",
    "schema",
    "rows",
    "samples",
    "hash",
    "derived",
    "measurement_hash",
    "observations",
    "reduction",
    "coverage",
    "decision",
]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """path: dotted, e.g. `results.aggregates.with_skill.mean_score`. says: what the receipt holds there; gives: what it
    should be. source: what `gives` comes from ("its draws", "the schema"). fatal: the receipt is invalid by it."""

    kind: Kind
    path: str
    says: str
    gives: str
    source: str
    fatal: bool = True

    def sentence(self) -> str:
        """One line for people."""
        verb = "give" if self.source.endswith("s") and not self.source.endswith("ss") else "gives"
        return f"{self.path or 'the receipt'} says {self.says}, {self.source} {verb} {self.gives}"

    def to_json(self) -> dict[str, Any]:
        return {"class": self.kind, "path": self.path, "says": self.says, "gives": self.gives, "source": self.source, "fatal": self.fatal}
