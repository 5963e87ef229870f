"""Applies rules until nothing changes; a rule is applied again only if something that it reads has changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping

from laser.rules.rule import Rule
from laser.values import Predicate

__all__ = ["follow"]


def follow(
    rules: Iterable[Rule],
    concerns: Callable[[Rule], Iterable[Predicate]],
    step: Callable[[Rule], Collection[Predicate]],
) -> None:
    """Run ``step`` for every rule, and again for the rules that read a predicate that a step reports as changed."""
    rules = list(rules)
    concerned = _concerned(rules, concerns)
    queue = deque(range(len(rules)))
    waiting = set(queue)
    while queue:
        number = queue.popleft()
        waiting.discard(number)
        for predicate in step(rules[number]):
            again = [other for other in concerned.get(predicate, ()) if other not in waiting]
            queue.extend(again)
            waiting.update(again)


def _concerned(rules: list[Rule], concerns: Callable[[Rule], Iterable[Predicate]]) -> Mapping[Predicate, list[int]]:
    found: dict[Predicate, list[int]] = {}
    for number, rule in enumerate(rules):
        for predicate in set(concerns(rule)):
            found.setdefault(predicate, []).append(number)
    return found
