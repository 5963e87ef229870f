"""The interface of an adapter for another system."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Protocol

from laser.bench.case import Case, Experiment, Fact, System
from laser.values import Iri

__all__ = ["Peer", "PeerSystem", "Rows", "plain"]


class PeerSystem(System, Protocol):
    """A system whose answers can be read, so that they can be checked before it is timed."""

    def answer(self) -> set[Fact]:
        """The present output, as flat tuples."""

    def close(self) -> None:
        """Free all resources."""


@dataclass(frozen=True)
class Peer:
    """Another system. ``cannot`` has the experiments that it cannot take part in, with the reasons."""

    name: str
    title: str
    module: str
    install: str
    make: Callable[[Experiment, Case], PeerSystem]
    cannot: dict[str, str] = field(default_factory=dict)
    largest: dict[str, int] = field(default_factory=dict)
    """By experiment, the number of facts in the window beyond which a tick takes too long."""
    widest: dict[str, int] = field(default_factory=dict)
    """The same for the size of the window, where each fact is in as many windows as it has ticks."""
    ticks: int = 12
    """The number of ticks on which it is checked."""
    quick: tuple[str, ...] | None = None
    """The experiments of a quick run that it takes part in, if it is too slow for all."""

    @property
    def installed(self) -> bool:
        return find_spec(self.module) is not None


def plain(facts: list[Fact]) -> list[Fact]:
    """Facts with strings instead of IRIs, which only Laser distinguishes."""
    return [tuple(value.text if type(value) is Iri else value for value in fact) for fact in facts]


@dataclass
class Rows:
    """The facts of the window, for systems without windows: each with its time and the system's own object for it.

    Facts of the predicates in ``forever`` stay; with ``last``, only the last facts of the stream are kept, whatever their time; with
    ``by_key``, the last fact of each first argument.
    """

    w: int
    forever: str = ""
    last: int = 0
    by_key: bool = False
    kept: list[tuple[Fact, int, Any]] = field(default_factory=list)
    window: deque[tuple[Fact, int, Any]] = field(default_factory=deque)
    newest: dict[Any, tuple[Fact, int, Any]] = field(default_factory=dict)

    def add(self, t: int, facts: list[Fact], make: Callable[[Fact, int], Any]) -> list[tuple[Fact, int, Any]]:
        """Add the facts of a time. Returns the facts that leave the window."""
        if self.by_key:
            found = [(fact, t, make(fact, t)) for fact in dict.fromkeys(facts)]
            gone = [self.newest[fact[1]] for fact, _, _ in found if fact[1] in self.newest]
            self.newest.update((row[0][1], row) for row in found)
            return gone
        for fact in dict.fromkeys(facts):
            (self.kept if fact[0] == self.forever else self.window).append((fact, t, make(fact, t)))
        gone = []
        while self.window and (len(self.window) > self.last if self.last else self.window[0][1] < t - self.w):
            gone.append(self.window.popleft())
        return gone

    def __iter__(self) -> Iterator[tuple[Fact, int, Any]]:
        yield from self.kept
        yield from self.window
        yield from self.newest.values()

    @classmethod
    def of(cls, experiment: Experiment, case: Case) -> Rows:
        """The window of an experiment."""
        forever = "machine" if experiment.name == "negation" else ""
        return cls(
            experiment.reach(case),
            forever,
            case.live if experiment.name == "tuples" else 0,
            experiment.name == "latest",
        )
