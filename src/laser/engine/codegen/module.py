"""The plan as Python source, specialised for the program.

For each derivation there is a function for every way in which it can be reached:

* ``d3_from_0(delta, t, t0)``: heads that new keys of the body's first node give, with their horizons;
* ``d3_without_0(delta, t, t0)``: the same, from keys of the first negated node that ceased;
* ``d3_check(keys, t, t0)``: which of these heads can be derived at t, and for how long;
* ``d3_blame_0(delta)``, ``d3_blame_not_0(delta)``: heads that may rest on keys that were revoked (or, negated, began).

Each node has its dict of keys and horizons (``n4``) and the indexes that the joins ask for (``n4_by_1``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType

from laser.engine.codegen.expressions import Expressions, python_name
from laser.engine.revocable import revocable_nodes
from laser.plan.nodes import Every, Node, Pending, label_of, width_of
from laser.plan.plan import Derivation, Plan, Use
from laser.rules.body import Comparison
from laser.syntax.tree import Constant, Term, Variable

__all__ = ["Generated", "generate"]


MOST_NESTED = 12
"""Loops within loops in a generated function."""


@dataclass
class Generated:
    """The source of a plan, and what the engine must provide for it: a number for each node, and the indexes."""

    source: str
    numbers: Mapping[Node, int]
    indexes: Mapping[Node, tuple[tuple[int, ...], ...]]

    @cached_property
    def code(self) -> CodeType:
        """The source compiled; machines over one plan share it."""
        return compile(self.source, "<laser program>", "exec")


def generate(plan: Plan) -> Generated:
    """The source for all derivations of a plan."""
    return _Generator(plan).run()


@dataclass
class _Generator:
    plan: Plan
    lines: list[str] = field(default_factory=list)
    indexes: dict[Node, dict[tuple[int, ...], None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = [node for component in self.plan.components for node in component.nodes]
        self.numbers = {node: number for number, node in enumerate(nodes)}
        self.revocable = revocable_nodes(self.plan)

    def run(self) -> Generated:
        for number, derivation in enumerate(self.plan.derivations):
            self.lines += ["", "", f"# {_comment(derivation.text)}"]
            self.derivation(number, derivation)
        for component in self.plan.components:
            for node in component.nodes:
                if isinstance(node, Every) and component.recursive:
                    self.every(node)
        for node, positions in self.indexes.items():
            self.lines += _index_functions(self.numbers[node], node, tuple(positions))
        indexes = {node: tuple(positions) for node, positions in self.indexes.items()}
        return Generated("\n".join(self.lines) + "\n", self.numbers, indexes)

    def derivation(self, number: int, derivation: Derivation) -> None:
        for i, use in enumerate(derivation.uses):
            self.function(f"d{number}_from_{i}", number, derivation, _From(use, i))
            if use.node in self.revocable:
                self.function(f"d{number}_blame_{i}", number, derivation, _From(use, i), blame=True)
        for i, use in enumerate(derivation.negatives):
            self.function(f"d{number}_without_{i}", number, derivation, _From(use, None))
            self.function(f"d{number}_blame_not_{i}", number, derivation, _From(use, None), blame=True)
        self.function(f"d{number}_check", number, derivation, None)

    def every(self, node: Every) -> None:
        """□ within a recursion: each key is counted anew when one of its time points is found."""
        number, dated = self.numbers[node], f"n{self.numbers[node.dated]}"
        positions = tuple(range(1, width_of(node) + 1))
        points = dated
        if positions:
            value = "key[1]" if len(positions) == 1 else _tuple([f"key[{p}]" for p in positions])
            points = f"{self.index(node.dated, positions)}.get({value}, ())"
        body = [
            f"        if sum(1 for k in {points} if {dated}[k] >= t) == size: found[key] = t",
            "    return found",
        ]
        begin = ["    found = {}", f"    size = min({node.size}, t - t0) + 1"]
        self.lines += ["", "", f"# {node}", "", f"def n{number}_from(delta, t, t0):", *begin]
        self.lines += ["    for key in {k[:-1] for k in delta}:", *body]
        self.lines += ["", f"def n{number}_check(keys, t, t0):", *begin, "    for key in keys:", *body]
        self.lines += ["", f"def n{number}_blame(delta, t, t0):", "    return {k[:-1] for k in delta}"]

    def function(
        self, name: str, number: int, derivation: Derivation, start: _From | None, blame: bool = False
    ) -> None:
        self.lines += _Function(self, number, derivation, start, blame).write(name)

    def index(self, node: Node, positions: tuple[int, ...]) -> str:
        """The name of the index of a node by some positions of its keys."""
        self.indexes.setdefault(node, {})[positions] = None
        return _index_name(self.numbers[node], positions)


@dataclass(frozen=True)
class _From:
    """Where a join begins: at the keys of a use; ``position`` is its place among the positive ones."""

    use: Use
    position: int | None


class _Function:
    """One generated function: loops over a start, then over the rest of the body, innermost the head."""

    def __init__(
        self, generator: _Generator, number: int, derivation: Derivation, start: _From | None, blame: bool
    ) -> None:
        self.generator, self.derivation, self.start, self.blame = generator, derivation, start, blame
        self.bound: dict[str, str] = {}
        self.lines: list[str] = []
        self.depth = 1
        self.horizon: str | None = None
        self.expressions = Expressions(number, self.bound, self.line, silent=blame)

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def write(self, name: str) -> list[str]:
        header = f"def {name}({'keys' if self.start is None else 'delta'}, t, t0):"
        self.line("found = set()" if self.blame else "found = {}")
        rest = self.begin()
        tests, negatives = list(self.derivation.tests), list(self.derivation.negatives)
        self.settle_bound(tests, negatives)
        while rest:
            use = max(rest, key=self.eagerness)
            rest.remove(use)
            self.join(use)
            self.settle_bound(tests, negatives)
        assert not tests, f"unbound test in {self.derivation.text}"
        self.head()
        self.depth = 1
        self.line("return found")
        return ["", header, *self.lines]

    def begin(self) -> list[Use]:
        """The outermost loop; the uses that remain to be joined."""
        uses = list(self.derivation.uses)
        if self.start is None:
            self.line("for key in keys:")
            self.depth += 1
            self.bind("key", self.derivation.terms, skip_arithmetic=True)
            return uses
        self.line("for k in delta:")
        self.depth += 1
        use = self.start.use
        if self.start.position is None:
            self.bind("k", use.terms)
            return uses
        if not self.blame:
            self.line(f"h = {self.alive(use.node)}[k]")
            self.line("if h < t: continue")
            self.cap(use, "k", "h")
            self.horizon = "h"
        self.bind("k", use.terms)
        self.arrived(use, "k")
        del uses[self.start.position]
        return uses

    def spill(self) -> None:
        """Begin a new nest of loops over what the one so far found: Python nests no more than 20."""
        rows = f"rows{sum('.append(' in line for line in self.lines)}"
        carried = ["k" if self.start else "key", *self.bound.values(), *filter(None, [self.horizon])]
        names = ", ".join(dict.fromkeys(carried))
        self.lines.insert(0, f"    {rows} = []")
        self.line(f"{rows}.append(({names},))")
        self.depth = 1
        self.line(f"for {names}, in {rows}:")
        self.depth = 2

    def join(self, use: Use) -> None:
        """A loop over the keys of a node that fit what is bound (no loop where all is bound)."""
        if self.depth > MOST_NESTED:
            self.spill()
        level = self.depth
        if use.cap == 0 and not self.blame:
            self.bind_to_present(use.terms[-1])
        known = [(p, self.known(term)) for p, term in enumerate(use.terms)]
        fixed = [(p, text) for p, text in known if text is not None]
        alive = self.alive(use.node)
        key, h = f"k{level}", f"h{level}"
        if len(fixed) == len(known):
            self.line(f"{key} = {_tuple([repr(label_of(use.node)), *(text for _, text in fixed)])}")
            self.line(f"if {key} not in {alive}: continue" if self.blame else f"{h} = {alive}.get({key}, -1)")
        elif not fixed:
            self.line(f"for {key} in {alive}:" if self.blame else f"for {key}, {h} in {alive}.items():")
            self.depth += 1
        else:
            index = self.generator.index(use.node, tuple(p + 1 for p, _ in fixed))
            subkey = fixed[0][1] if len(fixed) == 1 else _tuple([text for _, text in fixed])
            self.line(f"for {key} in {index}.get({subkey}, ()):")
            self.depth += 1
            if not self.blame:
                self.line(f"{h} = {alive}[{key}]")
        if not self.blame:
            self.line(f"if {h} < t: continue")
            self.cap(use, key, h)
            self.narrow(h)
        self.bind(key, use.terms, only_free=True)
        self.arrived(use, key)

    def bind_to_present(self, time: Term) -> None:
        """With a cap of 0 only the present counts: the key is looked up rather than searched for."""
        if isinstance(time, Variable) and time.name not in self.bound:
            self.bound[time.name] = python_name(time.name)
            self.line(f"{self.bound[time.name]} = t")

    def narrow(self, h: str) -> None:
        """The guarantee of a body is the shortest of its parts."""
        shortest = h if self.horizon is None else f"{h} if {h} < {self.horizon} else {self.horizon}"
        self.line(f"g{self.depth} = {shortest}")
        self.horizon = f"g{self.depth}"

    def cap(self, use: Use, key: str, h: str) -> None:
        if use.cap is not None:
            self.line(f"if {h} > {key}[-1] + {use.cap}: {h} = {key}[-1] + {use.cap}")
            self.line(f"if {h} < t: continue")

    def arrived(self, use: Use, key: str) -> None:
        if isinstance(use.node, Pending):
            self.line(f"if {key}[-1] > t: continue")

    def bind(self, key: str, terms: tuple[Term, ...], only_free: bool = False, skip_arithmetic: bool = False) -> None:
        """Take the values of a key: bind free variables, compare the others."""
        before = set(self.bound)
        for position, term in enumerate(terms, start=1):
            text = f"{key}[{position}]"
            if isinstance(term, Variable):
                if term.name.startswith("_#"):
                    continue  # a lone _ joins nothing
                if term.name not in self.bound:
                    self.bound[term.name] = python_name(term.name)
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

    def eagerness(self, use: Use) -> tuple[bool, int, int]:
        """Which use to join next: one that is wholly bound, else the one with the most bound."""
        fixed = sum(self.known(term) is not None for term in use.terms)
        if use.cap == 0 and not self.blame and self.known(use.terms[-1]) is None:
            fixed += 1
        return (fixed == len(use.terms), fixed, -width_of(use.node))

    def settle_bound(self, tests: list[Comparison], negatives: list[Use]) -> None:
        """Emit each test and negation as soon as what it needs is bound."""
        while ready := next((test for test in tests if self.expressions.is_ready(test)), None):
            tests.remove(ready)
            self.expressions.test(ready)
        for use in list(negatives):
            names = [term.name for term in use.terms if isinstance(term, Variable)]
            if all(name in self.bound for name in names):
                negatives.remove(use)
                if not self.blame:
                    self.absent(use)

    def absent(self, use: Use) -> None:
        key = _tuple([repr(label_of(use.node)), *(self.known(term) or "" for term in use.terms)])
        self.line(f"if {self.alive(use.node)}.get({key}, -1) >= t: continue")

    def head(self) -> None:
        head, terms = self.derivation.head, self.derivation.terms
        if self.start is None:
            for position, term in enumerate(terms, start=1):
                if not isinstance(term, Variable | Constant):
                    self.line(f"if key[{position}] != {self.expressions.value(term)}: continue")
        else:
            values = [self.expressions.value(term) for term in terms]
            if isinstance(head, Pending):
                self.line(f"if {values[-1]}.__class__ is not int or {values[-1]} < t0: continue")
            self.line(f"key = {'k' if self.is_same_key() else _tuple([repr(label_of(head)), *values])}")
        if self.blame:
            self.line("found.add(key)")
        elif self.is_told_once():
            self.line(f"found[key] = {self.horizon}")
        else:
            self.line(f"if found.get(key, -1) < {self.horizon}: found[key] = {self.horizon}")
            if self.start is None and self.depth == 3 and len(self.derivation.uses) == 1:
                self.line(f"if {self.horizon} == FOREVER: break")  # no witness can promise more

    def is_told_once(self) -> bool:
        """Whether the head names all that the body binds, so that no two ways through the loops lead to one key."""
        named = {term.name for term in self.derivation.terms if isinstance(term, Variable)}
        terms = [term for use in self.derivation.uses for term in use.terms]
        return all(term.name in named for term in terms if isinstance(term, Variable))

    def is_same_key(self) -> bool:
        """Whether the head's key is the very key from which the join began."""
        if self.start is None or self.start.position is None:
            return False
        use, derivation = self.start.use, self.derivation
        return use.terms == derivation.terms and label_of(use.node) == label_of(derivation.head)

    def alive(self, node: Node) -> str:
        return f"n{self.generator.numbers[node]}"


