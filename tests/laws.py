"""The laws that hold for every program and every stream, and a long run of them: ``python -m tests.laws 20000 --seed 1``.

A law is a function of a trial and of choices; it raises where it is broken. The long run draws trials from a seed, counts
which constructs they reached, and makes a counterexample small before it prints it as files of a case.
"""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import time as clock
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from unittest import mock

from laser import Change, FactError, Reasoner, TimeError, intervals, run
from laser.checks import find
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.engine import reasoner as engine
from laser.engine import wiring
from laser.engine.codegen import function, module
from laser.plan import sharing, stages
from laser.reference import answer, answer_stream, derive, output
from laser.rules.rule import ResolvedProgram
from laser.rules.selection import Selections, select
from laser.syntax.parser import parse_tree
from laser.syntax.program import Program
from laser.values import Atom, Predicate, static_type_of
from laser.values.static_type import ANY, StaticType, join
from tests.bookkeeping import check_books
from tests.cases_reader import write_answers, write_stream
from tests.constructs import constructs
from tests.executors import snapshots
from tests.rewrite import rename, shuffle
from tests.shrink import shrink
from tests.strategies import Choices, Seeded, Stream, Trial, generate

SECONDS_A_TRIAL = 60
SECONDS_TO_DEFINE = 10
"""After so long, a trial is put aside: the definition goes through all combinations of a long stream."""
QUIET = logging.CRITICAL + 1
"""Random programs compare all with all; what a run reports about that is not news here."""

NEAR = 40
"""Ticks that a trial looks ahead: hundreds, several times a trial, would take most of the time."""


