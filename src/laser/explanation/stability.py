"""Finds the time from which the answer can no longer change if nothing arrives.

Once all facts have left the time windows, an evaluation sees only background data, the facts that tuple windows and unlimited
``@T`` keep, and what follows from these. If the rules that can still fire do not use the time, the answer stays the same.
"""

from __future__ import annotations

from math import inf
from typing import assert_never

from laser.explanation.table import Facts
from laser.rules.body import Always, At, AtLeast, ExtendedAtom, Now, Sometime
from laser.rules.dependencies import cone
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax import tree
from laser.values import Predicate
from laser.windows import HISTORY, Sliding, TimeWindow, TupleWindow, Window

__all__ = ["only_fades", "stable_from"]


def stable_from(core: ResolvedProgram, facts: Facts, start: int) -> float:
    """A time from which the answer stays the same; infinite if none is known."""
    sizes = [atom.window.reach.ticks or 0 for rule in core.rules for atom in rule.atoms]
    last = facts.history[-1][0] if facts.history else start
    alive = _alive(core)
    firing = [rule for rule in core.rules if _can_fire(rule, core, alive)]
    return last + max(sizes, default=0) + 1 if all(_is_timeless(rule, core, alive) for rule in firing) else inf


def _alive(core: ResolvedProgram) -> set[Predicate]:
    """The predicates that rules can still derive."""
    alive: set[Predicate] = set()
    while more := {rule.predicate for rule in core.rules if _can_fire(rule, core, alive)} - alive:
        alive |= more
    return alive


def _can_fire(rule: Rule, core: ResolvedProgram, alive: set[Predicate]) -> bool:
    return all(_keeps_facts(atom.window) or _is_there(atom.predicate, core, alive) for atom in rule.positives)


def _keeps_facts(window: Window) -> bool:
    return window == HISTORY or isinstance(window, TupleWindow)


def _is_there(predicate: Predicate, core: ResolvedProgram, alive: set[Predicate]) -> bool:
    return predicate in alive or predicate in core.given


def _is_timeless(rule: Rule, core: ResolvedProgram, alive: set[Predicate]) -> bool:
    """Whether a rule neither uses nor derives a time that advances."""
    return rule.time is None and not any(_moves(atom, core, alive) for atom in rule.atoms)


def _moves(atom: ExtendedAtom, core: ResolvedProgram, alive: set[Predicate]) -> bool:
    """Whether an atom depends on the time of something that still holds, or sees the present differently at different times."""
    match atom.modality:
        case At():
            return atom.negated_inside or _is_there(atom.predicate, core, alive)
        case AtLeast():
            return not isinstance(atom.window, Sliding) and _is_there(atom.predicate, core, alive)
        case Now() | Sometime() | Always():
            return atom.predicate in alive and not isinstance(atom.window, Sliding | TupleWindow)
        case _:
            assert_never(atom.modality)


def only_fades(core: ResolvedProgram, element: ExtendedAtom) -> bool:
    """Whether an extended atom that does not hold cannot begin to hold if nothing arrives.

    Facts only leave windows, and what follows from them without negation shrinks with them. Atoms derived for the present move
    with the present, so no rule may use their time or combine them with facts that stay at their time.
    """
    if isinstance(element.modality, At) or not _stays_put(element, core):
        return False
    needed = cone(core, [element.predicate])
    below = [rule for rule in core.rules if rule.predicate in needed]
    readings = [reading for rule in below for part in rule.body for reading in part.reads()]
    positive = not any(reading.negative for reading in readings)
    return positive and all(_stays_put(atom, core) for atom, _ in readings) and all(map(_takes_its_time, below))


def _stays_put(atom: ExtendedAtom, core: ResolvedProgram) -> bool:
    """Whether an atom of a body cannot gain anything at a later time."""
    plain = any(rule.time is None for rule in core.rules_of(atom.predicate))
    timed = isinstance(atom.modality, At | AtLeast) and atom.predicate in core.given
    return not timed and not (plain and isinstance(atom.modality, At | AtLeast | Always)) and not _gains(atom.window)


def _gains(window: Window) -> bool:
    """Whether something can enter a window just because time passes."""
    return isinstance(window, TimeWindow) and window.is_delayed


def _takes_its_time(rule: Rule) -> bool:
    """Whether the time of a head is a time at which the body found something."""
    return rule.time is None or any(
        rule.time == atom.time for atom in rule.found_atoms if isinstance(atom.time, tree.Variable)
    )
