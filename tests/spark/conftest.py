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
