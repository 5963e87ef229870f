"""Prints programs as text in either notation; the text parses to the same tree.

What only the formal notation can express (``⊞n □ ¬ a``) is printed in the formal notation in both cases.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from laser.syntax.lexer import LOCAL_NAME
from laser.syntax.tree import (
    Aggregate,
    Alternatives,
    Arithmetic,
    At,
    AtomPattern,
    BodyElement,
    Comparison,
    Constant,
    ConstantName,
    ConstDirective,
    Fact,
    InputDirective,
    Literal,
    PrefixDirective,
    Range,
    RecordDirective,
    Rule,
    ShowDirective,
    Size,
    Statement,
    Term,
    Times,
    Variable,
    WarmupDirective,
    Window,
    ZoneDirective,
)
from laser.values import Iri, Predicate, Value, write_value
from laser.values.functions import FUNCTIONS
from laser.values.operations import is_signed
from laser.values.string import quote
from laser.values.texts import NOT, TESTS

if TYPE_CHECKING:
    from laser.syntax.program import Notation, Program

__all__ = ["write_element", "write_literal", "write_program", "write_rule", "write_statement", "write_term"]


def write_program(program: Program, notation: Notation = "readable") -> str:
    """A program as text, one statement per line.

    >>> from laser.syntax.parser import parse_tree
    >>> print(write_program(parse_tree("a(X) at T :- ⊞3 @T b(X), not c [5 #]."), "formal"), end="")
    @T a(X) ← ⊞3 @T b(X), not ⊞#5 ◇ c.
    """
    writer = _Writer(notation == "formal", program.prefixes, program.constants)
    return "".join(f"{writer.statement(statement)}\n" for statement in program.statements)


def write_statement(
    statement: Statement,
    notation: Notation = "readable",
    prefixes: Mapping[str, str] | None = None,
    constants: Collection[str] = (),
) -> str:
    """One statement with its dot; strings that are also names of constants are quoted."""
    return _Writer(notation == "formal", prefixes or {}, constants).statement(statement)


def write_rule(rule: Rule, notation: Notation = "readable", prefixes: Mapping[str, str] | None = None) -> str:
    """A rule with its dot."""
    return _Writer(notation == "formal", prefixes or {}).statement(rule)


def write_element(
    element: BodyElement, notation: Notation = "readable", prefixes: Mapping[str, str] | None = None
) -> str:
    """A part of a body."""
    return _Writer(notation == "formal", prefixes or {}).element(element)


def write_literal(literal: Literal, notation: Notation = "readable", prefixes: Mapping[str, str] | None = None) -> str:
    """An extended atom."""
    return _Writer(notation == "formal", prefixes or {}).literal(literal)


def write_term(term: Term, prefixes: Mapping[str, str] | None = None, constants: Collection[str] = ()) -> str:
    """A term.

    >>> from laser.syntax.tree import Arithmetic, Variable
    >>> write_term(Arithmetic("*", (Arithmetic("+", (Variable("X"), Variable("Y"))), Variable("Z"))))
    '(X + Y) * Z'
    """
    return _Writer(False, prefixes or {}, constants).term(term)


_FORMAL_SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠"}
_SUM, _PRODUCT, _SIGNED, _PRIMARY = range(4)
"""How tightly a term binds."""


@dataclass(frozen=True, slots=True)
class _Writer:
    formal: bool = False
    prefixes: Mapping[str, str] = field(default_factory=dict)
    constants: Collection[str] = ()

    def statement(self, statement: Statement) -> str:
        match statement:
            case Rule(head, time, body):
                return self.rule(head, time, (body,))
            case Alternatives(head, time, bodies):
                return self.rule(head, time, bodies)
            case Fact(atom):
                return f"{self.atom(atom)}."
            case ConstDirective(name, value):
                return f"#const {name} = {self.term(value)}."
            case ShowDirective(predicates):
                return f"#show {', '.join(map(self.predicate, predicates))}."
            case RecordDirective(predicates):
                return f"#record {', '.join(map(self.predicate, predicates))}."
            case ZoneDirective(name):
                return f"#zone {quote(name)}."
            case InputDirective(name, fields):
                args = ", ".join(f"{field}: {declared.value}" for field, declared in fields)
                return f"#input {self.name(name)}{f'({args})' if args else ''}."
            case WarmupDirective(size):
                return f"#warmup {self.size(size)}."
            case PrefixDirective(prefix, iri):
                return f"#prefix {prefix}: <{iri}>."
            case _:
                assert_never(statement)

    def rule(self, atom: AtomPattern, time: Term | None, bodies: Sequence[tuple[BodyElement, ...]]) -> str:
        head = self.atom(atom)
        if time is not None:
            head = f"@{self.time(time)} {head}"
        if not any(bodies):
            return f"{head}."
        alternatives = " or ".join(", ".join(map(self.element, body)) for body in bodies)
        return f"{head} {'←' if self.formal else ':-'} {alternatives}."

    def element(self, element: BodyElement) -> str:
        match element:
            case Literal():
                return self.literal(element)
            case Comparison(operator, left, right) if operator.removeprefix(NOT) in TESTS:
                return f"{operator}({self.term(left)}, {self.term(right)})"
            case Comparison(operator, left, right):
                sign = _FORMAL_SIGNS.get(operator, operator) if self.formal else operator
                return f"{self.term(left)} {sign} {self.term(right)}"
            case _:
                assert_never(element)

    def literal(self, literal: Literal) -> str:
        use_formal = self.formal or literal.negated_inside
        text = self.formal_literal(literal) if use_formal else self.readable_literal(literal)
        return f"not {text}" if literal.negated else text

    def readable_literal(self, literal: Literal) -> str:
        words = [self.atom(literal.atom)]
        match literal.modality:
            case At(time):
                words.append(f"at {self.term(time)}")
            case Times(sign, number):
                words.append(f"at {'least' if sign == '>=' else 'most'} {self.term(number)} times")
            case "always":
                words.append("always")
            case "now" | "sometime":
                pass
            case _:
                assert_never(literal.modality)
        if literal.window:
            words.append(f"in {self.window(literal.window)}")
        return " ".join(words)

    def formal_literal(self, literal: Literal) -> str:
        words = [self.box(literal.window)] if literal.window else []
        match literal.modality:
            case At(time):
                words.append(f"@{self.time(time)}")
            case Times(sign, number):
                words.append(f"◇{_FORMAL_SIGNS[sign]}{self.term(number)}")
            case "sometime":
                words.append("◇")
            case "always":
                words.append("□")
            case "now":
                pass
            case _:
                assert_never(literal.modality)
        if literal.negated_inside:
            words.append("¬")
        return " ".join([*words, self.atom(literal.atom)])

    def window(self, window: Window) -> str:
        return window.kind.written(list(map(self.size, window.sizes)), False, [v.name for v in window.per])

    def size(self, size: Size) -> str:
        return f"{self.term(size.term)} {size.unit}" if size.unit else self.term(size.term)

    def box(self, window: Window) -> str:
        if any(size.unit for size in window.sizes):
            return f"⊞{self.window(window)}"
        return f"⊞{window.kind.written(list(map(self.size, window.sizes)), True, [v.name for v in window.per])}"

    def atom(self, atom: AtomPattern) -> str:
        name = self.name(atom.name)
        return f"{name}({', '.join(map(self.term, atom.args))})" if atom.args else name

    def predicate(self, predicate: Predicate) -> str:
        return f"{self.name(predicate.name)}/{predicate.arity}"

    def name(self, name: str) -> str:
        return self.iri(name[1:-1]) if name[0] == "<" else name

    def time(self, time: Term) -> str:
        """The time after ``@``; a sum gets parentheses, so that readers see where it ends and the atom begins."""
        return self.term(time, _SIGNED)

    def term(self, term: Term, binds: int = _SUM) -> str:
        match term:
            case Variable(name) | ConstantName(name):
                return name
            case Constant(value, is_local=is_local):
                return self.value(value).removesuffix("Z") if is_local else self.value(value)
            case Range(low, high):
                return f"{self.term(low)}..{self.term(high)}"
            case Arithmetic():
                text, own = self.arithmetic(term)
                return text if own >= binds else f"({text})"
            case Aggregate():
                return self.aggregate(term)
            case _:
                assert_never(term)

    def value(self, value: Value) -> str:
        if isinstance(value, str) and value in self.constants:
            return quote(value)
        return self.iri(value.text) if isinstance(value, Iri) else write_value(value)

    def arithmetic(self, term: Arithmetic) -> tuple[str, int]:
        """The text, and how tightly it binds."""
        match term.operator, term.operands:
            case name, operands if name in FUNCTIONS:  # a resolved term may also have the zone
                return f"{name}({', '.join(map(self.term, operands[: FUNCTIONS[name].most]))})", _PRIMARY
            case "-", (operand,):
                return f"-{self.operand_of_minus(operand)}", _SIGNED
            case (("instant" | "point"), (operand, _)):  # resolved terms: the operand is what the user wrote
                return self.term(operand, _PRIMARY), _PRIMARY
            case ("+" | "-") as sign, (left, right, *_):  # a resolved term may also have the tick
                return f"{self.term(left)} {sign} {self.term(right, _PRODUCT)}", _SUM
            case sign, (left, right):
                return f"{self.term(left, _PRODUCT)} {sign} {self.term(right, _SIGNED)}", _PRODUCT
            case _:
                raise ValueError(f"{term.operator} has {len(term.operands)} operands")

    def aggregate(self, term: Aggregate) -> str:
        level = "" if term.level is None else f"{self.term(term.level)}; "
        inside = f"{level}{', '.join(map(self.term, term.folded))} : {', '.join(map(self.element, term.body))}"
        return f"#{term.fold.value}{{ {inside} }}" if self.formal else f"{term.fold.value}({inside})"

    def operand_of_minus(self, operand: Term) -> str:
        """A number or a duration gets parentheses; without them the minus would be part of it."""
        has_sign = isinstance(operand, Constant) and is_signed(operand.value)
        return f"({self.term(operand)})" if has_sign else self.term(operand, _PRIMARY)

    def iri(self, iri: str) -> str:
        """The name with the longest prefix that fits, or the IRI in angle brackets."""
        fitting = [(base, prefix) for prefix, base in self.prefixes.items() if iri.startswith(base)]
        for base, prefix in sorted(fitting, key=lambda pair: -len(pair[0])):
            if _LOCAL.fullmatch(iri[len(base) :]):
                return f"{prefix}:{iri[len(base) :]}"
        return f"<{iri}>"


_LOCAL = re.compile(LOCAL_NAME)
