"""What the container tests share: the image, built once, and a network that leads nowhere. Not: the tests.

On a machine without the tools these tests are skipped by name; on a CI machine that is a failure.
"""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.container.image import Image, missing_tools, ready
from tests.container.network import Namespace


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "container: builds the image and runs it; needs root and the tools of tests/container/image.py")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.container)


@pytest.fixture(scope="session")
def image() -> Image:
    """The image of this checkout. Two processes that want it at once build it once."""
    if gone := missing_tools():
        told = "container tests need " + ", ".join(gone)
        assert os.environ.get("CI") != "true", told
        pytest.skip(told)
    return ready()


@pytest.fixture
def namespace(image: Image) -> Iterator[Namespace]:
    """A network of its own with nothing but loopback, for servers of a test and the container that talks to them."""
    name = f"driftproof-{uuid.uuid4().hex[:12]}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    found = Namespace(name)
    try:
        subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
        yield found
    finally:
        found.stop()
        subprocess.run(["ip", "netns", "delete", name], check=True)
