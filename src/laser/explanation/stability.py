"""When nothing can change any more, if nothing arrives.

Once all facts have left the time windows, an evaluation sees background data, what tuple windows and unlimited ``@T`` keep, and
what follows from these. If the rules that can still fire do not look at the time, they give the same answer at every time.
"""

from __future__ import annotations

from math import inf

from laser.explanation.questions import Rules
from laser.explanation.table import Facts
from laser.rules.body import Always, At, ExtendedAtom
from laser.rules.dependencies import cone
from laser.rules.rule import Rule
from laser.syntax import tree
from laser.values import Predicate
from laser.windows import HISTORY, TupleWindow

__all__ = ["only_fades", "steady_from"]


def steady_from(rules: Rules, facts: Facts, start: int) -> float:
    """A time from which on the answer stays as it is; infinite where none is known."""
    atoms = [e for rule in rules.core.rules for e in rule.body if isinstance(e, ExtendedAtom)]
    sizes = [atom.window.reach.ticks or 0 for atom in atoms]
    last = facts.history[-1][0] if facts.history else start
    alive = _alive(rules)
    firing = [rule for rule in rules.core.rules if _can_fire(rule, rules, alive)]
    return last + max(sizes, default=0) + 1 if all(_is_timeless(rule, rules, alive) for rule in firing) else inf


def _alive(rules: Rules) -> set[Predicate]:
    """The predicates that rules can still derive."""
    alive: set[Predicate] = set()
    while more := {r.predicate for r in rules.core.rules if _can_fire(r, rules, alive)} - alive:
        alive |= more
    return alive


def _can_fire(rule: Rule, rules: Rules, alive: set[Predicate]) -> bool:
    positive = [e for e in rule.body if isinstance(e, ExtendedAtom) and e.is_positive]
    return all(_can_hold(atom, rules, alive) for atom in positive)


def _can_hold(atom: ExtendedAtom, rules: Rules, alive: set[Predicate]) -> bool:
    keeps_facts = atom.window == HISTORY or isinstance(atom.window, TupleWindow)
    return keeps_facts or _is_there(atom.predicate, rules, alive)


def _is_there(predicate: Predicate, rules: Rules, alive: set[Predicate]) -> bool:
    return predicate in alive or (predicate.name, predicate.arity + 1) in rules.background


def _is_timeless(rule: Rule, rules: Rules, alive: set[Predicate]) -> bool:
    """Whether a rule neither asks for a time that goes on nor gives one."""
    atoms = [e for e in rule.body if isinstance(e, ExtendedAtom)]
    timed = [atom for atom in atoms if isinstance(atom.modality, At)]
    moving = any(atom.negated_inside or _is_there(atom.predicate, rules, alive) for atom in timed)
    return rule.time is None and not moving


def only_fades(rules: Rules, element: ExtendedAtom) -> bool:
    """Whether an extended atom that does not hold cannot come to hold, if nothing arrives.

    Facts leave windows and do not come, and what follows from them without negation becomes less with them. What is derived
    for the present goes on with it, so that nobody may ask for its time, or put it together with what stays behind.
    """
    if isinstance(element.modality, At) or not _stays_put(element, rules):
        return False
    needed = cone(rules.core, [element.predicate])
    below = [rule for rule in rules.core.rules if rule.predicate in needed]
    atoms = [e for rule in below for e in rule.body if isinstance(e, ExtendedAtom)]
    positive = not any(atom.negated or atom.negated_inside for atom in atoms)
    return positive and all(_stays_put(atom, rules) for atom in atoms) and all(map(_takes_its_time, below))


def _stays_put(atom: ExtendedAtom, rules: Rules) -> bool:
    """Whether an atom of a body asks for nothing that a later time could give."""
    predicate = atom.predicate
    plain = any(rule.time is None for rule in rules.by_predicate.get(predicate, ()))
    timed = isinstance(atom.modality, At) and (predicate.name, predicate.arity + 1) in rules.background
    return not timed and not (plain and isinstance(atom.modality, At | Always))


def _takes_its_time(rule: Rule) -> bool:
    """Whether the time of a head is one at which the body found something."""
    times = [e.time for e in rule.body if isinstance(e, ExtendedAtom) and isinstance(e.time, tree.Variable)]
    return rule.time is None or rule.time in times
