"""A timeline of a program and a stream."""

from __future__ import annotations

from typing import Unpack

from laser.checks.load import parse
from laser.engine.reasoner import Reasoner
from laser.engine.run import Stream, step_through
from laser.plot.model import Timeline
from laser.plot.tracks import Lines, Tracks, make_timeline
from laser.settings import RunOptions, RunSettings
from laser.syntax.program import Program
from laser.values import Predicate
from laser.values.facts import to_atom

__all__ = ["draw_run", "head_order", "timeline", "track"]


def timeline(
    program: Program | str,
    stream: Stream,
    *,
    lines: Lines = None,
    **options: Unpack[RunOptions],
) -> Timeline:
    """The facts of a stream and what a program derives from them, over time.

    >>> print(timeline("q(X) :- p(X) in [1].", [(3, ["p(a)"]), (6, [])]).to_text(40))
    q/1
      a ██████████████████
    p/1
      a █████████
        3        4        5        6
    """
    program = parse(program) if isinstance(program, str) else program
    return draw_run(program, stream, RunSettings.read(options, in_zone=program.zone), lines)


def draw_run(
    program: Program,
    stream: Stream,
    settings: RunSettings,
    lines: Lines = None,
) -> Timeline:
    """The same with settings that are already checked."""
    reasoner = Reasoner.of(program, settings)
    given, derived = track(reasoner, stream, settings.until)
    return make_timeline(given, derived, lines, head_order(program), settings.tick if reasoner.dates else None)


def track(reasoner: Reasoner, stream: Stream, until: int | None) -> tuple[Tracks, Tracks]:
    """Run a reasoner over a stream; returns the tracks of the facts and of the derived atoms."""
    given, derived = Tracks(), Tracks()
    for time, facts, changes in step_through(reasoner, stream, until):
        given.seen(time)
        for fact in facts:
            given.point(time, to_atom(fact))
        for change in changes:
            derived.change(*change)
    if reasoner.start is not None and reasoner.time is not None:
        derived.seen(reasoner.start)
        derived.seen(reasoner.time)
    return given, derived


def head_order(program: Program) -> list[Predicate]:
    """The derived predicates in the order of their rules."""
    return list(dict.fromkeys(rule.head.predicate for rule in program.rules))
