"""Answers questions with explanations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, repeat

from laser.answers import Interval
from laser.errors import TimeError
from laser.explanation.explanation import Evidence, Explanation, Proof, below
from laser.explanation.lasting import Lasting, lasting
from laser.explanation.pattern import Pattern, as_pattern
from laser.explanation.prove import Prover
from laser.explanation.questions import Rules, in_order, relevant
from laser.explanation.table import Facts, TimedAtom, given_values
from laser.explanation.world import World
from laser.rules.rule import ResolvedProgram
from laser.ticks import check_time
from laser.values import Atom
from laser.values.facts import FactInput, to_atoms

__all__ = ["Recorded", "ask", "up_to"]

MOST_ATOMS = 10
"""At most this many of the atoms that match a pattern are explained."""
MOST_PROOFS = 1000


@dataclass(frozen=True)
class Recorded:
    """What a run recorded before the time of a question, and a function that says how long an atom holds in that run."""

    spells: Sequence[Interval]
    lasting: Callable[[Atom], Lasting]


def up_to(
    stream: Iterable[tuple[int, Iterable[FactInput]]], time: int, start: int | None
) -> tuple[list[TimedAtom], int]:
    """The facts up to a time, without duplicates, and the start of the timeline."""
    present, history = start, dict[TimedAtom, None]()
    for point, facts in stream:
        if present is not None and point < present:
            raise TimeError(f"time {point} is before {present}")
        if present is None:
            start = present = check_time(point)
        if point > time:
            break
        present = point
        history.update(dict.fromkeys(zip(repeat(point), to_atoms(facts), strict=False)))
    if start is None or start > time:
        begins = "the stream is empty" if start is None else f"the timeline begins at {start}"
        raise TimeError(f"there is no answer for time {time}: {begins}")
    return list(history), start


def ask(
    core: ResolvedProgram,
    history: Sequence[TimedAtom],
    start: int,
    time: int,
    goal: Atom | Pattern,
    every: bool = False,
    whole: bool = True,
    recorded: Recorded | None = None,
) -> Explanation:
    """The explanation from the facts up to a time; ``whole`` if it has all facts, ``recorded`` if the program records."""
    rules = Rules(relevant(core, goal.signature))
    spells = () if recorded is None else recorded.spells
    evidence = Evidence(core, history, start, time, whole, spells)
    prover = Prover(
        World(rules, Facts(history, spells), start, time), evidence, None if recorded is None else recorded.lasting
    )
    if isinstance(goal, Pattern):
        return _ask_pattern(prover, goal)
    proofs, more = _proofs(prover, goal, every)
    if not proofs:
        return _refuse(prover, goal)
    by_rule = any(proof.source == "rule" for proof in proofs)
    return _timed(prover, Explanation(goal, time, True, proofs, more=more), goal, by_rule)


def _timed(prover: Prover, answer: Explanation, atom: Atom, by_rule: bool) -> Explanation:
    """The answer, with the times since when and until when its one atom holds."""
    found = prover.lasting(atom) if prover.lasting is not None else lasting(prover, atom, by_rule)
    return replace(
        answer,
        since=found.since,
        until=found.until,
        since_exact=found.since_exact,
        until_exact=found.until_exact,
    )


def _proofs(prover: Prover, atom: Atom, every: bool) -> tuple[tuple[Proof, ...], int]:
    """The smallest proof, or one for each rule instance: smallest first, derived atoms before given ones.

    Also returns the number of further proofs that are not built.
    """
    entry = (prover.world.time, atom)
    instances = prover.all_instances(entry) if every else prover.instances(entry)
    given = [prover.prove(entry)] if prover.is_given(entry) else []
    if not instances:
        return tuple(given), 0
    if not every:
        return (prover.prove_derived(entry),), 0
    proofs = [prover.prove_by(entry, instance) for instance in islice(instances, MOST_PROOFS)]
    roundabout = [p for p in proofs if _comes_back(p)]
    proofs = [p for p in proofs if not any(p is q for q in roundabout)]
    return (*sorted(proofs, key=lambda proof: proof.size), *given), max(0, len(instances) - MOST_PROOFS)


def _comes_back(proof: Proof) -> bool:
    """Whether a proof derives its own conclusion on the way."""
    same = (part for part in below(proof) if part is not proof and part.source == "rule")
    return any((part.time, part.atom) == (proof.time, proof.atom) for part in same)


def _ask_pattern(prover: Prover, goal: Pattern) -> Explanation:
    world, time = prover.world, prover.world.time
    positions, values = goal.positions, given_values(goal.values)
    found = {a for _, a in world.find(goal.signature, positions, values, time, time) if goal.matches(a)}
    found.update(a for a in world.background(goal.signature, positions, values) if goal.matches(a))
    if not found:
        return _refuse(prover, goal)
    proofs = tuple(_proofs(prover, atom, False)[0][0] for atom in islice(in_order(found), MOST_ATOMS))
    answer = Explanation(goal, time, True, proofs, more=len(found) - len(proofs))
    only = proofs[0]
    return answer if len(found) > 1 else _timed(prover, answer, only.atom, only.source == "rule")


def _refuse(prover: Prover, goal: Atom | Pattern) -> Explanation:
    from laser.explanation.whynot import why_not

    return Explanation(goal, prover.world.time, False, (), why_not(prover, as_pattern(goal), goal))
