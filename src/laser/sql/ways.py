"""Which predicates are computed by SQL and which by the reasoner, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from laser.phrases import listed
from laser.plan.nodes import Node, Pending, Pinned, Plain
from laser.plan.part import reads
from laser.plan.plan import Plan
from laser.values import Predicate

__all__ = ["tell", "ways"]


def ways(plan: Plan, left: Mapping[Node, str]) -> dict[Predicate, str | None]:
    """For each derived predicate, why the reasoner is involved; None if all of it is SQL.

    The nodes of a predicate are counted down to the next predicates that it reads.
    """
    below = reads(plan)
    made = {node: predicate for predicate in plan.program.derived for node in _heads(plan, predicate) if node in below}
    return {
        predicate: next((left[node] for node in _own(predicate, made, below) if node in left), None)
        for predicate in sorted(plan.program.derived)
    }


def _heads(plan: Plan, predicate: Predicate) -> Iterator[Node]:
    """The nodes that rules derive for a predicate."""
    for node in (Plain(predicate), Pinned(predicate), Pending(predicate)):
        yield plan.aliases.get(node, node)


def _own(
    predicate: Predicate, made: Mapping[Node, Predicate], below: Mapping[Node, Mapping[Node, None]]
) -> Iterator[Node]:
    """The nodes of a predicate, from its heads down."""
    stack = [node for node, owner in made.items() if owner == predicate]
    seen = set(stack)
    while stack:
        node = stack.pop()
        yield node
        further = [source for source in below[node] if source not in seen and made.get(source, predicate) == predicate]
        seen.update(further)
        stack += further


def tell(found: Mapping[Predicate, str | None]) -> str:
    """The same in one line.

    >>> tell({Predicate("p", 1): None, Predicate("q", 2): "recursion", Predicate("r", 0): "recursion"})
    'SQL for `p/1`; the reasoner for `q/2` and `r/0`: recursion'
    """
    reasons: dict[str, list[str]] = {}
    for predicate, reason in found.items():
        if reason is not None:
            reasons.setdefault(reason, []).append(str(predicate))
    by_sql = [str(predicate) for predicate, reason in found.items() if reason is None]
    parts = [f"the reasoner for {listed(several)}: {reason}" for reason, several in reasons.items()]
    if not parts:
        return "SQL"
    return "; ".join([f"SQL for {listed(by_sql)}" if by_sql else "SQL for the inputs", *parts])
