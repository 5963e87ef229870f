"""Explanations as self-contained SVG pictures: a tree from left to right, with our own layout.

The column of a box is its depth. Boxes without parts are placed below each other in the order of the text; a box with parts is
centred beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from textwrap import wrap

from laser.explanation.explanation import Explanation
from laser.explanation.lines import Kind, Node, view
from laser.phrases import columns_of, printable
from laser.ticks import Tick

__all__ = ["to_svg"]

MOST_BOXES = 600
CHARACTERS = 38
LETTER, LINE = 7.3, 15
PADDING, GAP, COLUMN_GAP, MARGIN = 8, 10, 34, 12

_FILLS: dict[Kind, str] = {
    "goal": "goal", "rule": "rule", "fact": "data", "background": "data", "record": "data", "fails": "fails", "near": "near", "more": "more",
}  # fmt: skip

_STYLE = """
svg { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
rect { fill: #f8fafc; stroke: #94a3b8; } text { fill: #0f172a; } path { fill: none; stroke: #94a3b8; stroke-width: 1.4; }
.note { fill: #64748b; } .goal rect { fill: #e2e8f0; stroke: #334155; } .rule rect { fill: #dbeafe; stroke: #60a5fa; }
.data rect { fill: #dcfce7; stroke: #4ade80; } .fails rect { fill: #fee2e2; stroke: #f87171; }
.near rect { fill: #fef9c3; stroke: #facc15; } .more rect { fill: none; stroke: none; }
@media (prefers-color-scheme: dark) {
rect { fill: #1e293b; stroke: #64748b; } text { fill: #e2e8f0; } .note { fill: #94a3b8; }
.goal rect { fill: #334155; stroke: #94a3b8; } .rule rect { fill: #1e3a5f; } .data rect { fill: #14432a; }
.fails rect { fill: #5b1f1f; } .near rect { fill: #4a3f10; } }
"""


@dataclass
class _Box:
    node: Node
    column: int
    rows: list[str]
    notes: list[str]
    parts: list[_Box] = field(default_factory=list)
    top: float = 0

    @property
    def height(self) -> float:
        return LINE * (len(self.rows) + len(self.notes)) + 2 * PADDING

    @property
    def width(self) -> float:
        return max(map(columns_of, self.rows + self.notes)) * LETTER + 2 * PADDING


def to_svg(explanation: Explanation, dates: Tick | None = None) -> str:
    """The picture as text."""
    boxes = _boxes(view(explanation, dates))
    height = _place(boxes)
    lefts = _columns(boxes)
    width = max(lefts[box.column] + box.width for box in boxes) + MARGIN
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    drawn = [*(line for box in boxes for line in _edges(box, lefts)), *(_draw(box, lefts) for box in boxes)]
    title = f"<title>{escape(' '.join(boxes[0].rows))}</title>"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>',
        title,
        f"<style>{_STYLE}</style>",
        *drawn,
        "</svg>",
    ]
    return printable("\n".join(lines))


def _boxes(root: Node) -> list[_Box]:
    """All boxes, each before its parts."""
    first = _box(root, 0)
    found, stack = [first], [first]
    seen: set[int] = set()
    while stack and len(found) < MOST_BOXES:
        box = stack.pop()
        if box.node.mark is not None:
            if box.node.mark in seen:
                box.notes.append("(as elsewhere)")
                continue
            seen.add(box.node.mark)
        box.parts = [_box(node, box.column + 1) for node in box.node.below()]
        found += box.parts
        stack += reversed(box.parts)
    return found


def _box(node: Node, column: int) -> _Box:
    sign = "✗ " if node.kind == "fails" else ""
    rows = wrap(sign + node.text, CHARACTERS, break_on_hyphens=False) or [""]
    return _Box(node, column, rows, wrap(node.note, CHARACTERS))


def _place(boxes: list[_Box]) -> float:
    """Set the vertical position of every box, from the leaves to the root; returns the total height."""
    free = [float(MARGIN)]
    stack = [(boxes[0], False)]
    while stack:
        box, parts_done = stack.pop()
        if box.parts and not parts_done:
            stack += [(box, True), *((part, False) for part in reversed(box.parts))]
        elif box.parts:
            middle = (box.parts[0].top + box.parts[-1].top + box.parts[-1].height) / 2
            box.top = max(MARGIN, middle - box.height / 2)
            free[0] = max(free[0], box.top + box.height + GAP)
        else:
            box.top = free[0]
            free[0] += box.height + GAP
    return free[0] - GAP + MARGIN


def _columns(boxes: list[_Box]) -> dict[int, float]:
    """The left edge of each column."""
    widths: dict[int, float] = {}
    for box in boxes:
        widths[box.column] = max(widths.get(box.column, 0), box.width)
    lefts, left = {}, float(MARGIN)
    for column in sorted(widths):
        lefts[column] = left
        left += widths[column] + COLUMN_GAP
    return lefts


def _edges(box: _Box, lefts: dict[int, float]) -> Iterator[str]:
    x, y = lefts[box.column] + box.width, box.top + box.height / 2
    for part in box.parts:
        x2, y2 = lefts[part.column], part.top + part.height / 2
        middle = x2 - COLUMN_GAP / 2
        yield f'<path d="M{x:.1f} {y:.1f} H{middle - 8:.1f} C{middle:.1f} {y:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"/>'


def _draw(box: _Box, lefts: dict[int, float]) -> str:
    x, y = lefts[box.column], box.top
    frame = f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="5"/>'
    lines = [(row, "") for row in box.rows] + [(row, ' class="note"') for row in box.notes]
    texts = [
        f'<text x="{x + PADDING:.1f}" y="{y + PADDING + LINE * (i + 0.8):.1f}"{style}>{escape(row)}</text>'
        for i, (row, style) in enumerate(lines)
    ]
    return f'<g class="{_FILLS.get(box.node.kind, "plain")}">{frame}{"".join(texts)}</g>'
