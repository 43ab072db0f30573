"""GitHub's published description of its REST API, cut to what we ask, and whether an exchange fits it. Not: GitHub."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from openapi_schema_validator import OAS30ReadValidator, OAS30WriteValidator

SOURCE = Path(__file__).parent / "node_modules" / "@octokit" / "openapi" / "generated" / "api.github.com.json"
EVENTS = Path(__file__).parent / "node_modules" / "@octokit" / "webhooks-examples" / "api.github.com" / "index.json"
PATHS = (
    "/user",
    "/repos/{owner}/{repo}/issues/{issue_number}/comments",
    "/repos/{owner}/{repo}/issues/comments/{comment_id}",
    "/repos/{owner}/{repo}/pulls/{pull_number}",
)
ERROR = {"$ref": "#/components/schemas/basic-error"}


class UndescribedError(AssertionError):
    """A request or a response GitHub's description does not allow."""


@dataclass(frozen=True)
class Description:
    """The paths we use, with everything they refer to."""

    document: Mapping[str, Any]

    def example(self, name: str) -> Any:
        """A fresh copy of a published example."""
        return json.loads(json.dumps(self.document["components"]["examples"][name]["value"]))

    def check_request(self, verb: str, target: str, body: Any) -> None:
        """Raises UndescribedError."""
        path, operation, values = self._operation(verb, target)
        declared = {(item["in"], item["name"]): item for item in self._parameters(path, operation)}
        for name, text in values.items():
            self._check_parameter(declared, "path", name, text)
        for name, text in parse_qsl(urlsplit(target).query, keep_blank_values=True):
            self._check_parameter(declared, "query", name, text)
        wanted = operation.get("requestBody")
        if wanted is None:
            if body is not None:
                raise UndescribedError(f"{verb} {path} takes no body")
            return
        schema = wanted["content"]["application/json"]["schema"]
        unknown = set(body or {}) - set(schema.get("properties", {}))
        if unknown:
            raise UndescribedError(f"{verb} {path}: no field {sorted(unknown)}")
        self._check(schema, body, f"body of {verb} {path}", OAS30WriteValidator)

    def check_response(self, verb: str, target: str, status: int, body: Any) -> None:
        """A status the operation does not list must carry GitHub's usual error. Raises UndescribedError."""
        path, operation, _ = self._operation(verb, target)
        response = operation["responses"].get(str(status))
        if response is None and status < 400:
            raise UndescribedError(f"{verb} {path} does not answer {status}")
        content = self._resolved(response or {}).get("content", {}).get("application/json") if response else {"schema": ERROR}
        if content is None:
            if body is not None:
                raise UndescribedError(f"{verb} {path} answers {status} without a body")
            return
        self._check(content["schema"], body, f"answer {status} to {verb} {path}", OAS30ReadValidator)

    def _operation(self, verb: str, target: str) -> tuple[str, Mapping[str, Any], Mapping[str, str]]:
        asked = urlsplit(target).path
        for path, operations in self.document["paths"].items():
            pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path))
            match = re.fullmatch(pattern, asked)
            if match and verb.lower() in operations:
                return path, operations[verb.lower()], {name: unquote(text) for name, text in match.groupdict().items()}
        raise UndescribedError(f"{verb} {asked} is not described")

    def _parameters(self, path: str, operation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        for item in (*self.document["paths"][path].get("parameters", ()), *operation.get("parameters", ())):
            yield self._resolved(item)

    def _check_parameter(self, declared: Mapping[tuple[str, str], Any], where: str, name: str, text: str) -> None:
        if (where, name) not in declared:
            raise UndescribedError(f"no {where} parameter {name}")
        schema = declared[where, name]["schema"]
        value: Any = text
        if schema.get("type") == "integer":
            if not re.fullmatch(r"-?[0-9]+", text):
                raise UndescribedError(f"{where} parameter {name} is no number: {text!r}")
            value = int(text)
            if name == "per_page" and not 1 <= value <= 100:
                raise UndescribedError("per_page is at most 100")
        self._check(schema, value, f"{where} parameter {name}", OAS30WriteValidator)

    def _resolved(self, item: Mapping[str, Any]) -> Mapping[str, Any]:
        found: Any = item
        while "$ref" in found:
            value: Any = self.document
            for part in found["$ref"].removeprefix("#/").split("/"):
                value = value[part]
            found = value
        return found  # type: ignore[no-any-return]

    def _check(self, schema: Mapping[str, Any], value: Any, what: str, validator: Any) -> None:
        whole = {**schema, "components": self.document["components"]}
        error = next(iter(validator(whole, format_checker=validator.FORMAT_CHECKER).iter_errors(value)), None)
        if error is not None:
            raise UndescribedError(f"{what}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "$ref" and isinstance(inner, str):
                yield inner
            else:
                yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def cut(document: Mapping[str, Any]) -> Description:
    """Our paths and, again and again, what they refer to."""
    paths = {path: document["paths"][path] for path in PATHS}
    kept: dict[str, dict[str, Any]] = {"schemas": {}, "examples": {}, "parameters": {}, "responses": {}, "headers": {}}
    waiting = [*_references(paths), "#/components/schemas/basic-error", "#/components/examples/issue-comment"]
    while waiting:
        _, _, kind, name = waiting.pop().split("/")
        if name not in kept[kind]:
            kept[kind][name] = document["components"][kind][name]
            waiting += _references(kept[kind][name])
    return Description({"openapi": document["openapi"], "info": document["info"], "paths": paths, "components": kept})


def absent(what: Path) -> None:
    """Skip on a laptop, by name; on a CI machine what a test needs must be there."""
    message = f"{what.name} is not installed: npm ci --prefix tests/github (see tests/github/README.md)"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@functools.cache
def _read() -> Description:
    return cut(json.loads(SOURCE.read_bytes()))


def described() -> Description:
    """The description, read once a process."""
    if not SOURCE.is_file():
        absent(SOURCE)
    return _read()
