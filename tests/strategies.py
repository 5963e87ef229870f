"""Random programs and streams that reach every construct of the language: the one source for all laws.

The generator asks for decisions through :class:`Choices`, so that the same code serves hypothesis (which shrinks) and a
seeded ``random.Random`` (which is fast). Programs are safe and stratified by construction: predicates have levels, a rule
negates only lower levels, and its head and its negations use only what its positive atoms bind.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

from laser.rules.scopes import bound_variables
from laser.syntax import tree
from laser.syntax.program import Program
from laser.syntax.terms import variables
from laser.values import Atom, Iri, Predicate, Value
from laser.values.fold import Fold
from laser.values.functions import FUNCTIONS
from laser.values.texts import TESTS, negated
from laser.windows import Ago, Between, Growing, Hopping, LastFacts, LastOf, Sliding, Tumbling

T = TypeVar("T")
Stream = list[tuple[int, list[Atom]]]

NUMBERS: tuple[Value, ...] = (0, 1, 2, 3)
VALUES: tuple[Value, ...] = (0, 1, 2, 3, 5, "x", "y")
ODD_VALUES: tuple[Value, ...] = (-1, 1.5, "two words", "not", Iri("http://example.org/i"))
VARIABLES = ("X", "Y", "Z")
ASSIGNED = ("V", "W")
TIMES = ("T", "U")
RESULTS = ("N", "K")
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
ANONYMOUS = tree.Variable("_")
CONST = "n"


class Choices(Protocol):
    """Where decisions come from."""

    def integer(self, low: int, high: int) -> int: ...

    def pick(self, options: Sequence[T]) -> T: ...

    def chance(self, percent: int) -> bool: ...


class Seeded:
    """Decisions by a seeded generator."""

    def __init__(self, seed: Any) -> None:
        self.random = random.Random(repr(seed))

    def integer(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.random.random() * len(options))]

    def chance(self, percent: int) -> bool:
        return self.random.random() * 100 < percent


class Drawn:
    """Decisions by hypothesis; it shrinks towards low numbers, first options and no."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self.draw = draw

    def integer(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def pick(self, options: Sequence[T]) -> T:
        return options[self.integer(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        return self.integer(0, 99) >= 100 - percent


@dataclass(frozen=True)
class Trial:
    """A program with a stream and its timeline."""

    program: Program
    stream: Stream
    start: int | None = None
    until: int | None = None


@dataclass(frozen=True)
class Vocabulary:
    """The predicates of one program, by what they are for, and the values of its data."""

    streamed: tuple[Predicate, ...]
    static: tuple[Predicate, ...]
    levels: tuple[tuple[Predicate, ...], ...]
    mixed: tuple[Predicate, ...]
    values: tuple[Value, ...]

    @property
    def derived(self) -> tuple[Predicate, ...]:
        return tuple(p for level in self.levels for p in level)

    def below(self, level: int) -> tuple[Predicate, ...]:
        """What is complete before a level: input and lower levels."""
        return self.streamed + self.static + tuple(p for some in self.levels[:level] for p in some)


@dataclass
class Body:
    """A body in the making, with what it binds."""

    elements: list[tree.BodyElement] = field(default_factory=list)
    bound: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    grown: set[str] = field(default_factory=set)
    """Variables whose values arithmetic may have made: a recursive head with them could grow for ever."""
    recursive: bool = False
    grounded: bool = False
    """Whether it shall not be recursive, so that recursion has something to begin with."""

    def bind(self, name: str) -> None:
        if name != "_" and name not in self.bound:
            self.bound.append(name)


class Generator:
    """Makes one program and one stream for it."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.const = choices.chance(12)
        self.is_long = choices.chance(8)
        """Whether windows, streams and gaps are long, where most trials are short so that many can be tried."""
        self.stepping = True
        self.aggregates = True
        self.functions = True
        self.words = self.vocabulary()
        self.recorded: tuple[Predicate, ...] = ()
        self.remembering: tuple[Predicate, ...] = ()
        """The recorded predicates that are derived for the present alone: any rule may look at their past."""

    def choose_records(self) -> None:
        c = self.choices
        if not self.is_long and c.chance(25):  # the definition takes minutes for a long timeline with records
            self.recorded = tuple(p for p in self.words.derived if c.chance(60))
            self.remembering = tuple(p for p in self.recorded if c.chance(75))

    # -- words

    def vocabulary(self) -> Vocabulary:
        c = self.choices
        arity = lambda: c.pick((1, 1, 1, 0, 2))  # noqa: E731
        streamed = tuple(Predicate(name, arity()) for name in "abc"[: c.integer(1, 3)])
        static = (Predicate("g", c.integer(1, 2)),) if c.chance(35) else ()
        names = iter("pqrstu")
        levels = tuple(
            tuple(Predicate(next(names), arity()) for _ in range(1 + c.chance(30))) for _ in range(c.integer(1, 3))
        )
        derived = tuple(p for level in levels for p in level)
        mixed = tuple(p for p in derived if c.chance(20))
        values = tuple(c.pick(VALUES) for _ in range(c.pick((2, 2, 2, 3, 3))))
        odd = (c.pick(ODD_VALUES),) if c.chance(20) else ()
        return Vocabulary(streamed, static, levels, mixed, values + odd)

    def value(self) -> Value:
        return self.choices.pick(self.words.values)

    # -- programs

    def program(self) -> Program:
        c = self.choices
        statements: list[tree.Statement] = [tree.ConstDirective(CONST, tree.Constant(2))] if self.const else []
        if c.chance(8):
            shown = tuple(p for p in self.words.derived if c.chance(60)) or self.words.derived[-1:]
            statements.append(tree.ShowDirective(shown))
        if c.chance(8):
            statements.append(tree.WarmupDirective(tree.Size(tree.Constant(c.integer(0, 5)))))
        if self.recorded:
            statements.append(tree.RecordDirective(self.recorded))
        for predicate in self.words.static:
            statements += [self.fact(predicate) for _ in range(c.integer(1, 3))]
        for level, predicates in enumerate(self.words.levels):
            for predicate in predicates:
                rules = [self.rule(predicate, level, first=i == 0) for i in range(c.pick((1, 1, 2, 2, 3)))]
                statements += [self.alternatives(rule, level) if rule.body and c.chance(12) else rule for rule in rules]
                statements += [self.fact(predicate)] if c.chance(12) else []
        return program_of(statements)

    def fact(self, predicate: Predicate) -> tree.Fact:
        return tree.Fact(tree.AtomPattern(predicate.name, tuple(self.fact_term() for _ in range(predicate.arity))))

    def fact_term(self) -> tree.Term:
        if self.choices.chance(8):
            low = self.choices.integer(0, 2)
            return tree.Range(tree.Constant(low), tree.Constant(low + self.choices.integer(0, 2)))
        return tree.Constant(self.value())

    def rule(self, head: Predicate, level: int, first: bool) -> tree.Rule:
        c = self.choices
        if head.arity == 1 and not first and c.chance(8):
            return self.counting_rule(head)
        body = Body(grounded=first and c.chance(80))
        for _ in range(c.pick((1, 1, 1, 2, 2, 2, 2, 3, 3, 0))):
            self.positive(body, level)
        extras = [self.negative, self.negative, self.absent, self.comparison, self.assignment]
        for _ in range(c.pick((0, 0, 1, 1, 2)) if body.elements else 1):
            c.pick(extras if body.bound else extras[:3])(body, level)
        if self.aggregates and c.chance(10 if first else 25):
            for _ in range(c.pick((1, 1, 2))):
                self.aggregate(body, level)
            if body.bound and c.chance(30):
                c.pick(extras)(body, level)
        elements = self.shuffled(body.elements) if c.chance(25) else body.elements
        args = tuple(self.head_term(body) for _ in range(head.arity))
        time = None if head in self.remembering else self.head_time(body)
        return tree.Rule(tree.AtomPattern(head.name, args), time, tuple(elements))

    def alternatives(self, rule: tree.Rule, level: int) -> tree.Rule | tree.Alternatives:
        """A rule with a second body, if one is found that binds what the head asks for."""
        times = () if rule.time is None else (rule.time,)
        asked = {variable.name for variable in variables((*rule.head.args, *times))}
        for _ in range(4):
            other = self.rule(rule.head.predicate, level, first=True)
            own = any(literal.atom.predicate in self.words.levels[level] for literal in other.all_literals)
            if other.body and not own and not other.aggregates and asked <= bound_variables(other):
                return tree.Alternatives(rule.head, rule.time, (rule.body, other.body))
        return rule

    def counting_rule(self, head: Predicate) -> tree.Rule:
        """Recursion through arithmetic that a comparison stops."""
        x, v = tree.Variable("X"), tree.Variable("V")
        self_atom = self.modal(tree.AtomPattern(head.name, (x,)), Body(), False)
        guard = tree.Comparison("<", x, tree.Constant(self.choices.integer(1, 4)))
        step = tree.Comparison("=", v, tree.Arithmetic("+", (x, tree.Constant(1))))
        return tree.Rule(tree.AtomPattern(head.name, (v,)), None, (self_atom, guard, step))

    def shuffled(self, elements: Sequence[T]) -> list[T]:
        rest = list(elements)
        return [rest.pop(self.choices.integer(0, len(rest) - 1)) for _ in elements]

    # -- heads

    def head_term(self, body: Body) -> tree.Term:
        c = self.choices
        names = [name for name in body.bound if not (body.recursive and name in body.grown)]
        if not names or c.chance(12):
            return tree.Constant(self.value())
        variable = tree.Variable(c.pick(names))
        return self.arithmetic(variable) if not body.recursive and c.chance(10) else variable

    def head_time(self, body: Body) -> tree.Term | None:
        c = self.choices
        if body.times and c.chance(70):
            time = tree.Variable(c.pick(body.times))
            shift = c.pick((0, 0, 0, 1, -1, 2, -2))
            operator = "+" if shift > 0 else "-"
            return tree.Arithmetic(operator, (time, tree.Constant(abs(shift)))) if shift else time
        if c.chance(10):
            return tree.Variable(c.pick(body.bound)) if body.bound and c.chance(60) else self.time_constant()
        return None

    def time_constant(self) -> tree.Term:
        return tree.Constant(self.choices.integer(0, 8))

    def arithmetic(self, variable: tree.Term) -> tree.Term:
        c = self.choices
        if self.functions and c.chance(35):
            return self.function(variable)
        operator = c.pick(("+", "-", "*", "/", "div", "mod", "min", "max", "abs", "-1"))
        if operator in ("abs", "-1"):
            return tree.Arithmetic(operator[:3].removesuffix("1"), (variable,))
        other: tree.Term = tree.Constant(c.pick((1, 1, 2, 3, 0.5)))
        if self.const and c.chance(30):
            other = tree.ConstantName(CONST)
        pair = (variable, other) if c.chance(80) else (other, variable)
        return tree.Arithmetic(operator, pair)

    def function(self, variable: tree.Term) -> tree.Term:
        """A function of a term, and perhaps of another value."""
        c = self.choices
        name = c.pick(sorted(FUNCTIONS))
        function = FUNCTIONS[name]
        count = c.integer(function.least, min(function.most or 3, 3))
        args = [variable, *(tree.Constant(c.pick((1, 2, 0, -1, 0.5, *self.words.values))) for _ in range(count - 1))]
        return tree.Arithmetic(name, tuple(self.shuffled(args) if c.chance(20) else args))

    def test(self, body: Body) -> tree.Comparison:
        """A test of texts, or its opposite."""
        c = self.choices
        name = c.pick(sorted(TESTS))
        left: tree.Term = tree.Variable(c.pick(body.bound))
        if c.chance(30):
            left = tree.Arithmetic("concat", (left, tree.Constant(c.pick(("x", "wo", 1)))))
        right: tree.Term = tree.Constant(c.pick(("x", "w", "", "[xy]$", "^t", "1")))
        if c.chance(25):
            right = tree.Variable(c.pick(body.bound))
        return tree.Comparison(negated(name) if c.chance(40) else name, left, right)

    # -- bodies

    def positive(self, body: Body, level: int) -> None:
        c, words = self.choices, self.words
        inputs, own = words.streamed + words.static, words.levels[level]
        lower = words.below(level)[len(inputs) :]
        pools = [inputs, inputs, lower or inputs, inputs if body.grounded else own]
        back = self.looks_back()
        predicate = back or c.pick(c.pick(pools))
        body.recursive |= predicate in own and back is None
        args: list[tree.Term] = []
        for _ in range(predicate.arity):
            args.append(self.argument(body))
            if isinstance(args[-1], tree.Variable):
                body.bind(args[-1].name)
        pattern = tree.AtomPattern(predicate.name, tuple(reversed(args) if c.chance(50) else args))
        if back is not None:
            body.elements.append(self.past(pattern, lambda: self.time(body)))
        else:
            body.elements.append(self.modal(pattern, body, predicate not in words.derived))

    def looks_back(self) -> Predicate | None:
        """A recorded predicate to look back at, now and then: its level does not matter."""
        return self.choices.pick(self.remembering) if self.remembering and self.choices.chance(30) else None

    def past(self, pattern: tree.AtomPattern, time: Callable[[], tree.Term], negated: bool = False) -> tree.Literal:
        """An atom in a window that excludes the present."""
        c = self.choices
        kind = c.pick((Ago, Ago, Between, Tumbling))
        sizes = sorted(c.integer(1, 8 if self.is_long else 3) for _ in kind.SIZES)
        window = tree.Window(kind, tuple(tree.Size(tree.Constant(size)) for size in sizes))
        modality: Any = c.pick(("sometime", "sometime", "always", "at", self.times(least=True)))
        if modality == "at":
            modality = tree.At(time())
        return tree.Literal(pattern, modality, window, negated, False)

    def argument(self, body: Body) -> tree.Term:
        c = self.choices
        match c.integer(0, 19):
            case 0 | 1:
                return tree.Constant(self.value())
            case 2 | 3 | 4:
                return ANONYMOUS
            case 5 if body.bound:
                return self.arithmetic(tree.Variable(c.pick(body.bound)))
            case 6 if body.times:
                return tree.Variable(c.pick(body.times))
            case _:
                return tree.Variable(c.pick(VARIABLES))

    def modal(self, pattern: tree.AtomPattern, body: Body, tuples: bool) -> tree.Literal:
        """A positive extended atom; it may bind a time."""
        kind = self.choices.pick(("now", "now", "sometime", "sometime", "always", "at", "at", "at", "anytime"))
        if kind == "now":
            return tree.Literal(pattern)
        if kind == "anytime":
            return tree.Literal(pattern, tree.At(self.time(body)))
        window = self.window(tuples, pattern)
        if kind == "at":
            return tree.Literal(pattern, tree.At(self.time(body)), window)
        if self.stepping and self.choices.chance(25):
            return self.counted(pattern, window)
        return tree.Literal(pattern, kind, window)  # type: ignore[arg-type]

    def counted(self, pattern: tree.AtomPattern, window: tree.Window) -> tree.Literal:
        """A positive count of time points: ``at least n times``, or ``not`` before ``at most n times``."""
        least = self.choices.chance(75)
        return tree.Literal(pattern, self.times(least), window, negated=not least)

    def times(self, least: bool) -> tree.Times:
        return tree.Times(">=" if least else "<=", tree.Constant(self.choices.integer(int(least), 3)))

    def time(self, body: Body) -> tree.Term:
        """A time term of an atom that binds it where it is a variable."""
        c = self.choices
        match c.integer(0, 11):
            case 0:
                return self.time_constant()
            case 1:
                return ANONYMOUS
            case 2 if body.bound:
                known = tree.Variable(c.pick(body.bound))
                return tree.Arithmetic(c.pick(("+", "-")), (known, tree.Constant(c.integer(1, 2))))
            case 3:
                name = c.pick(VARIABLES)
            case _:
                name = c.pick(TIMES)
        body.bind(name)
        if name not in body.times:
            body.times.append(name)
        return tree.Variable(name)

    def window(self, tuples: bool, pattern: tree.AtomPattern) -> tree.Window:
        """A window for an atom; ``tuples`` says whether it may count facts."""
        c = self.choices
        if tuples and c.chance(40):
            sizes = (tree.Size(tree.Constant(c.integer(1, 20 if self.is_long else 4))),)
            if not self.stepping or c.chance(40):
                return tree.Window(LastFacts, sizes)
            names = dict.fromkeys(t for t in pattern.args if isinstance(t, tree.Variable) and t != ANONYMOUS)
            return tree.Window(LastOf, sizes, per=tuple(name for name in names if c.chance(60)))
        if self.const and c.chance(50):
            return tree.Window(Sliding, (tree.Size(tree.ConstantName(CONST)),))
        if self.stepping and c.chance(40):
            return self.stepping_window()
        size = c.pick((5, 9, 2, 14, 30, 100) if self.is_long else (2, 1, 3, 0, 4))
        return tree.Window(Sliding, (tree.Size(tree.Constant(size), "s" if c.chance(10) else None),))

    def stepping_window(self) -> tree.Window:
        """A window that does not slide with every tick, or does not end at the present."""
        c = self.choices
        kind = c.pick((Hopping, Tumbling, Growing, Between, Ago))
        sizes = [c.integer(rule.least, rule.least + (12 if self.is_long else 4)) for rule in kind.SIZES]
        sizes = sorted(sizes) if kind.ASCENDING else sizes
        return tree.Window(kind, tuple(tree.Size(tree.Constant(size)) for size in sizes))

    def negative(self, body: Body, level: int) -> None:
        """``not`` before any extended atom, also with a negation inside; everything in it is bound, or ``_``."""
        c = self.choices
        back = self.looks_back()
        predicate = back or c.pick(self.words.below(level))
        pattern = tree.AtomPattern(predicate.name, tuple(self.known(body) for _ in range(predicate.arity)))
        if back is not None:
            body.elements.append(self.past(pattern, lambda: self.known_time(body), negated=True))
            return
        kind = c.pick(("now", "now", "sometime", "sometime", "always", "at", "anytime"))
        if kind == "now":
            body.elements.append(tree.Literal(pattern, negated=True))
        elif kind == "anytime":
            body.elements.append(tree.Literal(pattern, tree.At(self.known_time(body)), negated=True))
        else:
            modality: Any = tree.At(self.known_time(body)) if kind == "at" else kind
            window = self.window(predicate not in self.words.derived, pattern)
            if self.stepping and c.chance(20):
                least = c.chance(50)
                body.elements.append(tree.Literal(pattern, self.times(least), window, negated=least))
                return
            inside = c.chance(40)
            body.elements.append(tree.Literal(pattern, modality, window, not inside or c.chance(50), inside))

    def absent(self, body: Body, level: int) -> None:
        """``⊞ @T ¬ a``, which may bind T."""
        predicate = self.choices.pick(self.words.below(level))
        pattern = tree.AtomPattern(predicate.name, tuple(self.known(body) for _ in range(predicate.arity)))
        window = self.window(predicate not in self.words.derived, pattern)
        time = self.time(body) if self.choices.chance(70) else self.known_time(body)
        if time == ANONYMOUS:
            time = self.time_constant()
        body.elements.append(tree.Literal(pattern, tree.At(time), window, negated_inside=True))

    def known(self, body: Body) -> tree.Term:
        c = self.choices
        if body.bound and c.chance(70):
            variable = tree.Variable(c.pick(body.bound))
            return self.arithmetic(variable) if c.chance(10) else variable
        return ANONYMOUS if c.chance(60) else tree.Constant(self.value())

    def known_time(self, body: Body) -> tree.Term:
        c = self.choices
        if body.bound and c.chance(75):
            time = tree.Variable(c.pick(body.times or body.bound))
            return time if c.chance(75) else tree.Arithmetic("-", (time, tree.Constant(1)))
        return ANONYMOUS if c.chance(30) else self.time_constant()

    def comparison(self, body: Body, level: int) -> None:
        c = self.choices
        if self.functions and c.chance(25):
            body.elements.append(self.test(body))
            return
        left: tree.Term = tree.Variable(c.pick(body.bound))
        right: tree.Term = tree.Variable(c.pick(body.bound)) if c.chance(30) else tree.Constant(self.value())
        if c.chance(15):
            left = self.arithmetic(left)
        pair = (left, right) if c.chance(80) else (right, left)
        body.elements.append(tree.Comparison(c.pick(COMPARISONS), *pair))

    def assignment(self, body: Body, level: int) -> None:
        c = self.choices
        name = c.pick(ASSIGNED)
        if name in body.bound:
            return self.comparison(body, level)
        source: tree.Term = tree.Variable(c.pick(body.bound))
        source = self.arithmetic(source) if c.chance(75) else tree.Constant(self.value()) if c.chance(30) else source
        pair = (tree.Variable(name), source) if c.chance(80) else (source, tree.Variable(name))
        body.elements.append(tree.Comparison("=", *pair))
        body.bind(name)
        body.grown.add(name)
        return None

    # -- aggregates

    def aggregate(self, body: Body, level: int) -> None:
        """An aggregate in a comparison or an assignment, which may bind its groups and its result."""
        c = self.choices
        inner = Body(grounded=True)
        for _ in range(c.pick((1, 1, 1, 2))):
            self.inner_positive(inner, level)
        # What a recursion binds is no group that is only compared, and what occurs in another aggregate only is not shared.
        seen = {v.name for element in body.elements for v in variables(element.terms)} if not body.recursive else set()
        bound, times = ([name for name in names if name in seen] for names in (body.bound, body.times))
        both = Body(inner.elements, [*inner.bound, *bound], [*inner.times, *times])
        if c.chance(30):
            c.pick((self.negative, self.absent, self.comparison) if both.bound else (self.negative,))(both, level)
        term: tree.Term = self.aggregate_term(inner, tuple(both.elements))
        name = c.pick(RESULTS)
        if c.chance(15):
            term = self.arithmetic(term)
        if c.chance(65) and name not in body.bound:
            pair = (tree.Variable(name), term) if c.chance(80) else (term, tree.Variable(name))
            body.elements.append(tree.Comparison("=", *pair))
            body.bind(name)
            body.grown.add(name)
        else:
            other: tree.Term = tree.Constant(c.pick((0, 1, 1, 2, 3)))
            known = [bound for bound in body.bound if bound not in RESULTS]  # or a result could be its own group
            if known and c.chance(25):
                other = tree.Variable(c.pick(known))
            pair = (term, other) if c.chance(80) else (other, term)
            body.elements.append(tree.Comparison(c.pick(COMPARISONS), *pair))
        for name in inner.bound:
            if c.chance(50):
                body.bind(name)
                body.times += [name] if name in inner.times and name not in body.times else []

    def inner_positive(self, inner: Body, level: int) -> None:
        """A positive atom of an aggregate's body: over what is complete before."""
        c = self.choices
        back = self.looks_back()
        predicate = back or c.pick(self.words.below(level))
        args: list[tree.Term] = []
        for _ in range(predicate.arity):
            args.append(self.argument(inner) if c.chance(70) else tree.Variable(c.pick(("L", "M"))))
            if isinstance(args[-1], tree.Variable):
                inner.bind(args[-1].name)
        pattern = tree.AtomPattern(predicate.name, tuple(args))
        if back is not None:
            inner.elements.append(self.past(pattern, lambda: self.time(inner)))
            return
        inner.elements.append(self.modal(pattern, inner, predicate not in self.words.derived))

    def aggregate_term(self, inner: Body, elements: tuple[tree.BodyElement, ...]) -> tree.Aggregate:
        c = self.choices
        fold = c.pick((Fold.COUNT, Fold.COUNT, Fold.COUNT, Fold.SUM, *Fold))
        folded = [self.folded(inner) for _ in range(c.pick((1, 1, 2)))]
        level = tree.Constant(c.pick((0.5, 0.25, 0.1, 0, 1))) if fold is Fold.QUANTILE else None
        return tree.Aggregate(fold, tuple(folded), elements, level)

    def folded(self, inner: Body) -> tree.Term:
        c = self.choices
        if not inner.bound or c.chance(8):
            return tree.Constant(self.value())
        variable = tree.Variable(c.pick(inner.bound))
        return self.arithmetic(variable) if c.chance(10) else variable

    # -- streams

    def stream(self) -> tuple[Stream, int | None, int | None]:
        c = self.choices
        time = c.pick((0, 0, 1, 2))
        start = time if c.chance(50) else None
        if start is not None:
            time += c.integer(0, 2)
        stream: Stream = []
        seen: list[Atom] = []
        for _ in range(c.integer(15, 30) if self.is_long else c.integer(3, 9)):
            facts = [self.streamed_fact(seen) for _ in range(c.pick((1, 1, 2, 2, 3, 3, 4, 0)))]
            facts += facts[:1] if c.chance(10) else []
            seen += facts
            stream.append((time, facts))
            time += c.pick((1, 1, 1, 1, 2, 3, 5, *((12, 25) if self.is_long else ())))
        last = stream[-1][0]
        return stream, start, last + c.integer(0, 4) if c.chance(70) else None

    def streamed_fact(self, seen: list[Atom]) -> Atom:
        c, words = self.choices, self.words
        if seen and c.chance(35):
            return c.pick(seen[-6:])
        if c.chance(8):
            return Atom("unmentioned", [self.value()])
        pool = words.mixed if words.mixed and c.chance(25) else words.static if words.static and c.chance(10) else ()
        predicate = c.pick(pool or words.streamed)
        return Atom(predicate.name, [self.value() for _ in range(predicate.arity)])


def program_of(statements: Sequence[tree.Statement]) -> Program:
    """A program from its statements."""
    return Program(tuple(statements), source="", name="<random>")


def generate(choices: Choices, stepping: bool = True, aggregates: bool = True, records: bool = True) -> Trial:
    """A random program with a random stream; with ``stepping``, it has counts of time points and windows that do not slide, too."""
    generator = Generator(choices)
    generator.stepping, generator.aggregates = stepping, aggregates
    if records:
        generator.choose_records()
    program = generator.program()
    stream, start, until = generator.stream()
    return Trial(program, stream, start, until)


@st.composite
def trials(draw: Callable[[Any], Any]) -> Trial:
    """The same, for hypothesis."""
    return generate(Drawn(draw))


@st.composite
def programs(draw: Callable[[Any], Any]) -> Program:
    return Generator(Drawn(draw)).program()
