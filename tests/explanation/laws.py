"""The laws of explanations, for cases and random programs: ``python -m tests.explanation.laws 2000 --seed 1`` tries many.

* Whatever is in the output has a proof, and it checks; so has each of all proofs.
* Whatever is not has a failure for every rule that could derive it, and the part that it names fails: the parts before it can be
  satisfied together, and with it they cannot. The reference is asked.
* ``since`` and ``until`` are those of the engine's intervals, when nothing arrives after the present.
* A reasoner explains the present as the whole stream does.
"""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections.abc import Iterator, Sequence

from laser import explain, intervals
from laser.answers import Interval
from laser.explanation import Explanation, Failure
from laser.explanation.ask import Recorded, ask
from laser.explanation.lasting import Lasting
from laser.explanation.words import place_of
from laser.reference import Evaluation, derive, evaluate, is_ready, output, record
from laser.rules.body import BodyElement
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax import tree
from laser.values import Atom
from tests.laws import Given, is_legal
from tests.strategies import Choices, Seeded, generate

MOST_POINTS = 100
"""Time points of a stream: for some programs, the definition takes minutes for more."""

Stream = Sequence[tuple[int, Sequence[Atom]]]


class Asked:
    """A program and a stream up to a time, with what the reference says about them."""

    def __init__(self, core: ResolvedProgram, stream: Stream, start: int, time: int) -> None:
        self.core, self.start, self.time = core, start, time
        self.history = list(dict.fromkeys((u, a) for u, facts in stream if u <= time for a in facts))
        self.records = record(core, self.history, start, time)
        self.output = output(core, derive(core, self.history, self.records, start, time), start, time)

    def ask(self, atom: Atom, every: bool = False) -> Explanation:
        spells = [Interval(recorded, u, u) for u, recorded in self.records]
        recorded = Recorded(spells, lambda _: Lasting(None, None, False, False)) if self.core.recorded else None
        return ask(self.core, self.history, self.start, self.time, atom, every, recorded=recorded)

    def evaluation(self) -> Evaluation:
        """All that holds, by the reference."""
        from laser.rules.dependencies import strata

        known = [*self.history, *self.records]
        v = {u: {a for w, a in known if w == u} for u in range(self.start, self.time + 1)}
        evaluation = Evaluation(self.core, self.history, v, self.start, self.time)
        for stratum in strata(self.core):
            rules = [rule for rule in self.core.rules if rule.predicate in stratum]
            while new := [(u, a) for r in rules for u, a in evaluation.apply(r) if a not in v[u]]:
                for u, atom in new:
                    v[u].add(atom)
        return evaluation


def what_holds_is_proved(asked: Asked, atom: Atom, every: bool) -> None:
    explanation = asked.ask(atom, every)
    assert explanation.holds, f"{atom} holds at {asked.time}"
    first = explanation.proofs[0]
    assert first.source == "rule"
    for proof in explanation.proofs:
        assert (proof.atom, proof.time) == (atom, asked.time)
        proof.check()
    sizes = [proof.size for proof in explanation.proofs if proof.source == "rule"]
    assert sizes == sorted(sizes), f"{atom}: {sizes}"
    if every:
        assert asked.ask(atom).proofs[0].size == sizes[0], f"{atom}: the smallest of all proofs is not the smallest"


def what_fails_fails(asked: Asked, atom: Atom) -> None:
    if asked.time < asked.start + asked.core.warmup:
        return  # an explanation is about the rules, and they may derive what the warm-up holds back
    explanation = asked.ask(atom)
    if explanation.holds:
        assert all(proof.source != "rule" for proof in explanation.proofs), f"{atom} is not derived at {asked.time}"
        return
    evaluation = asked.evaluation()
    named = {failure.rule.index for failure in explanation.failures if failure.rule}
    assert explanation.failures
    for index, rule in enumerate(asked.core.rules):
        if rule.predicate == atom.signature and head_fits(rule, atom):
            assert index in named, f"{atom}: nothing is said about {rule.text}"
    for failure in explanation.failures:
        fails(asked, evaluation, failure, atom)


def head_fits(rule: Rule, atom: Atom) -> bool:
    """Whether the constants of a head are those of an atom, and equal variables stand for equal values."""
    seen: dict[str, object] = {}
    for term, value in zip(rule.args, atom.args, strict=True):
        if isinstance(term, tree.Constant) and term.value != value:
            return False
        if isinstance(term, tree.Variable) and seen.setdefault(term.name, value) != value:
            return False
    return not (isinstance(rule.time, tree.Variable) and rule.time.name in seen)


