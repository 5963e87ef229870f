"""Builds the syntax tree: one small function for each alternative of the grammar."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC
from difflib import get_close_matches
from functools import cache
from typing import Literal as OneOf
from typing import TypeAlias

from lark import Token, Transformer, v_args

from laser.errors import Diagnostic, LiteralError, Span, TimeError
from laser.phrases import listed
from laser.syntax.calls import is_test, reserved_test, wrong_call
from laser.syntax.lexer import span_of
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
    Term,
    Times,
    Variable,
    WarmupDirective,
    Window,
    ZoneDirective,
)
from laser.ticks import UNITS, Tick
from laser.values import TYPES, Predicate, Time, Value
from laser.values.declared import Declared
from laser.values.fold import Fold
from laser.values.operations import apply
from laser.values.texts import negated
from laser.values.time import is_local, texts_in
from laser.windows import Ago, Between, Growing, Hopping, LastFacts, LastOf, Sliding, Tumbling

__all__ = ["MAX_DEPTH", "Builder", "CallError", "StatementError", "too_deep"]

MAX_DEPTH = 100
"""How deep terms may nest. The limit makes recursive functions on trees safe."""

Length: TypeAlias = Constant | ConstantName
Timed: TypeAlias = tuple[Term, AtomPattern, Span]
Bodies: TypeAlias = tuple[tuple[BodyElement, ...], ...]


class StatementError(Exception):
    """A statement that the grammar allows but the language does not."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


class CallError(StatementError):
    """A call of something that is not a function. If the rest of the statement has a syntax error, that is reported instead."""


