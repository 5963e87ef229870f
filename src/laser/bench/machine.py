"""The machine, the versions and the load of a run."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["PACKAGES", "about", "load"]

PACKAGES = ("laser-reasoner", "clingo", "duckdb", "pathway", "pyspark")


def about() -> dict[str, str]:
    """What a reader needs to know to judge the figures."""
    versions = {name: _version(name) for name in PACKAGES}
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": ", ".join(f"{name} {text}" for name, text in versions.items() if text),
        "load before": load(),
    }


def load() -> str:
    """The average number of running processes over 1, 5 and 15 minutes."""
    with suppress(OSError, AttributeError):
        return " ".join(f"{one:.1f}" for one in os.getloadavg())
    return "unknown"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    with suppress(OSError, ValueError, AttributeError):
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB"
    return "unknown"
