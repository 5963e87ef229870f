"""Reports rules that can never fire, whatever the data. Only certain cases are reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace

from laser.checks.contradictions import first_conflict, implies, is_irreflexive, strongest
from laser.checks.subject import Subject
from laser.errors import Diagnostic, Span
from laser.syntax import tree
from laser.syntax.terms import is_ground, subterms
from laser.values import Iri, Value, static_type_of
from laser.values.functions import FUNCTIONS
from laser.values.operations import compare
from laser.values.static_type import ANY
from laser.windows import PRESENT, Between, Sliding

__all__ = ["never_fires"]

BODY = "a rule fires when all parts of its body hold at the same time"
VALUE = "arithmetic works on numbers, times and durations; a rule does not fire if an expression has no value"
TIME = "a time point is an integer, 0 or more"
WINDOW = "a window `[n]` includes the present"

Reason = tuple[str, Span | None, str, str]
"""The message, the place, the note and the hint."""


def never_fires(subject: Subject) -> Iterator[Diagnostic]:
    """A rule whose body can never hold, or whose head is not at a time point."""
    for rule in subject.rules:
        reason = next((reason for why in REASONS for reason in why(subject, rule)), None)
        if reason:
            message, span, note, hint = reason
            yield Diagnostic("never-fires", f"this rule can never fire: {message}", span, note, hint, "warning")


def without_value(subject: Subject, rule: tree.Rule) -> Iterator[Reason]:
    """``X + red`` or ``1 / 0``, where a value is needed."""
    needed: list[tree.Term] = [*rule.head.args, *([] if rule.time is None else [rule.time])]
    needed += [term for literal in subject.needs(rule) for term in literal.terms]
    needed += [side for test in rule.comparisons for side in (test.left, test.right)]
    for term in (part for outer in needed for part in subterms(outer)):
        if isinstance(term, tree.Arithmetic) and _has_no_value(subject, term):
            hint = "use values for which it is defined, or variables"
            yield f"`{subject.term_text(term)}` has no value", term.span, VALUE, hint


def _has_no_value(subject: Subject, term: tree.Arithmetic) -> bool:
    operands = [subject.value(operand) for operand in term.operands]
    if term.operator in FUNCTIONS:
        return any(value is not None and not _fits(term, i, value) for i, value in enumerate(operands)) or (
            None not in operands and subject.value(term) is None
        )
    is_text = any(isinstance(value, str | Iri) for value in operands)
    return is_text or (None not in operands and subject.value(term) is None)


def _fits(term: tree.Arithmetic, place: int, value: Value) -> bool:
    """Whether a value has the type that a function expects. Numbers outside its domain show when it is computed."""
    wanted = FUNCTIONS[term.operator].argument(place)
    *_, widest = static_type_of(value).widening()
    return wanted == ANY or wanted.fits(widest)


def false_comparison(subject: Subject, rule: tree.Rule) -> Iterator[Reason]:
    """``1 > 2`` or ``X < X``. A comparison of named constants is not reported: it is a switch."""
    for test in rule.comparisons:
        parts = [*subterms(test.left), *subterms(test.right)]
        if any(isinstance(part, tree.ConstantName) for part in parts):
            continue
        text = subject.comparison_text(test)
        if test.left == test.right and is_irreflexive(test.operator):
            yield f"`{text}` compares a term with itself", test.span, BODY, "compare it with another variable"
        elif is_ground(test.left) and is_ground(test.right) and not _holds(subject, test):
            yield f"`{text}` is never true", test.span, BODY, "correct the comparison, or delete the rule"


def _holds(subject: Subject, test: tree.Comparison) -> bool:
    left, right = subject.value(test.left), subject.value(test.right)
    return left is not None and right is not None and bool(compare(test.operator, left, right))


def contradictory_comparisons(subject: Subject, rule: tree.Rule) -> Iterator[Reason]:
    """``X > 5, X < 3``."""
    found = first_conflict(rule.comparisons, subject.values)
    if found is not None:
        one, two = map(subject.comparison_text, found)
        yield f"`{one}` and `{two}` cannot both hold", found[1].span, BODY, "if either is enough, write two rules"


def contradictory_literals(subject: Subject, rule: tree.Rule) -> Iterator[Reason]:
    """``a(X), not a(X)``, also if a window of the second includes the first."""
    literals = {literal: literal for literal in rule.literals}
    positives: dict[tree.AtomPattern, list[tree.Literal]] = defaultdict(list)
    for literal in literals:
        if not literal.negated:
            positives[literal.atom].append(literal)
    strong = {atom: strongest(several, subject.window) for atom, several in positives.items()}
    for negative in (literal for literal in literals if literal.negated):
        denied = replace(negative, negated=False)
        for positive in [literals[denied]] if denied in literals else strong.get(negative.atom, ()):
            if implies(positive, denied, subject.window):
                one, two = subject.literal_text(positive), subject.literal_text(negative)
                message = f"`{one}` and `{two}` cannot both hold"
                yield message, negative.span, *_note_and_hint(subject, positive, negative)


def _note_and_hint(subject: Subject, positive: tree.Literal, negative: tree.Literal) -> tuple[str, str]:
    """``a, not a in [n]`` probably means the time before the present."""
    window = negative.window
    if positive.modality != "now" or window is None or window.kind is not Sliding or subject.window(window) == PRESENT:
        return BODY, f"remove `{subject.literal_text(negative)}`, or ask about something else"
    before = Between.written(["1", *map(subject.size_text, window.sizes)], formal=False)
    return WINDOW, f"for the time before the present, write `not {subject.atom_text(negative.atom)} in {before}`"


def no_time_point(subject: Subject, rule: tree.Rule) -> Iterator[Reason]:
    """A head at -1, or a body atom at ``noon``."""
    times = [rule.time] + [e.modality.time for e in subject.needs(rule) if isinstance(e.modality, tree.At)]
    for time in times:
        if time is not None and is_ground(time):
            point = subject.value(time)
            if not (isinstance(point, int) and point >= 0):
                hint = "write an integer of 0 or more, or a variable"
                yield f"`{subject.term_text(time)}` is not a time point", time.span, TIME, hint


def underivable(subject: Subject, rule: tree.Rule) -> Iterator[Reason]:
    """A body atom that can never be derived, because its rules lack facts. This is known only if the inputs are."""
    if subject.inputs is None:
        return
    for literal in subject.needs(rule):
        predicate = literal.atom.predicate
        if predicate in subject.derived and predicate not in subject.possible:
            hint = f"fix the rules for `{predicate}` first"
            yield f"nothing can ever derive `{predicate}`", literal.span, BODY, hint


REASONS: tuple[Callable[[Subject, tree.Rule], Iterator[Reason]], ...] = (
    without_value,
    false_comparison,
    contradictory_comparisons,
    contradictory_literals,
    no_time_point,
    underivable,
)
