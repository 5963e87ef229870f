"""Why an atom holds, and why it does not: proofs that can be checked, in the words of the program's author."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from laser.analysis.facts import GivenFact
from laser.explain.tree import Explanation, Extent, Failure, Premise, Proof, RuleText
from laser.syntax.program import Program
from laser.time import Tick

if TYPE_CHECKING:
    from laser.explain.pattern import Pattern

__all__ = ["Explanation", "Extent", "Failure", "Premise", "Proof", "RuleText", "explain"]


def explain(  # noqa: PLR0913 - what a run needs, as in `laser.run`
    program: Program | str,
    stream: Iterable[tuple[int, Iterable[GivenFact]]],
    atom: GivenFact | Pattern,
    time: int,
    *,
    start: int | None = None,
    background: Iterable[GivenFact] = (),
    constants: Mapping[str, Any] | None = None,
    tick: str | Tick = "1 s",
    all: bool = False,  # noqa: A002 - the word of the specification
) -> Explanation:
    """Why an atom holds at a time, or why not; the atom may have variables, as in ``q(X, y)`` and ``hot(_)``."""
    # What follows is loaded only by those who ask: the reasoner itself never needs it.
    from laser.analysis.load import parse
    from laser.analysis.resolve import resolve
    from laser.explain.ask import ask_stream
    from laser.explain.pattern import read_goal

    program = parse(program) if isinstance(program, str) else program
    core = resolve(program, constants, tick, background)
    return ask_stream(core, stream, read_goal(atom, program), time, start, all)


class _Callable(ModuleType):
    """This room and its public function have one name: whichever of them `laser.explain` is, it can be called.

    (The import system binds the module to that name as soon as somebody imports a part of it.)
    """

    def __call__(self, *args: Any, **options: Any) -> Explanation:
        return explain(*args, **options)


sys.modules[__name__].__class__ = _Callable
