"""Reads facts as users give them: text (read fast, because streams contain it), tuples or atoms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from laser.errors import FactError
from laser.values.atom import Atom
from laser.values.iri import BRACKETED
from laser.values.registry import TYPES, Value
from laser.values.string import NAME, RESERVED

__all__ = ["FactInput", "parse_fact", "parse_facts", "read_literal", "read_value", "to_atom", "to_atoms"]


FactInput: TypeAlias = str | tuple[Any, ...] | Atom


def _read_name(text: str) -> str:
    if text in RESERVED:
        raise FactError(f"'{text}' is a reserved word: to use it as a string, write \"{text}\"")
    return text


_FORMS: tuple[tuple[str, Callable[[str], Value]], ...] = (
    (rf"{NAME}(?!\w)", _read_name),
    *((each.in_fact, each.read) for each in TYPES),
)
"""How values are written in facts, each with its reader. The number of the matching group gives the type."""
_READERS: tuple[Callable[[str], Value], ...] = (str, *(read for _, read in _FORMS))
_VALUE = "|".join(f"({form})" for form, _ in _FORMS)
_LITERAL = re.compile("|".join(f"({each.in_fact})" for each in TYPES))

_HEAD = re.compile(rf"\s*({NAME}(?!\w)|{BRACKETED})\s*(\(\s*)?")
_TERM = re.compile(rf"\s*(?:{_VALUE})\s*[,)]")
_LONE_TERM = re.compile(rf"\s*(?:{_VALUE})\s*")
_END = re.compile(r"\)\s*")
_LOCAL_NAME = re.compile(r":\w")
_FINAL_DOT = re.compile(r"\.?\s*\Z")


def parse_fact(text: str) -> Atom:
    """One ground atom; a final dot is allowed.

    >>> parse_fact("temp(sensor1, 21.5)")
    temp(sensor1, 21.5)
    """
    atom, end = _atom(text, 0)
    if end != len(text) and not _FINAL_DOT.match(text, end):
        raise _error(text, end, "the fact ends here, but more text follows it")
    return atom


def parse_facts(text: str) -> list[Atom]:
    """Ground atoms separated by commas, with an optional final dot; an empty text has none.

    >>> parse_facts("a(x1, y), b(y, z)")
    [a(x1, y), b(y, z)]
    """
    if not text.strip():
        return []
    atom, position = _atom(text, 0)
    atoms = [atom]
    while text[position : position + 1] == ",":
        atom, position = _atom(text, position + 1)
        atoms.append(atom)
    if not _FINAL_DOT.match(text, position):
        raise _error(text, position, "facts must be separated by commas")
    return atoms


def _atom(text: str, position: int) -> tuple[Atom, int]:
    """The atom that begins at a position, and the position of what follows it."""
    head = _HEAD.match(text, position)
    if head is None or head[1] in RESERVED:
        raise _no_atom(text, _after_space(text, position))
    position = head.end()
    if head[2] is None:
        if _LOCAL_NAME.match(text, position):
            raise _no_atom(text, head.start(1))
        return Atom.of((head[1],)), position
    if end := _END.match(text, position):
        return Atom.of((head[1],)), end.end()
    flat: list[Value] = [head[1]]
    while term := _TERM.match(text, position):
        flat.append(_value(term))
        position = term.end()
        if text[position - 1] == ")":
            return Atom.of(tuple(flat)), _after_space(text, position)
    raise _no_term(text, _after_space(text, position))


def _value(term: re.Match[str]) -> Value:
    group = term.lastindex or 0
    try:
        return _READERS[group](term[group])
    except FactError as error:
        raise _error(term.string, term.start(group), str(error)) from None


def read_value(text: str) -> Value:
    """Read a value as written in a fact, or raise FactError.

    >>> read_value("x1"), read_value('"x 1"'), read_value("1.50")
    ('x1', 'x 1', 1.5)
    """
    term = _LONE_TERM.fullmatch(text)
    if term is None:
        raise _no_term(text, _after_space(text, 0))
    return _value(term)


def read_literal(text: str) -> Value | None:
    """Read a value written as a literal; None for other texts, such as bare names.

    >>> read_literal("1.50"), read_literal('"x1"'), read_literal("x1")
    (1.5, 'x1', None)
    """
    match = _LITERAL.fullmatch(text)
    return TYPES[match.lastindex - 1].read(text) if match and match.lastindex else None


def _after_space(text: str, position: int) -> int:
    while text[position : position + 1].isspace():
        position += 1
    return position


_ATOM_REASONS = (
    (r"\Z", "there is no atom"),
    (r"[A-Z_]\w*", "'{}' is a variable: predicate names begin with a lower-case letter"),
    (r"\w*:\w+", "'{}' has a prefix, and prefixes are known only in programs: write the whole IRI in <…>"),
    (rf"(?:{'|'.join(sorted(RESERVED))})(?!\w)", "'{}' is a reserved word and cannot be the name of a predicate"),
    (r"<[^<>]*>", "{} is not an absolute IRI"),
    (r"@", "'{}' is not allowed in a fact: the time is given separately"),
    (r"¬", "'{}' is not allowed in a fact: what is not given does not hold"),
    (r"\w+|.", "an atom cannot begin with '{}': a name is a letter a-z, then letters a-z and A-Z, digits and _"),
)
_TERM_REASONS = (
    (r"\Z", "the fact ends before its ')'"),
    (r"[A-Z_]\w*", "'{}' is a variable, which a fact cannot contain: for a string, put it in quotes"),
    (r"\w*:\w+", "'{}' has a prefix, and prefixes are known only in programs: write the whole IRI in <…>"),
    (r"<[^<>]*>", "{} is not an absolute IRI"),
    (r'"', "the string is not closed, or has a backslash that does not begin an escape such as \\n"),
    (r"'", "strings are written in double quotes"),
    (r"[,)]", "a term is missing before '{}'"),
    (r"\w+|.", "'{}' is not a term: a term is a number, a string or an IRI; put other text in quotes"),
)
_AFTER_REASONS = (
    (r"\Z", "the fact ends before its ')'"),
    (r"\(", "terms cannot be nested: an argument is a number, a string or an IRI"),
    (r"\.\.", "ranges are allowed only in programs"),
    (r"[+\-*/]|div|mod", "arithmetic is not allowed in a fact: write the value"),
    (r":", "prefixed names are allowed only in programs: write the whole IRI in <…>"),
    (r".", "',' or ')' is expected here"),
)


def _no_atom(text: str, position: int) -> FactError:
    return _first_reason(text, position, _ATOM_REASONS)


def _no_term(text: str, position: int) -> FactError:
    term = _LONE_TERM.match(text, position)
    if term and not re.match(r"\w+:\w", text[position:]):
        return _first_reason(text, term.end(), _AFTER_REASONS)
    return _first_reason(text, position, _TERM_REASONS)


def _first_reason(text: str, position: int, reasons: tuple[tuple[str, str], ...]) -> FactError:
    for pattern, reason in reasons:
        if match := re.compile(pattern, re.DOTALL).match(text, position):
            return _error(text, position, reason.format(match[0]))
    raise AssertionError("the last pattern of each list matches anything")


def _error(text: str, position: int, reason: str) -> FactError:
    """The error with the text around the place, in which » marks the place."""
    before = text[max(0, position - 40) : position]
    after = text[position : position + 40]
    left, right = "…" * (position > 40), "…" * (len(text) - position > 40)
    message = f"{reason} (at », column {position + 1}): {left}{before}»{after}{right}"
    return FactError("".join(c if c.isprintable() else " " for c in message))


def to_atom(fact: FactInput) -> Atom:
    """One fact as an atom, or FactError."""
    if type(fact) is Atom:
        return fact
    if isinstance(fact, str):
        return parse_fact(fact)
    if isinstance(fact, list | tuple) and fact:
        return Atom(fact[0], fact[1:])
    raise FactError(f"{fact!r} is not a fact: give text like 'a(x, 1)', a tuple like ('a', 'x', 1) or an Atom")


def to_atoms(facts: Iterable[FactInput]) -> list[Atom]:
    """Facts as atoms, in order; raises FactError for the first that is not a fact."""
    if isinstance(facts, str):
        raise FactError(f"facts must be given in a list: write [{facts!r}]")
    return [to_atom(fact) for fact in facts]
