"""One generated function: loops over the starting keys, then over the rest of the body, with the head innermost."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from laser.engine.codegen.expressions import Expressions
from laser.engine.codegen.names import keys_name, variable_name
from laser.plan.nodes import Node, Pending
from laser.plan.plan import PlanRule, Subgoal
from laser.rules.body import Comparison
from laser.syntax.tree import Constant, Term, Variable
from laser.windows import PRESENT

__all__ = ["FunctionWriter", "Start", "tuple_code"]

MOST_NESTED = 12
"""The number of nested loops in a generated function."""

_STORE = re.compile(r"\s*(v_\w+|is_\w+) = (?:key|k\d*)\[\d+\]\Z")


@dataclass(frozen=True)
class Start:
    """Where a join begins: at the keys of a subgoal; ``position`` is its place among the positive subgoals."""

    subgoal: Subgoal
    position: int | None


class Context(Protocol):
    """What a function needs from the module that it is part of."""

    def number(self, node: Node) -> int: ...

    def index(self, node: Node, positions: tuple[int, ...]) -> str: ...


class FunctionWriter:
    """Writes the function for one way to reach a rule."""

    def __init__(self, context: Context, number: int, rule: PlanRule, start: Start | None, blame: bool) -> None:
        self.context, self.rule, self.start, self.blame = context, rule, start, blame
        self.bound: dict[str, str] = {}
        self.lines: list[str] = []
        self.depth = 1
        self.horizon: str | None = None
        self.expressions = Expressions(number, self.bound, self.line, silent=blame)

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def write(self, name: str) -> list[str]:
        header = f"def {name}({'keys' if self.start is None else 'delta'}, t, t0):"
        self.line("heads = set()" if self.blame else "heads = {}")
        rest = self.begin()
        tests, negatives = list(self.rule.tests), list(self.rule.negatives)
        self.settle_bound(tests, negatives)
        while rest:
            subgoal = max(rest, key=self.bound_first)
            rest.remove(subgoal)
            self.join(subgoal)
            self.settle_bound(tests, negatives)
        assert not tests, f"unbound test in {self.rule.text}"
        self.head()
        self.depth = 1
        self.line("return heads")
        return ["", header, *_without_dead_stores(self.lines)]

    def begin(self) -> list[Subgoal]:
        """The outermost loop. Returns the subgoals that remain to be joined."""
        positives = list(self.rule.positives)
        if self.start is None:
            self.line("for key in keys:")
            self.depth += 1
            self.bind("key", self.rule.terms, skip_arithmetic=True)
            return positives
        self.line("for k in delta:")
        self.depth += 1
        subgoal = self.start.subgoal
        if self.start.position is None:
            self.bind("k", subgoal.terms)
            return positives
        if not self.blame:
            self.line(f"h = {self.keys(subgoal.node)}[k]")
            self.line("if h < t: continue")
            self.leave(subgoal, "k", "h")
            self.horizon = "h"
        self.bind("k", subgoal.terms)
        self.enter(subgoal, "k")
        del positives[self.start.position]
        return positives

    def split_nest(self) -> None:
        """Begin a new nest of loops over the results so far: Python allows no more than 20 nested blocks."""
        rows = f"rows{sum('.append(' in line for line in self.lines)}"
        carried = ["k" if self.start else "key", *self.bound.values(), *filter(None, [self.horizon])]
        names = ", ".join(dict.fromkeys(carried))
        self.lines.insert(0, f"    {rows} = []")
        self.line(f"{rows}.append(({names},))")
        self.depth = 1
        self.line(f"for {names}, in {rows}:")
        self.depth = 2

    def join(self, subgoal: Subgoal) -> None:
        """A loop over the keys of a node that match the bound variables (no loop if all are bound)."""
        if self.depth > MOST_NESTED:
            self.split_nest()
        level = self.depth
        if subgoal.window == PRESENT and not self.blame:
            self.bind_to_present(subgoal.terms[-1])
        known = [(p, self.known(term)) for p, term in enumerate(subgoal.terms)]
        fixed = [(p, text) for p, text in known if text is not None]
        keys = self.keys(subgoal.node)
        key, h = f"k{level}", f"h{level}"
        if len(fixed) == len(known):
            self.line(f"{key} = {tuple_code([repr(subgoal.node.label), *(text for _, text in fixed)])}")
            self.line(f"if {key} not in {keys}: continue" if self.blame else f"{h} = {keys}.get({key}, -1)")
        elif not fixed:
            self.line(f"for {key} in {keys}:" if self.blame else f"for {key}, {h} in {keys}.items():")
            self.depth += 1
        else:
            index = self.context.index(subgoal.node, tuple(p + 1 for p, _ in fixed))
            subkey = fixed[0][1] if len(fixed) == 1 else tuple_code([text for _, text in fixed])
            self.line(f"for {key} in {index}.get({subkey}, ()):")
            self.depth += 1
            if not self.blame:
                self.line(f"{h} = {keys}[{key}]")
        if not self.blame:
            self.line(f"if {h} < t: continue")
            self.leave(subgoal, key, h)
            self.narrow(h)
        self.bind(key, subgoal.terms, only_free=True)
        self.enter(subgoal, key)

    def bind_to_present(self, time: Term) -> None:
        """If the window contains only the present, the time is bound to it, and the key is looked up instead of searched for."""
        if isinstance(time, Variable) and time.name not in self.bound:
            self.bound[time.name] = variable_name(time.name)
            self.line(f"{self.bound[time.name]} = t")

    def narrow(self, h: str) -> None:
        """A body is guaranteed to hold as long as the part with the shortest guarantee."""
        shortest = h if self.horizon is None else f"{h} if {h} < {self.horizon} else {self.horizon}"
        self.line(f"g{self.depth} = {shortest}")
        self.horizon = f"g{self.depth}"

    def leave(self, subgoal: Subgoal, key: str, h: str) -> None:
        """A key that is read through a window ends when it leaves the window."""
        last = subgoal.window.exit_code(f"{key}[-1]")
        if last is not None:
            self.line(f"if {h} > {last}: {h} = {last}")
            self.line(f"if {h} < t: continue")

    def enter(self, subgoal: Subgoal, key: str) -> None:
        """Skip a key that enters the window later."""
        if isinstance(subgoal.node, Pending):
            self.line(f"if {subgoal.node.window.entry_code(f'{key}[-1]')} > t: continue")

    def bind(self, key: str, terms: tuple[Term, ...], only_free: bool = False, skip_arithmetic: bool = False) -> None:
        """Read the values of a key: bind the free variables, compare the others."""
        before = set(self.bound)
        for position, term in enumerate(terms, start=1):
            text = f"{key}[{position}]"
            if isinstance(term, Variable):
                if term.is_anonymous:
                    continue
                if term.name not in self.bound:
                    self.bound[term.name] = variable_name(term.name)
                    self.line(f"{self.bound[term.name]} = {text}")
                elif not only_free or term.name not in before:
                    self.line(f"if {text} != {self.bound[term.name]}: continue")
            elif isinstance(term, Constant):
                if not only_free:
                    self.line(f"if {text} != {self.expressions.literal(term.value)}: continue")
            else:
                assert skip_arithmetic

    def known(self, term: Term) -> str | None:
        if isinstance(term, Constant):
            return self.expressions.literal(term.value)
        assert isinstance(term, Variable)
        return self.bound.get(term.name)

    def bound_first(self, subgoal: Subgoal) -> tuple[bool, int, int]:
        """The order in which subgoals are joined: first those that are fully bound, then those with the most bound terms."""
        fixed = sum(self.known(term) is not None for term in subgoal.terms)
        if subgoal.window == PRESENT and not self.blame and self.known(subgoal.terms[-1]) is None:
            fixed += 1
        return (fixed == len(subgoal.terms), fixed, -subgoal.node.width)

    def settle_bound(self, tests: list[Comparison], negatives: list[Subgoal]) -> None:
        """Emit each test and negation as soon as its variables are bound."""
        while ready := next((test for test in tests if test.is_ready(self.bound.keys())), None):
            tests.remove(ready)
            self.expressions.test(ready)
        for subgoal in list(negatives):
            names = [term.name for term in subgoal.terms if isinstance(term, Variable)]
            if all(name in self.bound for name in names):
                negatives.remove(subgoal)
                if not self.blame:
                    self.absent(subgoal)

    def absent(self, subgoal: Subgoal) -> None:
        key = tuple_code([repr(subgoal.node.label), *(self.known(term) or "" for term in subgoal.terms)])
        self.line(f"if {self.keys(subgoal.node)}.get({key}, -1) >= t: continue")

    def head(self) -> None:
        head, terms = self.rule.head, self.rule.terms
        if self.start is None:
            for position, term in enumerate(terms, start=1):
                if not isinstance(term, Variable | Constant):
                    self.line(f"if key[{position}] != {self.expressions.value(term)}: continue")
        else:
            values = [self.expressions.value(term) for term in terms]
            if isinstance(head, Pending) and not head.is_access_path:
                self.line(f"if {values[-1]}.__class__ is not int or {values[-1]} < t0: continue")
            self.line(f"key = {'k' if self.is_same_key() else tuple_code([repr(head.label), *values])}")
        if self.blame:
            self.line("heads.add(key)")
        elif self.heads_are_distinct():
            self.line(f"heads[key] = {self.horizon}")
        else:
            self.line(f"if heads.get(key, -1) < {self.horizon}: heads[key] = {self.horizon}")
            if self.start is None and self.depth == 3 and len(self.rule.positives) == 1:
                self.line(f"if {self.horizon} == FOREVER: break")  # no witness can guarantee more

    def heads_are_distinct(self) -> bool:
        """Whether the head contains all variables that the body binds, so that every way through the loops leads to a different key."""
        named = {term.name for term in self.rule.terms if isinstance(term, Variable)}
        terms = [term for subgoal in self.rule.positives for term in subgoal.terms]
        return all(term.name in named for term in terms if isinstance(term, Variable))

    def is_same_key(self) -> bool:
        """Whether the head's key is the key from which the join began."""
        if self.start is None or self.start.position is None:
            return False
        subgoal, rule = self.start.subgoal, self.rule
        return subgoal.terms == rule.terms and subgoal.node.label == rule.head.label

    def keys(self, node: Node) -> str:
        return keys_name(self.context.number(node))


def _without_dead_stores(lines: list[str]) -> list[str]:
    """The same lines without assignments that nothing reads."""
    stores = [(line, store[1]) for line in lines if (store := _STORE.match(line))]
    text = "\n".join(lines)
    dead = {line for line, name in stores if text.count(name) == 1}
    return [line for line in lines if line not in dead] if dead else lines


def tuple_code(items: list[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
