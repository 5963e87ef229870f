"""Explanations for notebooks: a tree of lines that can be opened and closed."""

from __future__ import annotations

from html import escape

from laser.explanation.explanation import Explanation
from laser.explanation.lines import Kind, Node, view

__all__ = ["to_html"]

OPEN_LEVELS = 4
DEEPEST = 40
MOST_LINES = 1000

_COLOURS: dict[Kind, str] = {
    "goal": "font-weight:bold", "rule": "color:#2563eb", "fact": "color:#15803d", "background": "color:#15803d", "record": "color:#15803d",
    "fails": "color:#dc2626;font-weight:bold", "near": "color:#a16207", "more": "opacity:.6",
}  # fmt: skip
_SIGNS: dict[Kind, str] = {"fails": "✗ ", "near": "nearest: "}


def to_html(explanation: Explanation) -> str:
    """A self-contained HTML fragment."""
    return f'<div style="font-family:monospace;line-height:1.5">{_html(view(explanation), 0, [MOST_LINES])}</div>'


def _html(node: Node, level: int, left: list[int]) -> str:
    """A line with the lines below it, up to the limit."""
    left[0] -= 1
    note = f' <span style="opacity:.6">({escape(node.note)})</span>' if node.note else ""
    line = f'<span style="{_COLOURS.get(node.kind, "")}">{_SIGNS.get(node.kind, "")}{escape(node.text)}</span>{note}'
    below = node.below() if level < DEEPEST and left[0] > 0 else ()
    if not below:
        return f'<div style="margin-left:1.2em">{line}</div>'
    inner = "".join(_html(part, level + 1, left) for part in below)
    is_open = ' open=""' if level < OPEN_LEVELS else ""
    return f'<details style="margin-left:1.2em"{is_open}><summary>{line}</summary>{inner}</details>'
