"""The settings of a run: start and end, tick, constants, background data and limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from laser.errors import TimeError
from laser.phrases import shown
from laser.ticks import SECOND, Tick, TimeInput, is_date, read_length
from laser.values import Atom
from laser.values.facts import FactInput, to_atoms
from laser.values.time import texts_in
from laser.zones import zone_of

__all__ = ["DEFAULTS", "DEFAULT_LIMIT", "ProgramOptions", "ReasonerOptions", "RunOptions", "RunSettings", "read_warmup"]

DEFAULT_LIMIT = 1_000_000
"""The number of derivations that recursion may make in one tick."""


class ProgramOptions(TypedDict, total=False):
    """The options for reading a program."""

    constants: Mapping[str, Any] | None
    tick: str | Tick
    dates: bool
    warmup: str | int | None
    zone: str


class ReasonerOptions(ProgramOptions, total=False):
    """The options of a reasoner."""

    background: Iterable[FactInput]
    limit: int


class RunOptions(ReasonerOptions, total=False):
    """The options for running a whole stream."""

    start: TimeInput | None
    until: TimeInput | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSettings:
    """Checked settings; ``start`` and ``until`` are None if the stream decides."""

    start: int | None = None
    until: int | None = None
    background: tuple[Atom, ...] = ()
    constants: Mapping[str, Any] = field(default_factory=dict)
    tick: Tick = field(default_factory=Tick)
    limit: int = DEFAULT_LIMIT
    dates: bool = False
    """Whether times are dates; they also are if the program contains dates."""
    warmup: int | None = None
    """The number of ticks without output at the start; None if the program decides."""
    zone: str | None = None
    """The zone of the calendar and of times without a zone; UTC if neither this nor the program names one."""

    @classmethod
    def read(
        cls, options: Mapping[str, Any], known: type = RunOptions, in_zone: str | None = None, **named: Any
    ) -> RunSettings:
        """Check the options that a user gave to a function; some may be given by name.

        Times without a zone are in the zone of the program (``in_zone``), if it has one.

        >>> RunSettings.read({"start": 3, "tick": "250 ms"}).tick.ticks(1, "s")
        4
        """
        names = known.__annotations__
        for name in options:
            if name not in names:
                raise TypeError(f"there is no option {name!r}; the options are {', '.join(sorted(names))}")
        given = {**options, **named}
        tick = Tick.parse(given.get("tick", SECOND)).in_zone(in_zone or _zone(given.get("zone")))
        start, until = given.get("start"), given.get("until")
        with texts_in(tick.zone):
            background = tuple(to_atoms(given.get("background", ())))
        return cls(
            start=None if start is None else tick.point(start),
            until=None if until is None else tick.point(until),
            background=background,
            constants=dict(given.get("constants") or {}),
            tick=tick,
            limit=_limit(given.get("limit", DEFAULT_LIMIT)),
            dates=given.get("dates", False) or is_date(start) or is_date(until),
            warmup=read_warmup(given.get("warmup"), tick),
            zone=_zone(given.get("zone")),
        )

    def options(self) -> RunOptions:
        """The settings as options of a call."""
        return RunOptions(
            start=self.start,
            until=self.until,
            background=self.background,
            constants=self.constants,
            tick=self.tick,
            limit=self.limit,
            dates=self.dates,
            warmup=self.warmup,
            **({} if self.zone is None else {"zone": self.zone}),
        )


DEFAULTS = RunSettings()
"""The settings of a run without options."""


def read_warmup(given: str | int | None, tick: Tick) -> int | None:
    """The number of ticks without output at the start, if given."""
    if given is None:
        return None
    ticks = read_length(given, tick, "the warm-up") / tick.seconds
    if ticks.denominator != 1:
        raise TimeError(f"the warm-up: {given} is not a whole number of ticks of {tick}")
    return int(ticks)


def _zone(name: str | None) -> str | None:
    if name is not None:
        zone_of(name)
    return name


def _limit(limit: int) -> int:
    if not isinstance(limit, int):
        raise TypeError(f"the limit must be an integer, a number of derivations, not {shown(limit)}")
    if limit < 0:
        raise ValueError(f"the limit must be 0 or more, not {shown(limit)}")
    return limit