@v_args(inline=True)
class Builder(Transformer):  # type: ignore[type-arg]
    """Called by the parser bottom-up, while it reads; has no state."""

    def __init__(self, any_call: bool = False) -> None:
        super().__init__()
        self.any_call = any_call

    # statements

    def fact(self, atom: AtomPattern, dot: Token) -> Fact:
        return Fact(no_test(atom), _until(atom.span, dot))

    def rule(self, head: AtomPattern, bodies: Bodies, dot: Token) -> Rule | Alternatives:
        return _rule(head, None, bodies, _until(head.span, dot))

    def timed_rule(self, timed: Timed, *rest: Bodies | Token) -> Rule | Alternatives:
        time, head, span = timed
        bodies = rest[0] if isinstance(rest[0], tuple) else ((),)
        return _rule(head, time, bodies, _until(span, rest[-1]))

    def formal_head(self, at: Token, time: Term, head: AtomPattern) -> Timed:
        return time, head, span_of(at)

    def readable_head(self, head: AtomPattern, time: Term) -> Timed:
        return time, head, _place(head.span)

    def const(self, word: Token, name: Token, value: Term, dot: Token) -> ConstDirective:
        return ConstDirective(str(name), _ground(_shallow(value)), span_of(word, dot))

    def show(self, word: Token, *rest: Predicate | Token) -> ShowDirective:
        predicates = tuple(p for p in rest if isinstance(p, Predicate))
        return ShowDirective(predicates, span_of(word, _token(rest[-1])))

    def record(self, word: Token, *rest: Predicate | Token) -> RecordDirective:
        predicates = tuple(p for p in rest if isinstance(p, Predicate))
        return RecordDirective(predicates, span_of(word, _token(rest[-1])))

    def zone(self, word: Token, name: Token, dot: Token) -> ZoneDirective:
        value = _read(name)
        if not isinstance(value, str):
            note = 'a time zone is written in quotes: `#zone "Europe/Vienna".`'
            raise StatementError(Diagnostic("syntax", f"{name} is not the name of a time zone", span_of(name), note))
        return ZoneDirective(value, span_of(word, dot))

    def shown(self, name: Token, slash: Token, arity: Token) -> Predicate:
        if not arity.isdigit() or len(arity) > 4:
            hint = f"write a whole number, as in `{name}/1`"
            message = f"{arity} is not a number of arguments"
            raise StatementError(Diagnostic("bad-arity", message, span_of(arity), None, hint))
        return no_test_predicate(Predicate(str(name), int(arity)), span_of(name, arity))

    def input(self, word: Token, name: Token, *rest: Token | tuple[str, Declared]) -> InputDirective:
        fields = tuple(part for part in rest if isinstance(part, tuple))
        names = [field for field, _ in fields]
        twice = next((field for field in names if names.count(field) > 1), None)
        if twice is not None:
            message = f"two arguments of this input have the name '{twice}'"
            span = span_of(word, _token(rest[-1]))
            raise StatementError(Diagnostic("syntax", message, span, None, "rename one of them"))
        no_test_predicate(Predicate(str(name), len(fields)), span_of(name))
        return InputDirective(str(name), fields, span_of(word, _token(rest[-1])))

    def field(self, name: Token, kind: Token) -> tuple[str, Declared]:
        try:
            return name[:-1], Declared(str(kind))
        except ValueError:
            types = [declared.value for declared in Declared]
            near = next(iter(get_close_matches(kind, types)), None)
            note = f"the types are {listed(types, 'and')}"
            hint = f"did you mean `{near}`?" if near else None
            raise StatementError(
                Diagnostic("unknown-type", f"there is no type '{kind}'", span_of(kind), note, hint)
            ) from None

    def warmup(self, word: Token, length: Length, dot: Token) -> WarmupDirective:
        return WarmupDirective(Size(length), span_of(word, dot))

    def prefix(self, word: Token, namespace: Token, iri: Token, dot: Token) -> PrefixDirective:
        return PrefixDirective(namespace[:-1], iri[1:-1], span_of(word, dot))

    # bodies

    def bodies(self, *parts: tuple[BodyElement, ...] | Token) -> Bodies:
        return tuple(part for part in parts if isinstance(part, tuple))

    def body(self, *elements: BodyElement) -> tuple[BodyElement, ...]:
        return elements

    def negated(self, word: Token, literal: Literal | Comparison) -> Literal | Comparison:
        span = _join(span_of(word), literal.span)
        if isinstance(literal, Comparison):
            return replace(literal, operator=negated(literal.operator), span=span)
        return Literal(literal.atom, literal.modality, literal.window, True, literal.negated_inside, span)

    def equal(self, left: Term, right: Term) -> Comparison:
        return Comparison("=", _shallow(left), _shallow(right), _join(left.span, right.span))

    def comparison(self, left: Term, operator: Token, right: Term) -> Comparison:
        sign = _ASCII.get(operator, str(operator))
        return Comparison(sign, _shallow(left), _shallow(right), _join(left.span, right.span))

    def now(self, atom: AtomPattern) -> Literal | Comparison:
        if is_test(atom.predicate):
            left, right = _no_ranges(atom).args
            return Comparison(atom.name, left, right, atom.span)
        return Literal(_no_ranges(atom), span=atom.span)

    def at(self, atom: AtomPattern, time: Term, window: Window | None = None) -> Literal:
        last = window.span if window else time.span
        return Literal(_plain(atom), At(_shallow(time)), window, span=_join(atom.span, last))

    def formal_at(self, at: Token, time: Term, atom: AtomPattern, window: Window | None = None) -> Literal:
        span = _join(span_of(at), window.span if window else atom.span)
        return Literal(_plain(atom), At(_shallow(time)), window, span=span)

    def sometime(self, atom: AtomPattern, window: Window) -> Literal:
        return Literal(_plain(atom), "sometime", window, span=_join(atom.span, window.span))

    def always(self, atom: AtomPattern, window: Window) -> Literal:
        return Literal(_plain(atom), "always", window, span=_join(atom.span, window.span))

    def times(self, atom: AtomPattern, sign: Token, number: Length, window: Window) -> Literal:
        modality = Times(">=" if sign.type == "LEAST" else "<=", number)
        return Literal(_plain(atom), modality, window, span=_join(atom.span, window.span))

    def box_times(self, box: Window, _diamond: Token, compare: Token, number: Length, atom: AtomPattern) -> Literal:
        sign = _COUNTS.get(compare)
        if sign is None:
            note = "◇≥n means that an atom holds at n or more time points of the window, ◇≤n at n or fewer"
            message = f"'{compare}' cannot count time points"
            raise StatementError(Diagnostic("syntax", message, span_of(compare), note, "write `◇≥3` or `◇≤3`"))
        return Literal(_plain(atom), Times(sign, number), box, span=_join(box.span, atom.span))

    def box_sometime(self, box: Window, _sign: Token, *rest: AtomPattern | Token) -> Literal:
        return _boxed(box, "sometime", rest)

    def box_always(self, box: Window, _sign: Token, *rest: AtomPattern | Token) -> Literal:
        return _boxed(box, "always", rest)

    def box_at(self, box: Window, _sign: Token, time: Term, *rest: AtomPattern | Token) -> Literal:
        return _boxed(box, At(_shallow(time)), rest)

    # windows

    def duration(self, length: Length, unit: Token | None = None) -> Size:
        return Size(length, None if unit is None else _unit(unit))

    def time_window(self, left: Token, size: Size, right: Token) -> Window:
        return Window(Sliding, (size,), span_of(left, right))

    def hopping_window(self, left: Token, size: Size, step: Size, right: Token) -> Window:
        return Window(Hopping, (size, step), span_of(left, right))

    def tumbling_window(self, left: Token, step: Size, right: Token) -> Window:
        return Window(Tumbling, (step,), span_of(left, right))

    def growing_window(self, left: Token, step: Size, right: Token) -> Window:
        return Window(Growing, (step,), span_of(left, right))

    def ago_window(self, left: Token, size: Size, right: Token) -> Window:
        return Window(Ago, (size,), span_of(left, right))

    def between_window(self, left: Token, near: Size, far: Size, right: Token) -> Window:
        return Window(Between, (near, far), span_of(left, right))

    def tuple_window(self, left: Token, size: Length, right: Token) -> Window:
        return Window(LastFacts, (Size(size),), span_of(left, right))

    def per(self, *names: Token) -> tuple[Variable, ...]:
        return tuple(Variable(str(name), span_of(name)) for name in names)

    def last_window(self, left: Token, size: Length, *rest: tuple[Variable, ...] | Token) -> Window:
        return _last(left, size, rest)

    def last_box(self, box: Token, size: Length, _left: Token, *rest: tuple[Variable, ...] | Token) -> Window:
        return _last(box, size, rest)

    def time_box(self, box: Token, size: Length) -> Window:
        return Window(Sliding, (Size(size),), _join(span_of(box), size.span))

    def hopping_box(self, box: Token, size: Length, _slash: Token, step: Length) -> Window:
        return Window(Hopping, (Size(size), Size(step)), _join(span_of(box), step.span))

    def tuple_box(self, box: Token, size: Length) -> Window:
        return Window(LastFacts, (Size(size),), _join(span_of(box), size.span))

    def window_box(self, box: Token, window: Window) -> Window:
        return replace(window, span=_join(span_of(box), window.span))

    def variable_size(self, name: Token) -> Length:
        note = "the size of a window must be known before the program runs: a number, or a constant from #const"
        raise StatementError(
            Diagnostic("variable-window", f"the variable {name} cannot be the size of a window", span_of(name), note)
        )

    # atoms and terms

    def atom(self, name: Token | AtomPattern) -> AtomPattern:
        return name if isinstance(name, AtomPattern) else AtomPattern(str(name), (), span_of(name))

    def call(self, name: Token, _left: Token, *rest: Token | Term) -> AtomPattern:
        args = tuple(map(_shallow, rest[:-1]))  # type: ignore[arg-type]
        return AtomPattern(str(name), args, span_of(name, _token(rest[-1])))

    def range(self, low: Term, high: Term) -> Range:
        return Range(_shallow(low), _shallow(high), _join(low.span, high.span))

    def binary(self, left: Term, operator: Token, right: Term) -> Arithmetic:
        return Arithmetic(str(operator), (left, right), _join(left.span, right.span))

    def opposite(self, minus: Token, operand: Term) -> Arithmetic:
        return Arithmetic("-", (operand,), _join(span_of(minus), operand.span))

    def function(self, call: AtomPattern) -> Arithmetic:
        finding = None if self.any_call else wrong_call(call)
        if finding is not None:
            raise CallError(finding)
        return Arithmetic(call.name, _no_ranges(call).args, call.span)

    def aggregate(self, name: Token, _left: Token, *rest: object) -> Aggregate:
        *level, terms, body, right = rest
        fold = _fold(name)
        if (fold is Fold.QUANTILE) != bool(level):
            raise StatementError(_wrong_level(name, fold))
        span = span_of(name, _token(right))
        return Aggregate(fold, terms, body, level[0] if level else None, span)  # type: ignore[arg-type]

    def folded(self, *terms: Term) -> tuple[Term, ...]:
        return tuple(map(_shallow, terms))

    def level(self, term: Term) -> Term:
        return term

    def group(self, left: Token, term: Term, right: Token) -> Term:
        return replace(term, span=span_of(left, right))

    def number(self, word: Token) -> Constant:
        return Constant(_read(word), span_of(word))

    def negative(self, minus: Token, word: Token) -> Constant:
        value = apply("-", _read(word))
        assert value is not None
        return Constant(value, span_of(minus, word))

    def variable(self, name: Token) -> Variable:
        return Variable(str(name), span_of(name))

    def string(self, name: Token) -> Constant:
        return Constant(str(name), span_of(name))

    def constant_name(self, name: Token) -> ConstantName:
        return ConstantName(str(name), span_of(name))

    def literal(self, word: Token) -> Constant:
        with texts_in(UTC):  # a program is read once, and may be run in several zones
            value = _read(word)
        return Constant(value, span_of(word), isinstance(value, Time) and is_local(word))


