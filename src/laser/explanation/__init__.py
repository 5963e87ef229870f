"""Why an atom holds, and why it does not: proofs that can be checked, in the words of the program's author."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from laser.explanation.explanation import Explanation, Extent, Failure, Premise, Proof, RuleText
from laser.syntax.program import Program
from laser.ticks import Tick
from laser.values.facts import FactInput

if TYPE_CHECKING:
    from laser.explanation.pattern import Pattern

__all__ = ["Explanation", "Extent", "Failure", "Premise", "Proof", "RuleText", "explain"]


def explain(  # noqa: PLR0913 - what a run needs, as in `laser.run`
    program: Program | str,
    stream: Iterable[tuple[int, Iterable[FactInput]]],
    atom: FactInput | Pattern,
    time: int,
    *,
    start: int | None = None,
    background: Iterable[FactInput] = (),
    constants: Mapping[str, Any] | None = None,
    tick: str | Tick = "1 s",
    all: bool = False,  # noqa: A002 - the word of the specification
) -> Explanation:
    """Why an atom holds at a time, or why not; the atom may have variables, as in ``q(X, y)`` and ``hot(_)``."""
    # What follows is loaded only by those who ask: the reasoner itself never needs it.
    from laser.checks.accept import accept
    from laser.checks.load import parse
    from laser.explanation.ask import ask_stream
    from laser.explanation.pattern import read_goal

    program = parse(program) if isinstance(program, str) else program
    core = accept(program, constants, tick, background)
    return ask_stream(core, stream, read_goal(atom, program), time, start, all)
