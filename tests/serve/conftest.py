from collections.abc import Iterator

import pytest

from tests.serve.server import Server, running


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One server for all tests that do not need one of their own."""
    with running("--seconds", "3", "--memory", "300") as started:
        yield started
