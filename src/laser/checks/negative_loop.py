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
    """The finding for one loop, placed at the negative literal that begins it."""
    names = _names(loop)
    first = loop[0]
    way = " -> ".join(_sign(edge) + names[edge.body] for edge in loop)
    what = "on an aggregate of itself" if first.aggregated else "on its own negation"
    return Diagnostic(
        "negative-loop",
        f"`{names[first.head]}` depends {what}: {names[first.head]} -> {way}",
        first.literal.span if first.literal else None,
        "what stands under `not` or in an aggregate is computed first, so a loop cannot pass through it",
        _hint(loop, names),
    )


def _names(loop: Loop) -> dict[Predicate, str]:
    """The names of the predicates; with the arity if two predicates of the loop share a name."""
    predicates = {edge.head for edge in loop}
    written = [predicate.name for predicate in predicates]
    return {p: p.name if written.count(p.name) == 1 else str(p) for p in predicates}


def _hint(loop: Loop, names: dict[Predicate, str]) -> str:
    if len(loop) == 1:
        return f"change the rule so that it does not depend on `{names[loop[0].head]}`, or derives something else"
    return f"break the loop by removing one of these steps: {', '.join(_step(edge, names) for edge in loop)}"


def _step(edge: Edge, names: dict[Predicate, str]) -> str:
    line = f" (line {edge.rule.span.line})" if edge.rule and edge.rule.span else ""
    return f"`{names[edge.head]} -> {_sign(edge)}{names[edge.body]}`{line}"


def _sign(edge: Edge) -> str:
    if edge.aggregated:
        return "aggregate of "
    return "not " if edge.negative else ""
