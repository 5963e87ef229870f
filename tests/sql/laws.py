"""The law of SQL: its intervals are those of the reference, maximal and in order. A long run: ``python -m tests.sql.laws 2000``."""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections import Counter
from collections.abc import Iterable

from laser.answers import Interval
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.reference import answer_stream
from laser.sql.duck import intervals
from laser.sql.refusal import NotLowered
from laser.values import Atom
from tests.constructs import constructs
from tests.laws import is_legal
from tests.sql.trials import Aimed, Flat, generate
from tests.strategies import Generator, Seeded, Trial

GENERATORS: dict[str, type[Generator]] = {"any": Generator, "flat": Flat, "aimed": Aimed}


def lowered(trial: Trial) -> list[Interval]:
    """The intervals of a trial by SQL; NotLowered where it has none."""
    core = accept(parse(trial.program.to_text()))
    first, last = extent(trial)
    return intervals(core, [(t, tuple(fact)) for t, facts in trial.stream if t <= last for fact in facts], first, last)


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
    """How a trial went: ``whole``, or why it was not lowered; AssertionError where the answers differ."""
    try:
        found = lowered(trial)
    except NotLowered as refusal:
        return _short(str(refusal))
    right = expected(trial)
    if found != right:
        raise AssertionError(_difference(trial, right, found))
    return "whole"


def _short(reason: str) -> str:
    words = {
        "recursion": "recursion",
        "tuple window": "tuple window",
        "the function ": "function",
        "the test ": "function",
        "aggregate": "aggregate",
        "need not be whole": "aggregate",
        "of several types": "aggregate",
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
    parser.add_argument("--generator", choices=[*GENERATORS], default="aimed")
    options = parser.parse_args()
    logging.getLogger("laser").setLevel(logging.CRITICAL + 1)
    warnings.simplefilter("ignore")
    tally: Counter[str] = Counter()
    reached: Counter[str] = Counter()
    for number in range(options.count):
        trial = generate(Seeded(f"{options.seed}/{number}"), GENERATORS[options.generator])
        if not is_legal(trial):
            tally["refused before it runs"] += 1
            continue
        try:
            outcome = check(trial)
        except Exception as error:
            print(
                f"{options.generator} {options.seed}/{number}: {type(error).__name__}: {error}\n{trial.program.to_text()}"
            )
            outcome = "BROKEN"
        tally[outcome] += 1
        if outcome == "whole":
            reached.update(constructs(trial.program))
        if tally["BROKEN"] >= 3:
            break
    for text, count in [*tally.most_common(), ("--", 0), *sorted(reached.items())]:
        print(f"{count:7} {text}")
    return 1 if tally["BROKEN"] else 0


if __name__ == "__main__":
    sys.exit(main())
