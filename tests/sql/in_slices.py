"""Parts of the reasoner as an executor runs them that only plans: in slices of time, with the kinds of values known before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest.mock import patch

from laser.answers import IntervalBuilder
from laser.engine import part as engine
from laser.engine.inputs.given import Span
from laser.plan.plan import Plan
from laser.sql.duck import Duck
from laser.sql.kinds import EXACT, Kind, join, kind_of
from laser.sql.lower import Lowerer
from laser.sql.refusal import NotLowered
from laser.sql.stages import stages
from laser.sql.strata import Spared, Strata
from laser.values import Predicate

MOST = 30
"""About the most slices of a timeline, which may be long."""

Kinds = Mapping[Predicate, tuple[Kind, ...]]


@contextmanager
def in_slices(seed: str, known: Kinds) -> Iterator[None]:
    """Parts that can begin anywhere are run in slices of a random width, and their values are compared with the kinds that were expected."""
    narrow = Random(seed).choice((1, 2, 3, 7))

    def run(plan: Plan, given: engine.Spans, facts: engine.Facts, first: int, last: int, *rest: Any) -> Any:
        if not engine.can_begin_anywhere(plan):
            return whole(plan, given, facts, first, last, *rest)
        spans, found = list(given), dict[Predicate, list[Span]]()
        width = max(narrow, (last - first) // MOST)
        for low in range(first, last + 1, width):
            high = min(last, low + width - 1)
            inside = [(n, Span(max(s.begin, low), min(s.end, high), s.key)) for n, s in spans if _meets(s, low, high)]
            inside.sort(key=lambda entry: entry[1].begin)
            for predicate, runs in engine.runs_of_part(plan, inside, (), first, high, *rest, since=low):
                found.setdefault(predicate, []).extend(Span(b, e, key) for key, b, e in runs.rows())
        joined = {predicate: _joined(found.get(predicate, [])) for predicate in plan.outputs}
        for predicate, several in joined.items():
            _check_kinds(predicate, several, known.get(predicate))
        return joined

    whole: Callable[..., Any] = engine.run_part
    with patch("laser.sql.reasoned.run_part", run):
        yield


def _meets(span: Span, low: int, high: int) -> bool:
    return span.begin <= high and span.end >= low


def _joined(spans: list[Span]) -> list[Span]:
    """Spans of one key that touch, in one."""
    changes: dict[int, tuple[list[Any], list[Any]]] = {}
    for begin, end, key in spans:
        changes.setdefault(begin, ([], []))[0].append(key)
        changes.setdefault(end + 1, ([], []))[1].append(key)
    builder, found = IntervalBuilder[Any](), list[Span]()
    for time, (begun, ended) in sorted(changes.items()):
        both = set(begun) & set(ended)
        runs = builder.take(time, [k for k in begun if k not in both], [k for k in ended if k not in both])
        found += [Span(since, until, key) for key, since, until in runs.rows()]
    return sorted(found, key=lambda span: span.begin)


def _check_kinds(predicate: Predicate, spans: list[Span], kinds: tuple[Kind, ...] | None) -> None:
    for span in spans if kinds is not None else ():
        for value, kind in zip(span.key[1:], kinds or (), strict=True):
            found = kind_of(value)
            assert found is not None, f"{value} in {predicate} has no kind"
            assert join((kind, found)) == kind, f"{value} in {predicate}, whose values were to be {kind}"
            assert kind == Kind.INTEGER or found != Kind.INTEGER or abs(value) <= EXACT


def expected_kinds(duck: Duck, first: int, last: int, spared: Spared) -> Kinds:
    """The kinds of what the reasoner makes, as they follow from the rules; empty if they do not, so that SQL is not used there."""
    made = duck.strata(first, last, silent=False, spared=spared).lowerer
    lowerer = Lowerer(made.plan, made.streamed, made.background, made.timeline)
    try:
        parts = [stage.part for stage in stages(Strata(lowerer, silent=False, spared=spared)) if stage.part is not None]
    except NotLowered:
        return {}
    return {p: relation.kinds for part in parts if not part.widens for p, relation in part.made.items()}