class Given:
    """A trial with what all laws ask of it: the program as text would give it, and the right answers."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.program = parse(trial.program.to_text())
        self.core: ResolvedProgram = accept(self.program)
        self.answers = dict(answer_stream(self.core, trial.stream, trial.start, trial.until))
        self.start, self.last = min(self.answers), max(self.answers)

    def expect(self, answers: dict[int, frozenset[Atom]], what: str) -> None:
        if answers != self.answers:
            times = [t for t in self.answers if answers.get(t) != self.answers[t]]
            right = write_answers((t, self.answers[t]) for t in times)
            wrong = write_answers((t, answers.get(t, frozenset())) for t in times)
            raise AssertionError(f"{what}\nexpected\n{right}but got\n{wrong}")

    def run(self, program: Program, stream: Stream) -> dict[int, frozenset[Atom]]:
        return dict(run(program, stream, start=self.trial.start, until=self.trial.until))

    def calls(self, choices: Choices) -> list[tuple[int, list[Atom]]]:
        """The stream, divided at random: pauses in its gaps, and time points in several calls."""
        calls: list[tuple[int, list[Atom]]] = []
        present = self.start
        for time, facts in [*self.trial.stream, (self.last, [])]:
            while time > present + 1 and choices.chance(30):
                present = choices.integer(present, time - 1)
                calls.append((present, []))
            present, rest = time, list(facts)
            while rest and choices.chance(70):
                size = choices.integer(0, len(rest))
                calls.append((time, rest[:size]))
                del rest[:size]
            calls.append((time, rest))
        return calls

    def reasoner(self) -> Reasoner:
        return Reasoner(self.program, start=self.trial.start)


def print_parses_back(given: Given, choices: Choices) -> None:
    written = given.trial.program
    for notation in ("readable", "formal"):
        text = written.to_text(notation)
        assert parse_tree(text) == written, f"{notation} notation parses to another program:\n{text}"


def engine_is_reference(given: Given, choices: Choices) -> None:
    given.expect(given.run(given.program, given.trial.stream), "the engine's output differs from the reference's")


def splits_do_not_matter(given: Given, choices: Choices) -> None:
    reasoner, changes, fed = given.reasoner(), [], []
    calls = given.calls(choices)
    probe = choices.integer(0, len(calls) - 1)
    for index, (time, facts) in enumerate(calls):
        changes += reasoner.advance(time, facts)
        fed += [(time, fact) for fact in facts if (time, fact) not in fed]
        if index == probe:
            right = answer(given.core, list(dict.fromkeys(fed)), given.start, time)
            assert reasoner.holding() == right, f"after {calls[: index + 1]}: {reasoner.holding()} is not {right}"
    given.expect(dict(snapshots(changes, given.start, given.last)), f"with the calls {calls}")


def order_does_not_matter(given: Given, choices: Choices) -> None:
    program = shuffle(given.program, choices)
    given.expect(given.run(program, given.trial.stream), f"in another order:\n{program}")


def names_do_not_matter(given: Given, choices: Choices) -> None:
    program, stream, back = rename(given.program, given.trial.stream)
    answers = given.run(program, stream)
    given.expect({t: frozenset(map(back, atoms)) for t, atoms in answers.items()}, f"with other names:\n{program}")


def restore_continues(given: Given, choices: Choices) -> None:
    reasoner, changes = Reasoner.restore(given.program, given.reasoner().save()), []
    assert reasoner.start == given.trial.start, "a state saved before its timeline began"
    calls = given.calls(choices)
    stops = {choices.integer(0, len(calls) - 1) for _ in range(3)}
    for index, (time, facts) in enumerate(calls):
        changes += reasoner.advance(time, facts)
        if index in stops:
            held, moment = reasoner.holding(), reasoner.time
            reasoner = Reasoner.restore(given.program, reasoner.save())
            assert (reasoner.holding(), reasoner.time) == (held, moment), f"restored after {calls[: index + 1]}"
    given.expect(dict(snapshots(changes, given.start, given.last)), f"restored after calls {sorted(stops)} of {calls}")


def forms_agree(given: Given, choices: Choices) -> None:
    trial = given.trial
    stream = given.calls(choices) if choices.chance(50) else trial.stream
    spread: dict[int, set[Atom]] = {t: set() for t in given.answers}
    last_ends: dict[Atom, int] = {}
    for atom, since, until in intervals(given.program, stream, start=trial.start, until=trial.until):
        assert since > last_ends.get(atom, -2) + 1, f"{atom}: intervals are not maximal"
        last_ends[atom] = until
        for t in range(since, until + 1):
            spread[t].add(atom)
    given.expect({t: frozenset(atoms) for t, atoms in spread.items()}, "the intervals differ")


@contextmanager
def short_sight() -> Iterator[None]:
    """Let reasoners look ahead only a little."""
    before = engine.MOST_SILENT_TICKS
    engine.MOST_SILENT_TICKS = NEAR
    try:
        yield
    finally:
        engine.MOST_SILENT_TICKS = before


def next_change_is_right(given: Given, choices: Choices) -> None:
    """Without input nothing changes before the time that the reasoner tells, and never if it tells none."""
    reasoner = given.reasoner()
    for time, facts in given.trial.stream[: choices.integer(1, len(given.trial.stream))]:
        reasoner.advance(time, facts)
    with short_sight():
        told, present = reasoner.next_change, reasoner.time
    assert told is None or told > present, f"at {present} the next change is told for {told}"
    quiet = present + 12 if told is None else told - 1
    changes = list(reasoner.advance(quiet))
    assert not changes, f"at {present} the next change was told for {told}, but there were {changes}"


def thresholds_do_not_matter(given: Given, choices: Choices) -> None:
    """From how many rules on something pays is a matter of speed alone."""
    with (
        mock.patch.object(wiring, "MANY_FILTERS", 1),
        mock.patch.object(sharing, "CROWD", 2),
        mock.patch.object(function, "MOST_NESTED", 2),
        mock.patch.object(stages, "MOST_ATOMS", 1),
        mock.patch.object(module, "LINES_A_PIECE", 1),
    ):
        anew = parse(given.trial.program.to_text())  # what was compiled of the same object would be used again
        given.expect(given.run(anew, given.trial.stream), "with the smallest thresholds")


def evidence_is_enough(given: Given, choices: Choices) -> None:
    """The facts that a reasoner still knows give the output of the present."""
    reasoner = given.reasoner()
    for time, facts in given.calls(choices):
        reasoner.advance(time, facts)
        if choices.chance(30):
            there = derive(given.core, reasoner.evidence(), recorded_points(reasoner), given.start, time)
            right = output(given.core, there, given.start, time)
            assert reasoner.holding() == right, f"at {time} from {reasoner.evidence()}"


def recorded_points(reasoner: Reasoner) -> list[tuple[int, Atom]]:
    """The time points of what a reasoner has recorded and still needs."""
    return [(u, atom) for atom, since, until in reasoner.recorded() for u in range(since, until + 1)]


def failures_change_nothing(given: Given, choices: Choices) -> None:
    reasoner = given.reasoner()
    for time, facts in given.trial.stream[: choices.integer(1, len(given.trial.stream))]:
        reasoner.advance(time, facts)
    before = (reasoner.time, reasoner.holding(), reasoner.save())
    present = reasoner.time
    for error, bad_time, bad_facts in (
        (FactError, present + 1, [("a", 1), ("b", float("nan"))]),
        (FactError, present, ["c(", "a(1)"]),
        (TimeError, present - 1, []),
        (TimeError, -1, ["a(1)"]),
        (TimeError, "soon", []),
    ):
        try:
            reasoner.advance(bad_time, bad_facts)
        except error:
            pass
        else:
            raise AssertionError(f"advance({bad_time!r}, {bad_facts!r}) raised no {error.__name__}")
        assert (reasoner.time, reasoner.holding(), reasoner.save()) == before, f"{error.__name__} changed the state"


def books_are_in_order(given: Given, choices: Choices) -> None:
    """Between any two calls, what the engine keeps is what it says that it keeps."""
    reasoner = given.reasoner()
    for time, facts in given.calls(choices):
        reasoner.advance(time, facts)
        check_books(reasoner)
        if choices.chance(10):
            reasoner = Reasoner.restore(given.program, reasoner.save())
            check_books(reasoner)


def facts_that_are_not_selected_do_not_matter(given: Given, choices: Choices) -> None:
    """A source may leave them out: the answers, and the rules that report something undefined, stay the same."""
    selections = select(given.core, types_of(given.trial.stream))
    kept = [(time, [fact for fact in facts if is_kept(fact, selections)]) for time, facts in given.trial.stream]
    changes, reports = followed(given, kept)
    conditions = {
        str(p): selection.to_text([f"A{i + 1}" for i in range(p.arity)]) for p, selection in selections.items()
    }
    given.expect(dict(snapshots(changes, given.start, given.last)), f"with facts where {conditions}")
    _, right = followed(given, given.trial.stream)
    assert reports == right, f"with facts where {conditions}, these rules report: {reports}, and not {right}"


def types_of(stream: Stream) -> dict[Predicate, list[StaticType]]:
    """The types of the columns that would have these facts."""
    columns: dict[Predicate, list[list[StaticType]]] = {}
    for fact in (fact for _, facts in stream for fact in facts):
        found = columns.setdefault(fact.signature, [[] for _ in fact.args])
        for types, value in zip(found, fact.args, strict=True):
            types.append(static_type_of(value))
    return {p: [reduce(lambda a, b: join(a, b) or ANY, types) for types in each] for p, each in columns.items()}


def is_kept(fact: Atom, selections: Selections) -> bool:
    return fact.signature not in selections or selections[fact.signature].keeps(fact.args)


def followed(given: Given, stream: Stream) -> tuple[list[Change], set[str]]:
    """The changes over the timeline of the whole stream, and the rules that reported something."""
    reasoner = Reasoner(given.program, start=given.start)
    changes = [change for time, facts in [*stream, (given.last, [])] for change in reasoner.advance(time, facts)]
    return changes, {report.partition(", in the rule: ")[2] for report in reasoner.reports}


Law = Callable[[Given, Choices], None]

FIRST: tuple[Law, ...] = (print_parses_back, engine_is_reference)
"""The laws that every trial is held to."""

OTHERS: tuple[Law, ...] = (
    splits_do_not_matter,
    order_does_not_matter,
    names_do_not_matter,
    restore_continues,
    forms_agree,
    next_change_is_right,
    evidence_is_enough,
    thresholds_do_not_matter,
    failures_change_nothing,
    books_are_in_order,
    facts_that_are_not_selected_do_not_matter,
)
"""The laws of which a trial of the long run gets two: most of the time goes into building reasoners."""

LAWS = FIRST + OTHERS


def laws_for(seed: object) -> tuple[Law, ...]:
    choices = Seeded((seed, "laws"))
    return (*FIRST, *dict.fromkeys((choices.pick(OTHERS), choices.pick(OTHERS))))


def is_legal(trial: Trial) -> bool:
    return not any(d.severity == "error" for d in find(trial.program))


# -- the long run


@dataclass
class Tally:
    """What a run of trials came to."""

    trials: int = 0
    refused: int = 0
    slow: int = 0
    nonempty: int = 0
    changing: int = 0
    constructs: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.trials += other.trials
        self.refused += other.refused
        self.slow += other.slow
        self.nonempty += other.nonempty
        self.changing += other.changing
        self.constructs += other.constructs
        self.broken += other.broken


@contextmanager
def time_guard(seconds: int) -> Iterator[None]:
    """Stop what computes for too long, however busy the machine is; only where signals exist, and in the main thread."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"took longer than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def try_law(law: Law, trial: Trial, seed: object) -> str | None:
    """What is wrong, or None."""
    try:
        with time_guard(SECONDS_A_TRIAL), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            law(Given(trial), Seeded((seed, law.__name__)))
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error}\n(raised in {last.filename}:{last.lineno})"
    return None