def fails(asked: Asked, evaluation: Evaluation, failure: Failure, atom: Atom) -> None:
    """The part that is named fails, and those that are said to be satisfied are."""
    if failure.rule is None:
        return
    rule = asked.core.rules[failure.rule.index]
    begin = {t.name: v for t, v in zip(rule.args, atom.args, strict=True) if isinstance(t, tree.Variable)}
    if isinstance(rule.time, tree.Variable):
        begin[rule.time.name] = asked.time
    order = list(in_order(rule, set(begin)))
    if failure.place is None:
        solutions = list(evaluation.body(list(order), begin))
        assert solutions, f"{rule.text}: the body does not hold, but the head is said to fail"
        for found in solutions:
            time = asked.time if rule.time is None else evaluate(rule.time, found)
            head = (rule.predicate.name, *(evaluate(term, found) for term in rule.args))
            assert (head, time) != (tuple(atom), asked.time), f"{rule.text} derives {atom}"
        return
    first = next((i for i in range(len(order)) if not solvable(evaluation, order[: i + 1], begin)), None)
    assert first is not None, f"{rule.text} does not fail for {atom} at {asked.time}: {failure.reason}"
    place = place_of(rule, order[first])
    assert place == failure.place, f"{rule.text}: part {place} fails before {failure.element}"
    known = dict(begin) | dict(failure.bindings)
    assert solvable(evaluation, order[:first], known), (
        f"{rule.text}: {failure.bindings} do not satisfy the parts before"
    )


def solvable(evaluation: Evaluation, elements: Sequence[BodyElement], binding: dict) -> bool:
    return any(True for _ in evaluation.body(list(elements), dict(binding)))


def in_order(rule: Rule, bound: set[str]) -> Iterator[BodyElement]:
    """The parts of a body in the user's order, each when it is ready, by the reference's own measure."""

    rest, known = list(rule.body), dict.fromkeys(bound, 0)
    while rest:
        element = next(e for e in rest if is_ready(e, known))  # type: ignore[arg-type]
        rest = [other for other in rest if other is not element]
        known |= dict.fromkeys(element.binds(known.keys()), 0)
        yield element


def it_lasts_as_the_engine_says(given: Given, time: int, atom: Atom) -> None:
    stream = [(u, facts) for u, facts in given.trial.stream if u <= time]
    told = explain(given.program, stream, atom, time, start=given.start)
    ahead = 15
    lasting = intervals(given.program, stream, start=given.start, until=time + ahead, warmup=0)
    found = [i for i in lasting if i.atom == atom]
    span = next(i for i in found if i.since <= time <= i.until)
    assert told.since is not None
    assert told.since == span.since if told.since_exact else told.since >= span.since, (
        f"{atom} at {time}: {told}, {span}"
    )
    until = time + ahead if told.until is None else min(told.until, time + ahead)
    exact = told.until_exact or until == time + ahead
    assert until == span.until if exact else until <= span.until, f"{atom} at {time}: {told}, {span}"


def a_reasoner_explains_the_present(given: Given, time: int, choices: Choices) -> None:
    reasoner = given.reasoner()
    stream = [(u, facts) for u, facts in given.trial.stream if u <= time]
    for u, facts in stream:
        reasoner.advance(u, facts)
    reasoner.advance(time)
    for atom in sorted(reasoner.holding())[:3]:
        told = reasoner.explain(atom)
        assert told.holds
        told.proofs[0].check()
        whole = explain(given.program, stream, atom, time, start=given.start)
        assert (told.until, told.until_exact) == (whole.until, whole.until_exact), f"{atom} at {time}: {told}\n{whole}"
    for atom in near_misses(given, time, choices)[:2]:
        told = reasoner.explain(atom)
        assert not any(proof.source == "rule" for proof in told.proofs)


def near_misses(given: Given, time: int, choices: Choices) -> list[Atom]:
    """Atoms of derived predicates that are not in the output: those of other times, and some that are a little different."""
    if time < given.start + given.core.warmup:
        return []  # explanations are about the rules, which may derive what the warm-up holds back
    core, output = given.core, given.answers[time]
    others = sorted({a for atoms in given.answers.values() for a in atoms} - output)
    found = [choices.pick(others) for _ in range(min(2, len(others)))]
    for predicate in sorted(core.derived):
        args = [choices.pick((0, 1, 2, "x", "y")) for _ in range(predicate.arity)]
        found.append(Atom(predicate.name, args))
    hidden = {a for a in found if not core.shows(a.signature)}
    return [atom for atom in dict.fromkeys(found) if atom not in output and atom not in hidden]


def try_trial(seed: object) -> bool:
    """One random program; whether it was a legal one."""
    choices = Seeded((seed, "explain"))
    trial = generate(Seeded(seed))
    if not is_legal(trial) or trial.stream[-1][0] - trial.stream[0][0] > MOST_POINTS:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = Given(trial)
        time = choices.integer(given.start, given.last)
        asked = Asked(given.core, trial.stream, given.start, time)
        atoms = sorted(given.answers[time])
        for atom in atoms[:12]:
            what_holds_is_proved(asked, atom, every=choices.chance(30))
        for atom in near_misses(given, time, choices)[:6]:
            what_fails_fails(asked, atom)
        if atoms:
            it_lasts_as_the_engine_says(given, time, choices.pick(atoms))
        a_reasoner_explains_the_present(given, time, choices)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.explanation.laws", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="try one trial, by its name (1/42)")
    options = parser.parse_args()
    logging.getLogger("laser").setLevel(logging.CRITICAL + 1)
    seeds = [options.only] if options.only else [f"{options.seed}/{i}" for i in range(options.count)]
    broken = 0
    for seed in seeds:
        try:
            try_trial(seed)
        except Exception as error:
            if options.only:
                raise
            broken += 1
            print(f"{seed}: {type(error).__name__}: {str(error)[:600]}")
            if broken == 5:
                break
    print(f"{len(seeds)} programs, {broken} broken")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