def _comment(text: str) -> str:
    """A user's text as a comment: whatever Python would stumble over (a NUL, half a surrogate) is left out."""
    return "".join(c if c.isprintable() else "?" for c in text)


def _tuple(items: list[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _index_name(number: int, positions: tuple[int, ...]) -> str:
    return f"n{number}_by_{'_'.join(map(str, positions))}"


def _index_functions(number: int, node: Node, several: tuple[tuple[int, ...], ...]) -> list[str]:
    """The functions that keep the indexes of a node."""
    put, drop = [f"def n{number}_index(keys):"], [f"def n{number}_unindex(keys):"]
    put.append("    for k in keys:")
    drop.append("    for k in keys:")
    for positions in several:
        name = _index_name(number, positions)
        value = f"k[{positions[0]}]" if len(positions) == 1 else _tuple([f"k[{p}]" for p in positions])
        put += [
            f"        x = {value}",
            f"        s = {name}.get(x)",
            f"        if s is None: {name}[x] = {{k}}",
            "        else: s.add(k)",
        ]
        drop += [
            f"        x = {value}",
            f"        s = {name}.get(x)",
            "        if s is not None:",
            "            s.discard(k)",
            f"            if not s: del {name}[x]",
        ]
    return ["", "", f"# indexes of: {node}", "", *put, "", *drop]
