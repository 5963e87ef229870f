"""A timeline of a program and a stream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Unpack

from laser.checks.load import parse
from laser.engine.reasoner import Reasoner
from laser.plot.model import Timeline
from laser.plot.tracks import Lines, Tracks, make_timeline
from laser.settings import RunOptions, RunSettings
from laser.syntax.program import Program
from laser.values import Atom, Predicate
from laser.values.facts import FactInput, to_atom

__all__ = ["Run", "draw_run", "head_order", "timeline"]


def timeline(
    program: Program | str,
    stream: Iterable[tuple[int, Iterable[FactInput]]],
    *,
    dates: bool = False,
    lines: Lines = None,
    **options: Unpack[RunOptions],
) -> Timeline:
    """The facts of a stream and what a program derives from them, over time.

    >>> print(timeline("q(X) :- p(X) in [1].", [(3, ["p(a)"]), (6, [])]).to_text(40))
    p/1
      a █████████
    q/1
      a ██████████████████
        3        4        5        6
    """
    program = parse(program) if isinstance(program, str) else program
    return draw_run(program, stream, RunSettings.read(options), dates, lines)


def draw_run(
    program: Program,
    stream: Iterable[tuple[int, Iterable[FactInput]]],
    settings: RunSettings,
    dates: bool = False,
    lines: Lines = None,
) -> Timeline:
    """The same with settings that were checked before."""
    run = Run(Reasoner.of(program, settings))
    for time, facts in stream:
        if settings.until is not None and time > settings.until:
            break
        run.step(time, [to_atom(fact) for fact in facts])
    run.finish(settings.until)
    return make_timeline(run.given, run.derived, lines, head_order(program), settings.tick if dates else None)


class Run:
    """A reasoner on its way, with what was seen."""

    def __init__(self, reasoner: Reasoner) -> None:
        self.reasoner = reasoner
        self.given, self.derived = Tracks(), Tracks()
        if reasoner.start is not None:
            self.step(reasoner.start, [])

    def step(self, time: int, facts: list[Atom]) -> None:
        """Move to a time with its facts."""
        for change in self.reasoner.advance(time, facts):
            self.derived.change(*change)
        self.given.seen(time)
        for fact in facts:
            self.given.point(time, fact)

    def finish(self, until: int | None) -> None:
        """Move to the end that was asked for."""
        present = self.reasoner.time
        if until is not None and (present is None or present < until):
            self.step(until, [])
        if self.reasoner.time is not None:
            self.derived.seen(self.reasoner.time)


def head_order(program: Program) -> list[Predicate]:
    """The derived predicates in the order of their rules."""
    return list(dict.fromkeys(rule.head.predicate for rule in program.rules))
