"""From a program to its plan."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product

from laser.plan.access import NOW, Views, points_of
from laser.plan.anonymous import is_open, open_lonely_variables
from laser.plan.gates import set_gates
from laser.plan.nodes import Node, Pending, Pinned, Plain, Unit
from laser.plan.order import components
from laser.plan.plan import Derivation, Plan, Use
from laser.plan.sharing import share_bodies, skip_copies
from laser.rules.body import Comparison, ExtendedAtom
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax.tree import Variable
from laser.values import Predicate

__all__ = ["build"]


def build(core: ResolvedProgram, streamed: frozenset[Predicate] = frozenset()) -> Plan:
    """The plan of a program, given which derived or background predicates stream in as well."""
    views = Views(core, streamed)
    rules = map(open_lonely_variables, core.rules)
    written = [derivation for rule in rules for derivation in _derivations(rule, views)]
    written += _arrivals(core, written)
    outputs = {predicate: views.output(predicate) for predicate in sorted(core.derived) if core.shows(predicate)}
    made = share_bodies(list(dict.fromkeys(written)))
    made += [derivation for several in views.derivations.values() for derivation in several]
    derivations, aliases = skip_copies(made)
    derivations = set_gates(derivations)
    return Plan(
        core=core,
        streamed=streamed,
        derivations=tuple(derivations),
        components=components(derivations, [aliases.get(node, node) for node in outputs.values()]),
        outputs={predicate: aliases.get(node, node) for predicate, node in outputs.items()},
        aliases=aliases,
    )


def _derivations(rule: Rule, views: Views) -> Iterator[Derivation]:
    """A rule of the program as derivations: more than one where an element is a disjunction."""
    elements = [element for element in rule.body if isinstance(element, ExtendedAtom)]
    for choice in product(*(list(_element(element, views)) for element in elements)):
        parts = list(chain.from_iterable(choice))
        uses = [use for sign, use in parts if sign == "use"] or [Use(Unit(), ())]
        negatives = [use for sign, use in parts if sign == "not"]
        if len(parts) > 1:  # a body of one atom needs no projection: the head is one
            uses = list(map(views.project, uses))
        yield Derivation(
            head=_head(rule),
            terms=rule.args if rule.time is None else (*rule.args, rule.time),
            uses=tuple(uses),
            negatives=tuple(map(views.project, negatives)),
            tests=tuple(element for element in rule.body if isinstance(element, Comparison)),
            text=rule.text,
        )


def _element(element: ExtendedAtom, views: Views) -> Iterator[list[tuple[str, Use]]]:
    """The ways in which an element is made true, each some nodes with a sign."""
    if not element.absent:
        yield [("not", _read(element, views, capped=False)) if element.negated else ("use", _read(element, views))]
    else:
        yield from _absent(element, views)


def _absent(element: ExtendedAtom, views: Views) -> Iterator[list[tuple[str, Use]]]:
    """``⊞ @T ¬ a`` and its negation: T is in the window, and a does not hold at T."""
    assert element.time is not None
    if is_open(element.time):
        yield _absent_somewhere(element, views)
        return
    inside = Use(points_of(element.window), (element.time,))
    there = _read(element, views, capped=False)
    if not element.negated:
        yield [("use", inside), ("not", there)]
    else:  # T is not in the window, or a holds there
        yield [("not", inside)]
        yield [("use", there)]


def _absent_somewhere(element: ExtendedAtom, views: Views) -> list[tuple[str, Use]]:
    """``⊞ @_ ¬ a``: at some time point of the window a does not hold, so it does not hold at every one."""
    kept = tuple(i for i, term in enumerate(element.args) if not is_open(term))
    always = Use(views.always_some(element.predicate, element.window, kept), tuple(element.args[i] for i in kept))
    return [("use", always) if element.negated else ("not", always)]


def _read(element: ExtendedAtom, views: Views, capped: bool = True) -> Use:
    """The node that serves an extended atom, whatever its sign. A negative one must itself know when its keys end."""
    window = element.window or NOW
    match element.modality:
        case "now" | "sometime":
            return Use(views.sometime(element.predicate, window), element.args)
        case "always":
            return Use(views.always(element.predicate, window), element.args)
        case "at" if element.window is not None and element.time is not None and is_open(element.time):
            return Use(views.sometime(element.predicate, window), element.args)
        case _:
            assert element.time is not None
            if capped:
                use = views.at(element.predicate, element.window)
            else:
                use = Use(views.dated(element.predicate, element.window), ())
            return Use(use.node, (*element.args, element.time), use.cap)


def _head(rule: Rule) -> Node:
    if rule.time is None:
        return Plain(rule.predicate)
    return Pinned(rule.predicate) if _has_come(rule) else Pending(rule.predicate)


def _has_come(rule: Rule) -> bool:
    """Whether the time of a head is surely in the timeline: a time at which some body atom holds."""
    times = {e.time for e in rule.body if isinstance(e, ExtendedAtom) and e.modality == "at" and not e.negated}
    return isinstance(rule.time, Variable) and rule.time in times


def _arrivals(core: ResolvedProgram, written: list[Derivation]) -> list[Derivation]:
    """What is derived for a time to come holds from then on."""
    pending = {d.head for d in written if isinstance(d.head, Pending)}
    made = []
    for node in sorted(pending, key=str):
        assert isinstance(node, Pending)
        terms = tuple(Variable(f"V{i}") for i in range(node.predicate.arity + 1))
        made.append(
            Derivation(Pinned(node.predicate), terms, (Use(node, terms),), text=f"{node.predicate} when T has come")
        )
    return made
