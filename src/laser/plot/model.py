"""A timeline as data: groups of rows with bars, and curves, over one period of time.

A group is a predicate; a row is an atom; a bar is a maximal run of time points at which the atom holds. If an argument is a
measured value, the group has curves instead, one for each combination of the other arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from laser.ticks import Tick
from laser.values import Atom, Predicate, Value, write_value

__all__ = ["Bar", "Curve", "Group", "Row", "Timeline"]


class Bar(NamedTuple):
    """A run of time points. In a reduced timeline, it may stand for several runs that are too close to show separately."""

    since: int
    until: int
    open: bool = False
    runs: int = 1
    held: int = 0
    """The number of time points at which the atom holds, if it does not hold at all of them; otherwise 0."""

    @property
    def share(self) -> float:
        """The share of its time points at which the atom holds."""
        return self.held / (self.until - self.since + 1) if self.held else 1.0


@dataclass(frozen=True, slots=True)
class Row:
    """An atom and its bars, in order; ``atom`` is None for the row that stands for ``others`` atoms."""

    atom: Atom | None
    bars: tuple[Bar, ...]
    others: int = 0

    @property
    def label(self) -> str:
        """The label of the row: its arguments, if there are any."""
        if self.atom is None:
            return f"… {self.others} more"
        return ", ".join(map(write_value, self.atom.args)) or self.atom.predicate


@dataclass(frozen=True, slots=True)
class Curve:
    """The values of an argument over time; ``key`` has the other arguments, and None instead of the value."""

    key: tuple[Value | None, ...]
    points: tuple[tuple[int, int | float], ...]
    begins: frozenset[int] = frozenset()
    """The time points where the line starts again after an outage, a silence that is too long for its readings."""

    @property
    def label(self) -> str:
        return ", ".join("·" if value is None else write_value(value) for value in self.key) if self.key[1:] else ""

    @property
    def pieces(self) -> list[list[tuple[int, int | float]]]:
        """The points of each part without an outage."""
        pieces: list[list[tuple[int, int | float]]] = []
        last: int | None = None
        for point in self.points:
            if last is None or (point[0] in self.begins and point[0] != last):
                pieces.append([])
            pieces[-1].append(point)
            last = point[0]
        return pieces

    def atom(self, name: str, value: int | float) -> Atom:
        """The fact behind a point."""
        return Atom.of((name, *(value if part is None else part for part in self.key)))


@dataclass(frozen=True, slots=True)
class Group:
    """The drawing of a predicate; ``given`` if its atoms came from the stream and were not derived."""

    predicate: Predicate
    given: bool
    rows: tuple[Row, ...] = ()
    curves: tuple[Curve, ...] = ()
    hidden: int = 0
    """The number of curves that are left out."""

    @property
    def title(self) -> str:
        """The heading above the rows: the name, and the pattern of its arguments."""
        return self.predicate.name if self.predicate.arity == 0 else str(self.predicate)

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest value of the curves."""
        values = [value for curve in self.curves for _, value in curve.points]
        return min(values), max(values)


@dataclass(frozen=True, slots=True)
class Timeline:
    """A timeline from ``start`` to ``end``; ``tick`` is set if times are shown as dates."""

    start: int
    end: int
    groups: tuple[Group, ...]
    tick: Tick | None = None
    reduced: bool = False

    @property
    def points(self) -> int:
        """The number of time points."""
        return self.end - self.start + 1

    def clock(self, time: int) -> str:
        """A time point as text for people."""
        return self.tick.to_text(time) if self.tick else str(time)

    def at(self, time: int) -> list[Atom]:
        """The atoms that hold at a time, of those that have their own rows."""
        rows = [row for group in self.groups for row in group.rows if row.atom is not None]
        return [row.atom for row in rows if row.atom and any(bar.since <= time <= bar.until for bar in row.bars)]

    # -- output formats; each is in its own module, imported on demand

    def to_text(self, width: int = 100, colour: bool = False, rows: int = 12) -> str:
        """A drawing in characters, at most ``width`` wide."""
        from laser.plot.terminal import write_text

        return write_text(self, width, colour, rows)

    def to_svg(self, width: int = 960, theme: str = "auto", rows: int = 12, title: str = "") -> str:
        """A drawing for pages and papers; ``theme`` is light, dark or auto (from the reader's system)."""
        from laser.plot.svg import write_svg

        return write_svg(self, width, theme, rows, title)

    def to_png(self, width: int = 960, theme: str = "light", rows: int = 12, title: str = "") -> bytes:
        """The drawing in pixels, two for each unit of the SVG; needs the extra ``png``."""
        from laser.plot.png import write_png

        return write_png(self, width, theme, rows, title)

    def to_html(self, width: int = 960, rows: int = 40, title: str = "Timeline") -> str:
        """A self-contained page."""
        from laser.plot.html import write_page

        return write_page(self, width, rows, title)

    def to_json(self) -> dict[str, Any]:
        """The timeline in the form that the playground page reads."""
        from laser.plot.json import to_json

        return to_json(self)

    def _repr_html_(self) -> str:
        from laser.plot.html import write_fragment

        return write_fragment(self)

    def __str__(self) -> str:
        return self.to_text()
