"""The versions of Laser, Python, Spark and Java, which a bug report should include."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from laser.errors import LaserError
from laser.version import __version__

__all__ = ["versions"]


def versions() -> str:
    """One per line; Spark and Java only if Spark is installed."""
    return "\n".join([f"laser {__version__}", f"Python {platform.python_version()}", *_spark()])


def _spark() -> Iterator[str]:
    try:
        yield f"PySpark {version('pyspark')}"
    except PackageNotFoundError:
        return
    from laser.spark.java import find_java, java_version

    try:
        java = find_java()
        yield f"Java {java_version(java)} ({java})"
    except LaserError as error:
        yield f"no Java: {error}"
