"""What flows where: the kinds and the names of the columns of derived predicates, found before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from laser.errors import LaserError
from laser.rules.body import Comparison, ExtendedAtom
from laser.rules.rule import ResolvedProgram, Rule
from laser.spark.columns import ClashError, arithmetic, join, kind_of_value, meet
from laser.syntax import tree
from laser.values import Atom, Predicate

__all__ = ["Flow", "find_flow"]

Kinds = dict[Predicate, list[str | None]]
RESERVED = ("since", "until", "time", "holds")


@dataclass
class Flow:
    """The kinds of the arguments of every predicate, and the names of those that rules derive."""

    core: ResolvedProgram
    time_kind: str
    mixed: bool = False
    """Whether a column into which numbers and strings flow becomes text in the notation of programs."""
    kinds: Kinds = field(default_factory=dict)
    names: dict[Predicate, list[str]] = field(default_factory=dict)

    def of(self, predicate: Predicate) -> list[str]:
        """The kinds of a predicate's columns; where nothing ever flows, a string is as good as anything."""
        return [kind or "string" for kind in self.kinds.get(predicate, [None] * predicate.arity)]

    def give(self, predicate: Predicate, kinds: Sequence[str | None], source: str) -> bool:
        """Let kinds flow into a predicate; whether that told anything new."""
        known = self.kinds.setdefault(predicate, [None] * predicate.arity)
        merged = [self._join(*pair, f"argument {i} of {predicate} ({source})") for i, pair in _numbered(known, kinds)]
        self.kinds[predicate] = merged
        return merged != known

    def _join(self, a: str | None, b: str | None, place: str, both: bool = False) -> str | None:
        try:
            return (meet if both else join)(a, b)
        except ClashError as clash:
            if self.mixed:
                return "term"
            raise LaserError(
                f"{clash} meet in {place}: cast one of them, or allow columns of mixed terms (mixed=True)"
            ) from None

    def settle(self) -> None:
        """Follow the rules until nothing new flows."""
        while any(self.give(r.predicate, self._head(r), f"rule `{r.text}`") for r in self.core.rules):
            pass

    def _head(self, rule: Rule) -> list[str | None]:
        variables = self._variables(rule)
        return [self._term(term, variables) for term in rule.args]

    def _variables(self, rule: Rule) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        place = f"the rule `{rule.text}`"
        for term, kind in self._bindings(rule):
            if isinstance(term, tree.Variable):
                found[term.name] = self._join(found.get(term.name), kind, f"variable {term.name} of {place}", both=True)
            elif isinstance(term, tree.Constant):
                self._join(kind_of_value(term.value), kind, f"{term.value} of {place}", both=True)
        for _ in rule.body:  # an assignment may use what a later one assigns
            for test in rule.body:
                if isinstance(test, Comparison) and test.operator == "=":
                    self._assign(test.left, test.right, found)
                    self._assign(test.right, test.left, found)
        return found

    def _bindings(self, rule: Rule) -> Iterator[tuple[tree.Term, str | None]]:
        """Terms of positive atoms with the kinds of their columns."""
        for atom in rule.body:
            if isinstance(atom, ExtendedAtom) and not atom.negated:
                if atom.time is not None:
                    yield atom.time, self.time_kind if isinstance(atom.time, tree.Variable) else None
                if not atom.negated_inside:
                    yield from zip(atom.args, self.kinds.get(atom.predicate, [None] * len(atom.args)), strict=True)

    def _assign(self, target: tree.Term, source: tree.Term, found: dict[str, str | None]) -> None:
        if isinstance(target, tree.Variable) and found.get(target.name) is None:
            found[target.name] = self._term(source, found)

    def _term(self, term: tree.Term, found: Mapping[str, str | None]) -> str | None:
        match term:
            case tree.Variable(name=name):
                return found.get(name)
            case tree.Constant(value=value):
                return kind_of_value(value)
            case tree.Arithmetic(operator=operator, operands=operands):
                kinds = [self._term(operand, found) for operand in operands]
                return arithmetic(operator, [kind for kind in kinds if kind])
            case _:
                return None


def find_flow(
    core: ResolvedProgram,
    inputs: Mapping[Predicate, tuple[Sequence[str], Sequence[str]]],
    background: Iterable[Atom] = (),
    time_kind: str = "bigint",
    mixed: bool = False,
) -> Flow:
    """The columns of every predicate; ``inputs`` has the kinds and the names of those of the input."""
    flow = Flow(core, time_kind, mixed)
    for predicate, (kinds, _) in inputs.items():
        flow.give(predicate, kinds, "input")
    for atom in (*core.background, *background):
        flow.give(atom.signature, [kind_of_value(value) for value in atom.args], "background data")
    flow.settle()
    flow.names = _names(core, {predicate: names for predicate, (_, names) in inputs.items()})
    return flow


def _names(core: ResolvedProgram, given: Mapping[Predicate, Sequence[str]]) -> dict[Predicate, list[str]]:
    """A derived column is called as the one that flows into it, or as the variable in the head of its first rule."""
    sources = {predicate: [{name} for name in names] for predicate, names in given.items()}
    while any(_spread(rule, sources) for rule in core.rules):
        pass
    first = {rule.predicate: rule for rule in reversed(core.rules)}
    return {predicate: _distinct(rule, sources[predicate]) for predicate, rule in first.items()}


def _spread(rule: Rule, sources: dict[Predicate, list[set[str]]]) -> bool:
    flowing: dict[tree.Term, set[str]] = {}
    for atom in rule.body:
        if isinstance(atom, ExtendedAtom) and atom.is_positive:
            for term, names in zip(atom.args, sources.get(atom.predicate, []), strict=False):
                flowing.setdefault(term, set()).update(names)
    known = sources.setdefault(rule.predicate, [set() for _ in rule.args])
    before = sum(map(len, known))
    for column, term in zip(known, rule.args, strict=True):
        if isinstance(term, tree.Variable):
            column |= flowing.get(term, set())
    return sum(map(len, known)) > before


def _distinct(rule: Rule, sources: list[set[str]]) -> list[str]:
    names: list[str] = []
    flowing = [next(iter(names)) if len(names) == 1 else None for names in sources]
    for i, term in enumerate(rule.args):
        variable = term.name if isinstance(term, tree.Variable) and not term.name.startswith("_") else None
        once = flowing[i] if flowing.count(flowing[i]) == 1 else None
        name = once or (variable.lower() if variable else f"arg{i + 1}")
        while name in names or name in RESERVED:
            name += "_"
        names.append(name)
    return names


def _numbered(a: Sequence[str | None], b: Sequence[str | None]) -> Iterator[tuple[int, tuple[str | None, str | None]]]:
    return enumerate(zip(a, b, strict=True), 1)
