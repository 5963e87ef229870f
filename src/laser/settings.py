"""The settings of a run: from where to where, with which tick, constants and background data, up to which limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from laser.ticks import SECOND, Tick, check_time
from laser.values import Atom
from laser.values.facts import FactInput, to_atoms

__all__ = ["DEFAULTS", "DEFAULT_LIMIT", "ProgramOptions", "ReasonerOptions", "RunOptions", "RunSettings"]

DEFAULT_LIMIT = 1_000_000
"""Derivations that the recursions of one tick may make."""


class ProgramOptions(TypedDict, total=False):
    """What a program is read with."""

    constants: Mapping[str, Any] | None
    tick: str | Tick


class ReasonerOptions(ProgramOptions, total=False):
    """What a reasoner is made with."""

    background: Iterable[FactInput]
    limit: int


class RunOptions(ReasonerOptions, total=False):
    """What a whole stream is run with."""

    start: int | None
    until: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSettings:
    """Checked settings; ``start`` and ``until`` are None where the stream decides."""

    start: int | None = None
    until: int | None = None
    background: tuple[Atom, ...] = ()
    constants: Mapping[str, Any] = field(default_factory=dict)
    tick: Tick = field(default_factory=Tick)
    limit: int = DEFAULT_LIMIT

    @classmethod
    def read(cls, options: Mapping[str, Any], known: type = RunOptions, **named: Any) -> RunSettings:
        """What a user gave to a function that takes these options, and perhaps some by name, checked.

        >>> RunSettings.read({"start": 3, "tick": "250 ms"}).tick.ticks(1, "s")
        4
        """
        names = known.__annotations__
        for name in options:
            if name not in names:
                raise TypeError(f"there is no option {name!r}; there are {', '.join(sorted(names))}")
        given = {**options, **named}
        return cls(
            start=_point(given.get("start")),
            until=_point(given.get("until")),
            background=tuple(to_atoms(given.get("background", ()))),
            constants=dict(given.get("constants") or {}),
            tick=Tick.parse(given.get("tick", SECOND)),
            limit=_limit(given.get("limit", DEFAULT_LIMIT)),
        )


DEFAULTS = RunSettings()
"""The settings of a run of which nothing is said."""


def _point(time: object) -> int | None:
    return None if time is None else check_time(time)


def _limit(limit: int) -> int:
    if limit < 0:
        raise ValueError(f"the limit must not be negative, but is {limit}")
    return limit
