"""The texts of explanations: source text for rules and their parts, and our words for what makes them hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, assert_never

from laser.answers import merge
from laser.explanation.explanation import Extent, RuleText
from laser.explanation.solve import AtomAccess
from laser.rules.body import BodyElement, ExtendedAtom, Now
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax import tree
from laser.syntax.lexer import lex
from laser.syntax.printer import write_element, write_term
from laser.syntax.terms import variables
from laser.values import Value
from laser.windows import History, LastFacts, LastOf, Sliding, TimeWindow

if TYPE_CHECKING:
    from laser.explanation.world import World

__all__ = ["element_text", "extent", "filled", "instance", "place_of", "rule_text", "some_times", "visible"]

_OPEN, _CLOSE = {"LPAR", "LBRACKET", "LBRACE"}, {"RPAR", "RBRACKET", "RBRACE"}


def rule_text(core: ResolvedProgram, rule: Rule) -> RuleText:
    """The source text of a rule."""
    index = next(i for i, other in enumerate(core.rules) if other is rule)
    return RuleText(rule.text, rule.line, index, rule.file)


@lru_cache(maxsize=512)
def _bodies(text: str) -> tuple[tuple[str, ...], ...]:
    """The parts of the bodies of a rule, cut out of its text; there are several bodies if it has ``or``."""
    bodies: list[list[str]] = [[]]
    depth, begin = 0, None
    for token in lex(text).tokens:
        place, end = (token.start_pos or 0), (token.end_pos or 0)
        depth += (token.type in _OPEN) - (token.type in _CLOSE)
        if token.type == "_ARROW":
            begin = end
        elif begin is not None and depth == 0 and token.type in ("_COMMA", "OR", "DOT"):
            bodies[-1].append(text[begin:place].strip())
            bodies += [[]] if token.type == "OR" else []
            begin = end
    return tuple(map(tuple, bodies))


def element_text(rule: Rule, element: BodyElement) -> str:
    """The source text of a part of a body."""
    place = place_of(rule, element)
    assert rule.origin is not None
    bodies = _bodies(rule.text)
    parts = bodies[(rule.origin.alternative or 0) if len(bodies) > 1 else 0]
    return parts[place] if len(parts) == len(rule.origin.body) else write_element(rule.origin.body[place])


def place_of(rule: Rule, element: BodyElement) -> int:
    """The index of the part of the source body for an element; an equation belongs to the atom whose argument it computes."""
    assert rule.origin is not None
    index = next(i for i, other in enumerate(rule.body) if other is element)
    origin = next(other.origin for other in rule.body[index:] if other.origin is not None)
    return next(i for i, other in enumerate(rule.origin.body) if other is origin)


def visible(rule: Rule, binding: Mapping[str, Value]) -> dict[str, Value]:
    """The variables of the source text, in its order."""
    assert rule.origin is not None
    names = dict.fromkeys(variable.name for variable in variables(rule.origin.terms()))
    return {name: binding[name] for name in names if name in binding}


def extent(world: World, element: ExtendedAtom, binding: Mapping[str, Value]) -> Extent | None:
    """The time points of the window of an element; None if the source text has no window."""
    access = AtomAccess(element, binding.keys())
    key = None if access.key is None else access.key(binding)
    first, last = world.bounds(element.window, key)
    match element.window:
        case LastOf() as window if key is None:
            names = [term.name for place in window.per if isinstance(term := element.args[place], tree.Variable)]
            return Extent(first, last, written=window.written([str(window.size)], False, names))
        case LastOf(size=size) as window:
            facts = len(world.counted(window, key or (), size))
            return Extent(first, last, "tuple", size, facts, of=_counted(element, window, binding))
        case LastFacts(size=size):
            return Extent(first, last, "tuple", size, min(size, world.facts.count(world.time)))
        case Sliding(ticks=ticks):
            return None if isinstance(element.modality, Now) else Extent(first, last, "time", ticks)
        case History():
            return None
        case TimeWindow():
            return Extent(first, last, written=str(element.window))
        case _:
            assert_never(element.window)


def _counted(element: ExtendedAtom, window: LastOf, binding: Mapping[str, Value]) -> str:
    """The facts that a window counts: ``temp(oven, _)``."""
    args = tuple(term if place in window.per else tree.Variable("_") for place, term in enumerate(element.args))
    return instance(replace(element, args=args), binding)


def filled(term: tree.Term, binding: Mapping[str, Value]) -> str:
    """A term with its values filled in; a variable without a value that is not in the source text becomes ``_``."""
    return write_term(_filled(term, binding))


def _filled(term: tree.Term, binding: Mapping[str, Value]) -> tree.Term:
    match term:
        case tree.Variable(name=name):
            return tree.Constant(binding[name]) if name in binding else term if term.is_users else tree.Variable("_")
        case tree.Arithmetic(operator=operator, operands=operands):
            return tree.Arithmetic(operator, tuple(_filled(part, binding) for part in operands))
        case _:
            return term


def instance(atom: ExtendedAtom, binding: Mapping[str, Value]) -> str:
    """The atom of an element with its values filled in: ``job(oven, _)``."""
    args = ", ".join(filled(term, binding) for term in atom.args)
    return f"{atom.predicate.name}({args})" if atom.args else atom.predicate.name


def some_times(times: Iterable[int], most: int = 3) -> str:
    """Time points in words.

    >>> some_times({31, 33, 34, 35, 38, 40})
    '31, 33 to 35, 38 and 1 more'
    """
    found = merge((time, time) for time in times)
    texts = [f"{first}" if first == last else f"{first} to {last}" for first, last in found[:most]]
    rest = sum(last - first + 1 for first, last in found[most:])
    return ", ".join(texts) + (f" and {rest} more" if rest else "")
