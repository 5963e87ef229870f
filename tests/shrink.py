"""Make a counterexample smaller, greedily: drop statements, parts of bodies, time points and facts while it still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from laser.syntax import tree
from tests.strategies import Trial, program_of


def shrink(trial: Trial, fails: Callable[[Trial], bool], patience: int = 600) -> Trial:
    """The smallest trial found that still fails."""
    for _ in range(patience):
        smaller = next((t for t in candidates(trial) if safely(fails, t)), None)
        if smaller is None:
            return trial
        trial = smaller
    return trial


def safely(fails: Callable[[Trial], bool], trial: Trial) -> bool:
    try:
        return fails(trial)
    except Exception:
        return False


def candidates(trial: Trial) -> Iterator[Trial]:
    """All trials that are one step smaller, the big steps first."""
    statements = trial.program.statements
    for i in range(len(statements)):
        yield replace(trial, program=program_of(statements[:i] + statements[i + 1 :]))
    for i in range(len(trial.stream)):
        if len(trial.stream) > 1:
            yield replace(trial, stream=trial.stream[:i] + trial.stream[i + 1 :])
    for i, statement in enumerate(statements):
        for rule in smaller_statements(statement):
            yield replace(trial, program=program_of((*statements[:i], rule, *statements[i + 1 :])))
    for i, (time, facts) in enumerate(trial.stream):
        for j in range(len(facts)):
            point = (time, facts[:j] + facts[j + 1 :])
            yield replace(trial, stream=[*trial.stream[:i], point, *trial.stream[i + 1 :]])
    if trial.until is not None:
        yield replace(trial, until=None)
        if trial.until > trial.stream[-1][0]:
            yield replace(trial, until=trial.until - 1)


def smaller_statements(statement: tree.Statement) -> Iterator[tree.Statement]:
    if isinstance(statement, tree.Alternatives):
        yield from statement.rules
    elif isinstance(statement, tree.Rule):
        yield from smaller_rules(statement)


def smaller_rules(rule: tree.Rule) -> Iterator[tree.Rule]:
    for i in range(len(rule.body)):
        if len(rule.body) > 1:
            yield replace(rule, body=rule.body[:i] + rule.body[i + 1 :])
    for i, element in enumerate(rule.body):
        for smaller in smaller_aggregates(element):
            yield replace(rule, body=(*rule.body[:i], smaller, *rule.body[i + 1 :]))
    if rule.time is not None:
        yield replace(rule, time=None)


def smaller_aggregates(element: tree.BodyElement) -> Iterator[tree.Comparison]:
    """A comparison with less in the aggregate that is one of its sides."""
    if isinstance(element, tree.Comparison):
        for side in ("left", "right"):
            term = getattr(element, side)
            if isinstance(term, tree.Aggregate):
                for i in range(len(term.body)):
                    yield replace(element, **{side: replace(term, body=term.body[:i] + term.body[i + 1 :])})
                yield replace(element, **{side: replace(term, folded=term.folded[:1])})
            elif isinstance(term, tree.Arithmetic):
                yield from (replace(element, **{side: operand}) for operand in term.operands)
