"""A predicate that is derived only for the present has no past."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, count

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.syntax.printer import write_statement
from laser.syntax.terms import variables
from laser.values import Predicate
from laser.windows import Sliding, TimeWindow, Window

__all__ = ["no_history"]

NOTE = "every answer is computed from the facts alone: what a rule `{0} :- …` derived earlier is not remembered"


def no_history(subject: Subject) -> Iterator[Diagnostic]:
    """A window over a predicate that rules derive only for the present."""
    hints: dict[Predicate, str] = {}
    for _, literal in subject.literals:
        predicate = literal.atom.predicate
        if predicate in subject.plain and _looks_back(subject, literal):
            name = literal.atom.name
            if predicate not in hints:
                hints[predicate] = _hint(subject, predicate)
            yield Diagnostic(
                "no-history",
                _message(subject, literal),
                literal.span,
                NOTE.format(name),
                hints[predicate],
                "warning",
            )


def _message(subject: Subject, literal: tree.Literal) -> str:
    """What the window sees of the predicate: only the present, which some windows do not include."""
    text, name = subject.literal_text(literal), literal.atom.name
    shown = True if literal.window is None else _shows_present(subject.window(literal.window))
    if shown is None:
        return f"`{text}` sees `{name}` only at the present, and only while its window includes the present"
    if shown:
        return f"`{text}` sees `{name}` only at the present, never in the past"
    so = ", so this rule cannot fire" if literal.is_positive else ""
    return f"`{text}` looks only at the past, where `{name}` never holds{so}"


def _shows_present(window: Window | None) -> bool | None:
    return window.shows_present if isinstance(window, TimeWindow) else None


def _looks_back(subject: Subject, literal: tree.Literal) -> bool:
    if literal.window is None:
        return isinstance(literal.modality, tree.At)
    window = subject.window(literal.window)
    return issubclass(literal.window.kind, TimeWindow) and (window is None or window.reach.ticks != 0)


def _hint(subject: Subject, predicate: Predicate) -> str:
    """How to change the first rule that derives the predicate, so that the predicate has a history."""
    rule = subject.first_rule[predicate]
    window, time = _longest(subject, predicate), _fresh_variable(rule)
    others = ", and change its other rules in the same way" if subject.rule_counts[predicate] > 1 else ""
    timed = _timed(subject, rule, time, window)
    record = f"; or add `#record {predicate}.` to remember what was derived earlier"
    if timed is None:
        size = f" in {subject.window_text(window)}" if window else ""
        head = f"@{time.name} {subject.atom_text(rule.head)}"
        return f"derive it{_line(rule)} as `{head}`, from body atoms that hold `at {time.name}{size}`{others}{record}"
    text = write_statement(timed, "readable", subject.program.prefixes, subject.program.constants)
    return f"to give it a history, write `{text}`{_line(rule)}{_narrower(subject, rule)}{others}{record}"


def _line(rule: tree.Rule) -> str:
    return f" on line {rule.span.line}" if rule.span else ""


def _longest(subject: Subject, predicate: Predicate) -> tree.Window | None:
    """The window from the present back to the earliest time that any reader looks at; None for the whole past."""
    windows = [reader.window for reader in subject.readers[predicate] if _looks_back(subject, reader)]
    known = [window for window in windows if window is not None]
    if len(known) < len(windows):
        return None
    longest = max(known, key=lambda window: _ticks(subject, window))
    if longest.kind is Sliding:
        return longest
    ticks = _ticks(subject, longest)
    return tree.Window(Sliding, (tree.Size(tree.Constant(ticks)),)) if ticks else None


def _ticks(subject: Subject, window: tree.Window) -> int:
    resolved = subject.window(window)
    return (resolved.reach.ticks or 0) if resolved else 0


def _fresh_variable(rule: tree.Rule) -> tree.Variable:
    taken = {variable.name for variable in variables(rule.terms())}
    names = chain(["T"], (f"T{number}" for number in count(1)))
    return tree.Variable(next(name for name in names if name not in taken))


def _timed(subject: Subject, rule: tree.Rule, time: tree.Variable, window: tree.Window | None) -> tree.Rule | None:
    """The rule rewritten for every time of a window; None if its body cannot be rewritten in this way."""
    asked = [literal for literal in rule.literals if not _is_constant(subject, literal)]
    if not any(literal.is_positive for literal in asked) or not (all(map(_is_plain, asked)) or _widened(asked)):
        return None
    changed = set(asked)
    body = tuple(replace(e, modality=tree.At(time), window=window) if e in changed else e for e in rule.body)
    return replace(rule, time=time, body=body)


def _is_constant(subject: Subject, literal: tree.Literal) -> bool:
    """Background data hold at every time, so asking about the present is enough."""
    predicate = literal.atom.predicate
    is_given = predicate in subject.derived or predicate in subject.streamed
    return literal.modality == "now" and predicate in subject.background and not is_given


def _is_plain(literal: tree.Literal) -> bool:
    return literal.modality == "now" and not literal.negated_inside


def _widened(asked: list[tree.Literal]) -> bool:
    """One atom at some time of a window."""
    return len(asked) == 1 and asked[0].modality == "sometime" and not asked[0].negated


def _narrower(subject: Subject, rule: tree.Rule) -> str:
    """How the rewritten rule differs if the original has a window."""
    source = next((literal for literal in rule.literals if literal.modality == "sometime"), None)
    return f"; it then holds only at the times of `{subject.atom_text(source.atom)}`" if source else ""
