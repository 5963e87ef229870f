"""Explains answers on whole streams. Recorded atoms are found by running the program; everything else is searched backwards."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Unpack

from laser.checks.accept import accept
from laser.checks.load import parse
from laser.engine.reasoner import Reasoner
from laser.explanation.ask import Recorded, ask, up_to
from laser.explanation.explanation import Explanation
from laser.explanation.lasting import Lasting
from laser.explanation.pattern import read_goal
from laser.settings import ProgramOptions, RunSettings
from laser.syntax.program import Program
from laser.syntax.tree import ShowDirective
from laser.ticks import TimeInput, check_time, is_date
from laser.values import Atom, Predicate
from laser.values.facts import FactInput
from laser.values.time import texts_in

if TYPE_CHECKING:
    from laser.explanation.pattern import Pattern

__all__ = ["ask_stream", "explain", "holds_until"]

MOST_STEPS = 400
"""The number of future times at which it is checked whether an atom still holds."""


def explain(
    program: Program | str,
    stream: Iterable[tuple[TimeInput, Iterable[FactInput]]],
    atom: FactInput | Pattern,
    time: TimeInput,
    *,
    start: TimeInput | None = None,
    background: Iterable[FactInput] = (),
    all: bool = False,  # noqa: A002 - the word of the specification
    **options: Unpack[ProgramOptions],
) -> Explanation:
    """Explain why an atom holds at a time, or why it does not; the atom may have variables, as in ``q(X, y)`` and ``hot(_)``."""
    program = parse(program) if isinstance(program, str) else program
    settings = RunSettings.read(options, ProgramOptions, program.zone, start=start, background=background)
    entries = iter(stream)
    first = list(islice(entries, 1))
    if is_date(time) or any(is_date(when) for when, _ in first):
        settings = replace(settings, dates=True)
    points = ((settings.tick.point(when), facts) for when, facts in chain(first, entries))
    with texts_in(settings.tick.zone):
        return ask_stream(program, settings, points, read_goal(atom, program), settings.tick.point(time), all)


def ask_stream(
    program: Program,
    settings: RunSettings,
    stream: Iterable[tuple[int, Iterable[FactInput]]],
    goal: Atom | Pattern,
    time: int,
    every: bool = False,
) -> Explanation:
    """The explanation at one time of a stream; later facts are ignored."""
    core = accept(program, settings)
    history, start = up_to(stream, check_time(time), settings.start)
    recorded = None
    if core.recorded:
        recorded = _run(program, replace(settings, start=start, dates=core.dates), history, goal.signature, time)
    return ask(core, history, start, time, goal, every, recorded=recorded)


def _run(
    program: Program, settings: RunSettings, history: list[tuple[int, Atom]], predicate: Predicate, time: int
) -> Recorded:
    """The atoms that a run has recorded up to a time."""
    everything = tuple(statement for statement in program.statements if not isinstance(statement, ShowDirective))
    reasoner = Reasoner.of(replace(program, statements=everything), settings)
    since: dict[Atom, int] = {}
    points = [(u, [atom for _, atom in entries]) for u, entries in groupby(history, key=itemgetter(0))]
    for u, facts in [*points, (time, [])]:
        for change in reasoner.advance(u, facts):
            if change.atom.signature == predicate:
                since[change.atom] = change.time  # if the atom holds, this is when it began

    def lasting(atom: Atom) -> Lasting:
        until, exact = holds_until(reasoner, atom)
        return Lasting(since.get(atom), until, atom in since, exact)

    return Recorded(reasoner.recorded(), lasting)


def holds_until(reasoner: Reasoner, atom: Atom) -> tuple[int | None, bool]:
    """Until when an atom will hold if nothing arrives (None if it never ends), and whether that end is exact."""
    ahead = copy(reasoner)
    for _ in range(MOST_STEPS):
        wake = ahead.next_wake
        if wake is None:
            return None, True
        for change in ahead.advance(wake):
            if change.atom == atom:
                return change.time - 1, True
    return ahead.time, False