def _rule(head: AtomPattern, time: Term | None, bodies: Bodies, span: Span) -> Rule | Alternatives:
    if len(bodies) == 1:
        return Rule(_plain(head), time, bodies[0], span)
    return Alternatives(_plain(head), time, bodies, span)


def _last(first: Token, size: Length, rest: tuple[tuple[Variable, ...] | Token, ...]) -> Window:
    """``[last n per X]``; the variables, if any, are before the last bracket."""
    per = rest[0] if isinstance(rest[0], tuple) else ()
    return Window(LastOf, (Size(size),), span_of(first, _token(rest[-1])), per)


_ASCII = {"≤": "<=", "≥": ">=", "≠": "!=", "<>": "!="}


_COUNTS: dict[str, OneOf[">=", "<="]] = {"≥": ">=", ">=": ">=", "≤": "<=", "<=": "<="}
"""What may come between ◇ and a number of time points."""


def _fold(name: Token) -> Fold:
    try:
        return Fold(str(name))
    except ValueError:
        names = [fold.value for fold in Fold]
        near = get_close_matches(name, names, 1)
        note = f"a colon inside brackets makes an aggregate; the aggregates are {', '.join(names)}"
        hint = f"did you mean `{near[0]}`?" if near else None
        finding = Diagnostic("unknown-aggregate", f"'{name}' is not an aggregate", span_of(name), note, hint)
        raise StatementError(finding) from None


