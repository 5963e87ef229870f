"""Relations outside of a machine, for the tests of operators."""

from __future__ import annotations

from laser.engine.agenda import Agenda
from laser.engine.relation import Key, Relation
from laser.plan.nodes import Node, Plain
from laser.values import Predicate

__all__ = ["changes", "relation"]


def relation(
    name: str, number: int, agenda: Agenda, alive: dict[Key, int] | None = None, node: Node | None = None
) -> Relation:
    made = Relation(node or Plain(Predicate(name, 1)), number, agenda)
    made.alive.update(alive or {})
    made.schedule_each(made.alive)
    return made


def changes(head: Relation) -> tuple[list[Key], list[Key]]:
    """What began and what ceased in this tick, which ends."""
    found = sorted(head.delta.added), sorted(head.delta.removed)
    head.end_tick()
    return found
