"""A timeline in characters: bars of block characters, lines of Braille dots."""

from __future__ import annotations

from dataclasses import dataclass

from laser.phrases import columns_of, fit
from laser.plot.axis import time_marks, write_number
from laser.plot.model import Bar, Curve, Group, Row, Timeline
from laser.plot.reduce import fold

__all__ = ["write_text"]

LINE_HEIGHT = 4
MOST_LINES = 3
WIDEST_LABEL = 28
NARROWEST = 8
_SHADES = "░▒▓█"
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a Braille character, by row and column of its dots."""
_COLOURS = (36, 33, 32, 35, 34, 31, 96, 93, 92, 95, 94, 91)
_GIVEN = 90


def write_text(timeline: Timeline, width: int, colour: bool, rows: int) -> str:
    """The drawing, line by line."""
    if not timeline.groups:
        return "nothing to draw"
    drawn = fold(timeline, timeline.points, rows)  # columns are computed below, so nothing is lost here
    scale = _Scale.fit(drawn, width)
    lines: list[str] = []
    for place, group in enumerate(drawn.groups):
        paint = _painter(group, place, colour)
        lines += _group(group, scale, paint)
    return "\n".join(line.rstrip() for line in [*lines, *_axis(timeline, scale)])


@dataclass(frozen=True, slots=True)
class _Scale:
    """Maps time points to the columns after the labels: several columns per time point, or several time points per column."""

    start: int
    points: int
    label: int
    columns: int

    @classmethod
    def fit(cls, timeline: Timeline, width: int) -> _Scale:
        label = min(
            WIDEST_LABEL, max(columns_of(label) for group in timeline.groups for label in _labels(group)), width // 3
        )
        room = max(NARROWEST, width - label - 1)
        columns = room // timeline.points * timeline.points if timeline.points <= room else room
        return cls(timeline.start, timeline.points, label, columns)

    def column(self, time: int) -> int:
        """The first column of a time point."""
        return (time - self.start) * self.columns // self.points

    def columns_of(self, bar: Bar) -> range:
        return range(self.column(bar.since), max(self.column(bar.since) + 1, self.column(bar.until + 1)))


def _labels(group: Group) -> list[str]:
    low_high = [write_number(value) for value in group.range] if group.curves else []
    return [*(f"  {row.label}" for row in group.rows), *(f"  {value}" for value in low_high), "  "]


def _painter(group: Group, place: int, colour: bool) -> str:
    """The format of a row, with or without colours; it is filled with the label and the drawing."""
    if not colour:
        return "{0} {1}"
    code = _GIVEN if group.given and not group.curves else _COLOURS[place % len(_COLOURS)]
    return "{0} \x1b[" + str(code) + "m{1}\x1b[0m"


def _group(group: Group, scale: _Scale, paint: str) -> list[str]:
    if group.predicate.arity == 0:
        return [_row(row, scale, paint, "") for row in group.rows]
    lines = [group.title]
    for curve in group.curves[:MOST_LINES]:
        lines += _curve(curve, group.range, scale, paint)
    if hidden := group.hidden + len(group.curves[MOST_LINES:]):
        lines.append(f"  … {hidden} more")
    return lines + [_row(row, scale, paint, "  ") for row in group.rows]


def _row(row: Row, scale: _Scale, paint: str, indent: str) -> str:
    held = [0.0] * scale.columns
    for bar in row.bars:
        for column in scale.columns_of(bar):
            if column < scale.columns:
                held[column] += _covered(bar, column, scale)
    drawing = "".join(_shade(share) for share in held)
    return paint.format(_cut(indent + row.label, scale.label), drawing.rstrip() if "\x1b" not in paint else drawing)


def _covered(bar: Bar, column: int, scale: _Scale) -> float:
    """The share of a column that a bar fills."""
    if scale.points <= scale.columns:
        return 1.0
    per_column = scale.points / scale.columns
    left, right = column * per_column, (column + 1) * per_column
    inside = min(right, bar.until + 1 - scale.start) - max(left, bar.since - scale.start)
    return max(0.0, inside / per_column) * bar.share


def _shade(share: float) -> str:
    return " " if share <= 0 else _SHADES[min(3, int(share * 4 - 1e-6))]


def _curve(curve: Curve, bounds: tuple[float, float], scale: _Scale, paint: str) -> list[str]:
    dots = _dots(curve, bounds, scale)
    labels = [write_number(bounds[1]), *[""] * (LINE_HEIGHT - 2), write_number(bounds[0])]
    rows = ["".join(chr(0x2800 + cell) if cell else " " for cell in row) for row in dots]
    title = [f"  {curve.label}"] if curve.label else []
    return title + [
        paint.format(_cut(f"{label:>{scale.label}}", scale.label), row) for label, row in zip(labels, rows, strict=True)
    ]


def _dots(curve: Curve, bounds: tuple[float, float], scale: _Scale) -> list[list[int]]:
    """The cells of a line, as bits of Braille characters."""
    cells = [[0] * scale.columns for _ in range(LINE_HEIGHT)]
    low, high = bounds
    steps = LINE_HEIGHT * 4 - 1
    for piece in curve.pieces:
        places = [
            (_dot_column(time, scale), round((value - low) / ((high - low) or 1) * steps)) for time, value in piece
        ]
        for (x, y), (x_next, y_next) in zip(places, [*places[1:], places[-1]], strict=True):
            for i in range(length := max(abs(x_next - x), abs(y_next - y), 1)):
                _set(cells, x + (x_next - x) * i // length, y + round((y_next - y) * i / length))
    return cells


def _dot_column(time: int, scale: _Scale) -> int:
    """The middle of a time point, in dots (two per column)."""
    return int((time - scale.start + 0.5) * scale.columns * 2 / scale.points)


def _set(cells: list[list[int]], x: int, y: int) -> None:
    row, column = LINE_HEIGHT - 1 - y // 4, min(x // 2, len(cells[0]) - 1)
    cells[row][column] |= _DOTS[3 - y % 4][x % 2]


def _axis(timeline: Timeline, scale: _Scale) -> list[str]:
    """The times below the drawing, without those that would overlap."""
    most = max(1, scale.columns // (12 if timeline.tick else 9))
    row = [" "] * scale.columns
    free = 0
    for time, label in time_marks(timeline.start, timeline.end, most, timeline.tick):
        column = scale.column(time)
        if column >= free and column + len(label) <= len(row):
            row[column : column + len(label)] = label
            free = column + len(label) + 1
    edge = " " * (scale.label + 1)
    dates = [f"{edge}from {timeline.clock(timeline.start)}"] if timeline.tick else []
    return [edge + "".join(row), *dates]


def _cut(text: str, width: int) -> str:
    shown = fit(text, width)
    return shown + " " * (width - columns_of(shown))
