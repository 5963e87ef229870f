"""In a run with dates, times may be compared only with times, and durations only with durations."""

from __future__ import annotations

from collections.abc import Iterator

from laser.errors import Diagnostic
from laser.rules.rule import ResolvedProgram
from laser.rules.types import mismatches, misplaced_arguments
from laser.syntax.printer import write_term
from laser.syntax.program import Program, source_text
from laser.values.functions import FUNCTIONS
from laser.values.static_type import StaticType

__all__ = ["mixed_types"]

NOTE = (
    "when times are dates, the T of `at T` is a time and the difference of two times is a duration; neither is a number"
)
HINT = "write a date such as `2026-03-02T22:00:00Z`, or a duration such as `90 s`; `T + 5` means five ticks later"


def _article(kind: StaticType) -> str:
    return f"{'an' if kind.name[0] in 'aeiou' else 'a'} {kind}"


def mixed_types(program: Program, core: ResolvedProgram) -> Iterator[Diagnostic]:
    """A comparison of a time or a duration with something else, which never holds. The run decides if times are dates."""
    given = {predicate: [kind.static for _, kind in each.fields] for predicate, each in program.inputs.items()}
    for test, left, right in mismatches(core, given):
        span = test.origin.span if test.origin else None
        message = f"`{source_text(program.rows, span)}` compares {_article(left)} with {_article(right)}"
        yield Diagnostic("mixed-types", message, span, NOTE, HINT)
    for term, place, kind in misplaced_arguments(core, given):
        wanted = FUNCTIONS[term.operator].argument(place)
        text = source_text(program.rows, term.span) or write_term(term)
        message = f"`{text}` expects {_article(wanted)}, but gets {_article(kind)}"
        yield Diagnostic("mixed-types", message, term.span, NOTE, None)
