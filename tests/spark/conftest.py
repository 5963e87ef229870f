"""One Spark session for the whole run."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def spark():
    pytest.importorskip("pyspark")
    from laser.spark import session

    made = session(cores=2)
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def no_stream_left(request):
    """A stream that a failed test leaves running does not disturb the tests after it."""
    yield
    if "spark" in request.fixturenames:
        for query in request.getfixturevalue("spark").streams.active:
            query.stop()
