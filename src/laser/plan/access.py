"""How a body atom reads a predicate: which node serves it, made from which sources.

A predicate has up to four sources: facts that *stream* in, *background* data, and rules that derive it *plain* (for the
present) or *pinned* (for a time point). One source is read directly; more are united in a view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal as OneOf

from laser.plan.anonymous import is_open
from laser.plan.nodes import (
    Background,
    Dated,
    Every,
    LastDated,
    LastPoints,
    LastRecent,
    Node,
    Pinned,
    Plain,
    Points,
    Projected,
    Recent,
    Unbroken,
    View,
    width_of,
)  # fmt: skip
from laser.plan.plan import Derivation, Use
from laser.rules.body import CoreWindow
from laser.rules.rule import ResolvedProgram
from laser.syntax.tree import Variable
from laser.values import Predicate

__all__ = ["Views", "points_of"]

NOW = CoreWindow("time", 0)


def points_of(window: CoreWindow | None) -> Node:
    """The node with the time points of a window."""
    if window is None:
        return Points(None)
    return LastPoints(window.size) if window.kind == "tuple" else Points(window.size)


@dataclass
class Views:
    """Finds the node for each way of reading a predicate, and collects the derivations that this takes."""

    core: ResolvedProgram
    streamed: frozenset[Predicate]
    derivations: dict[Node, list[Derivation]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.plain = {rule.predicate for rule in self.core.rules if rule.time is None}
        self.pinned = {rule.predicate for rule in self.core.rules if rule.time is not None}
        self.background = {atom.signature for atom in self.core.background}

    def sources(self, predicate: Predicate) -> frozenset[str]:
        given = {
            "background": predicate in self.background,
            "plain": predicate in self.plain,
            "pinned": predicate in self.pinned,
        }
        streams = predicate in self.streamed or not any(given.values())
        return frozenset(name for name, there in {"stream": streams, **given}.items() if there)

    def output(self, predicate: Predicate) -> Node:
        """The node of what rules derive for the present."""
        return self.sometime(predicate, NOW, self.sources(predicate) & {"plain", "pinned"})

    def sometime(self, predicate: Predicate, window: CoreWindow, sources: frozenset[str] | None = None) -> Node:
        sources = self.sources(predicate) if sources is None else sources
        streamed = (LastRecent if window.kind == "tuple" else Recent)(predicate, window.size)
        direct: dict[str, Node] = {
            "stream": streamed, "background": Background(predicate), "plain": Plain(predicate),
        }  # fmt: skip
        if len(sources) == 1 and sources <= direct.keys():
            return direct[next(iter(sources))]
        view = View(predicate, "sometime", window.kind, window.size, sources)

        def parts() -> Iterator[tuple[Use, ...]]:
            values = _values(predicate)
            for name in sorted(sources & direct.keys()):
                yield (Use(direct[name], values),)
            if "pinned" in sources:
                yield (Use(Pinned(predicate), (*values, TIME), cap=window.size),)

        return self.define(view, _values(predicate), parts)

    def at(self, predicate: Predicate, window: CoreWindow | None) -> Use:
        """The node with times for a positive atom; pinned atoms are read directly, under a cap."""
        if self.sources(predicate) == {"pinned"}:
            return Use(Pinned(predicate), (), None if window is None else window.size)
        return Use(self.dated(predicate, window), ())

    def dated(self, predicate: Predicate, window: CoreWindow | None, without: frozenset[str] = frozenset()) -> Node:
        sources = self.sources(predicate) - without
        kind: OneOf["time", "tuple"] = "time" if window is None else window.kind
        size = None if window is None else window.size
        streamed = LastDated(predicate, size) if kind == "tuple" and size is not None else Dated(predicate, size)
        if sources == {"stream"}:
            return streamed
        view = View(predicate, "at", kind, size, sources)

        def parts() -> Iterator[tuple[Use, ...]]:
            values = _values(predicate)
            if "stream" in sources:
                yield (Use(streamed, (*values, TIME)),)
            if "background" in sources:
                yield Use(Background(predicate), values), Use(points_of(window), (TIME,))
            if "plain" in sources:
                yield Use(Plain(predicate), values), Use(Points(0), (TIME,))
            if "pinned" in sources:
                yield (Use(Pinned(predicate), (*values, TIME), cap=size),)

        return self.define(view, (*_values(predicate), TIME), parts)

    def always(self, predicate: Predicate, window: CoreWindow) -> Node:
        if window == NOW:
            return self.sometime(predicate, window)
        sources = self.sources(predicate)
        if sources == {"background"}:
            return Background(predicate)
        if sources - {"background"} == {"stream"} and window.kind == "time":
            lasting: Node = Unbroken(predicate, window.size)
        else:
            dated = self.dated(predicate, window, without=frozenset({"background"}))
            lasting = Every(dated, window.kind, window.size)
        if "background" not in sources:
            return lasting
        view = View(predicate, "always", window.kind, window.size, sources)
        values = _values(predicate)
        return self.define(view, values, lambda: iter([(Use(lasting, values),), (Use(Background(predicate), values),)]))

    def always_some(self, predicate: Predicate, window: CoreWindow | None, kept: tuple[int, ...]) -> Node:
        """At every time point of the window some atom holds that has these arguments, whatever the others are."""
        if window is not None and len(kept) == predicate.arity:
            return self.always(predicate, window)
        projected = self.projected(self.dated(predicate, window), (*kept, predicate.arity), None)
        return Every(projected, "time", None) if window is None else Every(projected, window.kind, window.size)

    def project(self, use: Use) -> Use:
        """An atom with ``_`` as an atom without: what stands there does not matter, only that something does."""
        kept = tuple(i for i, term in enumerate(use.terms) if not is_open(term))
        if len(kept) == len(use.terms):
            return use
        return Use(self.projected(use.node, kept, use.cap), tuple(use.terms[i] for i in kept))

    def projected(self, source: Node, kept: tuple[int, ...], cap: int | None) -> Node:
        node = Projected(source, kept, cap)
        if node not in self.derivations:
            values = tuple(Variable(f"V{i}") for i in range(width_of(source)))
            terms = tuple(values[i] for i in kept)
            self.derivations[node] = [Derivation(node, terms, (Use(source, values, cap),), text=str(node))]
        return node

    def define(self, view: View, terms: tuple[Variable, ...], parts: Callable[[], Iterator[tuple[Use, ...]]]) -> Node:
        if view not in self.derivations:
            self.derivations[view] = [Derivation(view, terms, uses, text=str(view)) for uses in parts()]
        return view


TIME = Variable("T")


def _values(predicate: Predicate) -> tuple[Variable, ...]:
    return tuple(Variable(f"V{i}") for i in range(predicate.arity))
