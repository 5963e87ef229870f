"""Which version of the package this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

__all__ = ["__version__"]


def _installed() -> str:
    try:
        return version("laser-reasoner")
    except PackageNotFoundError:  # run from its source, without being installed
        return "unknown"


__version__ = _installed()
