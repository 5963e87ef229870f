"""The plan as Python source, specialised for the program, and the compiled functions.

Each rule of the plan has one function for every way in which a change can reach it:

* ``d3_from_0(delta, t, t0)``: the heads that follow from new keys of the body's first node, with their horizons;
* ``d3_without_0(delta, t, t0)``: the same, from keys of the first negated node that ended;
* ``d3_check(keys, t, t0)``: which of these heads can be derived at t, and for how long;
* ``d3_blame_0(delta)``, ``d3_blame_not_0(delta)``: heads that may depend on keys that were revoked (or, if negated, began).

Each node has a dict of its keys and their horizons (``n4``), and the indexes that the joins need (``n4_by_1``). Generated code
keeps references to these dicts: they are filled and emptied, but never replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

from laser.answers import Key
from laser.engine.codegen.function import FunctionWriter, Start, tuple_code
from laser.engine.codegen.names import (
    FunctionId,
    IndexUse,
    Way,
    discard_name,
    function_name,
    index_name,
    keys_name,
    put_name,
)
from laser.plan.nodes import Counted, Node
from laser.plan.plan import Plan, PlanRule
from laser.plan.properties import revocable_nodes

__all__ = ["Blame", "Join", "Loaded", "Module", "NodeIndex", "Positions", "RuleFunctions", "compile_plan"]

Join: TypeAlias = Callable[[Collection[Key], int, int], dict[Key, int]]
Blame: TypeAlias = Callable[[Collection[Key], int, int], set[Key]]
Positions: TypeAlias = tuple[int, ...]

LINES_A_PIECE = 1000
"""Lines of source that are compiled at a time. The last rule of a piece may exceed it."""

FEW_KEYS = 8
"""Up to this many keys with the same value are stored in a tuple, more in a set."""

LONGEST_COMMENT = 1000
"""The longest comment above the functions of a rule, in characters: a long rule becomes many rules of the plan."""


class RuleFunctions(NamedTuple):
    """The functions of one rule, one for each subgoal; None if nothing can be revoked."""

    derive: tuple[Join, ...]
    without: tuple[Join, ...]
    blame: tuple[Blame | None, ...]
    blame_not: tuple[Blame, ...]
    check: Join


class NodeIndex(NamedTuple):
    """The indexes of one node, and the functions that maintain them."""

    tables: Mapping[Positions, dict[Any, Collection[Key]]]
    add: Callable[[Collection[Key]], None]
    discard: Callable[[Collection[Key]], None]

    def joined(self, other: NodeIndex) -> NodeIndex:
        """These indexes and others, maintained together."""

        def add(keys: Collection[Key]) -> None:
            self.add(keys)
            other.add(keys)

        def discard(keys: Collection[Key]) -> None:
            self.discard(keys)
            other.discard(keys)

        return NodeIndex({**self.tables, **other.tables}, add, discard)


class Loaded(NamedTuple):
    """The generated functions of one machine, for each rule (by its number), each count within a recursion, and each index.

    Indexes that only checks use are separate, because many runs never check a head.
    """

    rules: tuple[RuleFunctions, ...]
    counts: Mapping[Node, RuleFunctions]
    indexes: Mapping[Node, NodeIndex]
    check_indexes: Mapping[Node, NodeIndex]


@dataclass
class Module:
    """The source of a plan, with a number for each node and the name of each function."""

    plan: Plan
    pieces: tuple[str, ...]
    numbers: Mapping[Node, int]
    revocable: frozenset[Node]
    functions: Mapping[FunctionId, str]
    indexes: Mapping[Node, Mapping[Positions, IndexUse]]

    @property
    def source(self) -> str:
        return "".join(self.pieces)

    @cached_property
    def code(self) -> tuple[CodeType, ...]:
        """The compiled source, which machines over the same plan share.

        It is compiled in pieces, because the compiler temporarily needs a hundred times the memory of its input.
        """
        return tuple(compile(piece, "<laser program>", "exec") for piece in self.pieces)

    def load(self, alive: Sequence[dict[Key, int]], helpers: Mapping[str, Any]) -> Loaded:
        """The functions, bound to the keys of one machine. A missing function is a KeyError here, not later."""
        namespace: dict[str, Any] = dict(helpers)
        for node, number in self.numbers.items():
            namespace[keys_name(number)] = alive[number]
            for positions in self.indexes.get(node, ()):
                namespace[index_name(number, positions)] = {}
        for piece in self.code:
            exec(piece, namespace)
        functions = {function: namespace[name] for function, name in self.functions.items()}
        return Loaded(
            tuple(self.rule_functions(functions, number, rule) for number, rule in enumerate(self.plan.rules)),
            {node: _count_functions(functions, _owner(self.numbers[node])) for node in self.recursive_counts()},
            self.loaded_indexes(namespace, IndexUse.JOINS),
            self.loaded_indexes(namespace, IndexUse.CHECKS),
        )

    def loaded_indexes(self, namespace: Mapping[str, Any], use: IndexUse) -> dict[Node, NodeIndex]:
        """The indexes for one use, by node."""
        found: dict[Node, NodeIndex] = {}
        for node, uses in self.indexes.items():
            number = self.numbers[node]
            tables = {p: namespace[index_name(number, p)] for p, own in uses.items() if own is use}
            if tables:
                found[node] = NodeIndex(tables, namespace[put_name(number, use)], namespace[discard_name(number, use)])
        return found

    def rule_functions(self, functions: Mapping[FunctionId, Any], number: int, rule: PlanRule) -> RuleFunctions:
        owner, positives, negatives = f"d{number}", range(len(rule.positives)), range(len(rule.negatives))
        revocable = [subgoal.node in self.revocable for subgoal in rule.positives]
        return RuleFunctions(
            derive=tuple(functions[FunctionId(owner, Way.DERIVE, i)] for i in positives),
            without=tuple(functions[FunctionId(owner, Way.WITHOUT, i)] for i in negatives),
            blame=tuple(functions[FunctionId(owner, Way.BLAME, i)] if revocable[i] else None for i in positives),
            blame_not=tuple(functions[FunctionId(owner, Way.BLAME_NOT, i)] for i in negatives),
            check=functions[FunctionId(owner, Way.CHECK)],
        )

    def recursive_counts(self) -> Iterable[Counted]:
        """The counts that generated code settles, because they are within a recursion."""
        return _recursive_counts(self.plan)


def _recursive_counts(plan: Plan) -> list[Counted]:
    recursive = [component for component in plan.components if component.recursive]
    return [node for component in recursive for node in component.nodes if isinstance(node, Counted)]


def _count_functions(functions: Mapping[FunctionId, Any], owner: str) -> RuleFunctions:
    derive, blame, check = (functions[FunctionId(owner, way)] for way in (Way.DERIVE, Way.BLAME, Way.CHECK))
    return RuleFunctions((derive,), (), (blame,), (), check)


def _owner(node: int) -> str:
    return keys_name(node)


def compile_plan(plan: Plan) -> Module:
    """The source for all rules of a plan."""
    return _Generator(plan).run()


@dataclass
class _Generator:
    plan: Plan
    lines: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    functions: dict[FunctionId, str] = field(default_factory=dict)
    indexes: dict[Node, dict[Positions, IndexUse]] = field(default_factory=dict)
    use: IndexUse = IndexUse.JOINS

    def __post_init__(self) -> None:
        nodes = [node for component in self.plan.components for node in component.nodes]
        self.numbers = {node: number for number, node in enumerate(nodes)}
        self.revocable = revocable_nodes(self.plan)

    def run(self) -> Module:
        self.lines += [f"# {keys_name(number)}: {_comment(str(node))}" for node, number in self.numbers.items()]
        for number, rule in enumerate(self.plan.rules):
            self.lines += ["", "", f"# {_comment(rule.text)}"]
            self.rule(number, rule)
            self.cut()
        self.use = IndexUse.JOINS
        for counted in _recursive_counts(self.plan):
            self.counted(counted)
        for node, uses in self.indexes.items():
            for use in IndexUse:
                positions = [p for p, own in uses.items() if own is use]
                if positions:
                    self.lines += _index_functions(self.numbers[node], node, use, positions)
            self.cut()
        self.cut(least=0)
        return Module(self.plan, tuple(self.pieces), self.numbers, self.revocable, self.functions, self.indexes)

    def cut(self, least: int = LINES_A_PIECE) -> None:
        """End the current piece of the source if it is long enough."""
        if len(self.lines) >= least:
            self.pieces.append("\n".join([*self.lines, ""]))
            self.lines.clear()

    def rule(self, number: int, rule: PlanRule) -> None:
        for i, subgoal in enumerate(rule.positives):
            self.write(number, rule, Way.DERIVE, Start(subgoal, i), i)
            if subgoal.node in self.revocable:
                self.write(number, rule, Way.BLAME, Start(subgoal, i), i)
        for i, subgoal in enumerate(rule.negatives):
            self.write(number, rule, Way.WITHOUT, Start(subgoal, None), i)
            self.write(number, rule, Way.BLAME_NOT, Start(subgoal, None), i)
        self.write(number, rule, Way.CHECK, None, None)

    def write(self, number: int, rule: PlanRule, way: Way, start: Start | None, subgoal: int | None) -> None:
        blame = way in (Way.BLAME, Way.BLAME_NOT)
        self.use = IndexUse.CHECKS if way is Way.CHECK else IndexUse.JOINS
        name = self.name(FunctionId(f"d{number}", way, subgoal))
        self.lines += FunctionWriter(self, number, rule, start, blame).write(name)

    def name(self, function: FunctionId) -> str:
        """The name of a function, which is recorded with its purpose."""
        self.functions[function] = function_name(function)
        return self.functions[function]

    def counted(self, node: Counted) -> None:
        """A count of time points within a recursion: a key is counted again when one of its time points is found."""
        owner, dated = _owner(self.numbers[node]), keys_name(self.numbers[node.dated])
        positions = tuple(range(1, node.width + 1))
        points = dated
        if positions:
            value = "key[1]" if len(positions) == 1 else tuple_code([f"key[{p}]" for p in positions])
            points = f"{self.index(node.dated, positions)}.get({value}, ())"
        count = f"sum(1 for k in {points} if {dated}[k] >= t)"
        begin = ["    heads = {}", f"    needed = {node.needed_code()}"]
        body = [f"        if {count} {node.test} needed: heads[key] = t", "    return heads"]
        derive, check, blame = (self.name(FunctionId(owner, way)) for way in (Way.DERIVE, Way.CHECK, Way.BLAME))
        self.lines += ["", "", f"# {_comment(str(node))}", "", f"def {derive}(delta, t, t0):", *begin]
        self.lines += ["    for key in {k[:-1] for k in delta}:", *body]
        self.lines += ["", f"def {check}(keys, t, t0):", *begin, "    for key in keys:", *body]
        self.lines += ["", f"def {blame}(delta, t, t0):", "    return {k[:-1] for k in delta}"]

    def number(self, node: Node) -> int:
        return self.numbers[node]

    def index(self, node: Node, positions: Positions) -> str:
        """The name of the index of a node by the values at some positions of its keys."""
        uses = self.indexes.setdefault(node, {})
        if uses.get(positions) is not IndexUse.JOINS:
            uses[positions] = self.use
        return index_name(self.numbers[node], positions)


def _comment(text: str) -> str:
    """A user's text as a comment, without characters that Python does not accept (NUL, half a surrogate pair)."""
    text = text if len(text) <= LONGEST_COMMENT else f"{text[:LONGEST_COMMENT]} …"
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def _index_functions(number: int, node: Node, use: IndexUse, several: Iterable[Positions]) -> list[str]:
    """The functions that maintain the indexes of a node. Most values have few keys, and a tuple takes a quarter of the memory of a set."""
    put, drop = [f"def {put_name(number, use)}(keys):"], [f"def {discard_name(number, use)}(keys):"]
    put.append("    for k in keys:")
    drop.append("    for k in keys:")
    for positions in several:
        name = index_name(number, positions)
        value = f"k[{positions[0]}]" if len(positions) == 1 else tuple_code([f"k[{p}]" for p in positions])
        put += [
            f"        x = {value}",
            f"        s = {name}.get(x)",
            f"        if s is None: {name}[x] = (k,)",
            "        elif s.__class__ is set: s.add(k)",
            f"        elif len(s) < {FEW_KEYS}: {name}[x] = s + (k,)",
            f"        else: {name}[x] = {{k, *s}}",
        ]
        drop += [
            f"        x = {value}",
            f"        s = {name}.get(x)",
            "        if s.__class__ is set:",
            "            s.discard(k)",
            f"            if not s: del {name}[x]",
            f"        elif len(s) == 1: del {name}[x]",
            "        else:",
            "            i = s.index(k)",
            f"            {name}[x] = s[:i] + s[i + 1:]",
        ]
    return ["", "", f"# indexes for {use.value} of: {_comment(str(node))}", "", *put, "", *drop]
