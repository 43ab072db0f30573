"""The pull-request story with the action in the image: all servers and the container share a network with loopback only.
Not: the steps of the story and what holds after each (tests/runner/story.py)."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.container.image import Image
from tests.container.network import Namespace
from tests.runner.backends import Podman
from tests.runner.story import House, Job, a_race_of_two_pushes, begin, from_opening_to_the_schedule, open_house


@pytest.fixture
def house(tmp_path: Path, image: Image, namespace: Namespace) -> Iterator[House]:
    podman = Podman(image, network=namespace.path)
    with namespace.entered():
        assert [name for _, name in socket.if_nameindex()] == ["lo"]
        with open_house(tmp_path, backend=podman, beside=podman) as house:
            yield house


@pytest.mark.parametrize("story", [from_opening_to_the_schedule, a_race_of_two_pushes])
def test_in_the_image(house: House, story: Callable[[House, str], Mapping[str, Job]], capsys: pytest.CaptureFixture[str]) -> None:
    jobs = story(house, begin(house))
    lines = [f"{name:23} {job.told()}" for name, job in jobs.items()]
    with capsys.disabled():
        sys.stdout.write("\n".join(["", story.__name__.replace("_", " "), *lines, ""]))
