"""The law of SQL: its intervals are those of the reference, maximal and in order. A long run: ``python -m tests.sql.laws 2000``.

By strata too: whatever nodes are left to the reasoner, at random, the answers are the same (``--strata``).
"""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

from laser.answers import Interval
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.plan.nodes import Node
from laser.reference import answer_stream
from laser.sql.duck import Duck, intervals
from laser.sql.lower import reason_of
from laser.sql.refusal import NotLowered
from laser.sql.strata import Spared
from laser.values import Atom, Predicate
from tests.constructs import constructs
from tests.laws import is_legal
from tests.sql.in_slices import expected_kinds, in_slices
from tests.sql.trials import Aimed, Flat, Recursive, generate
from tests.strategies import Generator, Seeded, Trial

Ways = dict[Predicate, str | None]

GENERATORS: dict[str, type[Generator]] = {"any": Generator, "flat": Flat, "aimed": Aimed, "recursive": Recursive}


def lowered(trial: Trial) -> list[Interval]:
    """The intervals of a trial by SQL; NotLowered where it has none."""
    return intervals(accept(parse(trial.program.to_text())), facts(trial), *extent(trial))


def by_strata(trial: Trial, spared: Spared = reason_of) -> tuple[list[Interval], Ways]:
    """The intervals of a trial by SQL and the reasoner in turns, and which way each predicate went."""
    with Duck(accept(parse(trial.program.to_text()))) as duck:
        duck.load(facts(trial))
        duck.answer(*extent(trial), whole=False, spared=spared)
        return duck.intervals(), duck.ways


def drawn(seed: str) -> Spared:
    """Leaves some nodes to the reasoner that SQL has."""
    share = Random(seed).choice((0, 0, 10, 25, 50))

    def spared(node: Node) -> str | None:
        return reason_of(node) or ("drawn" if Random(f"{seed} {node}").randrange(100) < share else None)

    return spared


def facts(trial: Trial) -> list[tuple[int, tuple[Any, ...]]]:
    last = extent(trial)[1]
    return [(t, tuple(fact)) for t, several in trial.stream if t <= last for fact in several]


def extent(trial: Trial) -> tuple[int, int]:
    times = [time for time, _ in trial.stream]
    first = times[0] if trial.start is None else trial.start
    return first, max([first, *times]) if trial.until is None else trial.until


def expected(trial: Trial) -> list[Interval]:
    """The intervals that follow from the reference's answers, as the specification orders them."""
    core = accept(parse(trial.program.to_text()))
    answers = dict(answer_stream(core, trial.stream, trial.start, trial.until))
    return sorted(maximal(answers.items()), key=lambda each: (each.until, each.since, each.atom))


def maximal(answers: Iterable[tuple[int, frozenset[Atom]]]) -> Iterable[Interval]:
    since: dict[Atom, int] = {}
    time = -1
    for time, atoms in answers:
        for atom in [atom for atom in since if atom not in atoms]:
            yield Interval(atom, since.pop(atom), time - 1)
        since.update({atom: time for atom in atoms if atom not in since})
    yield from (Interval(atom, begin, time) for atom, begin in since.items())


def check(trial: Trial) -> str:
    """How much of a trial is SQL: ``whole``, or why not; AssertionError where the answers differ."""
    try:
        _compare(trial, lowered(trial))
        return "whole"
    except NotLowered as refusal:
        found, ways = by_strata(trial)
        _compare(trial, found)
        return f"{'in part' if None in ways.values() else 'only below'}: {_short(str(refusal))}"


def check_strata(trial: Trial, seed: str) -> str:
    """The same where some nodes are left to the reasoner at random, and where the reasoner answers each slice of time on its own."""
    spared = drawn(seed)
    found, ways = by_strata(trial, spared)
    _compare(trial, found)
    if not any(ways.values()):
        return "whole"
    with Duck(accept(parse(trial.program.to_text()))) as duck:
        duck.load(facts(trial))
        kinds = expected_kinds(duck, *extent(trial), spared)
    with in_slices(seed, kinds):
        _compare(trial, by_strata(trial, spared)[0])
    return "in part: drawn" if not kinds else "in part: drawn, with kinds that follow from the rules"


def _compare(trial: Trial, found: list[Interval]) -> None:
    right = expected(trial)
    if found != right:
        raise AssertionError(_difference(trial, right, found))


def _short(reason: str) -> str:
    words = {
        "recursion": "recursion",
        "tuple window": "tuple window",
        "the function ": "function",
        "the test ": "function",
        "aggregate": "aggregate",
        "need not be whole": "aggregate",
        "of several types": "aggregate",
        "the record of": "record",
    }
    return next((name for word, name in words.items() if word in reason), reason)


def _difference(trial: Trial, right: list[Interval], found: list[Interval]) -> str:
    missing, extra = [i for i in right if i not in found], [i for i in found if i not in right]
    stream = "\n".join(f"{time}: {facts}" for time, facts in trial.stream)
    return f"{trial.program.to_text()}\n--- start {trial.start}, until {trial.until}\n{stream}\n--- missing {missing}\nextra {extra}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sql.laws", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--strata", action="store_true", help="by turns, where some nodes go to the reasoner at random")
    parser.add_argument("--generator", choices=[*GENERATORS], default="aimed")
    options = parser.parse_args()
    logging.getLogger("laser").setLevel(logging.CRITICAL + 1)
    warnings.simplefilter("ignore")
    tally: Counter[str] = Counter()
    reached: Counter[str] = Counter()
    for number in range(options.count):
        if number and number % 1000 == 0:
            print(f"{number:,} programs, {tally['BROKEN']} broken", file=sys.stderr, flush=True)
        trial = generate(Seeded(f"{options.seed}/{number}"), GENERATORS[options.generator])
        if not is_legal(trial):
            tally["refused before it runs"] += 1
            continue
        try:
            seed = f"{options.seed}/{number}"
            outcome = check_strata(trial, seed) if options.strata else check(trial)
        except Exception as error:
            print(
                f"{options.generator} {options.seed}/{number}: {type(error).__name__}: {error}\n{trial.program.to_text()}"
            )
            outcome = "BROKEN"
        tally[outcome] += 1
        if outcome != "BROKEN":
            reached.update(constructs(trial.program))
        if tally["BROKEN"] >= 3:
            break
    for text, count in [*tally.most_common(), ("--", 0), *sorted(reached.items())]:
        print(f"{count:7} {text}")
    return 1 if tally["BROKEN"] else 0


if __name__ == "__main__":
    sys.exit(main())