def try_trial(seed: object, every: bool = False) -> Tally:
    """One trial, by some laws or by every one."""
    trial, laws = generate(Seeded(seed)), LAWS if every else laws_for(seed)
    tally = Tally(trials=1)
    if not is_legal(trial):
        tally.refused = 1
        return tally
    try:
        with time_guard(SECONDS_TO_DEFINE):
            given = Given(trial)
    except TimeoutError:
        tally.slow = 1
        return tally
    except Exception:
        tally.broken.append(report(seed, trial, laws))
        return tally
    try:
        with time_guard(SECONDS_A_TRIAL), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for law in laws:
                law(given, Seeded((seed, law.__name__)))
    except Exception:
        tally.broken.append(report(seed, trial, laws))
        return tally
    tally.constructs.update(constructs(given.program))
    tally.nonempty = any(given.answers.values())
    tally.changing = len(set(given.answers.values())) > 1
    return tally


def report(seed: object, trial: Trial, laws: Sequence[Law]) -> str:
    """A counterexample, made small, as the files of a case."""
    law = next((law for law in laws if try_law(law, trial, seed)), None)
    if law is None:
        return f"seed {seed}: broken once, but not when tried again (took too long?)\n{trial.program}"
    kind = (try_law(law, trial, seed) or "").split(":")[0]
    small = shrink(trial, lambda t: is_legal(t) and (try_law(law, t, seed) or "").split(":")[0] == kind)
    return "\n".join(
        [
            f"seed {seed} breaks the law {law.__name__}",
            f"--- .lars\n{small.program.to_text()}",
            f"--- .stream\n{write_stream(small.stream, small.start, small.until)}",
            f"--- {try_law(law, small, seed)}",
        ]
    )


