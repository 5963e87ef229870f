"""Plots as SVG, on logarithmic axes, in colours that the page defines for light and dark."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Series", "bars", "lines"]

WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 12, 42
HUES = 6
_MARKS = (
    "M{x} {y}m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",
    "M{x} {y}m-3.2 -3.2h6.4v6.4h-6.4z",
    "M{x} {y}m0 -4.2l4 7h-8z",
    "M{x} {y}m0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z",
    "M{x} {y}m0 4.2l4 -7h-8z",
    "M{x} {y}m-4 -1h3v-3h2v3h3v2h-3v3h-2v-3h-3z",
)


@dataclass(frozen=True)
class Series:
    """A line of a plot; a quiet one, such as the floor, is dashed and grey."""

    label: str
    points: tuple[tuple[float, float], ...]
    quiet: bool = False


@dataclass(frozen=True)
class Scale:
    """Maps values to positions on a logarithmic axis."""

    low: float
    high: float
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        share = (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low) or 1)
        return round(self.begin + share * (self.end - self.begin), 1)

    @classmethod
    def over(cls, values: Sequence[float], begin: float, end: float, least: float = 1) -> Scale:
        """A scale with a little space at both ends; the ends are at least a factor apart, so that noise does not look like a slope."""
        low, high = min(values), max(values)
        room = max((high / low) ** 0.06, (least / (high / low)) ** 0.5, 1.15)
        return cls(low / room, high * room, begin, end)


def steps(low: float, high: float) -> list[float]:
    """Round numbers between two values: powers of ten for many decades, 1-2-5 otherwise.

    >>> steps(0.3, 30)
    [0.5, 1, 2, 5, 10, 20]
    """
    kinds = (1,) if high / low > 1_000 else (1, 2, 5)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [float(f"{kind}e{decade}") for decade in decades for kind in kinds]
    return [int(value) if value >= 1 else value for value in found if low <= value <= high]


def number(value: float) -> str:
    """A value in a readable form.

    >>> number(0.05), number(12.3456), number(20000)
    ('0.05', '12.3', '20,000')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def lines(series: Sequence[Series], x_label: str, y_label: str) -> str:
    """Lines with marks, each with a legend entry and tool tips for its values."""
    shown = [one for one in series if one.points]
    x = Scale.over([x for one in shown for x, _ in one.points], LEFT, WIDTH - RIGHT)
    y = Scale.over([y for one in shown for _, y in one.points], HEIGHT - BOTTOM, TOP, least=20)
    loud = [one for one in shown if not one.quiet]
    parts = [*_grid(x, y, sorted({x for one in shown for x, _ in one.points})), *_labels(x_label, y_label)]
    for one in shown:
        parts += _line(one, loud.index(one) % HUES if one in loud else -1, x, y)
    return _figure(parts, HEIGHT, f"{y_label} by {x_label}", _legend(shown, loud))


def _figure(parts: Sequence[str], height: float, label: str, legend: str = "") -> str:
    drawing = "".join(parts)
    svg = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}">{drawing}</svg>'
    return f"{legend}{svg}"


def _grid(x: Scale, y: Scale, places: Sequence[float]) -> Iterator[str]:
    for value in steps(y.low, y.high):
        at = y(value)
        yield f'<path class="grid" d="M{LEFT} {at}H{WIDTH - RIGHT}"/>'
        yield f'<text x="{LEFT - 6}" y="{at + 4}" text-anchor="end">{number(value)}</text>'
    last = -math.inf
    for value in places:  # the measured values, as long as their labels do not overlap
        at = x(value)
        if at - last > 30:
            yield f'<path class="grid" d="M{at} {TOP}V{HEIGHT - BOTTOM}"/>'
            yield f'<text x="{at}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{number(value)}</text>'
            last = at


def _labels(x_label: str, y_label: str) -> Iterator[str]:
    yield f'<text class="label" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">{escape(x_label)}</text>'
    middle = (TOP + HEIGHT - BOTTOM) / 2
    turned = f'transform="rotate(-90 12 {middle})"'
    yield f'<text class="label" x="12" y="{middle}" text-anchor="middle" {turned}>{escape(y_label)}</text>'


def _line(one: Series, hue: int, x: Scale, y: Scale) -> Iterator[str]:
    places = [(x(a), y(b), a, b) for a, b in sorted(one.points)]
    kind = "quiet" if hue < 0 else f"h{hue}"
    path = "M" + "L".join(f"{a} {b}" for a, b, _, _ in places)
    yield f'<path class="line {kind}" d="{path}"/>'
    for a, b, at, value in places:
        mark = _MARKS[max(0, hue)].format(x=a, y=b)
        yield f'<path class="mark {kind}" d="{mark}"><title>{escape(one.label)}: {number(value)} at {number(at)}</title></path>'


def _legend(shown: Sequence[Series], loud: Sequence[Series]) -> str:
    entries = []
    for one in shown:
        hue = loud.index(one) % HUES if one in loud else -1
        kind = "quiet" if hue < 0 else f"h{hue}"
        mark = _MARKS[max(0, hue)].format(x=6, y=6)
        sign = f'<svg class="sign" viewBox="0 0 12 12" aria-hidden="true"><path class="mark {kind}" d="{mark}"/></svg>'
        entries.append(f"<span>{sign}{escape(one.label)}</span>")
    return f'<p class="legend">{"".join(entries)}</p>'


def bars(rows: Sequence[tuple[str, float | None, str]], x_label: str) -> str:
    """A bar for each row on a logarithmic axis, with Laser in colour; a row without a value shows the reason."""
    values = [value for _, value, _ in rows if value]
    height = 26 * len(rows) + 40
    x = Scale.over(values, 132, WIDTH - 122, least=10)  # with space for the values to the right of the bars
    parts = [
        f'<path class="grid" d="M{x(value)} 0V{height - 36}"/>'
        for value in steps(x.low, x.high)[:: 2 if len(values) > 9 else 1]
    ]
    for i, (label, value, note) in enumerate(rows):
        parts += _bar(label, value, note, 26 * i + 4, x, "h0" if label.startswith("laser") else "other")
    at = (132 + WIDTH - 122) / 2
    parts += [
        f'<text x="{x(value)}" y="{height - 22}" text-anchor="middle">{number(value)}</text>'
        for value in _apart(steps(x.low, x.high), x)
    ]
    parts.append(f'<text class="label" x="{at}" y="{height - 4}" text-anchor="middle">{escape(x_label)}</text>')
    return _figure(parts, height, x_label)


def _apart(values: Sequence[float], x: Scale) -> Iterator[float]:
    last = -math.inf
    for value in values:
        if x(value) - last > 44:
            yield value
            last = x(value)


def _bar(label: str, value: float | None, note: str, top: float, x: Scale, kind: str) -> Iterator[str]:
    yield f'<text x="126" y="{top + 14}" text-anchor="end">{escape(label)}</text>'
    if value is None:
        short = note if len(note) <= 52 else note[:50] + "…"
        yield f'<text class="note" x="136" y="{top + 14}">{escape(short)}<title>{escape(note)}</title></text>'
        return
    yield f'<rect class="bar {kind}" x="{x.begin}" y="{top}" width="{max(2.0, x(value) - x.begin):.1f}" height="18" rx="2"/>'
    yield f'<text class="value" x="{x(value) + 6}" y="{top + 14}">{escape(note)}</text>'
