"""Laws over random programs: what reach says is enough, what is accepted can be evaluated, what never fires does not."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from laser.checks import find
from laser.checks.accept import accept
from laser.checks.never_fires import REASONS
from laser.checks.subject import Subject
from laser.reference import answer
from laser.rules.reach import Reach, reach
from laser.rules.rule import ResolvedProgram
from laser.ticks import Tick
from laser.values import Atom
from laser.windows import LastOf
from tests.strategies import Seeded, Trial, generate

SEEDS = range(150)
History = list[tuple[int, Atom]]


def history_of(trial: Trial) -> History:
    return list(dict.fromkeys((time, atom) for time, facts in trial.stream for atom in facts))


def timeline(trial: Trial) -> tuple[int, int]:
    times = [time for time, _ in trial.stream] or [0]
    return times[0] if trial.start is None else trial.start, max(times) + 3


def cut(history: History, past: Reach, t0: int, t: int) -> tuple[History, int] | None:
    """What of a history is in reach at t, and where it begins; None where all of it is."""
    if past.ticks is None or len(history) < past.tuples:
        return None
    if past.latest:  # a key that has fewer facts than its window counts looks back to the start
        last = {fact for window in past.latest for fact in last_of_keys(window, history)}
        last.update(history[len(history) - past.tuples :])
        return [fact for fact in history if fact[0] >= t - past.ticks or fact in last], t0
    last = history[len(history) - past.tuples :]
    begin = min([max(t0, t - past.ticks), *(time for time, _ in last)])
    return [fact for i, fact in enumerate(history) if fact[0] >= begin or i >= len(history) - past.tuples], begin


def last_of_keys(window: LastOf, history: History) -> Iterator[tuple[int, Atom]]:
    keys = {window.key_of(atom) for _, atom in history if window.counts(atom)}
    for key in keys:
        yield from [(u, a) for u, a in history if window.counts(a) and window.key_of(a) == key][-window.size :]


def assert_enough(core: ResolvedProgram, past: Reach, history: History, t0: int, t: int) -> None:
    known = [fact for fact in history if fact[0] <= t]
    part = cut(known, past, t0, t)
    if part is not None:
        assert answer(core, part[0], part[1], t) == answer(core, known, t0, t)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_answer_needs_no_more_than_its_reach(seed: int) -> None:
    trial = generate(Seeded(("reach", seed)))
    core, history = accept(trial.program), history_of(trial)
    t0, end = timeline(trial)
    for inputs in (None, {atom.signature for _, atom in history}):
        past = reach(core, inputs)
        for t in range(t0, end, 3):
            assert_enough(core, past, history, t0, t)


@pytest.mark.parametrize("seed", SEEDS)
def test_rules_that_never_fire_can_be_left_out(seed: int) -> None:
    trial = generate(Seeded(("reach", seed)))
    core, history = accept(trial.program), history_of(trial)
    subject = Subject(trial.program, frozenset(atom.signature for _, atom in history), {}, Tick())
    dead = [any(True for why in REASONS for _ in why(subject, rule)) for rule in trial.program.rules]
    rest = replace(core, rules=tuple(rule for rule, is_dead in zip(core.rules, dead, strict=True) if not is_dead))
    t0, end = timeline(trial)
    for t in range(t0, end, 3) if any(dead) else ():
        known = [fact for fact in history if fact[0] <= t]
        assert answer(rest, known, t0, t) == answer(core, known, t0, t)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs_are_accepted(seed: int) -> None:
    findings = find(generate(Seeded(("reach", seed))).program)
    assert [finding for finding in findings if finding.severity == "error"] == []
    assert all(finding.render() for finding in findings)
