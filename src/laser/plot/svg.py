"""A timeline as self-contained SVG, without scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, islice
from xml.sax.saxutils import escape, quoteattr

from laser.phrases import columns_of, fit, printable
from laser.plot.axis import time_marks, value_marks, write_number
from laser.plot.model import Bar, Curve, Group, Row, Timeline
from laser.plot.reduce import fold
from laser.plot.theme import HUES, style_sheet

__all__ = ["write_svg"]

ROW, BAR, CURVE, GAP, MARGIN = 20, 12, 96, 8, 12
CHARACTER, QUIET_CHARACTER = 7.3, 6.7
"""The width of a letter in the two font sizes."""
LEGEND, EDGE = 16, 4
WIDEST_LABEL = 30
_serial = count(1)


def write_svg(timeline: Timeline, width: int, theme: str, rows: int, title: str = "") -> str:
    """The drawing."""
    whole = fold(timeline, timeline.points, rows)
    labels = [label for group in whole.groups for label in _labels(group)]
    label = min(WIDEST_LABEL, max(map(columns_of, labels), default=4)) * CHARACTER + MARGIN
    drawn = fold(timeline, int(width - label), rows)
    drawing = _Drawing(drawn, width, min(label, width / 3), [], MARGIN)
    if title:
        drawing.text(MARGIN, drawing.y + 12, title, "title")
        drawing.y += ROW
    top = drawing.y
    for group in drawn.groups:
        drawing.group(group)
    height = drawing.axis(top)
    # A page may have several drawings, so the style rules of each apply only to it.
    name = f"laser{next(_serial)}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label={quoteattr(title or "timeline")}>'
    )
    style = f"<style>\n{style_sheet(theme, f'#{name} ')}</style>"
    ground = f'<rect class="ground" width="{width}" height="{height}" rx="6"/>'
    return printable("\n".join([head, style, ground, *drawing.parts, "</svg>"])) + "\n"


def _labels(group: Group) -> list[str]:
    values = [write_number(value) for value in group.range] if group.curves else []
    return [group.title, *(f"  {row.label}" for row in group.rows), *(f"  {value}" for value in values)]


@dataclass
class _Drawing:
    timeline: Timeline
    width: int
    left: float
    parts: list[str]
    y: float
    hues: int = 0
    """A drawing in progress. Lines and bars get different colours as long as there are enough."""

    def x(self, time: float) -> float:
        """The left edge of a time point."""
        room = self.width - self.left - MARGIN
        return round(self.left + (time - self.timeline.start) * room / self.timeline.points, 2)

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        side = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" class="{kind}"{side}>{escape(text)}</text>')

    def hue(self) -> str:
        """The next colour."""
        self.hues += 1
        return f"hue{(self.hues - 1) % HUES}"

    def group(self, group: Group) -> None:
        """A predicate: its name, then its curves or rows."""
        plain = group.predicate.arity == 0 and not group.curves
        if not plain:
            self.text(MARGIN, self.y + 12, group.title, "title")
            self.y += ROW
        if group.curves:
            self.curves(group)
        elif group.rows:
            colour = "given" if group.given else self.hue()
            for row in group.rows:
                self.row(row, colour, plain, group)
        self.y += GAP

    def row(self, row: Row, colour: str, plain: bool, group: Group) -> None:
        room = int((self.left - MARGIN - (0 if plain else 12)) / CHARACTER)
        self.text(MARGIN if plain else MARGIN + 12, self.y + 12, fit(row.label, room), "title" if plain else "")
        for bar in row.bars:
            self.parts.append(self.bar(bar, row, colour, group))
        self.y += ROW

    def bar(self, bar: Bar, row: Row, colour: str, group: Group) -> str:
        x, end = self.x(bar.since), self.x(bar.until + 1)
        name = str(row.atom) if row.atom is not None else f"{row.others} more of {group.title}"
        opacity = f' opacity="{0.35 + 0.65 * bar.share:.2f}"' if bar.share < 1 else ""
        since, until = self.timeline.clock(bar.since), self.timeline.clock(bar.until) + ("…" if bar.open else "")
        return (
            f'<rect class="bar {colour}" x="{x:g}" y="{self.y + 3:g}" width="{max(1.5, end - x - 1):g}" height="{BAR}" rx="2"{opacity}'
            f" data-atom={quoteattr(name)} data-since={quoteattr(since)} data-until={quoteattr(until)}>"
            f"<title>{escape(tell(name, since, until, bar))}</title></rect>"
        )

    def curves(self, group: Group) -> None:
        hues = [self.hue() for _ in group.curves]
        self.legend(group, hues)
        low, high = group.range
        spread = (high - low) or 1

        def height(value: float) -> float:
            return round(self.y + 4 + (CURVE - 8) * (high - value) / spread, 2)

        for value, label in value_marks(low, high, 4):
            self.parts.append(self._level(height(value)))
            self.text(self.left - 8, height(value) + 4, label, "quiet", "end")
        for curve, hue in zip(group.curves, hues, strict=True):
            self.curve(curve, group, hue, height)
        self.y += CURVE

    def legend(self, group: Group, hues: list[str]) -> None:
        """The legend of the lines, after the name of the predicate; labels beside the lines would overlap."""
        said = [(curve.label, hue) for curve, hue in zip(group.curves, hues, strict=True) if curve.label]
        said += [(f"… {group.hidden} more", "")] if group.hidden else []
        x, y = self.left, self.y - ROW + 12
        for label, hue in said:
            shown = fit(label, WIDEST_LABEL)
            room = columns_of(shown) * QUIET_CHARACTER + (18 if hue else 0)
            if x > self.left and x + room > self.width - MARGIN:
                x, y, self.y = self.left, y + LEGEND, self.y + LEGEND
            if hue:
                self.parts.append(f'<rect class="{hue}" x="{x:g}" y="{y - 8:g}" width="14" height="8" rx="2"/>')
            self.text(x + (18 if hue else 0), y, shown, "quiet")
            x = round(x + room + 14, 1)

    def _level(self, y: float) -> str:
        return f'<line class="grid" x1="{self.left:g}" x2="{self.width - MARGIN}" y1="{y:g}" y2="{y:g}"/>'

    def curve(self, curve: Curve, group: Group, colour: str, height: Callable[[float], float]) -> None:
        places = [(self.x(time + 0.5), height(value)) for time, value in curve.points]
        few = len(places) <= 200
        rest = iter(places)
        for piece in curve.pieces:
            stretch = list(islice(rest, len(piece)))
            ends = [] if stretch[1:] or few else [(stretch[0][0] + 1, stretch[0][1])]  # a single reading is a dot
            path = " ".join(f"{x:g},{y:g}" for x, y in [*stretch, *ends])
            self.parts.append(f'<polyline class="curve {colour}" points="{path}"/>')
        for (time, value), (x, y) in zip(curve.points, places, strict=True) if few else ():
            name, at = str(curve.atom(group.predicate.name, value)), self.timeline.clock(time)
            self.parts.append(
                f'<circle class="{colour}" cx="{x:g}" cy="{y:g}" r="2.6" data-atom={quoteattr(name)} data-since="{at}" data-until="{at}">'
                f"<title>{escape(f'{name} at {at}')}</title></circle>"
            )

    def axis(self, top: float) -> int:
        """Draw the times at the bottom; returns the total height."""
        most = max(1, int((self.width - self.left) / 90))
        marks = time_marks(self.timeline.start, self.timeline.end, most, self.timeline.tick)
        lines = [
            f'<line class="grid" x1="{self.x(time):g}" x2="{self.x(time):g}" y1="{top:g}" y2="{self.y:g}"/>'
            for time, _ in marks
        ]
        self.parts[:0] = lines  # behind the bars
        # If time points are wide, a label is centred below its time point; otherwise it starts there.
        wide = self.x(self.timeline.start + 1) - self.left > 24
        free = 0.0
        for time, label in marks:
            room = len(label) * QUIET_CHARACTER
            x = self.x(time + 0.5) - room / 2 if wide else self.x(time)
            x = round(min(x, self.width - EDGE - room), 2)
            if x >= free:
                self.text(x, self.y + 14, label, "quiet")
                free = x + room + EDGE
        if self.timeline.tick:
            self.y += 16
            self.text(self.left, self.y + 14, f"from {self.timeline.clock(self.timeline.start)}", "quiet")
        return int(self.y + 24)


def tell(name: str, since: str, until: str, bar: Bar) -> str:
    """The tooltip of a bar.

    >>> tell("alarm", "8", "9", Bar(8, 9))
    'alarm  [8, 9]'
    """
    runs = f", {bar.runs} runs" if bar.runs > 1 else ""
    return f"{name}  [{since}, {until}]{runs}"
