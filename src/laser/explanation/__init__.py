"""Why an atom holds, and why it does not: proofs that can be checked, in the words of the program's author."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Unpack

from laser.explanation.explanation import Explanation, Extent, Failure, Premise, Proof, RuleText
from laser.settings import ProgramOptions, RunSettings
from laser.syntax.program import Program
from laser.ticks import TimeInput, is_date
from laser.values.facts import FactInput

if TYPE_CHECKING:
    from laser.explanation.pattern import Pattern

__all__ = ["Explanation", "Extent", "Failure", "Premise", "Proof", "RuleText", "explain"]


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
    """Why an atom holds at a time, or why not; the atom may have variables, as in ``q(X, y)`` and ``hot(_)``."""
    # What follows is loaded only by those who ask: the reasoner itself never needs it.
    from laser.checks.accept import accept
    from laser.checks.load import parse
    from laser.explanation.ask import ask_stream
    from laser.explanation.pattern import read_goal

    program = parse(program) if isinstance(program, str) else program
    settings = RunSettings.read(options, ProgramOptions, start=start, background=background)
    entries = iter(stream)
    first = list(islice(entries, 1))
    if is_date(time) or any(is_date(when) for when, _ in first):
        settings = replace(settings, dates=True)
    points = ((settings.tick.point(when), facts) for when, facts in chain(first, entries))
    goal, at = read_goal(atom, program), settings.tick.point(time)
    return ask_stream(accept(program, settings), points, goal, at, settings.start, all)
