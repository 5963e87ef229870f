"""Finds the node from which a body atom reads its predicate, and the sources of that node.

A predicate has up to five sources: facts that *stream* in, *background* data, rules that derive it *plain* (for the present) or
*pinned* (for a time point), and the *record* of what they derived before. A single source is read directly; several are united in
a node of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from laser.plan.nodes import (
    Background,
    Beginning,
    Dated,
    EveryPoint,
    ManyPoints,
    Node,
    Pending,
    Pinned,
    Plain,
    Points,
    Projection,
    Recent,
    Recorded,
    RecordedDated,
    Steady,
    Unbroken,
    Union,
)
from laser.plan.plan import Part, PlanRule, Subgoal
from laser.rules.body import Comparison
from laser.rules.dependencies import recursive
from laser.rules.rule import ResolvedProgram
from laser.syntax.tree import Term, Variable
from laser.values import Predicate
from laser.windows import HISTORY, PRESENT, LastOf, Sliding, TimeWindow, TupleWindow, Window

__all__ = ["AccessPaths"]


@dataclass
class AccessPaths:
    """Finds the node for each way of reading a predicate, and collects the rules that define it."""

    program: ResolvedProgram
    also_streamed: frozenset[Predicate]
    rules: dict[Node, list[PlanRule]] = field(default_factory=dict)
    fresh: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.plain = {rule.predicate for rule in self.program.rules if rule.time is None}
        self.pinned = self.program.pinned
        self.recursive = recursive(self.program) if self.program.recorded else frozenset()

    def sources(self, predicate: Predicate) -> frozenset[str]:
        given = {
            "background": predicate in self.program.given,
            "plain": predicate in self.plain,
            "pinned": predicate in self.pinned,
            "record": predicate in self.program.recorded,
        }
        streams = predicate in self.also_streamed or not any(given.values())
        return frozenset(name for name, there in {"stream": streams, **given}.items() if there)

    def shown(self, predicate: Predicate, window: Window) -> frozenset[str]:
        """The sources that a window can see."""
        sources = self.sources(predicate)
        if isinstance(window, TimeWindow) and window.reach.ticks == 0:
            sources -= {"record"}
        never = isinstance(window, TimeWindow) and window.shows_present is False
        return sources - {"plain"} if never and "record" in sources else sources

    def output(self, predicate: Predicate) -> Node:
        """The node of what rules derive for the present."""
        return self.sometime(predicate, PRESENT, self.sources(predicate) & {"plain", "pinned"})

    def sometime(self, predicate: Predicate, window: Window, sources: frozenset[str] | None = None) -> Node:
        """``⊞ ◇ a``."""
        sources = self.shown(predicate, window) if sources is None else sources
        direct = self.direct(predicate, window)
        if len(sources) == 1 and sources <= direct.keys():
            return direct[next(iter(sources))]
        union = Union(predicate, "sometime", window, sources)

        def parts() -> Iterator[Part]:
            values = _values(predicate)
            for name in sorted(sources - {"pinned"}):
                if name in direct:
                    yield Part((Subgoal(direct[name], values),))
                else:
                    yield from self.timed(name, predicate, window)
            if "pinned" in sources:
                yield Part((self.pinned_in(predicate, window, (*values, TIME)),))

        return self.define(union, _values(predicate), parts)

    def direct(self, predicate: Predicate, window: Window) -> dict[str, Node]:
        """The sources that can be read without the time: none if the window may exclude the present or be empty."""
        nodes: dict[str, Node] = {"stream": Recent(predicate, window)}
        if isinstance(window, TupleWindow) or not window.may_be_empty:
            nodes["background"] = Background(predicate)
        if isinstance(window, TupleWindow) or window.shows_present is True:
            nodes["plain"] = Plain(predicate)
        if isinstance(window, TimeWindow):
            nodes["record"] = Recorded(predicate, window)
        return nodes

    def timed(self, source: str, predicate: Predicate, window: Window) -> Iterator[Part]:
        """The atoms of a source with their time points in a window: any time point for background, the present for plain."""
        values = _values(predicate)
        if source == "background":
            given = Part((Subgoal(Background(predicate), values),))
            yield from map(given.and_also, self.inside(window, values, TIME))
            return
        shown = isinstance(window, TupleWindow) or window.shows_present
        present = (Subgoal(Plain(predicate), values), Subgoal(Points(PRESENT), (TIME,)))
        if shown is None:
            yield Part((*present, Subgoal(Points(window), (TIME,))))
        elif shown:
            yield Part(present)

    def inside(self, window: Window, args: Sequence[Term], time: Term) -> Iterator[Part]:
        """The conditions under which a time is in the window of an atom with these arguments."""
        if not isinstance(window, LastOf):
            yield Part((Subgoal(Points(window), (time,)),))
            return
        keys, point = tuple(args[place] for place in window.per), Subgoal(Points(HISTORY), (time,))
        begin = Variable.computed(f"begin{next(self.fresh)}")
        beginning = Beginning(window)
        yield Part((point, Subgoal(beginning, (*keys, begin))), tests=(Comparison(">=", time, begin),))
        yield Part((point,), (Subgoal(self.projected(beginning, tuple(range(len(keys)))), keys),))

    def outside(self, window: Window, args: Sequence[Term], time: Term) -> Iterator[Part]:
        """The conditions under which a value is not a time point in the window of an atom with these arguments."""
        if not isinstance(window, LastOf):
            yield Part((), (Subgoal(Points(window), (time,)),))
            return
        keys, point = tuple(args[place] for place in window.per), Subgoal(Points(HISTORY), (time,))
        begin = Variable.computed(f"begin{next(self.fresh)}")
        yield Part((), (point,))
        yield Part((point, Subgoal(Beginning(window), (*keys, begin))), tests=(Comparison("<", time, begin),))

    def pinned_in(self, predicate: Predicate, window: Window, terms: tuple[Term, ...]) -> Subgoal:
        """Pinned atoms while they are in a window; with a delay, from a node that becomes active when they enter."""
        assert isinstance(window, TimeWindow), "tuple windows count facts only"
        if not window.is_delayed:
            return Subgoal(Pinned(predicate), terms, window)
        waiting = Pending(predicate, window)
        values = (*_values(predicate), TIME)
        self.define(waiting, values, lambda: iter([Part((Subgoal(Pinned(predicate), values),))]))
        return Subgoal(waiting, terms, window)

    def at(self, predicate: Predicate, window: Window, terms: tuple[Term, ...]) -> Subgoal:
        """``⊞ @T a`` as a positive atom: pinned atoms are read directly while they are in the window."""
        if self.shown(predicate, window) == {"pinned"}:
            return self.pinned_in(predicate, window, terms)
        return Subgoal(self.dated(predicate, window), terms)

    def dated(self, predicate: Predicate, window: Window, without: frozenset[str] = frozenset()) -> Node:
        """``⊞ @T a`` as a node that knows when its keys end."""
        sources = self.shown(predicate, window) - without
        fed: dict[str, Node] = {"stream": Dated(predicate, window)}
        if isinstance(window, TimeWindow):
            fed["record"] = RecordedDated(predicate, window)
        if len(sources) == 1 and sources <= fed.keys():
            return fed[next(iter(sources))]
        if sources == {"pinned"} and self.ends_within(predicate, window):
            return Pinned(predicate)
        union = Union(predicate, "at", window, sources)

        def parts() -> Iterator[Part]:
            values = _values(predicate)
            for name in sorted(sources & fed.keys()):
                yield Part((Subgoal(fed[name], (*values, TIME)),))
            for name in sorted(sources & {"background", "plain"}):
                yield from self.timed(name, predicate, window)
            if "pinned" in sources:
                yield Part((self.pinned_in(predicate, window, (*values, TIME)),))

        return self.define(union, (*_values(predicate), TIME), parts)

    def ends_within(self, predicate: Predicate, window: Window) -> bool:
        """Whether all pinned atoms of a predicate end by themselves when they leave the window, or earlier.

        They do if the time of the head is the time of a body atom in a window that is at most as long.
        """
        if not isinstance(window, Sliding):
            return False
        return all(
            any(
                atom.is_positive
                and atom.time is not None
                and atom.time == rule.time
                and isinstance(atom.window, Sliding)
                and atom.window.ticks <= window.ticks
                for atom in rule.own_atoms
            )
            for rule in self.program.rules_of(predicate)
        )

    def always(self, predicate: Predicate, window: Window) -> Node:
        """``⊞ □ a``."""
        if window == PRESENT:
            return self.sometime(predicate, window)
        sources = self.shown(predicate, window)
        if sources == {"background"}:
            return self.sometime(predicate, window)
        if sources - {"background"} == {"stream"} and isinstance(window, Sliding):
            lasting: Node = Unbroken(predicate, window)
        elif (
            sources - {"background"} == {"plain", "record"}
            and isinstance(window, Sliding)
            and not self.is_recursive(predicate)
        ):
            lasting = Steady(predicate, self.output(predicate), window)
        else:
            dated = self.dated(predicate, window, without=frozenset({"background"}))
            lasting = EveryPoint(dated, window, _keys(window))
        if "background" not in sources:
            return lasting
        union = Union(predicate, "always", window, sources)
        values = _values(predicate)
        background = self.sometime(predicate, window, frozenset({"background"}))
        both = [Part((Subgoal(node, values),)) for node in (lasting, background)]
        return self.define(union, values, lambda: iter(both))

    def is_recursive(self, predicate: Predicate) -> bool:
        """Whether a predicate depends on itself within one evaluation."""
        return predicate in self.recursive

    def at_least(self, predicate: Predicate, window: Window, times: int) -> Node:
        """``⊞ ◇≥n a``."""
        return ManyPoints(self.dated(predicate, window), times)

    def always_some(self, predicate: Predicate, window: Window, kept: tuple[int, ...]) -> Node:
        """At every time point of the window, some atom with these arguments holds, whatever its other arguments are."""
        if window != HISTORY and len(kept) == predicate.arity:
            return self.always(predicate, window)
        projected = self.projected(self.dated(predicate, window), (*kept, predicate.arity))
        return EveryPoint(projected, window, tuple(map(kept.index, _keys(window))))

    def project(self, subgoal: Subgoal) -> Subgoal:
        """An atom with ``_`` as an atom without that argument, because its value does not matter."""
        kept = tuple(i for i, term in enumerate(subgoal.terms) if not _is_anonymous(term))
        if len(kept) == len(subgoal.terms):
            return subgoal
        node = self.projected(subgoal.node, kept, subgoal.window)
        return Subgoal(node, tuple(subgoal.terms[i] for i in kept))

    def projected(self, source: Node, kept: tuple[int, ...], window: TimeWindow = HISTORY) -> Node:
        values = tuple(Variable(f"V{i}") for i in range(source.width))
        terms = tuple(values[i] for i in kept)
        return self.define(
            Projection(source, kept, window), terms, lambda: iter([Part((Subgoal(source, values, window),))])
        )

    def define(self, node: Node, terms: tuple[Variable, ...], parts: Callable[[], Iterator[Part]]) -> Node:
        if node not in self.rules:
            self.rules[node] = []  # reserves its place before the nodes that its parts need
            self.rules[node] += [PlanRule(node, terms, *part, text=str(node)) for part in parts()]
        return node


TIME = Variable("T")


def _is_anonymous(term: Term) -> bool:
    return isinstance(term, Variable) and term.is_anonymous


def _keys(window: Window) -> tuple[int, ...]:
    """The positions of the arguments that form the key of a window."""
    return window.per if isinstance(window, LastOf) else ()


def _values(predicate: Predicate) -> tuple[Variable, ...]:
    return tuple(Variable(f"V{i}") for i in range(predicate.arity))
