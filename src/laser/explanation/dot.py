"""Explanations as graphs for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from laser.explanation.explanation import Explanation
from laser.explanation.lines import Kind, Node, view
from laser.ticks import Tick

__all__ = ["to_dot"]

MOST_NODES = 2000
_STYLES: dict[Kind, str] = {
    "goal": 'style="rounded,bold"',
    "rule": 'style=filled, fillcolor="#dbeafe"',
    "fact": 'style=filled, fillcolor="#dcfce7"',
    "record": 'style=filled, fillcolor="#dcfce7"',
    "background": 'style=filled, fillcolor="#ecfccb"',
    "fails": 'style=filled, fillcolor="#fee2e2"',
    "near": "style=dashed",
    "more": "shape=plaintext",
}


def to_dot(explanation: Explanation, dates: Tick | None = None) -> str:
    """A graph in which each conclusion points to its premises."""
    return "\n".join(["digraph explanation {", *_statements(view(explanation, dates)), "}"])


def _statements(root: Node) -> Iterator[str]:
    yield '  rankdir=LR; node [shape=box, fontname="sans-serif", fontsize=11];'
    names: dict[int, int] = {}
    stack: list[tuple[Node, int | None]] = [(root, None)]
    number = 0
    while stack and number < MOST_NODES:
        node, above = stack.pop()
        known = names.get(node.mark) if node.mark is not None else None
        name = number if known is None else known
        if above is not None:
            yield f"  n{above} -> n{name};"
        if known is not None:
            continue
        if node.mark is not None:
            names[node.mark] = name
        number += 1
        yield f'  n{name} [label="{_label(node)}"{_style(node.kind)}];'
        stack += [(below, name) for below in reversed(node.below())]


def _label(node: Node) -> str:
    rows = wrap(node.text, 48, break_on_hyphens=False) + wrap(f"({node.note})" if node.note else "", 48)
    return "\\n".join(row.replace("\\", "\\\\").replace('"', '\\"') for row in rows)


def _style(kind: Kind) -> str:
    return f", {_STYLES[kind]}" if kind in _STYLES else ""
