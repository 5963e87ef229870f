"""Explanations for the terminal, drawn like the output of ``tree``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap

from laser.explanation.explanation import Explanation
from laser.explanation.lines import Kind, Node, view
from laser.ticks import Tick

__all__ = ["to_text"]

MOST_LINES = 500
"""Longer trees are cut here; the other formats are complete."""
ROOM, NARROWEST = 36, 24
"""A part with less room than the first is drawn further down; a line is never narrower than the second."""

_SIGNS: dict[Kind, str] = {"fails": "✗ ", "near": "nearest: "}
_COLOURS: dict[Kind, str] = {
    "goal": "1",
    "rule": "36",
    "fails": "31;1",
    "near": "33",
    "fact": "32",
    "record": "32",
    "background": "32",
    "more": "2",
}


def to_text(explanation: Explanation, colour: bool = False, width: int = 80, dates: Tick | None = None) -> str:
    """The tree, each line at most as wide as the terminal; with a tick, it has dates for time points."""
    lines = []
    for line in _lines(view(explanation, dates), colour, width):
        lines.append(line)
        if len(lines) == MOST_LINES:
            lines.append("… the rest is left out; the JSON form is complete")
            break
    return "\n".join(lines)


def _lines(root: Node, colour: bool, width: int) -> Iterator[str]:
    """The tree, and below it the parts that did not fit to the right."""
    drawing = _Drawing(colour, width)
    yield from drawing.label(root, "", "")
    yield from drawing.below(root)
    for number, node in drawing.later:
        yield ""
        yield from drawing.label(replace(node, text=f"[{number}] {node.text}"), "", "")
        yield from drawing.below(node)


@dataclass
class _Drawing:
    """The state of a drawing: the parts that have been drawn, and those that come later."""

    colour: bool
    width: int
    seen: set[int] = field(default_factory=set)
    later: list[tuple[int, Node]] = field(default_factory=list)

    def below(self, root: Node) -> Iterator[str]:
        """Depth first, without recursion, because a proof may be deeper than Python's stack."""
        stack = [("", iter(_with_last(root.below())))]
        while stack:
            prefix, rest = stack[-1]
            node, is_last = next(rest, (None, False))
            if node is None:
                stack.pop()
                continue
            inner = prefix + ("   " if is_last else "│  ")
            shown, below = self.place(node, len(inner))
            yield from self.label(shown, prefix + ("└─ " if is_last else "├─ "), inner)
            stack.append((inner, iter(_with_last(below))))

    def place(self, node: Node, indent: int) -> tuple[Node, Sequence[Node]]:
        """A node as drawn here, with the nodes below it: none if it was drawn before or does not fit."""
        if node.mark is None:
            return node, node.below()
        if node.mark in self.seen:
            return _noted(node, "as above"), ()
        self.seen.add(node.mark)
        if indent <= self.width - ROOM:
            return node, node.below()
        self.later.append((len(self.later) + 1, node))
        return _noted(node, f"continued at [{len(self.later)}]"), ()

    def label(self, node: Node, first: str, others: str) -> Iterator[str]:
        """The text of a node on as many lines as it needs, followed by its note if there is room."""
        room, code = max(NARROWEST, self.width - len(first)), _COLOURS.get(node.kind, "")
        words = wrap(_SIGNS.get(node.kind, "") + node.text, room, subsequent_indent="  ", break_on_hyphens=False)
        rows = [self.paint(row, code) for row in words]
        note = f"({node.note})" if node.note else ""
        if note and len(words[-1]) + 2 + len(note) <= room:
            rows[-1] += "  " + self.paint(note, "2")
        else:
            rows += [self.paint(row, "2") for row in _wrapped(note, room)]
        for index, row in enumerate(rows):
            yield (others if index else first) + row

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and code and text else text


def _noted(node: Node, note: str) -> Node:
    return replace(node, note="; ".join([node.note, note] if node.note else [note]))


def _with_last(nodes: Sequence[Node]) -> Iterator[tuple[Node, bool]]:
    """The nodes, each with a flag for the last one."""
    return ((node, index == len(nodes) - 1) for index, node in enumerate(nodes))


def _wrapped(note: str, room: int) -> list[str]:
    return wrap(note, max(NARROWEST, room), initial_indent="  ", subsequent_indent="   ") if note else []
