"""Standard output and error in one process. Not: a process of its own (test_cli.py)."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from driftproof_action.errors import FileError
from driftproof_action.streams_io import hang_up, murmur, say, speak_utf8, trace


@contextmanager
def _deaf(encoding: str = "ascii") -> Iterator[io.TextIOWrapper]:
    """A stream whose reader has gone."""
    read, write = os.pipe()
    os.close(read)
    stream = io.TextIOWrapper(os.fdopen(write, "wb"), encoding=encoding)
    yield stream
    stream.close()


def test_both_streams_become_utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="ascii") for _ in range(2)]
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    speak_utf8()
    assert say("✓\ud800") is True
    murmur("→")
    assert [stream.buffer.getvalue() for stream in streams] == ["✓\\ud800\n".encode(), "→\n".encode()]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("text", "written"), [("a", "a\n"), ("a\n", "a\n"), ("", ""), ("a\n\n", "a\n\n")])
def test_one_line_break_ends_what_is_said(text: str, written: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert say(text) is True
    assert capsys.readouterr().out == written


def test_nobody_reads_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    with _deaf() as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert say("x" * 100_000) is False
        assert say("dropped") is True


def test_hanging_up_drops_what_is_on_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    with _deaf() as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        stream.write("waiting")
        hang_up()
        stream.flush()


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(FileError, match="standard output"):
            say("x")


def test_standard_error_never_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    with _deaf() as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        murmur("x")
    monkeypatch.setattr(sys, "stderr", stream)
    murmur("closed by now")


def test_without_streams_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    speak_utf8()
    assert say("x") is True
    murmur("x")
    hang_up()


def test_a_trace_names_the_error(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise KeyError("x")
    except KeyError as error:
        trace(error)
    assert "KeyError: 'x'" in capsys.readouterr().err