def _wrong_level(name: Token, fold: Fold) -> Diagnostic:
    note = "a quantile has a level before a semicolon: 0.5 is the median, and one value in ten is above level 0.9"
    if fold is Fold.QUANTILE:
        hint = "write `quantile(0.9; V, T : …)`"
        return Diagnostic("bad-quantile", "the level of the quantile is missing", span_of(name), note, hint)
    hint = "remove the semicolon and the level before it"
    return Diagnostic("bad-quantile", f"'{name}' does not take a level", span_of(name), note, hint)


def _boxed(box: Window, modality: str | At, rest: tuple[AtomPattern | Token, ...]) -> Literal:
    atom = rest[-1]
    assert isinstance(atom, AtomPattern)
    span = _join(box.span, atom.span)
    return Literal(_plain(atom), modality, box, False, len(rest) > 1, span)  # type: ignore[arg-type]


def _no_ranges(atom: AtomPattern) -> AtomPattern:
    for arg in atom.args:
        if isinstance(arg, Range):
            hint = "list the values as facts, `value(1..5).`, and join with `value(X)`"
            raise StatementError(
                Diagnostic(
                    "range-outside-fact",
                    "a range is not allowed in a rule",
                    arg.span,
                    "ranges are allowed only in facts, where they stand for one fact per value",
                    hint,
                )
            )
    return atom


