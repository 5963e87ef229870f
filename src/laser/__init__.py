"""Laser, a stream reasoner: rules with windows over time, answered at every moment."""

from laser.analysis.load import load, parse
from laser.analysis.report import check
from laser.engine.changes import Change
from laser.engine.reasoner import Reasoner
from laser.engine.run import Interval, intervals, run
from laser.errors import (
    FactError,
    LaserError,
    LimitError,
    ProgramError,
    RecordError,
    StateError,
    TimeError,
)
from laser.terms import Atom, Iri, Predicate

__all__ = [
    "Atom",
    "Change",
    "FactError",
    "Interval",
    "Iri",
    "LaserError",
    "LimitError",
    "Predicate",
    "ProgramError",
    "Reasoner",
    "RecordError",
    "StateError",
    "TimeError",
    "check",
    "intervals",
    "load",
    "parse",
    "run",
]
