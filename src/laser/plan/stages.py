"""Cuts long bodies into stages: each is a node that the next one reads as one atom.

A rule becomes one function for each of its atoms, and each function joins all the others, so the code of a body grows with the
square of its length. An element with several ways to be true (``not ⊞n @T ¬ a``: T is outside, or a holds there) multiplies the
rules, and twelve such elements would give thousands. With at most one such element and a limited number of atoms per stage, the
code grows only linearly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from laser.plan.plan import Part
from laser.rules.body import BodyElement, Comparison
from laser.syntax.terms import variables
from laser.syntax.tree import Term, Variable

__all__ = ["Option", "Stage", "stages"]

MOST_ATOMS = 16
"""The number of atoms that one stage joins. A shorter body needs no further relation."""


class Option(NamedTuple):
    """An element of a body, and the ways to make it true."""

    element: BodyElement
    ways: tuple[Part, ...]

    @property
    def atoms(self) -> int:
        """The number of nodes that it reads, in the longest of its ways."""
        return max((len(way.positives) + len(way.negatives) for way in self.ways), default=0)

    def terms(self) -> Iterator[Term]:
        """The terms that its ways need: fewer than the element has, if a node also evaluates a comparison."""
        for way in self.ways:
            for subgoal in (*way.positives, *way.negatives):
                yield from subgoal.terms
            for test in way.tests:
                yield from test.terms


@dataclass(frozen=True)
class Stage:
    """Elements that are joined together, and the variables whose values the next stage needs."""

    options: tuple[Option, ...]
    needed: tuple[Variable, ...]


def stages(options: Sequence[Option], head: Sequence[Term]) -> list[Stage]:
    """A body in stages, each of which needs only what it or an earlier stage binds; one stage if the body is short."""
    if _fits(options):
        return [Stage(tuple(options), ())]
    cut: list[list[Option]] = [[]]
    for option in _in_turn(options):
        if not _fits([*cut[-1], option]):
            cut.append([])
        cut[-1].append(option)
    return list(_with_needed(cut, head))


def _fits(options: Sequence[Option]) -> bool:
    return sum(len(o.ways) > 1 for o in options) <= 1 and sum(o.atoms for o in options) <= MOST_ATOMS


def _in_turn(options: Sequence[Option]) -> Iterator[Option]:
    """The elements in an order in which each can be evaluated: comparisons first, then those that share the most variables."""
    bound: set[str] = set()
    rest = list(options)
    names = {id(option): {v.name for v in variables(option.element.terms)} for option in rest}

    def merit(option: Option) -> tuple[bool, bool, bool, int]:
        element = option.element
        shared = len(names[id(option)] & bound)
        return (element.is_ready(bound), isinstance(element, Comparison), len(option.ways) == 1, shared)

    while rest:
        best = max(rest, key=merit)
        rest.remove(best)
        bound |= best.element.binds(bound)
        yield best


def _with_needed(cut: Sequence[Sequence[Option]], head: Sequence[Term]) -> Iterator[Stage]:
    """Each stage passes on the variables that are bound so far and that a later stage or the head needs."""
    bound: set[str] = set()
    later = [list(head)]
    for options in reversed(cut[1:]):
        later.append([*later[-1], *(term for option in options for term in option.terms())])
    for options, asked in zip(cut, reversed(later), strict=True):
        for option in options:
            bound |= option.element.binds(bound)
        yield Stage(tuple(options), tuple(dict.fromkeys(v for v in variables(asked) if v.name in bound)))
