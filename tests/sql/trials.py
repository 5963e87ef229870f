"""Random histories for SQL: the generator of all laws without what is not lowered, and one aimed at what that seldom makes.

The aimed one has predicates that stream in, are derived for the present and for other times, all at once; □ and counts over them;
heads in the past and in the future; ``¬`` at T − k.
"""

from __future__ import annotations

from dataclasses import replace

from laser.syntax import tree
from laser.values import Predicate
from laser.windows import Sliding
from tests.strategies import Body, Choices, Generator, Trial, Vocabulary


class Flat(Generator):
    """Programs without recursion and without tuple windows."""

    def window(self, tuples: bool, pattern: tree.AtomPattern) -> tree.Window:
        return super().window(False, pattern)

    def positive(self, body: Body, level: int) -> None:
        body.grounded = True
        super().positive(body, level)

    def counting_rule(self, head: Predicate) -> tree.Rule:
        return self.rule(head, 0, True)


class Aimed(Flat):
    """Few predicates with all sources at once, read in every way."""

    def vocabulary(self) -> Vocabulary:
        c = self.choices
        arity = c.pick((0, 1, 1, 1, 2))
        low, high = Predicate("p", arity), Predicate("q", c.pick((0, 1, 1)))
        values = tuple(c.pick(((1, 2), (1, 2), (1, "x"), (1, 1.5), ("x", "y"))))
        streamed = (Predicate("a", arity), Predicate("b", 1))
        return Vocabulary(streamed, (), ((low,), (high,)), (low,), values)

    def rule(self, head: Predicate, level: int, first: bool) -> tree.Rule:
        return self.source(head) if level == 0 and self.choices.chance(70) else super().rule(head, level, first)

    def source(self, head: Predicate) -> tree.Rule:
        """p from a: for the present, for the time of a, or for one before or after it."""
        c = self.choices
        time = tree.Variable("T")
        args = tuple(tree.Variable(f"X{i}") for i in range(head.arity))
        atom = tree.AtomPattern("a", args)
        pattern = tree.AtomPattern(head.name, args)
        if c.chance(35):
            return tree.Rule(pattern, None, (tree.Literal(atom, "sometime", self.window(False, atom)),))
        shift = c.pick((0, 0, 0, 1, -1, 2, -2))
        when: tree.Term = (
            tree.Arithmetic("+" if shift > 0 else "-", (time, tree.Constant(abs(shift)))) if shift else time
        )
        return tree.Rule(pattern, when, (tree.Literal(atom, tree.At(time), self.window(False, atom)),))

    def modal(self, pattern: tree.AtomPattern, body: Body, tuples: bool) -> tree.Literal:
        c = self.choices
        if c.chance(40):
            size = tree.Window(Sliding, (tree.Size(tree.Constant(c.integer(0, 3))),))
            window = size if c.chance(60) else self.stepping_window()
            return tree.Literal(pattern, "always", window) if c.chance(70) else self.counted(pattern, window)
        return super().modal(pattern, body, tuples)

    def absent(self, body: Body, level: int) -> None:
        """``⊞ @(T − k) ¬ p``, where something binds T."""
        if not body.times or self.choices.chance(40):
            return super().absent(body, level)
        c = self.choices
        predicate = c.pick(self.words.below(level))
        pattern = tree.AtomPattern(predicate.name, tuple(self.known(body) for _ in range(predicate.arity)))
        time = tree.Arithmetic("-", (tree.Variable(c.pick(body.times)), tree.Constant(c.integer(1, 2))))
        body.elements.append(tree.Literal(pattern, tree.At(time), self.window(False, pattern), negated_inside=True))
        return None


class Recursive(Aimed):
    """The same, and p rests on itself: at the present, in windows, and at times that it shifts."""

    def vocabulary(self) -> Vocabulary:
        words = super().vocabulary()
        values = tuple(self.choices.pick(((1, 2, 3), (1, 2, 3), (1, 1.5, 2), ("x", "y", "z"))))
        return replace(words, values=values)

    def rule(self, head: Predicate, level: int, first: bool) -> tree.Rule:
        if level == 0 and not first and self.choices.chance(95):
            return self.step(head)
        return super().rule(head, level, first)

    def step(self, head: Predicate) -> tree.Rule:
        """p(X, Z) from p(X, Y) and a(Y, Z); with fewer arguments, the same without some of them."""
        c = self.choices
        x, y, z = map(tree.Variable, ("X", "Y", "Z"))
        mine, theirs, made = (((), (), ()), ((x,), (z,), (z,)), ((x, y), (y, z), (x, z)))[head.arity]
        own, time = tree.AtomPattern(head.name, mine), tree.Variable("T")
        window = self.window(False, own)
        read = c.pick((tree.Literal(own), tree.Literal(own, "sometime", window), tree.Literal(own, "always", window)))
        when: tree.Term | None = None
        if c.chance(40):
            read = tree.Literal(own, tree.At(time), window)
            when = c.pick((None, time, tree.Arithmetic("+", (time, tree.Constant(1)))))
        atom = tree.AtomPattern("a", theirs)
        other = tree.Literal(atom, "sometime", self.window(False, atom))
        return tree.Rule(tree.AtomPattern(head.name, made), when, tuple(self.shuffled((read, other))))


def generate(choices: Choices, kind: type[Generator] = Flat) -> Trial:
    """A random program, with a random stream; records are only in those of the generator of all laws."""
    generator = kind(choices)
    if kind is Generator:
        generator.choose_records()
    program = generator.program()
    stream, start, until = generator.stream()
    return Trial(program, stream, start, until)
