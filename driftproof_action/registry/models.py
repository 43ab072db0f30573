"""Models as data: ids, aliases, prices, what they accept. Not: calling them."""

from __future__ import annotations

import pkgutil  # importlib.resources takes many times as long to load
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from driftproof_action.canonical import read_json
from driftproof_action.domain.ask import Ask, Part
from driftproof_action.domain.usage import Usage
from driftproof_action.errors import InputError

CACHE_WRITE = 1.25
"""Price of a token put into the cache, as a share of a plain one."""
CACHE_READ = 0.1
"""Price of a token read from it."""
FENCE_BYTES = 160
"""More than the marks around one piece of a message take."""
ENVELOPE_BYTES = 256
"""More than roles and message structure take, in bytes reckoned as tokens."""

_DATE_SUFFIX = re.compile(r"-(?:19|20)\d{6}\Z", re.ASCII)
_MODEL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Model:
    """Prices in dollars per million tokens. released: YYYY-MM-DD, None where unknown. temperature: whether it may be sent.
    cache_minimum: the shortest prefix, in tokens, the provider keeps in its cache; None: it has none."""

    id: str
    provider: str
    family: str
    released: str | None
    input_per_mtok: float
    output_per_mtok: float
    temperature: bool
    cache_minimum: int | None = None
    aliases: tuple[str, ...] = ()
    registered: bool = True

    def worst_micro_usd(self, ask: Ask) -> int:
        """The dearest one call can be: every byte a token, all of them written to a cache, the answer at its cap. A dollar a
        million tokens is a millionth of a dollar a token."""
        parts = ask.parts or (Part(ask.prompt, True),)
        sent = len(ask.system.encode()) + sum(len(part.text.encode()) + FENCE_BYTES for part in parts) + ENVELOPE_BYTES
        return ceil(sent * self.input_per_mtok * CACHE_WRITE + ask.max_tokens * self.output_per_mtok)

    def cost_micro_usd(self, usage: Usage) -> int | None:
        """What a call cost by its counted tokens, rounded up; None when they were not told."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        read, written = usage.cached_tokens or 0, usage.written_tokens or 0
        plain = max(0, usage.input_tokens - read - written)
        tokens = plain + written * CACHE_WRITE + read * CACHE_READ
        return ceil(tokens * self.input_per_mtok + usage.output_tokens * self.output_per_mtok)

    def caches(self, system: str) -> bool:
        """Whether a system text is long enough to be kept in the provider's cache, by an estimate of its tokens."""
        return self.cache_minimum is not None and estimated_tokens(system) >= self.cache_minimum

    def fewest_micro_usd(self) -> int:
        """The cheapest one call can be: one token in, one out."""
        return round(self.input_per_mtok + self.output_per_mtok)


@dataclass(frozen=True, slots=True)
class Registry:
    """Models by canonical id, and where they were read from."""

    source: str
    models: Mapping[str, Model]

    def find(self, name: str) -> Model:
        """The model of an id, a dated id or an alias. Raises InputError naming what is known."""
        plain = canonical_id(name)
        for model in self.models.values():
            if plain == model.id or name in model.aliases:
                return model
        raise InputError(
            f"models: {name!r} is not a model this version knows",
            detail=f"known: {', '.join(sorted(self.models))}",
            fix="use one of these, or add the model to a file and pass it with --registry",
            anchor="unknown-model",
        )


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has: four characters each. For sentences and thresholds, never for money."""
    return ceil(len(text) / 4)


@dataclass(frozen=True, slots=True)
class PriceList:
    """What calls cost at most and what they did cost. free: surfaces nobody is paid for."""

    registry: Registry
    free: frozenset[str] = frozenset()

    def worst(self, ask: Ask) -> int:
        return 0 if ask.surface in self.free else self.registry.find(ask.model).worst_micro_usd(ask)

    def cost(self, ask: Ask, usage: Usage) -> int:
        """Of one attempt: as told by the surface, else by its tokens, else (nobody knows) the worst case."""
        if ask.surface in self.free:
            return 0
        if usage.micro_usd is not None:
            return usage.micro_usd
        counted = self.registry.find(ask.model).cost_micro_usd(usage)
        return self.worst(ask) if counted is None else counted


def canonical_id(model_id: str) -> str:
    """The id without a trailing -YYYYMMDD."""
    return _DATE_SUFFIX.sub("", model_id)


def shipped() -> Registry:
    """The registry in the package."""
    content = pkgutil.get_data(__package__, "models.json")
    assert content is not None
    return parse(content, source="models.json")


def parse(data: bytes, *, source: str, floor: Registry | None = None) -> Registry:
    """A registry file: {"source"?, "models": [{"id", "provider", "input_per_mtok", "output_per_mtok", …}]}.

    With `floor` (the shipped registry) its models stay known, and money is reckoned at the higher of both prices, so that
    a file can never make a run look cheaper than it is. Raises InputError naming the row and the field.
    """
    document = read_json(data, source=source)
    rows = document.get("models") if isinstance(document, Mapping) else None
    if not isinstance(document, Mapping) or not isinstance(rows, list):
        raise InputError("is not a registry", place=source, fix='write {"models": [{"id": …}]}', anchor="registry")
    models = dict(floor.models) if floor else {}
    for number, row in enumerate(rows):
        model = _model(row, f"{source}: models[{number}]")
        known = floor.models.get(model.id) if floor else None
        if known:
            model = replace(
                model,
                input_per_mtok=max(model.input_per_mtok, known.input_per_mtok),
                output_per_mtok=max(model.output_per_mtok, known.output_per_mtok),
            )
        models[model.id] = model
    return Registry(str(document.get("source", source)), models)


def _model(row: Any, place: str) -> Model:
    def refuse(field: str, expected: str) -> InputError:
        return InputError(f"{field} is not {expected}", place=place, fix=f"give {field} as {expected}", anchor="registry")

    if not isinstance(row, Mapping):
        raise InputError("is not an object", place=place, anchor="registry")
    if not isinstance(row.get("id"), str) or not _MODEL_ID.match(row["id"]):
        raise refuse("id", "a model id of letters, digits and . _ : / -")
    for price in ("input_per_mtok", "output_per_mtok"):
        value = row.get(price)
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise refuse(price, "a number of dollars, 0 or more")
    aliases = row.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise refuse("aliases", "a list of texts")
    return Model(
        id=canonical_id(row["id"]),
        provider=str(row.get("provider", "anthropic")),
        family=str(row.get("family", "")),
        released=row.get("released") if isinstance(row.get("released"), str) else None,
        input_per_mtok=row["input_per_mtok"],
        output_per_mtok=row["output_per_mtok"],
        temperature=row.get("temperature") is True,
        cache_minimum=row["cache_minimum"] if isinstance(row.get("cache_minimum"), int) else None,
        aliases=tuple(aliases),
    )
