"""A predicate may not depend on its own negation."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.rules.dependencies import Edge, Loop, negative_loops, written_edges
from laser.values import Predicate

__all__ = ["loop_diagnostic", "negative_loop"]


def negative_loop(subject: Subject) -> Iterator[Diagnostic]:
    """A loop through negation, spelled out."""
    return map(loop_diagnostic, negative_loops(written_edges(subject.program, subject.looks_only_back)))


def loop_diagnostic(loop: Loop) -> Diagnostic:
    """The finding for one loop, at the negative literal with which it begins."""
    names = _names(loop)
    first = loop[0]
    way = " -> ".join(_sign(edge) + names[edge.body] for edge in loop)
    what = "on an aggregate of itself" if first.aggregated else "on its own negation"
    return Diagnostic(
        "negative-loop",
        f"`{names[first.head]}` depends {what}: {names[first.head]} -> {way}",
        first.literal.span if first.literal else None,
        "what is negated or aggregated must be settled first, so no loop may pass through `not` or an aggregate",
        _hint(loop, names),
    )


def _names(loop: Loop) -> dict[Predicate, str]:
    """Names as they are written; with the arity where two predicates of the loop share one."""
    predicates = {edge.head for edge in loop}
    written = [predicate.name for predicate in predicates]
    return {p: p.name if written.count(p.name) == 1 else str(p) for p in predicates}


def _hint(loop: Loop, names: dict[Predicate, str]) -> str:
    if len(loop) == 1:
        return f"let the rule ask about something other than `{names[loop[0].head]}`, or derive something else"
    return f"leave out one of these steps: {', '.join(_step(edge, names) for edge in loop)}"


def _step(edge: Edge, names: dict[Predicate, str]) -> str:
    line = f" (line {edge.rule.span.line})" if edge.rule and edge.rule.span else ""
    return f"`{names[edge.head]} -> {_sign(edge)}{names[edge.body]}`{line}"


def _sign(edge: Edge) -> str:
    if edge.aggregated:
        return "aggregate of "
    return "not " if edge.negative else ""
