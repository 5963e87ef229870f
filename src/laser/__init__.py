"""Laser, a stream reasoner: rules with windows over time, answered at every moment.

Public names are loaded when they are first used, so that the command line starts quickly.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laser.answers import Change, Interval
    from laser.checks.load import load, parse
    from laser.checks.report import check
    from laser.engine.driver import drive
    from laser.engine.explain import explain
    from laser.engine.reasoner import Reasoner
    from laser.engine.run import run
    from laser.errors import (
        FactError,
        LaserError,
        LimitError,
        ProgramError,
        ProofError,
        RecordError,
        StateError,
        TimeError,
    )
    from laser.explanation import Explanation
    from laser.sql.history import intervals
    from laser.sql.reason import reason
    from laser.values import Atom, Duration, Iri, Predicate, Time

__all__ = [
    "Atom",
    "Change",
    "Duration",
    "Explanation",
    "FactError",
    "Interval",
    "Iri",
    "LaserError",
    "LimitError",
    "Predicate",
    "ProgramError",
    "ProofError",
    "Reasoner",
    "RecordError",
    "StateError",
    "Time",
    "TimeError",
    "check",
    "drive",
    "explain",
    "intervals",
    "load",
    "parse",
    "reason",
    "run",
]

_HOMES = {
    "laser.checks.load": ("load", "parse"),
    "laser.checks.report": ("check",),
    "laser.answers": ("Change", "Interval"),
    "laser.engine.driver": ("drive",),
    "laser.engine.reasoner": ("Reasoner",),
    "laser.engine.run": ("run",),
    "laser.errors": (
        "FactError", "LaserError", "LimitError", "ProgramError", "ProofError", "RecordError", "StateError",
        "TimeError",
    ),
    "laser.engine.explain": ("explain",),
    "laser.explanation": ("Explanation",),
    "laser.sql.history": ("intervals",),
    "laser.sql.reason": ("reason",),
    "laser.values": ("Atom", "Duration", "Iri", "Predicate", "Time"),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    home = next((home for home, names in {**_HOMES, "laser.version": ("__version__",)}.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return __all__