def _plain(atom: AtomPattern) -> AtomPattern:
    """The same atom, if it has no ranges and is not a test."""
    return _no_ranges(no_test(atom))


def no_test(atom: AtomPattern) -> AtomPattern:
    no_test_predicate(atom.predicate, _place(atom.span))
    return atom


def no_test_predicate(predicate: Predicate, span: Span) -> Predicate:
    """The same predicate, unless it is a test: tests are allowed only in bodies, without a window or a time."""
    if is_test(predicate):
        raise StatementError(reserved_test(predicate.name, span))
    return predicate


def _shallow(term: Term) -> Term:
    """The same term, if it is not nested too deep."""
    if not isinstance(term, Arithmetic):
        return term
    level: list[Term] = [term]
    for _ in range(MAX_DEPTH):
        level = [operand for t in level if isinstance(t, Arithmetic) for operand in t.operands]
        if not level:
            return term
    raise StatementError(too_deep(_place(term.span)))


def _ground(value: Term) -> Term:
    match value:
        case Variable():
            note = "the value of a constant must be known before the program runs"
            message = f"the value of a constant cannot contain a variable, but {value.name} is one"
            hint = f'for a string, write `"{value.name}"`'
            raise StatementError(Diagnostic("variable-constant", message, value.span, note, hint))
        case Arithmetic():
            for operand in value.operands:
                _ground(operand)
    return value


def too_deep(span: Span) -> Diagnostic:
    """The finding about a term that is nested too deep."""
    return Diagnostic(
        "too-deep",
        f"the term is nested more than {MAX_DEPTH} levels deep",
        span,
        hint="compute a part of it in a separate equation: `Y = …`",
    )


_READERS = tuple((re.compile(each.in_program), each.read) for each in TYPES)


def _read(word: Token) -> Value:
    """The value of a literal."""
    try:
        value: Value = next(read(word) for pattern, read in _READERS if pattern.fullmatch(word))
    except LiteralError as error:
        span = _part(word, error.where) if error.where else span_of(word)
        raise StatementError(Diagnostic(error.code, str(error), span, error.note, error.hint)) from None
    return value


def _part(word: Token, where: slice) -> Span:
    """The place of some characters of a word; a word is always on one line."""
    line, column = word.line or 1, word.column or 1
    return Span(line, column + where.start, line, column + where.stop)


def _unit(word: Token) -> str:
    unit = _canonical_unit(word)
    if unit is not None:
        return unit
    near = "min" if word in ("m", "mn") else next(iter(get_close_matches(word, _UNIT_NAMES)), None)
    raise StatementError(
        Diagnostic(
            "unknown-unit",
            f"'{word}' is not a unit of time",
            span_of(word),
            f"the units are {', '.join(UNITS)}; `#` instead of a unit counts facts",
            f"did you mean `{near}`?" if near else None,
        )
    )


_UNIT_NAMES = (*UNITS, "second", "minute", "hour", "day", "millisecond", "microsecond")


@cache
def _canonical_unit(word: str) -> str | None:
    """``sec`` and ``seconds`` are ``s``; the printed form of a tick of one unit gives the unit's short name."""
    try:
        return str(Tick.parse(str(word))).split()[1]
    except TimeError:
        return None


def _place(span: Span | None) -> Span:
    assert span is not None
    return span


def _join(first: Span | None, last: Span | None) -> Span:
    assert first is not None
    assert last is not None
    return Span(first.line, first.column, last.end_line, last.end_column)


def _until(first: Span | None, dot: object) -> Span:
    return _join(first, span_of(_token(dot)))


def _token(part: object) -> Token:
    assert isinstance(part, Token)
    return part
