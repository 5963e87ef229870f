"""The plan as Python source, specialised for the program, and that source as objects.

For each rule of the plan there is a function for every way in which it can be reached:

* ``d3_from_0(delta, t, t0)``: heads that new keys of the body's first node give, with their horizons;
* ``d3_without_0(delta, t, t0)``: the same, from keys of the first negated node that ceased;
* ``d3_check(keys, t, t0)``: which of these heads can be derived at t, and for how long;
* ``d3_blame_0(delta)``, ``d3_blame_not_0(delta)``: heads that may rest on keys that were revoked (or, negated, began).

Each node has its dict of keys and horizons (``n4``) and the indexes that the joins ask for (``n4_by_1``). Generated code
holds these dicts for good: they are filled and emptied, never replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

from laser.answers import Key
from laser.engine.codegen.function import FunctionWriter, Start, tuple_code
from laser.engine.codegen.names import FunctionId, Way, discard_name, function_name, index_name, keys_name, put_name
from laser.plan.nodes import Counted, Node
from laser.plan.plan import Plan, PlanRule
from laser.plan.properties import revocable_nodes

__all__ = ["Blame", "Join", "Loaded", "Module", "NodeIndex", "Positions", "RuleFunctions", "compile_plan"]

Join: TypeAlias = Callable[[Collection[Key], int, int], dict[Key, int]]
Blame: TypeAlias = Callable[[Collection[Key], int, int], set[Key]]
Positions: TypeAlias = tuple[int, ...]

LINES_A_PIECE = 1000
"""Lines of source that are compiled at once, or a rule more."""

LONGEST_COMMENT = 1000
"""Characters of a rule above its functions: a long rule becomes many rules of the plan."""


class RuleFunctions(NamedTuple):
    """The functions of one rule, one for each subgoal; None where nothing can be revoked."""

    derive: tuple[Join, ...]
    without: tuple[Join, ...]
    blame: tuple[Blame | None, ...]
    blame_not: tuple[Blame, ...]
    check: Join


class NodeIndex(NamedTuple):
    """The indexes of one node, and the functions that keep them."""

    tables: Mapping[Positions, dict[Any, Collection[Key]]]
    add: Callable[[Iterable[Key]], None]
    discard: Callable[[Iterable[Key]], None]


class Loaded(NamedTuple):
    """The generated functions of one machine: of each rule by its number, of each count within a recursion, of each index."""

    rules: tuple[RuleFunctions, ...]
    counts: Mapping[Node, RuleFunctions]
    indexes: Mapping[Node, NodeIndex]


@dataclass
class Module:
    """The source of a plan: a number for each node, and under which name each function stands."""

    plan: Plan
    pieces: tuple[str, ...]
    numbers: Mapping[Node, int]
    revocable: frozenset[Node]
    functions: Mapping[FunctionId, str]
    indexes: Mapping[Node, tuple[Positions, ...]]

    @property
    def source(self) -> str:
        return "".join(self.pieces)

    @cached_property
    def code(self) -> tuple[CodeType, ...]:
        """The source compiled; machines over one plan share it.

        It is compiled in pieces: the compiler needs a hundred times the memory of what it reads, until it is done.
        """
        return tuple(compile(piece, "<laser program>", "exec") for piece in self.pieces)

    def load(self, alive: Sequence[dict[Key, int]], helpers: Mapping[str, Any]) -> Loaded:
        """The functions over the keys of one machine. A function that is not there is a KeyError, here and now."""
        namespace: dict[str, Any] = dict(helpers)
        tables: dict[Node, dict[Positions, dict[Any, Collection[Key]]]] = {}
        for node, number in self.numbers.items():
            namespace[keys_name(number)] = alive[number]
            for positions in self.indexes.get(node, ()):
                table = namespace[index_name(number, positions)] = {}
                tables.setdefault(node, {})[positions] = table
        for piece in self.code:
            exec(piece, namespace)
        functions = {function: namespace[name] for function, name in self.functions.items()}
        return Loaded(
            tuple(self.rule_functions(functions, number, rule) for number, rule in enumerate(self.plan.rules)),
            {node: _count_functions(functions, _owner(self.numbers[node])) for node in self.recursive_counts()},
            {
                node: NodeIndex(
                    own, namespace[put_name(self.numbers[node])], namespace[discard_name(self.numbers[node])]
                )
                for node, own in tables.items()
            },
        )

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
        """The counts that are settled by generated code, because they lie within a recursion."""
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
    indexes: dict[Node, dict[Positions, None]] = field(default_factory=dict)

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
        for counted in _recursive_counts(self.plan):
            self.counted(counted)
        for node, positions in self.indexes.items():
            self.lines += _index_functions(self.numbers[node], node, tuple(positions))
            self.cut()
        self.cut(least=0)
        indexes = {node: tuple(positions) for node, positions in self.indexes.items()}
        return Module(self.plan, tuple(self.pieces), self.numbers, self.revocable, self.functions, indexes)

    def cut(self, least: int = LINES_A_PIECE) -> None:
        """End a piece of the source that is long enough."""
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
        name = self.name(FunctionId(f"d{number}", way, subgoal))
        self.lines += FunctionWriter(self, number, rule, start, blame).write(name)

    def name(self, function: FunctionId) -> str:
        """The name of a function, which is recorded under what it is for."""
        self.functions[function] = function_name(function)
        return self.functions[function]

    def counted(self, node: Counted) -> None:
        """A count of time points within a recursion: each key is counted anew when one of its time points is found."""
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
        """The name of the index of a node by some positions of its keys."""
        self.indexes.setdefault(node, {})[positions] = None
        return index_name(self.numbers[node], positions)


def _comment(text: str) -> str:
    """A user's text as a comment: whatever Python would stumble over (a NUL, half a surrogate) is left out."""
    text = text if len(text) <= LONGEST_COMMENT else f"{text[:LONGEST_COMMENT]} …"
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def _index_functions(number: int, node: Node, several: tuple[Positions, ...]) -> list[str]:
    """The functions that keep the indexes of a node. Most values have one key: a tuple of it takes a quarter of a set."""
    put, drop = [f"def {put_name(number)}(keys):"], [f"def {discard_name(number)}(keys):"]
    put.append("    for k in keys:")
    drop.append("    for k in keys:")
    for positions in several:
        name = index_name(number, positions)
        value = f"k[{positions[0]}]" if len(positions) == 1 else tuple_code([f"k[{p}]" for p in positions])
        put += [
            f"        x = {value}",
            f"        s = {name}.get(x)",
            f"        if s is None: {name}[x] = (k,)",
            f"        elif s.__class__ is tuple: {name}[x] = {{k, *s}}",
            "        else: s.add(k)",
        ]
        drop += [
            f"        x = {value}",
            f"        s = {name}.get(x)",
            "        if s.__class__ is set:",
            "            s.discard(k)",
            f"            if not s: del {name}[x]",
            f"        elif s is not None and s[0] == k: del {name}[x]",
        ]
    return ["", "", f"# indexes of: {_comment(str(node))}", "", *put, "", *drop]