def try_many(seeds: Sequence[str]) -> Tally:
    logging.getLogger("laser").setLevel(QUIET)
    tally = Tally()
    for seed in seeds:
        tally.add(try_trial(seed))
        if len(tally.broken) >= 3:
            break
    return tally


def try_all(count: int, seed: int, processes: int) -> Tally:
    """Many trials in parallel, with a line of progress; it ends early once some are broken."""
    seeds = [f"{seed}/{i}" for i in range(count)]
    batches = [seeds[i : i + 50] for i in range(0, count, 50)]
    tally, began = Tally(), clock.monotonic()
    with ProcessPoolExecutor(processes) as pool:
        for done in pool.map(try_many, batches):
            tally.add(done)
            rate = tally.trials / (clock.monotonic() - began)
            print(f"\r{tally.trials} of {count} programs, {rate:.0f} a second, {len(tally.broken)} broken", end="")
            sys.stdout.flush()
            if len(tally.broken) >= 3:
                pool.shutdown(cancel_futures=True)
                break
    print()
    return tally


def show(tally: Tally) -> None:
    print(f"{tally.trials} programs: {tally.refused} refused, {tally.slow} too slow to define, ", end="")
    print(f"{tally.nonempty} with a non-empty answer, {tally.changing} with an answer that changes")
    width = max(map(len, tally.constructs), default=0)
    for name, count in sorted(tally.constructs.items()):
        print(f"  {name:{width}}  {count}")
    for text in tally.broken:
        print(f"\n{text}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.laws", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", help="try one trial, by its name (1/42)")
    options = parser.parse_args()
    logging.getLogger("laser").setLevel(QUIET)
    tally = (
        try_trial(options.only, every=True) if options.only else try_all(options.count, options.seed, options.processes)
    )
    show(tally)
    return 1 if tally.broken else 0


if __name__ == "__main__":
    sys.exit(main())
