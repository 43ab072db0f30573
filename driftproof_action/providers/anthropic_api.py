"""The Messages API of Anthropic, or of whoever speaks it at the given address. Not: when to ask, or again (execution/drive)."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from driftproof_action.canonical import read_json
from driftproof_action.domain.ask import Ask
from driftproof_action.domain.reply import Ending, Reply
from driftproof_action.errors import DocumentError, InputError
from driftproof_action.ports import About, Workspace
from driftproof_action.providers.anthropic_reply import UNPAID, error_type, read_message
from driftproof_action.providers.fencing import user_message
from driftproof_action.providers.secret_values import Secrets

SURFACE = "api"
PROVIDER = "anthropic"
BASE_URL = "https://api.anthropic.com"

_RETRYABLE = frozenset({408, 409, 429})
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_SCRUBBED = ("ANTHROPIC_", "OTEL_")
_LONGEST_WAIT_MS = 3_600_000


class AnthropicSurface:
    """One attempt a call: the SDK never repeats, follows no redirect and reads nothing from the environment.

    Built on first use, because the SDK takes a second to load. caches: whether a system text of a model is long enough to be
    kept in the provider's cache.
    """

    instant = False

    def __init__(
        self,
        *,
        api_key: str | None,
        auth_token: str | None,
        base_url: str,
        caches: Callable[[str, str], bool],
        secrets: Secrets,
    ) -> None:
        """Raises InputError for an address that is neither https nor on this machine."""
        self._api_key, self._auth_token = api_key, auth_token
        self._base_url = checked_base_url(base_url)
        self._caches, self._secrets = caches, secrets
        self._client: Any = None
        self._lock = threading.Lock()

    def answer(self, ask: Ask, workspace: Workspace | None, key: str, about: About) -> Reply:
        reply = self._attempt(ask, key, about)
        if name := self._secrets.find_in(reply):
            return Reply("not_allowed", detail=f"an answer holds the value of {name}; nothing of it was kept", usage=reply.usage)
        return reply

    def _attempt(self, ask: Ask, key: str, about: About) -> Reply:
        client, began = self._ready(), time.monotonic()
        import anthropic  # a second to load: only on a live path

        try:
            raw = client.messages.with_raw_response.create(
                model=ask.model,
                max_tokens=ask.max_tokens,
                messages=[{"role": "user", "content": user_message(ask, key)}],
                extra_headers={"Idempotency-Key": key},
                timeout=ask.timeout_s,
                **self._system(ask),
                **({} if ask.temperature is None else {"extra_body": {"temperature": ask.temperature}}),
            )
        except anthropic.APITimeoutError:
            return Reply("timeout", detail=f"no answer within {ask.timeout_s} s", retryable=True)
        except anthropic.APIStatusError as error:
            return _turned_away(error.status_code, error.response.headers, error.response.content, ask=ask, about=about)
        except (anthropic.APIConnectionError, anthropic.APIResponseValidationError) as error:
            return Reply("transport_error", detail=type(error).__name__, retryable=True)
        return read_message(raw.http_response.content, asked=ask.model, wall_ms=round((time.monotonic() - began) * 1000))

    def close(self) -> None:
        """Hang up; the next call would dial again."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _system(self, ask: Ask) -> Mapping[str, Any]:
        if not ask.system:
            return {}
        block: dict[str, Any] = {"type": "text", "text": ask.system}
        if self._caches(ask.model, ask.system):
            block["cache_control"] = {"type": "ephemeral"}
        return {"system": [block]}

    def _ready(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = self._build()
        return self._client

    def _build(self) -> Any:
        with _scrubbed_environment():
            import anthropic  # a second to load: only on a live path
            import httpx2  # comes with it

            return anthropic.Anthropic(
                api_key=self._api_key,
                auth_token=self._auth_token,
                base_url=self._base_url,
                max_retries=0,
                http_client=httpx2.Client(trust_env=False, follow_redirects=False, limits=httpx2.Limits(max_connections=None)),
            )


def checked_base_url(text: str) -> str:
    """An address a key may be sent to: https, or http on this machine; no user name, query or fragment.

    Raises InputError that shows the host alone.
    """
    parts = urlsplit(text)
    local = parts.hostname in _LOOPBACK
    plain = parts.scheme == "https" or (parts.scheme == "http" and local)
    if not plain or not parts.hostname or parts.username or parts.password or parts.query or parts.fragment or not parts.hostname.isascii():
        raise InputError(
            f"anthropic-base-url: {parts.hostname or 'the address'} cannot be used",
            detail="a key is sent there: only https is safe, or http on this machine",
            fix="give an address like https://api.anthropic.com",
            anchor="base-url",
        )
    return text.rstrip("/")


def origin_of(base_url: str) -> str:
    """Scheme, host and port: what a key belongs to."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _turned_away(status: int, headers: Mapping[str, str], body: bytes, *, ask: Ask, about: About) -> Reply:
    """An answer that is no answer. Its text is foreign and is not shown; only its type is, where it is a plain word."""
    kind = _error_type_of(body)
    if status in _RETRYABLE or status >= 500:
        ending: Ending = "rate_limited" if status == 429 else "transport_error"
        return Reply(ending, detail=f"HTTP {status} {kind}", retryable=True, retry_after_ms=_retry_after(headers), usage=UNPAID)
    return Reply("not_allowed", detail=_advice(status, kind, body, ask=ask, about=about), usage=UNPAID)


def _advice(status: int, kind: str, body: bytes, *, ask: Ask, about: About) -> str:
    """Which input to change. The provider's sentence is searched for two known causes and never repeated."""
    if 300 <= status < 400:
        return f"anthropic-base-url: the address redirects (HTTP {status}), which is not followed; give the address itself"
    said = body[:4096].lower()
    if status == 401 or kind == "authentication_error":
        return "api-key: the provider does not accept the key (HTTP 401)"
    if b"usage limit" in said or b"credit balance" in said or b"spend limit" in said or status == 402:
        return f"api-key: the account's usage limit or credit is used up (HTTP {status})"
    if status == 403:
        return f"api-key: the key may not use {ask.model} (HTTP 403)"
    if status == 404 or kind == "not_found_error":
        return f"{'judge-model' if about.role == 'judge' else 'models'}: the provider does not know {ask.model} (HTTP {status})"
    if status == 413:
        return f"case {about.case}: the request is too large for the provider (HTTP 413)"
    return f"{'judge-model' if about.role == 'judge' else 'models'}: the provider refuses the request to {ask.model} (HTTP {status} {kind})"


def _error_type_of(body: bytes) -> str:
    try:
        return error_type(read_json(body, source="error"))
    except DocumentError:
        return "unknown"


def _retry_after(headers: Mapping[str, str]) -> int | None:
    """Milliseconds the provider asks to wait; None where it does not say, says nothing or says nothing sensible."""
    for name, factor in (("retry-after-ms", 1), ("retry-after", 1000)):
        text = headers.get(name, "")
        if re.fullmatch(r"\d{1,9}(?:\.\d{1,6})?", text, re.ASCII) and float(text) > 0:
            return min(round(float(text) * factor), _LONGEST_WAIT_MS)
    return None


@contextmanager
def _scrubbed_environment() -> Iterator[None]:
    """Without the variables the SDK would read by itself: endpoints, headers, profiles, logging, telemetry."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(_SCRUBBED)}
    try:
        yield
    finally:
        os.environ.update(kept)
