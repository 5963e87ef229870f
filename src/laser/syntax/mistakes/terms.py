"""Mistakes in names, terms and brackets."""

from __future__ import annotations

from laser.errors import Diagnostic
from laser.syntax.lexer import WORDS, span_of
from laser.syntax.mistakes.case import COMPARISONS, NAMES, Case
from laser.values.functions import FUNCTIONS

__all__ = ["BRACKET_MISTAKES", "TERM_MISTAKES"]

_WORD_TYPES = frozenset(WORDS.values())
_CASE_LAW = "predicate names begin with a lower-case letter, variables with an upper-case letter or _"
_WORD_LAW = f"the reserved words are {', '.join([*WORDS][:-1])} and {[*WORDS][-1]}"
_RANGE_LAW = "ranges are allowed only in facts, where they stand for one fact per value"
_ARGUMENT_LAW = "the arguments of an atom are values, variables, arithmetic and functions"


_CLOSING = {"(": ")", "[": "]", "{": "}"}


def capital_name(case: Case) -> Diagnostic | None:
    if case.kind() == "VARIABLE" and "NAME" in case.accepted and "VARIABLE" not in case.accepted:
        offset = 0
    elif case.kind() == "LPAR" and case.kind(-1) == "VARIABLE":
        offset = -1
    else:
        return None
    word = case.word(offset)
    lower = word.lstrip("_")
    hint = f"write `{lower[0].lower()}{lower[1:]}`" if lower else None
    message = f"'{word}' is a variable, but a name is expected here"
    return case.found("capital-name", message, _CASE_LAW, hint, offset=offset)


def quoted_name(case: Case) -> Diagnostic | None:
    if case.kind() == "LITERAL" and "NAME" in case.accepted and "LITERAL" not in case.accepted:
        offset = 0
    elif case.kind() == "LPAR" and case.kind(-1) == "LITERAL":
        offset = -1
    else:
        return None
    message = f"{case.word(offset)} is a string, but a predicate name is expected here"
    hint = "write the name without quotes; an IRI is written in <…>"
    return case.found("syntax", message, None, hint, offset=offset)


def lone_prefix(case: Case) -> Diagnostic | None:
    if case.kind() != "NAMESPACE":
        return None
    prefix = case.word()
    hint = f"write a prefixed name without spaces, `{prefix}name`; the arrow of a rule is `:-`"
    return case.found("syntax", f"no name directly follows '{prefix}'", "a prefixed name is short for an IRI", hint)


def reserved_word(case: Case) -> Diagnostic | None:
    if case.kind() in _WORD_TYPES and case.accepted & NAMES:
        offset = 0
    elif case.kind(-1) in ("ABS", "MIN", "MAX") and case.kind() != "LPAR":
        offset = -1
    else:
        return None
    word = case.word(offset)
    hint = f'to use it as a string, write "{word}"' if "LITERAL" in case.accepted or offset else "choose another name"
    return case.found("reserved-word", f"'{word}' is a reserved word", _WORD_LAW, hint, offset=offset)


def range_in_rule(case: Case) -> Diagnostic | None:
    if case.kind() != "_RANGE" or not case.at:
        return None
    hint = "list the values as facts, `value(1..5).`, and join with `value(X)`"
    return case.found("range-outside-fact", "a range is not allowed in a rule", _RANGE_LAW, hint, offset=-1, to=1)


def missing_argument(case: Case) -> Diagnostic | None:
    brackets = case.open_brackets
    if case.kind() not in ("RPAR", "_COMMA") or not brackets or brackets[-1] != "(":
        return None
    at = next(i for i, token in enumerate(case.tokens) if token is brackets[-1])
    function = case.tokens[at - 1]
    known = FUNCTIONS.get(str(function)) if function.type in ("MIN", "MAX", "ABS") else None
    return case.found("syntax", f"'{function}' takes {known.arity()}") if known else None


def digit_name(case: Case) -> Diagnostic | None:
    if case.kind() not in NAMES or case.kind(-1) != "NUMBER":
        return None
    if case.tokens[case.at - 1].end_pos != case.tokens[case.at].start_pos:
        return None
    word = case.word(-1) + case.word()
    message = f"'{word}' is neither a number nor a name"
    return case.found("syntax", message, "names begin with a letter", f'write "{word}"', offset=-1, to=0)


def unclosed_bracket(case: Case) -> Diagnostic | None:
    opened = case.open_brackets
    if not opened or _closes(case, opened[-1]):
        return None
    bracket = opened[-1]
    ends = {"(": "the arguments end", "[": "the window ends", "{": "the aggregate ends"}[str(bracket)]
    hint = f"write '{_CLOSING[str(bracket)]}' where {ends}"
    return Diagnostic("unclosed-bracket", f"the '{bracket}' is not closed", span_of(bracket), None, hint)


def unopened_bracket(case: Case) -> Diagnostic | None:
    if case.kind() not in ("RPAR", "RBRACKET") or case.open_brackets:
        return None
    return case.found("unclosed-bracket", f"the '{case.word()}' has no opening bracket", None, "remove it")


def comparison_in_atom(case: Case) -> Diagnostic | None:
    if case.kind() not in COMPARISONS or not case.open_brackets:
        return None
    hint = "write the comparison after the atom: `a(X), X < 3`"
    return case.found("syntax", "a comparison cannot be an argument of an atom", _ARGUMENT_LAW, hint)


def _closes(case: Case, bracket: object) -> bool:
    """Whether an open bracket is closed later in the statement."""
    depth = 1
    for token in case.tokens[case.at :]:
        depth += (token.type in ("LPAR", "LBRACKET", "LBRACE")) - (token.type in ("RPAR", "RBRACKET", "RBRACE"))
        if depth == 0:
            return str(token) == _CLOSING[str(bracket)]
    return False


TERM_MISTAKES = (
    lone_prefix,
    capital_name,
    quoted_name,
    reserved_word,
    range_in_rule,
    missing_argument,
    digit_name,
)
BRACKET_MISTAKES = (unclosed_bracket, unopened_bracket, comparison_in_atom)
